"""What every source is to the service: something that can be searched."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from openwork_contracts.evidence import EvidenceRecord, SourcePolicy
from openwork_contracts.pipelines import ANSWER
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.strategy import SearchStrategy


@dataclass(frozen=True, slots=True)
class Search:
    """What one source is asked."""

    source: str
    analysis: QuestionAnalysis
    strategy: SearchStrategy
    limit: int
    """Most records wanted."""
    deadline_at: datetime
    track: str = "affirmative"
    round: int = 1
    pipeline: str = ANSWER
    """The kind of run: what it may ask of a source stands in the contracts' table."""
    run_id: str | None = None
    """For what the services of the run share about sources that do not answer it; `None` = nothing."""


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

    async def search(self, request: Search) -> Found:
        """Records for the question, best first, at most `request.limit`.

        Raises:
            SourceUnavailable, SourceRefused, SourceChanged: see contracts/errors.py.
        """
        ...
