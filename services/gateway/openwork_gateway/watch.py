"""Watching a run from outside: its events as they are stored, until the one that ends it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from nats.aio.msg import Msg
from nats.js.api import DeliverPolicy
from openwork_chassis.bus import TIMER_EVENT, Bus, StoredEvent
from openwork_chassis.codec import decode
from openwork_contracts.subjects import STREAM, parse_subject, run_filter


async def watch(bus: Bus, run_id: str) -> AsyncIterator[StoredEvent]:
    """Every event of a run in order, those stored before included; ends after the terminal one.

    Survives a restart of the server: the ordered consumer goes on where it was.
    """
    queue: asyncio.Queue[Msg] = asyncio.Queue()
    js = bus.connection.jetstream(timeout=10)
    subscription = await js.subscribe(
        run_filter(run_id), stream=STREAM, ordered_consumer=True, deliver_policy=DeliverPolicy.ALL, cb=queue.put
    )
    try:
        while True:
            message = await queue.get()
            if parse_subject(message.subject).event == TIMER_EVENT:
                continue
            meta = message.metadata
            event = decode(message.subject, message.data, stored_at=meta.timestamp)
            yield StoredEvent(meta.sequence.stream, message.subject, meta.timestamp, event)
            if event.terminal:
                return
    finally:
        await subscription.unsubscribe()
