"""What the adapters need from the outside (`HttpPort`) and what they give (`SourceResult`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.pipelines import ANSWER, NcbiCalls, pipeline_named
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.question import QuestionAnalysis, Track
from openwork_contracts.strategy import SearchStrategy
from openwork_http.messages import HttpRequest
from openwork_http.messages import Pairs as Params
from openwork_http.port import HttpPort, HttpResponse, check_status, fetch

__all__ = [
    "Adapter",
    "HttpPort",
    "HttpRequest",
    "HttpResponse",
    "Identity",
    "Params",
    "Search",
    "SearchRequest",
    "SourceResult",
    "check_status",
    "fetch",
]


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks, as NCBI, Crossref, OpenAlex and Unpaywall want to know. `api_key` never leaves the request."""

    tool: str = "open-work"
    contact: str | None = None
    api_key: str | None = None


_OF_AN_ANSWER = pipeline_named(ANSWER).budgets
_CALLS_OF_AN_ANSWER = _OF_AN_ANSWER.ncbi_calls_of(1)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search of one source, as the retrieval event asks for it."""

    route: str
    analysis: QuestionAnalysis
    strategy: SearchStrategy
    """What is looked for; an adapter puts it into its source's syntax and adds nothing."""
    limit: int
    retrieved_at: datetime
    """The time written into the records; given, because adapters have no clock."""
    track: Track = Track.AFFIRMATIVE
    round: int = 1
    enough: int = _OF_AN_ANSWER.enough_records
    """Records from which on no broader rung is asked."""
    ncbi: NcbiCalls = _CALLS_OF_AN_ANSWER
    """Calls that it may make, if it is of NCBI."""


@dataclass(frozen=True, slots=True)
class SourceResult:
    """What one source found, best first in its own order, and how it was asked."""

    records: tuple[EvidenceRecord, ...] = ()
    log: tuple[SearchRequestLog, ...] = ()
    degradations: tuple[str, ...] = ()


class Adapter(Protocol):
    """One outside API.

    Raises:
        SourceUnavailable, SourceRefused, SourceChanged: nothing usable was found out. An answer that was cut off after
        some pages is a result with a degradation instead.
    """

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult: ...


@dataclass(slots=True)
class Search:
    """A search as it goes on: the records so far, the log, and what went less well."""

    records: list[EvidenceRecord] = field(default_factory=list)
    log: list[SearchRequestLog] = field(default_factory=list)
    degradations: list[str] = field(default_factory=list)

    def sort(self, order: Sequence[str]) -> None:
        """Bring the records into the order of these ids; what is not among them comes last, as it was."""
        place = {name: number for number, name in enumerate(order)}
        self.records.sort(key=lambda record: place.get(record.source_id, len(place)))

    def result(self, limit: int) -> SourceResult:
        """Every record once (by its identifier in the source), at most `limit`."""
        once = {record.source_id: record for record in reversed(self.records)}
        ordered = [once.pop(record.source_id) for record in self.records if record.source_id in once]
        return SourceResult(tuple(ordered[:limit]), tuple(self.log), tuple(dict.fromkeys(self.degradations)))
