"""Which subjects of a stream hold a message, asked of its leader: all pages, and nothing else of the answer read."""

from __future__ import annotations

import json

from nats.errors import ConnectionClosedError
from nats.js import JetStreamContext
from openwork_contracts.errors import BusUnavailable

from openwork_bus.publishing import TRANSIENT


async def subjects_in(js: JetStreamContext, stream: str, pattern: str, *, timeout_s: float = 5.0) -> frozenset[str]:
    """Subjects that match and hold a message.

    The server gives at most 100,000 at a time, and says how many there are.

    Raises:
        BusUnavailable: nobody answers. nats.js.errors.NotFoundError: there is no such stream.
    """
    found: set[str] = set()
    while True:
        asked = {"subjects_filter": pattern, "offset": len(found)}
        try:
            # nats-py's own call knows no offset, and makes objects of all that the stream is.
            reply = await js._api_request(
                f"{js._prefix}.STREAM.INFO.{stream}", json.dumps(asked).encode(), timeout=timeout_s
            )
        except (*TRANSIENT, ConnectionClosedError) as error:
            raise BusUnavailable(f"{stream} did not say what it holds of {pattern}: {error!r}") from error
        page = reply["state"].get("subjects") or {}
        found.update(page)
        if not page or len(found) >= reply.get("total", 0):
            return frozenset(found)
