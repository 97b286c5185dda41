"""Server-sent events out of the bytes of a response (WHATWG HTML, 9.2).

Of our own: httpx splits lines where Python does, also at U+2028 and U+0085, which stand in JSON as they are; and a
dependency of every client is much for forty lines.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

from openwork.errors import ContractViolation

MOST_BYTES = 2**20
"""Of one event; those of a run are below 3 kB."""
_BREAK = re.compile(rb"\r\n|\n|\r(?=.)", re.DOTALL)
"""A line's end. A CR that ends a piece waits for the next one: it may be half of a CR LF."""


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event."""

    kind: str
    data: str
    id: str
    """Of this event, or the last that had one; empty = none had."""


async def events(pieces: AsyncIterator[bytes]) -> AsyncGenerator[ServerEvent, None]:
    """The events of a stream. One that the end of the stream cuts off is none.

    Raises:
        ContractViolation: an event is larger than `MOST_BYTES`.
    """
    kind, data, last, size = "", list[str](), "", 0
    async for line in _lines(pieces):
        size += len(line)
        if size > MOST_BYTES:
            raise ContractViolation(f"an event of the stream is larger than {MOST_BYTES} bytes")
        if not line:
            if data:
                yield ServerEvent(kind or "message", "\n".join(data), last)
            kind, data, size = "", [], 0
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "event":
                kind = value
            case "data":
                data.append(value)
            case "id" if "\0" not in value:
                last = value
            case _:
                """A comment, by which a server keeps the stream open, or a field that says nothing here."""


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[str]:
    rest = b""
    async for piece in pieces:
        rest += piece
        *whole, rest = _BREAK.split(rest)
        for line in whole:
            yield line.decode("utf-8", "replace")
        if len(rest) > MOST_BYTES:
            raise ContractViolation(f"a line of the stream is longer than {MOST_BYTES} bytes")
