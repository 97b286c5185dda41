"""From ids to records: one EFetch for up to 200, the History server for more. An id that was found is never lost."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from openwork_contracts.errors import SourceChanged, SourceRefused, SourceUnavailable
from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.plan import SearchRequestLog

from openwork_retrievers.adapters.ncbi.articles import PubmedParser
from openwork_retrievers.adapters.ncbi.esearch import SearchAnswer
from openwork_retrievers.adapters.ncbi.links import parse_epost, parse_esummary
from openwork_retrievers.adapters.ncbi.requests import BATCH, Eutils, batches, reads_of
from openwork_retrievers.adapters.ports import HttpPort, HttpRequest, Search, SearchRequest, check_status, fetch

SourceError = SourceUnavailable | SourceRefused | SourceChanged
_EXPECTED = (SourceUnavailable, SourceRefused, SourceChanged)


@dataclass(frozen=True, slots=True)
class _Call:
    """One EFetch and the ids it asks for."""

    request: HttpRequest
    ids: tuple[str, ...]


@dataclass(slots=True)
class _Batch:
    """What one EFetch gave, also where it broke off."""

    call: _Call
    records: list[EvidenceRecord] = field(default_factory=list)
    unreadable: int = 0
    error: SourceError | None = None
    has_more: bool = False
    """Whether more records came than were asked for; they were not read."""

    @property
    def missing(self) -> tuple[str, ...]:
        got = {record.source_id for record in self.records}
        return tuple(found for found in self.call.ids if found not in got)

    def log(self) -> SearchRequestLog:
        """The call; what was found and not read stands in it by its ids."""
        said = [f"the records of {len(self.call.ids)} ids that were found"]
        if self.has_more:
            said.append("more records came than were asked for; the rest was not read")
        if self.missing:
            said.append(f"found, not read: {len(self.missing)} records: {', '.join(self.missing)}")
        return SearchRequestLog(
            request=self.call.request.shown(),
            warnings=tuple(said),
            fetched=len(self.records),
            cap=len(self.call.ids),
            error=None if self.error is None else str(self.error),
        )


class Reading:
    """The reads of one search; records, log and degradations go into it.

    The line of a read says what that call read; which search found it first is in the lines of the searches.
    """

    def __init__(self, calls: Eutils, db: str, request: SearchRequest, http: HttpPort, search: Search) -> None:
        self._calls = calls
        self._db = db
        self._request = request
        self._http = http
        self._search = search

    async def read(self, ids: tuple[str, ...], single: SearchAnswer | None) -> frozenset[str]:
        """The records: PMC's ids by way of their PMIDs, PubMed's in batches.

        Args:
            single: the only search that found any of them, whose set may be on the History server.
        Returns:
            Those of the ids that there is a record of now.
        Raises:
            SourceUnavailable, SourceRefused, SourceChanged: none of them could be read.
        """
        search = self._search
        if self._db != "pmc":
            await self._read_pubmed(ids, single)
            return frozenset(record.source_id for record in search.records)
        summaries = await self._summaries(ids)
        pmids = tuple(record.identifiers.pmid for record in summaries if record.identifiers.pmid)
        await self._read_pubmed(pmids, None)
        order = [record.source_id for record in summaries]
        got = {record.source_id for record in search.records}
        search.records.extend(record for record in summaries if record.source_id not in got)
        search.sort(order)
        return frozenset((record.identifiers.pmcid or record.source_id).removeprefix("PMC") for record in summaries)

    async def _read_pubmed(self, ids: tuple[str, ...], single: SearchAnswer | None) -> None:
        """The batches side by side; what could not be read of them is told."""
        route, search = self._request.route, self._search
        read = await asyncio.gather(*(self._fetch(call) for call in await self._fetches(ids, single)))
        for batch in read:
            search.records.extend(batch.records)
            search.log.append(batch.log())
            if batch.unreadable:
                search.degradations.append(f"{route}: {batch.unreadable} records had no PMID or no title")
        failed = [(batch, batch.error) for batch in read if batch.error is not None]
        n_lost = sum(len(batch.missing) for batch, _ in failed)
        for _, error in failed[:1]:
            told = f"{n_lost} of {len(ids)} records that were found could not be read: {error}"
            if not search.records:
                raise type(error)(f"{route}: {told}", reason=error.reason, retry_after_s=error.retry_after_s)
            search.degradations.append(f"{route}: {told}")

    async def _fetches(self, ids: tuple[str, ...], single: SearchAnswer | None) -> list[_Call]:
        """One call where the ids fit into one; else the History server, from the search's own set or an EPost."""
        if len(ids) <= BATCH:
            return [_Call(self._calls.fetch_ids("pubmed", ids), ids)] if ids else []
        if single and single.web_env and single.query_key:
            web_env, query_key = single.web_env, single.query_key
        else:
            call = self._calls.post("pubmed", ids)
            try:
                posted = parse_epost(self._request.route, await fetch(self._request.route, self._http, call))
            except _EXPECTED as error:
                self._search.log.append(SearchRequestLog(request=call.shown(), error=str(error)))
                return [_Call(self._calls.fetch_ids("pubmed", batch), batch) for batch in batches(ids)]
            web_env, query_key = posted.web_env, posted.query_key
        return [
            _Call(self._calls.fetch_set("pubmed", web_env, query_key, place * BATCH, len(batch)), batch)
            for place, batch in enumerate(batches(ids))
        ]

    async def _fetch(self, call: _Call) -> _Batch:
        """One EFetch. Records read before a fault are whole and kept; the others are known by their ids."""
        batch = _Batch(call)
        parser = PubmedParser(self._request.route, self._request.retrieved_at)
        try:
            response = await self._http.send(call.request)
            if response.status != 200:
                check_status(self._request.route, call.request, response.status, await response.read())
            async for piece in response.body:
                batch.records.extend(parser.feed(piece))
                if len(batch.records) > len(call.ids):
                    del batch.records[len(call.ids) :]
                    batch.has_more = True
                    break
            else:
                parser.close()
        except _EXPECTED as error:
            batch.error = error
        batch.unreadable = parser.unreadable
        return batch

    async def _summaries(self, ids: tuple[str, ...]) -> list[EvidenceRecord]:
        """What PMC says of its articles in brief: their PMIDs, and all there is of those that have none."""
        found: list[EvidenceRecord] = []
        left = reads_of("pmc", len(ids))
        for batch in batches(ids):
            left -= 1
            body = await fetch(self._request.route, self._http, self._calls.summary("pmc", batch, then=left))
            found.extend(parse_esummary(self._request.route, body, self._request.retrieved_at))
        return found
