"""Watching a run from outside: its events as they are stored, until the one that ends it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import DeliverPolicy
from openwork_bus.bus import Bus, StoredEvent, stored_at_of
from openwork_bus.codec import decode
from openwork_contracts.errors import BusUnavailable, ContractViolation, FailureReason, OpenWorkError
from openwork_contracts.subjects import STREAM, TIMER_EVENT, parse_subject, run_filter

log = logging.getLogger(__name__)

SILENCE_S = 5.0
"""Seconds without an event after which the history is looked at directly."""
GRACE_S = 15.0
"""How much longer than its deadline a watcher waits for a run's end, which the gateway writes."""


async def watch(bus: Bus, run_id: str, *, within_s: float | None = None) -> AsyncIterator[StoredEvent]:
    """Every event of a run in order, those stored before included; ends after the terminal one.

    Survives a restart of the server: the ordered consumer goes on where it was. When it is lost with the node of a
    cluster that held it, the history is read instead.

    Args:
        within_s: the run's deadline in seconds from now; `None` = wait for as long as it takes.
    Raises:
        BusUnavailable: the run had no end `GRACE_S` after its deadline: no service is at work on that server.
    """
    queue: asyncio.Queue[Msg] = asyncio.Queue()
    js = bus.connection.jetstream(timeout=10)
    subscription = await js.subscribe(
        run_filter(run_id), stream=STREAM, ordered_consumer=True, deliver_policy=DeliverPolicy.ALL, cb=queue.put
    )
    try:
        async with asyncio.timeout(None if within_s is None else within_s + GRACE_S):
            last = 0
            while True:
                for stored in await _next(queue, bus, run_id):
                    if stored.sequence <= last:
                        continue
                    last = stored.sequence
                    yield stored
                    if stored.event.terminal:
                        return
    except TimeoutError as error:
        raise BusUnavailable(
            f"run {run_id} had no end long after its deadline; are the services running on that server?",
            reason=FailureReason.DEADLINE,
        ) from error
    finally:
        await subscription.unsubscribe()


async def _next(queue: asyncio.Queue[Msg], bus: Bus, run_id: str) -> list[StoredEvent]:
    """What came next; after a silence the whole history, in case the consumer that should have told us is gone."""
    try:
        stored = _event(await asyncio.wait_for(queue.get(), SILENCE_S))
    except TimeoutError:
        try:
            return await bus.history(run_id)
        except (OpenWorkError, NatsError, OSError, TimeoutError):
            return []  # the server is away; the client reconnects by itself
    return [stored] if stored else []


def _event(message: Msg) -> StoredEvent | None:
    """A message as the history has it; `None` for timers and for what no reader can decode."""
    if parse_subject(message.subject).event == TIMER_EVENT:
        return None
    stored_at = stored_at_of(message)
    try:
        event = decode(message.subject, message.data, stored_at=stored_at, headers=message.headers or {})
    except ContractViolation as error:
        log.warning("left out: %s", error)
        return None
    return StoredEvent(message.metadata.sequence.stream, message.subject, stored_at, event)
