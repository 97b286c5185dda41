"""The E-utilities calls. Limits and parameters: NCBI Bookshelf NBK25497 and NBK25499."""

from __future__ import annotations

from dataclasses import dataclass, replace

from openwork_http.turns import Turn, Urgency

from openwork_retrievers.adapters.ports import HttpRequest, Identity, Params

BATCH = 200
"""Records per EFetch. NCBI asks for batches of a few hundred; a batch is what a fault can cost."""
ANSWER_S = 0.8
"""Seconds allowed for one answer when it is reckoned whether a search and its read can both be had in time."""
READ = Turn(Urgency.READ)
"""Reads what a search has found, or the last of it."""
COUNT = Turn(Urgency.SPARE)
"""A number that nothing else waits for."""
MAX_GET_CHARS = 1500
"""A longer query goes by POST: servers cut addresses at some 2,000 characters."""


@dataclass(frozen=True, slots=True)
class Eutils:
    """The calls, with the address and the identity they all need."""

    base_url: str
    identity: Identity

    def search(self, db: str, term: str, *, retmax: int, reldate_days: int | None = None, history: bool = False,
               count_only: bool = False) -> HttpRequest:  # fmt: skip
        """ESearch, best match first."""
        params: Params = (("db", db), ("term", term), ("retmode", "json"), ("sort", "relevance"))
        params += (("retmax", "0" if count_only else str(retmax)),)
        if reldate_days is not None:
            params += (("reldate", str(reldate_days)), ("datetype", "pdat"))
        if history:
            params += (("usehistory", "y"),)
        params += self._who()
        turn = COUNT if count_only else Turn(then=reads_of(db, retmax), answer_s=ANSWER_S)
        url = f"{self.base_url}/esearch.fcgi"
        if len(term) > MAX_GET_CHARS:
            return HttpRequest("POST", url, form=params, turn=turn)
        return HttpRequest("GET", url, params, turn=turn)

    def post(self, db: str, ids: tuple[str, ...]) -> HttpRequest:
        """EPost: put ids on the History server, for the EFetches that follow."""
        form = (("db", db), ("id", ",".join(ids)), *self._who())
        turn = replace(READ, then=n_batches(len(ids)))
        return HttpRequest("POST", f"{self.base_url}/epost.fcgi", form=form, turn=turn)

    def fetch_ids(self, db: str, ids: tuple[str, ...]) -> HttpRequest:
        """EFetch of at most `BATCH` ids, as XML."""
        form = (("db", db), ("id", ",".join(ids)), ("retmode", "xml"), *self._who())
        return HttpRequest("POST", f"{self.base_url}/efetch.fcgi", form=form, turn=READ)

    def fetch_set(self, db: str, web_env: str, query_key: str, start: int, count: int) -> HttpRequest:
        """EFetch of a part of a set on the History server, as XML."""
        params = (("db", db), ("WebEnv", web_env), ("query_key", query_key), ("retstart", str(start)),
                  ("retmax", str(count)), ("retmode", "xml"), *self._who())  # fmt: skip
        return HttpRequest("GET", f"{self.base_url}/efetch.fcgi", params, turn=READ)

    def summary(self, db: str, ids: tuple[str, ...], *, then: int) -> HttpRequest:
        """ESummary, as JSON: for PMC's ids, which EFetch would answer with whole articles.

        Args:
            then: calls that follow until all is read.
        """
        form = (("db", db), ("id", ",".join(ids)), ("retmode", "json"), *self._who())
        return HttpRequest("POST", f"{self.base_url}/esummary.fcgi", form=form, turn=replace(READ, then=then))

    def _who(self) -> Params:
        who: Params = (("tool", self.identity.tool),)
        if self.identity.contact:
            who += (("email", self.identity.contact),)
        if self.identity.api_key:
            who += (("api_key", self.identity.api_key),)
        return who


def n_batches(n_ids: int) -> int:
    return -(-n_ids // BATCH)


def reads_of(db: str, n_ids: int) -> int:
    """Most calls that it takes to read so many ids: the EFetches, an EPost before several, and PMC's ESummaries."""
    fetches = n_batches(n_ids)
    posts = 1 if fetches > 1 else 0
    return fetches + posts + (fetches if db == "pmc" else 0)


def batches(ids: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
