"""What the adapters need from the outside (`HttpPort`) and what they give (`SourceResult`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from openwork_chassis.http.messages import HttpRequest
from openwork_chassis.http.messages import Pairs as Params
from openwork_contracts.errors import FailureReason, SourceRefused, SourceUnavailable
from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.question import QuestionAnalysis, Track

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
]


class HttpResponse(Protocol):
    """What came back after the port's retries; `body` is read once, in pieces of any size."""

    @property
    def status(self) -> int: ...
    @property
    def body(self) -> AsyncIterator[bytes]: ...
    @property
    def from_cache(self) -> bool: ...
    async def read(self) -> bytes:
        """The whole body."""
        ...


class HttpPort(Protocol):
    """The one way out. Raises `SourceUnavailable` when no answer came; an answer of any status is returned."""

    async def send(self, request: HttpRequest) -> HttpResponse: ...


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks, as NCBI, Crossref, OpenAlex and Unpaywall want to know. `api_key` never leaves the request."""

    tool: str = "open-work"
    contact: str | None = None
    api_key: str | None = None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search of one source, as the retrieval event asks for it."""

    route: str
    analysis: QuestionAnalysis
    limit: int
    retrieved_at: datetime
    """The time written into the records; given, because adapters have no clock."""
    track: Track = Track.AFFIRMATIVE
    round: int = 1


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

    def result(self, limit: int) -> SourceResult:
        """Every record once (by its identifier in the source), at most `limit`."""
        once = {record.source_id: record for record in reversed(self.records)}
        ordered = [once.pop(record.source_id) for record in self.records if record.source_id in once]
        return SourceResult(tuple(ordered[:limit]), tuple(self.log), tuple(dict.fromkeys(self.degradations)))


def check_status(source: str, request: HttpRequest, status: int, body: bytes = b"") -> None:
    """Turn an answer that is not a 2xx into the error that says what to do next.

    Raises:
        SourceUnavailable: 408, 425, 429, 5xx: worth another try later.
        SourceRefused: any other 3xx or 4xx: the same request will be refused again.
    """
    if 200 <= status < 300:
        return
    said = " ".join(body[:300].decode("utf-8", "replace").split())
    tail = f": {said[:160]!r}" if said else ""
    where = f"{source} answered {status} to {request.method} {request.url}{tail}"
    if status == 429:
        raise SourceUnavailable(f"{where}; its rate limit is used up, try later", reason=FailureReason.RATE_LIMITED)
    if status in (408, 425) or status >= 500:
        raise SourceUnavailable(f"{where}; try later")
    raise SourceRefused(f"{where}; check the request, its key and its contact address")


async def fetch(source: str, http: HttpPort, request: HttpRequest) -> bytes:
    """The body of a 2xx answer, whole.

    Raises:
        SourceUnavailable, SourceRefused: see `check_status`.
    """
    response = await http.send(request)
    body = await response.read()
    check_status(source, request, response.status, body)
    return body
