"""The NCBI adapter: ESearch per query, then the records in batches; strict form first, broad only if needed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from openwork_contracts.errors import SourceChanged, SourceRefused, SourceUnavailable
from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.plan import SearchRequestLog

from openwork_retrievers.adapters.ncbi.articles import PubmedParser
from openwork_retrievers.adapters.ncbi.esearch import SearchAnswer, dropped_concepts, parse_esearch
from openwork_retrievers.adapters.ncbi.links import parse_epost, parse_esummary
from openwork_retrievers.adapters.ncbi.query import PubmedQuery, QueryPlan, plan_queries
from openwork_retrievers.adapters.ncbi.requests import BATCH, Eutils, batches
from openwork_retrievers.adapters.ports import (
    HttpPort,
    HttpRequest,
    Identity,
    Search,
    SearchRequest,
    SourceResult,
    check_status,
    fetch,
)

ENOUGH = 20
"""Fewer records than this from the strict form, and the broad one is tried: a rapid review reads about 20."""
RRF_K = 60
"""Cormack, Clarke & Buettcher 2009, doi:10.1145/1571941.1572114."""
SourceError = SourceUnavailable | SourceRefused | SourceChanged
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
    """A narrow entry that is asked beside PubMed itself: one query, and one broader one only when that finds nothing.
    All entries share NCBI's 3 requests per second; five variants of each would take most of an answer's time."""


@dataclass(slots=True)
class _Found:
    """Ids in order of reciprocal rank over all queries."""

    scores: dict[str, float] = field(default_factory=dict)
    single: SearchAnswer | None = None
    """The only answer with ids so far, if it has a set on the History server."""
    answers: int = 0

    def add(self, answer: SearchAnswer | None) -> None:
        if answer is None:
            return
        for rank, found in enumerate(answer.ids, 1):
            self.scores[found] = self.scores.get(found, 0.0) + 1.0 / (RRF_K + rank)
        if answer.ids:
            self.answers += 1
            self.single = answer if self.answers == 1 else None

    def best(self, limit: int) -> tuple[str, ...]:
        return tuple(sorted(self.scores, key=lambda found: -self.scores[found])[:limit])


@dataclass(frozen=True, slots=True)
class _Asked:
    """One ESearch: its log, and its answer or its error."""

    log: SearchRequestLog
    answer: SearchAnswer | None = None
    error: SourceError | None = None


@dataclass(slots=True)
class _Batch:
    """One EFetch: its records, or its error and what to tell of it."""

    records: list[EvidenceRecord] = field(default_factory=list)
    log: list[SearchRequestLog] = field(default_factory=list)
    degradations: list[str] = field(default_factory=list)
    error: SourceError | None = None


class NcbiAdapter:
    """PubMed, its reviews, guidelines and books, and PMC, by the form given."""

    def __init__(self, base_url: str, identity: Identity, form: NcbiForm) -> None:
        self._calls = Eutils(base_url.rstrip("/"), identity)
        self._form = form

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        """Strict queries; the broad ones one by one while fewer than `ENOUGH` are found; then the records.

        A query that fails beside others that did not is a degradation; if none could be asked, its error is raised.
        """
        plan = plan_queries(
            request.analysis, route_filter=self._form.filter, track=request.track, db=self._form.db
        )  # fmt: skip
        search, found = Search(), _Found()
        if self._form.beside_pubmed:
            plan = QueryPlan(plan.strict[:1], plan.broad[:1], plan.unfiltered)
        await self._ask_all(plan, request, http, search, found)
        best = found.best(request.limit)
        if best:
            await self._read(best, found, request, http, search)
            rank = {pmid: place for place, pmid in enumerate(best)}
            search.records.sort(key=lambda record: rank.get(record.source_id, len(rank)))
        return search.result(request.limit)

    async def _ask_all(
        self, plan: QueryPlan, request: SearchRequest, http: HttpPort, search: Search, found: _Found
    ) -> None:
        """The strict queries side by side; the broad ones one after the other, since each may be the last needed."""
        enough = 1 if self._form.beside_pubmed else min(ENOUGH, request.limit)
        history = len(plan.strict) == 1
        asked = await asyncio.gather(*(self._ask(query, request, http, history=history) for query in plan.strict))
        for one in asked:
            found.add(one.answer)
        if not any(one.answer for one in asked):
            raise next(one.error for one in asked if one.error is not None)
        strict_count = len(found.scores)
        if strict_count < enough:
            for query in plan.broad:
                if len(found.scores) < enough:
                    asked.append(await self._ask(query, request, http))
                    found.add(asked[-1].answer)
            gained = len(found.scores) - strict_count
            if gained:
                search.degradations.append(
                    f"{request.route}: the strict form found {strict_count} records (fewer than {enough}); "
                    f"the broad form, without filters, added {gained}"
                )
        search.log.extend(one.log for one in asked)
        search.degradations.extend(str(one.error) for one in asked if one.error is not None)
        count_loss = not self._form.beside_pubmed and strict_count >= enough
        if count_loss and plan.strict[0].has_filters and plan.strict[0].term != plan.unfiltered.term:
            await self._count_loss(plan, request, http, search)

    async def _ask(
        self, query: PubmedQuery, request: SearchRequest, http: HttpPort, *, history: bool = False
    ) -> _Asked:
        call = self._calls.search(
            self._form.db, query.term, retmax=request.limit, reldate_days=self._form.reldate_days, history=history
        )
        try:
            answer = parse_esearch(request.route, await fetch(request.route, http, call))
        except _EXPECTED as error:
            return _Asked(SearchRequestLog(request=call.shown(), cap=request.limit, error=str(error)), error=error)
        return _Asked(search_log(call, query, answer, cap=request.limit), answer)

    async def _count_loss(self, plan: QueryPlan, request: SearchRequest, http: HttpPort, search: Search) -> None:
        """Count what the filters of the first query leave out: one call for a number that the reader is owed."""
        call = self._calls.search(self._form.db, plan.unfiltered.term, retmax=0, count_only=True,
                                  reldate_days=self._form.reldate_days)  # fmt: skip
        try:
            answer = parse_esearch(request.route, await fetch(request.route, http, call))
        except _EXPECTED as error:
            search.log.append(SearchRequestLog(request=call.shown(), cap=0, error=str(error)))
            return
        kept = next((entry.hits for entry in search.log if entry.hits is not None), None)
        left_out = (
            "" if kept is None else f"the filters of the first query leave out {max(answer.count - kept, 0)} records"
        )
        log = search_log(call, plan.unfiltered, answer, cap=0)
        search.log.append(log.model_copy(update={"warnings": (*log.warnings, *filter(None, [left_out]))}))

    async def _read(self, ids: tuple[str, ...], found: _Found, request: SearchRequest, http: HttpPort,
                    search: Search) -> None:  # fmt: skip
        """The records: PMC's ids by way of their PMIDs, PubMed's in batches."""
        loose: list[EvidenceRecord] = []
        if self._form.db == "pmc":
            ids, loose, order = await self._from_pmc(ids, request, http, search)
        await self._fetch_records(ids, found, request, http, search)
        if self._form.db == "pmc":
            got = {record.source_id for record in search.records}
            search.records.extend(record for record in loose if record.source_id not in got)
            search.records.sort(key=lambda record: order.get(record.source_id, len(order)))
        for entry, log in enumerate(search.log):
            if log.cap and log.hits is not None:
                fetched = min(log.hits, log.cap, len(search.records))
                search.log[entry] = log.model_copy(update={"fetched": fetched})

    async def _fetch_records(
        self, ids: tuple[str, ...], found: _Found, request: SearchRequest, http: HttpPort, search: Search
    ) -> None:
        """The batches side by side; one that fails costs its records and is told."""
        calls = await self._fetch_calls(ids, found, request, http)
        fetched = await asyncio.gather(*(self._fetch_one(call, request, http) for call in calls))
        for one in fetched:
            search.records.extend(one.records)
            search.log.extend(one.log)
            search.degradations.extend(one.degradations)
        errors = [one.error for one in fetched if one.error is not None]
        if errors and not search.records:
            raise errors[0]

    async def _fetch_calls(self, ids: tuple[str, ...], found: _Found, request: SearchRequest,
                           http: HttpPort) -> list[HttpRequest]:  # fmt: skip
        """One call where the ids fit into one; else the History server, from the search's own set or an EPost."""
        if len(ids) <= BATCH:
            return [self._calls.fetch_ids("pubmed", ids)] if ids else []
        own = found.single
        if own and own.web_env and own.query_key and self._form.db == "pubmed":
            web_env, query_key = own.web_env, own.query_key
        else:
            try:
                posted = parse_epost(request.route, await fetch(request.route, http, self._calls.post("pubmed", ids)))
            except _EXPECTED:
                return [self._calls.fetch_ids("pubmed", batch) for batch in batches(ids)]
            web_env, query_key = posted.web_env, posted.query_key
        starts = range(0, len(ids), BATCH)
        return [
            self._calls.fetch_set("pubmed", web_env, query_key, start, min(BATCH, len(ids) - start)) for start in starts
        ]

    async def _fetch_one(self, call: HttpRequest, request: SearchRequest, http: HttpPort) -> _Batch:
        batch = _Batch()
        parser = PubmedParser(request.route, request.retrieved_at)
        try:
            response = await http.send(call)
            if response.status != 200:
                check_status(request.route, call, response.status, await response.read())
            async for piece in response.body:
                batch.records.extend(parser.feed(piece))
            parser.close()
        except _EXPECTED as error:
            # What was read before the fault is whole records, but which are missing is not known: none is kept.
            log = SearchRequestLog(request=call.shown(), cap=BATCH, error=str(error))
            told = f"{request.route}: a batch of records could not be read: {error}"
            return _Batch(log=[log], degradations=[told], error=error)
        if parser.unreadable:
            batch.degradations.append(f"{request.route}: {parser.unreadable} records had no PMID or no title")
        return batch

    async def _from_pmc(
        self, ids: tuple[str, ...], request: SearchRequest, http: HttpPort, search: Search
    ) -> tuple[tuple[str, ...], list[EvidenceRecord], dict[str, int]]:
        """PMIDs of PMC's articles, their summaries for those that have none, and the order of both."""
        summaries: list[EvidenceRecord] = []
        for batch in batches(ids):
            call = self._calls.summary("pmc", batch)
            body = await fetch(request.route, http, call)
            summaries.extend(parse_esummary(request.route, body, request.retrieved_at))
        order = {record.source_id: place for place, record in enumerate(summaries)}
        pmids = tuple(record.identifiers.pmid for record in summaries if record.identifiers.pmid)
        return pmids, summaries, order


def search_log(call: HttpRequest, query: PubmedQuery, answer: SearchAnswer, *, cap: int) -> SearchRequestLog:
    """What was asked, what PubMed made of it, and whether that is still the same question."""
    dropped = dropped_concepts(answer, query.concepts)
    warnings = [query.purpose, *answer.warnings]
    if dropped:
        warnings.append(f"the search no longer asks for {', '.join(dropped)}")
    return SearchRequestLog(
        request=call.shown(),
        translation=answer.translation,
        warnings=tuple(warnings),
        hits=answer.count,
        cap=cap,
        suspect=bool(dropped),
    )
