"""What this service needs from the outside: one way to ask over HTTP. Retries, limits, caching and the guard against
private addresses belong to whoever implements it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode

Params = tuple[tuple[str, str], ...]

PRIVATE_PARAMS = frozenset({"api_key", "email", "mailto", "tool"})
"""Never shown: keys, and the operator's own address."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One call, complete: equal requests are the same call, so it is also the key of a cache."""

    method: str
    url: str
    params: Params = ()
    headers: Params = ()
    form: Params = ()
    json_body: bytes | None = None

    def shown(self) -> str:
        """The request as a person can repeat it, without keys and contact address."""
        shown = urlencode([pair for pair in self.params if pair[0] not in PRIVATE_PARAMS])
        return f"{self.method} {self.url}?{shown}" if shown else f"{self.method} {self.url}"


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
