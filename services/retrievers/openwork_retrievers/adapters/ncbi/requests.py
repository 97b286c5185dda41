"""The E-utilities calls. Limits and parameters: NCBI Bookshelf NBK25497 and NBK25499."""

from __future__ import annotations

from dataclasses import dataclass

from openwork_retrievers.adapters.ports import HttpRequest, Identity, Params

BATCH = 200
"""Records per EFetch. NCBI asks for batches of a few hundred; a batch is what a fault can cost."""
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
        url = f"{self.base_url}/esearch.fcgi"
        if len(term) > MAX_GET_CHARS:
            return HttpRequest("POST", url, form=params)
        return HttpRequest("GET", url, params)

    def post(self, db: str, ids: tuple[str, ...]) -> HttpRequest:
        """EPost: put ids on the History server."""
        return HttpRequest(
            "POST", f"{self.base_url}/epost.fcgi", form=(("db", db), ("id", ",".join(ids)), *self._who())
        )

    def fetch_ids(self, db: str, ids: tuple[str, ...]) -> HttpRequest:
        """EFetch of at most `BATCH` ids, as XML."""
        form = (("db", db), ("id", ",".join(ids)), ("retmode", "xml"), *self._who())
        return HttpRequest("POST", f"{self.base_url}/efetch.fcgi", form=form)

    def fetch_set(self, db: str, web_env: str, query_key: str, start: int, count: int) -> HttpRequest:
        """EFetch of a part of a set on the History server, as XML."""
        params = (("db", db), ("WebEnv", web_env), ("query_key", query_key), ("retstart", str(start)),
                  ("retmax", str(count)), ("retmode", "xml"), *self._who())  # fmt: skip
        return HttpRequest("GET", f"{self.base_url}/efetch.fcgi", params)

    def summary(self, db: str, ids: tuple[str, ...]) -> HttpRequest:
        """ESummary, as JSON: for PMC's ids, which EFetch would answer with whole articles."""
        form = (("db", db), ("id", ",".join(ids)), ("retmode", "json"), *self._who())
        return HttpRequest("POST", f"{self.base_url}/esummary.fcgi", form=form)

    def _who(self) -> Params:
        who: Params = (("tool", self.identity.tool),)
        if self.identity.contact:
            who += (("email", self.identity.contact),)
        if self.identity.api_key:
            who += (("api_key", self.identity.api_key),)
        return who


def batches(ids: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
