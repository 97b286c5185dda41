"""What happens around every handler: heartbeat, trace, retry with backoff, dead letter. FastStream middlewares.

Order, outermost first: `Counted`, `Settle` (decides ack, nack or dead letter), `OnTime` (drops what is too late),
`Heartbeat`, `InRun`. FastStream's own ack middleware is outside of them: a message that `Settle` has settled is left
alone by it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from time import perf_counter
from typing import Any

import anyio
from faststream import BaseMiddleware
from faststream.nats import NatsMessage
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from openwork_contracts.errors import BusUnavailable, OpenWorkError
from openwork_contracts.meta import Event
from openwork_contracts.patterns import dead_letter_subject
from openwork_contracts.subjects import DEAD_LETTER_STREAM

from openwork_bus.bus import REPLAYED_HEADER
from openwork_bus.codec import event_named_in, is_overdue
from openwork_bus.figures import Figures
from openwork_bus.logs import log_fields
from openwork_bus.metrics import HANDLER_SECONDS, IN_FLIGHT, MESSAGES, REDELIVERIES
from openwork_bus.run import Run
from openwork_bus.telemetry import Attribute

log = logging.getLogger(__name__)

RetriesExhausted = Callable[[Msg, Exception], Awaitable[None]]
"""What to do for the run of a message that no retry will help."""

_TOLD_COUNTS = frozenset(10**power for power in range(12))
"""At which counts of dropped messages the log says so: one line for each power of ten."""

SendDeadLetter = Callable[[Msg, str, Exception], Awaitable[None]]
"""Where a message goes that cannot be handled; see `DeadLetter`."""


class Outcome(StrEnum):
    """What became of one delivery of a message."""

    HANDLED = "handled"
    OVERDUE = "overdue"
    """Acknowledged unread: the deadline of its run has passed."""
    ENDED = "ended"
    """Acknowledged unread: its run has ended."""
    RETRIED = "retried"
    """Its handler failed; it comes again after a pause."""
    DEAD = "dead"
    """Its handler failed for good."""
    RETURNED = "returned"
    """The service stops; another replica gets it at once."""
    UNSETTLED = "unsettled"
    """Neither: it comes again when its acknowledgement is overdue."""


class Counted(BaseMiddleware):
    """Counts deliveries by what became of them, and how long they took.

    FastStream's own (`faststream.nats.prometheus`) labels its series with the subject, in which the run stands: a set
    of series for every question that was ever asked (docs/adr/0024-figures-of-our-own.md).
    """

    def __init__(
        self, msg: Any | None, /, *, context: Any, figures: Figures, durable: str, events: frozenset[str]
    ) -> None:
        super().__init__(msg, context=context)
        self._figures = figures
        self._durable = durable
        self._events = events

    async def consume_scope(self, call_next: Callable[[Any], Awaitable[Any]], msg: Any) -> Any:
        raw: Msg = msg.raw_message
        named = event_named_in(raw.subject)
        event = named if named in self._events else "other"
        figures, durable = self._figures, self._durable
        if (raw.metadata.num_delivered or 1) > 1:
            figures.count(REDELIVERIES, durable)
        figures.add(IN_FLIGHT, durable, n=1)
        begun, outcome = perf_counter(), Outcome.UNSETTLED
        try:
            came_to = await call_next(msg)
            outcome = came_to if isinstance(came_to, Outcome) else Outcome.HANDLED
        except asyncio.CancelledError:
            outcome = Outcome.RETURNED
            raise
        finally:
            figures.add(IN_FLIGHT, durable, n=-1)
            figures.count(MESSAGES, durable, event, outcome.value)
            if outcome not in (Outcome.OVERDUE, Outcome.ENDED):
                figures.observe(HANDLER_SECONDS, durable, event, value=perf_counter() - begun)


class InRun(BaseMiddleware):
    """Around a handler: its run in the context, its trace, its log fields. A replayed message is passed over."""

    def __init__(self, msg: Any | None, /, *, context: Any, run_of: Callable[[Event, Msg], Run]) -> None:
        super().__init__(msg, context=context)
        self._run_of = run_of

    async def consume_scope(self, call_next: Callable[[Any], Awaitable[Any]], msg: Any) -> Any:
        raw: Msg = msg.raw_message
        headers = raw.headers or {}
        if headers.get(REPLAYED_HEADER):
            return None
        event: Event = await msg.decode()
        run = self._run_of(event, raw)
        attributes: dict[str, Attribute] = {
            "messaging.system": "nats",
            "messaging.destination.name": raw.subject,
            "messaging.nats.delivery_count": raw.metadata.num_delivered or 1,
            "openwork.service": run.service,
            "openwork.pipeline": run.pipeline,
            "openwork.track": run.track,
            "openwork.round": run.round,
        }
        name = f"{run.service} {event.event_name}"
        traceparent = headers.get("traceparent")
        with (
            run.telemetry.message_span(name, run_id=run.id, traceparent=traceparent, attributes=attributes),
            log_fields(run_id=run.id, trace_id=event.meta.trace_id or ""),
            self.context.scope("run", run),
        ):
            return await call_next(msg)


class OnTime(BaseMiddleware):
    """Drops work of runs that have ended or are overdue, before it is decoded: under load it would be done in vain.

    What is dropped is acknowledged and counted. The end of an overdue run is not its work's business.
    """

    def __init__(
        self, msg: Any | None, /, *, context: Any, ended: Callable[[str], Awaitable[bool]], dropped: Counter[str]
    ) -> None:
        super().__init__(msg, context=context)
        self._ended = ended
        self._dropped = dropped

    async def consume_scope(self, call_next: Callable[[Any], Awaitable[Any]], msg: Any) -> Any:
        raw: Msg = msg.raw_message
        why: Outcome | None = None
        if is_overdue(raw.headers or {}, datetime.now(UTC)):
            why = Outcome.OVERDUE
        elif await self._ended(raw.subject):
            why = Outcome.ENDED
        if why is None:
            return await call_next(msg)
        self._dropped[why.value] += 1
        if self._dropped[why.value] in _TOLD_COUNTS:
            log.warning("work of runs that are %s is dropped, %d messages so far", why.value, self._dropped[why.value])
        return why


class Heartbeat(BaseMiddleware):
    """Tells the server that a long handler is alive, so that its message is not given to another replica."""

    def __init__(self, msg: Any | None, /, *, context: Any, every_s: float) -> None:
        super().__init__(msg, context=context)
        self._every_s = every_s

    async def consume_scope(self, call_next: Callable[[Any], Awaitable[Any]], msg: Any) -> Any:
        task = asyncio.create_task(self._beat(msg))
        try:
            return await call_next(msg)
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _beat(self, msg: NatsMessage) -> None:
        while True:
            await asyncio.sleep(self._every_s)
            with suppress(NatsError, OSError):
                await msg.in_progress()


class Settle(BaseMiddleware):
    """Decides what becomes of a message whose handler raised.

    Cancelled by shutdown: given back at once. An error that a retry may cure: given back with a growing delay (a plain
    nack would return it at once, and the consumer's backoff only governs ack timeouts). Anything else, or the last try:
    the dead-letter stream, with the reason and the original headers; then its run is ended; then it is terminated.
    """

    def __init__(
        self,
        msg: Any | None,
        /,
        *,
        context: Any,
        durable: str,
        delays_s: tuple[float, ...],
        exhausted: RetriesExhausted,
        dead_letter: SendDeadLetter,
    ) -> None:
        super().__init__(msg, context=context)
        self._durable = durable
        self._delays_s = delays_s
        self._exhausted = exhausted
        self._dead_letter = dead_letter

    async def consume_scope(self, call_next: Callable[[Any], Awaitable[Any]], msg: Any) -> Any:
        try:
            return await call_next(msg)
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True), suppress(NatsError, OSError):
                await msg.nack()
            raise
        except Exception as error:
            return await self._settle(msg, error)

    async def _settle(self, msg: NatsMessage, error: Exception) -> Outcome:
        raw: Msg = msg.raw_message
        tries = raw.metadata.num_delivered or 1
        # Waiting for the bus gets twice the tries, each with the longest pause: a message outlives a restart of NATS.
        if isinstance(error, BusUnavailable) and tries <= 2 * len(self._delays_s):
            log.warning("given back: %s", error)
            with suppress(NatsError, OSError):
                await msg.nack(delay=self._delays_s[-1])
            return Outcome.RETRIED
        permanent = isinstance(error, OpenWorkError) and not error.retryable
        if not permanent and tries <= len(self._delays_s):
            delay_s = self._delays_s[tries - 1]
            log.warning("%s failed (try %d): %r; again in %.1f s", raw.subject, tries, error, delay_s)
            await msg.nack(delay=delay_s)
            return Outcome.RETRIED
        log.error("%s cannot be handled after %d tries: %r", raw.subject, tries, error, exc_info=not permanent)
        await self._dead_letter(raw, self._durable, error)
        await self._exhausted(raw, error)
        await msg.reject()  # TERM, only after the dead letter and the run's end are stored
        return Outcome.DEAD


class DeadLetter:
    """Puts a message into the dead-letter stream, once."""

    def __init__(self, publish: Callable[..., Awaitable[Any]]) -> None:
        self._publish = publish

    async def __call__(self, raw: Msg, durable: str, error: Exception) -> None:
        meta = raw.metadata
        kept = {k: v for k, v in (raw.headers or {}).items() if not k.startswith("Nats-")}
        headers = {
            **kept,
            "Nats-Msg-Id": f"dead-{meta.stream}-{durable}-{meta.sequence.stream}",
            "Dead-Subject": raw.subject,
            "Dead-Stream": str(meta.stream),
            "Dead-Sequence": str(meta.sequence.stream),
            "Dead-Consumer": durable,
            "Dead-Deliveries": str(meta.num_delivered),
            "Dead-Error": type(error).__name__,
            "Dead-Reason": " ".join(str(error).split())[:900],
        }
        await self._publish(
            dead_letter_subject(durable), raw.data, stream=DEAD_LETTER_STREAM, timeout=5, headers=headers
        )
