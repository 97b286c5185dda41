"""Requests and answers as the rest of Open Work sees them; nothing of httpx leaves this package."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from openwork_http.turns import ORDINARY, Turn

Pairs = tuple[tuple[str, str], ...]


PRIVATE_PARAMS = frozenset({"api_key", "apikey", "email", "mailto", "tool"})
"""Who asks is no part of what is asked; never shown, never part of a key."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One call, complete: equal requests are the same call, so it is also the key of a cache."""

    method: str
    url: str
    params: Pairs = ()
    headers: Pairs = ()
    form: Pairs = ()
    """Body of a POST, form-encoded: for NCBI's long id lists and queries."""
    json_body: bytes | None = None
    """Body of a POST as JSON, encoded."""
    turn: Turn = field(default=ORDINARY, compare=False, repr=False)
    """What it is to others that wait for the same service; no part of what is asked."""

    def shown(self) -> str:
        """The request as a person can repeat it: address, query and body, without keys and contact address."""
        query = urlencode(without_private(self.params))
        address = f"{self.url}?{query}" if query else self.url
        body = self.json_body.decode("utf-8", "replace") if self.json_body else urlencode(without_private(self.form))
        return f"{self.method} {address}" + (f" {body}" if body else "")


def without_private(pairs: Pairs) -> list[tuple[str, str]]:
    """The pairs whose names are not in `PRIVATE_PARAMS`, in whatever case."""
    return [pair for pair in pairs if pair[0].lower() not in PRIVATE_PARAMS]


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


def shown(request: HttpRequest) -> str:
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
