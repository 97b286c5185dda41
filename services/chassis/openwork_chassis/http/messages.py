"""Requests and answers as the rest of Open Work sees them; nothing of httpx leaves this package."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

Pairs = tuple[tuple[str, str], ...]


class RequestLike(Protocol):
    """One call, complete. Any frozen dataclass with these fields is one; `sources.ports.HttpRequest` is."""

    @property
    def method(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def params(self) -> Pairs: ...
    @property
    def headers(self) -> Pairs: ...
    @property
    def form(self) -> Pairs:
        """Body of a POST, form-encoded."""
        ...

    @property
    def json_body(self) -> bytes | None:
        """Body of a POST as JSON, encoded."""
        ...


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One call, complete: equal requests are the same call."""

    method: str
    url: str
    params: Pairs = ()
    headers: Pairs = ()
    form: Pairs = ()
    json_body: bytes | None = None


@dataclass(slots=True)
class HttpResponse:
    """What came back after the retries. `body` is read once, in pieces of any size; nothing has to be closed."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case; of repeated headers the values joined by commas."""
    body: AsyncIterator[bytes]
    from_cache: bool = False
    """Whether an earlier answer to the same request was given again."""

    async def read(self) -> bytes:
        """The whole body, decoded."""
        return b"".join([piece async for piece in self.body])


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer, held in memory: what is shared between callers and kept in the cache."""

    status: int
    headers: Mapping[str, str]
    pieces: tuple[bytes, ...]

    @property
    def n_bytes(self) -> int:
        """Size of the decoded body."""
        return sum(map(len, self.pieces))

    def response(self, *, from_cache: bool = False) -> HttpResponse:
        """This answer for one reader."""
        return HttpResponse(self.status, self.headers, _iterate(self.pieces), from_cache)


async def _iterate(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


def shown(request: RequestLike) -> str:
    """Method and address for messages, logs and spans: without user, query and fragment, where keys may be."""
    return f"{request.method} {shown_url(request.url)}"


def shown_url(url: str) -> str:
    """An address without user, query and fragment. Cut at 200 characters: it may come from outside."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "an address that is not one"
    return f"{parts.scheme}://{host}{parts.path}"[:200]


def host_of(url: str) -> str:
    """`host:port` of an address; the scheme's port when it names none, the address itself when it is not one."""
    try:
        parts = urlsplit(url)
        return f"{parts.hostname or ''}:{parts.port or (80 if parts.scheme == 'http' else 443)}"
    except ValueError:
        return shown_url(url)


def media_type(headers: Mapping[str, str]) -> str:
    """The content type without its parameters, in lower case; empty when none was sent.

    >>> media_type({"content-type": "Application/JSON; charset=utf-8"})
    'application/json'
    """
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def charset(headers: Mapping[str, str], default: str = "utf-8") -> str:
    """The `charset` parameter of the content type, in lower case."""
    for parameter in headers.get("content-type", "").split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset" and value.strip():
            return value.strip().strip("\"'").lower()
    return default


def matches_type(found: str, accepted: Iterable[str]) -> bool:
    """Whether a media type is one of the accepted; `text/*` accepts every text, `+xml` every type with that suffix."""
    for wanted in accepted:
        if wanted == found or (wanted.endswith("/*") and found.startswith(wanted[:-1])):
            return True
        if wanted.startswith("+") and found.endswith(wanted):
            return True
    return False
