"""The NCBI adapter: up the ladder of searches as far as is needed, then the records, within the calls it was given.

Every run of an installation shares NCBI's 3 requests a second: an answer has two searches and one read of all that
they found (`openwork_contracts.pipelines`). What was not asked is in the log, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from openwork_contracts.errors import FailureReason, OpenWorkError, SourceChanged, SourceRefused, SourceUnavailable
from openwork_contracts.plan import SearchRequestLog

from openwork_retrievers.adapters.ncbi.esearch import SearchAnswer, dropped_concepts, parse_esearch
from openwork_retrievers.adapters.ncbi.query import PubmedQuery, asked_guidance, ladder
from openwork_retrievers.adapters.ncbi.reading import Reading
from openwork_retrievers.adapters.ncbi.requests import BATCH, Eutils
from openwork_retrievers.adapters.ports import (
    HttpPort,
    HttpRequest,
    Identity,
    Search,
    SearchRequest,
    SourceResult,
    fetch,
)

_EXPECTED = (SourceUnavailable, SourceRefused, SourceChanged)


@dataclass(frozen=True, slots=True)
class NcbiForm:
    """What makes one registry entry of this adapter differ from the others."""

    db: str = "pubmed"
    filter: str = ""
    """A PubMed filter that every query of the entry carries, e.g. `cochrane[sb]`."""
    reldate_days: int | None = None
    """Only records of the last so many days, by publication date."""
    beside_pubmed: bool = False
    """A narrow entry that somebody asks for by name beside PubMed itself: one search, and one broader one only when
    that finds nothing."""
    of_the_asked: bool = False
    """Only of the countries and bodies whose guidelines the question asks for."""

    def filter_for(self, request: SearchRequest) -> str:
        """The filter that a query carries."""
        asked = asked_guidance(request.analysis.guidance) if self.of_the_asked else ""
        return f"({self.filter}) AND ({asked})" if asked else self.filter


@dataclass(slots=True)
class _Climb:
    """How far up the ladder a search is."""

    ids: dict[str, None] = field(default_factory=dict)
    """What was found, each once, that of the strict rung first."""
    brought: dict[int, frozenset[str]] = field(default_factory=dict)
    """Place of a rung in the log -> the ids that it found before any other."""
    single: SearchAnswer | None = None
    """The only answer with ids so far, if it has a set on the History server."""
    n_asked: int = 0
    n_answered: int = 0
    n_with_ids: int = 0
    why_no_more: str = ""
    """Why no further rung is asked; empty = one may be."""

    def add(self, answer: SearchAnswer, place: int) -> int:
        """Take what a rung found, whose line is at that place of the log; how much of it is new."""
        new = frozenset(answer.ids).difference(self.ids)
        self.brought[place] = new
        self.ids |= dict.fromkeys(answer.ids)
        self.n_answered += 1
        if answer.ids:
            self.n_with_ids += 1
            self.single = answer if self.n_with_ids == 1 else None
        return len(new)

    def note_read(self, read: frozenset[str], log: list[SearchRequestLog]) -> None:
        """Say in the line of each rung how many of its own were read: together, the records that were."""
        for place, ids in self.brought.items():
            log[place] = log[place].model_copy(update={"fetched": len(ids & read)})


class NcbiAdapter:
    """PubMed, its reviews, guidelines and books, and PMC, by the form given."""

    def __init__(self, base_url: str, identity: Identity, form: NcbiForm) -> None:
        self._calls = Eutils(base_url.rstrip("/"), identity)
        self._form = form

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        """See `Adapter.search`. An error that is raised has the log of what was asked until then."""
        search = Search()
        try:
            found = await self._climb(request, http, search)
            ids = tuple(found.ids)[: self._most(request)]
            if ids:
                reading = Reading(self._calls, self._form.db, request, http, search)
                found.note_read(await reading.read(ids, found.single), search.log)
                search.sort(ids)
        except _EXPECTED as error:
            error.log = tuple(search.log)
            raise
        return search.result(request.limit)

    def _most(self, request: SearchRequest) -> int:
        """Most ids that its reads can read; where there is more than one, an EPost comes first."""
        reads = request.ncbi.reads
        return min(request.limit, BATCH * max(1, reads - 1 if reads > 1 else 1))

    async def _climb(self, request: SearchRequest, http: HttpPort, search: Search) -> _Climb:
        form, calls = self._form, request.ncbi
        rungs = ladder(request.strategy, route_filter=form.filter_for(request), track=request.track, db=form.db)
        enough = 1 if form.beside_pubmed else min(request.enough, request.limit)
        climb, n_counts = _Climb(), calls.counts
        for place, rung in enumerate(rungs):
            if place == 1 and not climb.ids and not climb.why_no_more and 1 < calls.searches < len(rungs):
                search.log.append(self._not_asked(rung, climb, request, "nothing before it, so a broader one is asked"))
                continue
            if not climb.why_no_more and climb.n_asked >= calls.searches:
                climb.why_no_more = f"one search makes at most {calls.searches} of them"
            if not climb.why_no_more:
                await self._ask(rung, climb, request, http, search, enough)
            elif n_counts > 0:
                n_counts -= 1
                search.log.append(await self._counted(rung, climb, request, http))
            else:
                search.log.append(self._not_asked(rung, climb, request))
        return climb

    async def _ask(self, rung: PubmedQuery, climb: _Climb, request: SearchRequest, http: HttpPort, search: Search,
                   enough: int) -> None:  # fmt: skip
        """One rung. Its error is raised only where nothing is found yet and asking on would not help."""
        most = self._most(request)
        call = self._calls.search(
            self._form.db,
            rung.term,
            retmax=most,
            reldate_days=self._form.reldate_days,
            history=most > BATCH,
        )
        climb.n_asked += 1
        try:
            answer = parse_esearch(request.route, await fetch(request.route, http, call))
        except _EXPECTED as error:
            self._failed(error, call, rung, climb, request, search)
            return
        search.log.append(search_log(call, rung, answer, cap=most))
        before = len(climb.ids)
        gained = climb.add(answer, len(search.log) - 1)
        if climb.n_asked > 1 and gained:
            search.degradations.append(
                f"{request.route}: stricter searches found {before} records (fewer than {enough}); a broader one "
                f"({rung.purpose}) added {gained}"
            )
        if len(climb.ids) >= enough:
            alone = climb.n_with_ids == 1
            said = f"rung before found {answer.count}" if alone else f"rungs before together found {len(climb.ids)}"
            climb.why_no_more = f"the {said} records"

    def _failed(self, error: OpenWorkError, call: HttpRequest, rung: PubmedQuery, climb: _Climb, request: SearchRequest,
                search: Search) -> None:  # fmt: skip
        """A rung without an answer: a query that was refused or misread leaves the next one, silence does not."""
        if climb.n_answered and error.reason is FailureReason.OWN_LIMIT:
            climb.why_no_more = str(error)
            search.log.append(self._not_asked(rung, climb, request))
            search.degradations.append(
                f"{request.route}: a broader search was not made beside the {len(climb.ids)} records found: {error}"
            )
            return
        most = self._most(request)
        search.log.append(SearchRequestLog(request=call.shown(), rung=rung.purpose, cap=most, error=str(error)))
        silent = isinstance(error, SourceUnavailable)
        if not climb.n_answered and (silent or climb.n_asked >= request.ncbi.searches):
            raise error
        if silent:
            climb.why_no_more = "the rung before had no answer"
        search.degradations.append(str(error))

    def _not_asked(
        self, rung: PubmedQuery, climb: _Climb, request: SearchRequest, reason: str = ""
    ) -> SearchRequestLog:
        call = self._calls.search(
            self._form.db, rung.term, retmax=self._most(request), reldate_days=self._form.reldate_days
        )
        return SearchRequestLog(request=call.shown(), rung=rung.purpose, not_asked=reason or climb.why_no_more)

    async def _counted(
        self, rung: PubmedQuery, climb: _Climb, request: SearchRequest, http: HttpPort
    ) -> SearchRequestLog:
        """What a rung that is not read would have found: one call for a number that a review's reader is owed."""
        call = self._calls.search(
            self._form.db, rung.term, retmax=0, count_only=True, reldate_days=self._form.reldate_days
        )
        try:
            answer = parse_esearch(request.route, await fetch(request.route, http, call))
        except _EXPECTED as error:
            return SearchRequestLog(request=call.shown(), rung=rung.purpose, cap=0, error=str(error))
        log = search_log(call, rung, answer, cap=0)
        return log.model_copy(update={"warnings": (*log.warnings, f"only counted: {climb.why_no_more}")})


def search_log(call: HttpRequest, query: PubmedQuery, answer: SearchAnswer, *, cap: int) -> SearchRequestLog:
    """What was asked, what PubMed made of it, and whether that is still the same question."""
    dropped = dropped_concepts(answer, query.concepts)
    warnings = list(answer.warnings)
    if dropped:
        warnings.append(f"the search no longer asks for {', '.join(dropped)}")
    return SearchRequestLog(
        request=call.shown(),
        rung=query.purpose,
        translation=answer.translation,
        warnings=tuple(warnings),
        hits=answer.count,
        cap=cap,
        suspect=bool(dropped),
    )
