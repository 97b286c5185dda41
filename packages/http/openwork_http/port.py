"""The way out as those who read an API need it: one call, and what its status means."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from openwork_contracts.errors import FailureReason, SourceRefused, SourceUnavailable

from openwork_http.messages import HttpRequest


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


def check_status(source: str, request: HttpRequest, status: int, body: bytes = b"") -> None:
    """Turn an answer that is not a 2xx into the error that says what to do next.

    Raises:
        SourceUnavailable: 408, 425, 429, 5xx: worth another try later.
        SourceRefused: any other 3xx or 4xx: the same request will be refused again.
    """
    if 200 <= status < 300:
        return
    words = " ".join(body[:300].decode("utf-8", "replace").split())
    tail = f": {words[:160]!r}" if words else ""
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
