"""What this service needs from the outside: one way to ask over HTTP. Retries, limits, caching and the guard against
private addresses belong to whoever implements it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Protocol

from openwork_http.messages import HttpRequest
from openwork_http.messages import Pairs as Params

__all__ = ["HttpPort", "HttpRequest", "HttpResponse", "Params"]


class HttpResponse(Protocol):
    """What came back after the port's retries; `body` is read once, in pieces of any size."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def body(self) -> AsyncIterator[bytes]: ...


class HttpPort(Protocol):
    """The one way out. Raises `SourceUnavailable` when no answer came; an answer of any status is returned."""

    async def send(self, request: HttpRequest) -> HttpResponse: ...
