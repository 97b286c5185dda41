"""What every source is to the service: something that can be searched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from openwork_contracts.evidence import EvidenceRecord, SourcePolicy
from openwork_contracts.plan import RetrievalRequested, SearchRequestLog


@dataclass(frozen=True, slots=True)
class Found:
    """What a source gave for one request. Nothing found is a result: `records` is empty."""

    records: tuple[EvidenceRecord, ...] = ()
    search_log: tuple[SearchRequestLog, ...] = ()
    degradations: tuple[str, ...] = ()


class Source(Protocol):
    """One source of evidence."""

    route: str
    policy: SourcePolicy
    """How its records are trusted and ranked."""

    async def search(self, request: RetrievalRequested) -> Found:
        """Records for the question, best first, at most `request.limit`.

        Raises:
            SourceUnavailable, SourceRefused, SourceChanged: see contracts/errors.py.
        """
        ...
