"""Which subjects of a stream hold a message, asked of its leader: all pages, and nothing else of the answer read."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from nats.errors import ConnectionClosedError
from nats.js import JetStreamContext
from nats.js.errors import ServiceUnavailableError
from openwork_contracts.errors import BusUnavailable

from openwork_bus.publishing import TRANSIENT

_NOBODY_S = (0.05, 0.2, 0.5)
"""Pauses before the server is asked again where nobody answered: so it is for a moment after its accounts were
reloaded, and while a stream has no leader."""


async def subjects_in(js: JetStreamContext, stream: str, pattern: str, *, timeout_s: float = 5.0) -> frozenset[str]:
    """Subjects that match and hold a message.

    The server gives at most 100,000 at a time, and says how many there are.

    Raises:
        BusUnavailable: nobody answers. nats.js.errors.NotFoundError: there is no such stream.
    """
    found: set[str] = set()
    while True:
        asked = json.dumps({"subjects_filter": pattern, "offset": len(found)}).encode()
        try:
            reply = await _told(js, f"{js._prefix}.STREAM.INFO.{stream}", asked, timeout_s)
        except (*TRANSIENT, ConnectionClosedError) as error:
            raise BusUnavailable(f"{stream} did not say what it holds of {pattern}: {error!r}") from error
        page = reply["state"].get("subjects") or {}
        found.update(page)
        if not page or len(found) >= reply.get("total", 0):
            return frozenset(found)


async def _told(js: JetStreamContext, subject: str, asked: bytes, timeout_s: float) -> dict[str, Any]:
    """The server's answer. nats-py's own call knows no offset, and makes objects of all that the stream is."""
    for pause_s in _NOBODY_S:
        try:
            return await js._api_request(subject, asked, timeout=timeout_s)
        except ServiceUnavailableError:
            await asyncio.sleep(pause_s)
    return await js._api_request(subject, asked, timeout=timeout_s)
