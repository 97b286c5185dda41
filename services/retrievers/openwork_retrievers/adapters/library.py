"""The library as a source."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from threading import Lock

from openwork_contracts.evidence import EvidenceRecord, SourcePolicy
from openwork_contracts.plan import SearchRequestLog
from openwork_evidence.library.record import IMPORTED, SOURCE, load_imported
from openwork_evidence.library.references import shipped

from openwork_retrievers.domain.library_index import LibraryIndex
from openwork_retrievers.domain.source import Found, Search


@cache
def _index_of_shipped() -> LibraryIndex:
    """Of what every installation has: built once in a process, however many sources it starts."""
    return LibraryIndex(tuple(shipped().values()))


class LibrarySource:
    """Searches the starter library and the user's own records. Loaded at the first search."""

    route = SOURCE
    policy = SourcePolicy(trust_tier=3)
    """A collection of others' records, whatever file they were imported from: PubMed's own record of a work wins."""

    def __init__(self, folder: Path | None = None, *, limit: int = 60) -> None:
        self._folder = folder
        self._limit = limit
        self._own: tuple[EvidenceRecord, ...] = ()
        self._records: tuple[EvidenceRecord, ...] = ()
        self._index: LibraryIndex | None = None
        self._imported_at = -1
        self._building = Lock()

    async def search(self, request: Search) -> Found:
        """See `Source.search`; never fails for want of a network."""
        limit = min(request.limit, self._limit)
        # Hundreds of records take a second to read: meanwhile other sources of the process are asked.
        index = await asyncio.to_thread(self.prepare)
        records = index.search(request.analysis, limit)
        log = SearchRequestLog(
            request=f"ranked (BM25): {' | '.join(request.analysis.search_variants)}",
            hits=len(records),
            fetched=len(records),
            cap=limit,
            rung="any name of any concept, ranked",
        )
        rungs = (
            SearchRequestLog(request=f"counted beside it: {request.strategy.plain}", rung=name, hits=hits)
            for name, hits in index.hits(request.strategy).items()
        )
        return Found(records=records, search_log=(log, *rungs))

    @property
    def records(self) -> tuple[EvidenceRecord, ...]:
        """Every record, ours and those that were imported; read once and again after an import."""
        imported_at = self._last_import()
        if imported_at != self._imported_at:
            self._imported_at = imported_at
            self._own = load_imported(self._folder) if self._folder else ()
            self._records, self._index = (*shipped().values(), *self._own), None
        return self._records

    @property
    def index(self) -> LibraryIndex:
        """The index, built once and again after an import."""
        return self.prepare()

    def prepare(self) -> LibraryIndex:
        """Read the records and build the index, if that was not done; whoever comes meanwhile waits."""
        with self._building:
            records = self.records
            if self._index is None:
                self._index = LibraryIndex(records) if self._own else _index_of_shipped()
            return self._index

    def _last_import(self) -> int:
        """When the imported records were last written, in ns; 0 = there are none."""
        path = self._folder / IMPORTED if self._folder else None
        return path.stat().st_mtime_ns if path and path.is_file() else 0
