"""The bus: create-only publishing, atomic fan-outs with their timers, reading a run back from the stream.

Four mechanisms carry everything (ARCHITECTURE.md): an event's subject is derived from its input and publishing is
create-only; joins ask the stream what is in; deadlines are scheduled messages; side effects come before the ack.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import TypeVar

from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError, NoRespondersError, NoServersError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import RawStreamMsg
from nats.js.errors import APIError, NoStreamResponseError, NotFoundError, ServiceUnavailableError
from openwork_contracts.errors import BusUnavailable, ContractViolation, OpenWorkError, RunNotFound
from openwork_contracts.meta import Event
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.subjects import (
    END_PART,
    PREFIX,
    STREAM,
    TIMER_EVENT,
    TIMER_PREFIX,
    end_filter,
    parse_subject,
    run_filter,
    spec_of,
)

from openwork_bus.codec import decode, decode_as, encode
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import current_traceparent

log = logging.getLogger(__name__)

E = TypeVar("E", bound=Event)
Put = Callable[[], Awaitable[bool]]

REPLAYED_HEADER = "Openwork-Replayed"
"""On copied history: stored to be read, not to be acted on."""
_EXPECTED = "Nats-Expected-Last-Subject-Sequence"
_EXPECTED_FILTER = "Nats-Expected-Last-Subject-Sequence-Subject"
_WRONG_LAST_SEQUENCE = frozenset({10071, 10164})
_BATCH_LOST = frozenset({10176, 10210, 10211})
"""The server knows the batch no more (it was restarted in the middle of it), or too many are open: send it anew."""
_BATCH_LIMIT = 1000
"""Most messages the server takes in one atomic batch (error 10199 above)."""
_TRANSIENT = (
    NatsTimeoutError,
    NoStreamResponseError,
    ServiceUnavailableError,
    NoRespondersError,
    NoServersError,
    OSError,
)


@dataclass(frozen=True, slots=True)
class Timer:
    """A deadline to be stored with the work it limits: fires as `deadline-reached` on the joiner's route."""

    event: DeadlineReached
    """Its `meta.event_id` is the subject it will be stored on; its `due_at` is when."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as the stream holds it."""

    sequence: int
    subject: str
    stored_at: datetime
    event: Event


class Bus:
    """Reads and writes of one service. Needs a connection that is open; holds no state of its own."""

    def __init__(self, connection: NatsClient, settings: ServiceSettings) -> None:
        self.connection = connection
        self._settings = settings
        self._js = connection.jetstream(timeout=settings.publish_timeout_s)

    # --- writing ---------------------------------------------------------------------------------------------------

    async def publish_once(self, event: Event, *, headers: Mapping[str, str] | None = None) -> bool:
        """Store an event unless its subject already holds one.

        Returns:
            True when this call stored it, or may have (an acknowledgement was lost and the retry found it there);
            False when it was there before.
        Raises:
            EventTooLarge: over the server's limit; BusUnavailable: no acknowledgement within `publish_patience_s`.
        """
        extra = {_EXPECTED: "0", **(headers or {})}
        if event.terminal:
            # All terminal events of a run have the part `end`: at most one of them is ever stored.
            extra[_EXPECTED_FILTER] = end_filter(event.meta.run_id)
        payload = self._encode(event)
        return await self._retry(lambda: self._put(event.meta.event_id, payload, extra), event.meta.event_id)

    async def publish_batch(
        self, events: Sequence[Event], timers: Sequence[Timer] = (), *, headers: Mapping[str, str] | None = None
    ) -> bool:
        """Store a fan-out and its timers together, or nothing if any of the events is there already.

        Returns:
            As `publish_once`.
        Raises:
            EventTooLarge, BusUnavailable: as `publish_once`.
        """
        messages = [(e.meta.event_id, self._encode(e), {_EXPECTED: "0", **(headers or {})}) for e in events]
        messages += [self._timer_message(timer) for timer in timers]
        if len(messages) > _BATCH_LIMIT:
            raise ValueError(f"{len(messages)} messages; one atomic batch takes {_BATCH_LIMIT}")
        return await self._retry(lambda: self._put_atomically(messages), messages[0][0])

    async def set_timer(self, timer: Timer) -> None:
        """Store a timer by itself, or move one that is already waiting."""
        subject, payload, headers = self._timer_message(timer)
        await self._retry(lambda: self._put(subject, payload, headers), subject)

    async def publish_live(self, subject: str, body: bytes) -> None:
        """Tell whoever listens now; never stored, never retried."""
        await self.connection.publish(subject, body)

    # --- reading ---------------------------------------------------------------------------------------------------

    async def stored(self, run_id: str, part: str | None = None) -> frozenset[str]:
        """Subjects of a run that hold an event, asked of the stream's leader (a direct get may be stale)."""
        subjects = f"{PREFIX}.*.*.{run_id}.{part}" if part else run_filter(run_id)
        try:
            info = await self._js.stream_info(STREAM, subjects_filter=subjects)
        except (*_TRANSIENT, ConnectionClosedError) as error:
            raise BusUnavailable(f"the stream did not say what it holds of run {run_id}: {error!r}") from error
        return frozenset(info.state.subjects or {})

    async def read(self, model: type[E], run_id: str, part: str, route: str = "all") -> E | None:
        """An event of a run; `None` when it is not stored."""
        subject = spec_of(model).subject(run_id, part, route)
        message = await self._get(subject)
        if message is None:
            return None
        return decode_as(
            model, subject, message.data or b"", stored_at=_stored_at(message), headers=message.headers or {}
        )

    async def read_subjects(self, subjects: Iterable[str]) -> list[Event]:
        """The events of several subjects, in the given order; those that are gone or malformed are left out."""
        wanted = list(subjects)
        messages = await asyncio.gather(*(self._get(subject) for subject in wanted))
        found = (
            _readable(subject, message, _stored_at(message))
            for subject, message in zip(wanted, messages, strict=True)
            if message is not None
        )
        return [event for event in found if event is not None]

    async def history(self, run_id: str) -> list[StoredEvent]:
        """Every event of a run, in the order in which they were stored. Timers that wait are not events.

        Raises:
            RunNotFound: the stream holds nothing of that run.
        """
        subjects = [s for s in await self.stored(run_id) if parse_subject(s).event != TIMER_EVENT]
        messages = await asyncio.gather(*(self._get(subject) for subject in subjects))
        found = []
        for subject, message in zip(subjects, messages, strict=True):
            if message is None:
                continue
            stored_at = _stored_at(message)
            event = _readable(subject, message, stored_at)
            if event is not None:
                found.append(StoredEvent(message.seq or 0, subject, stored_at, event))
        if not found:
            raise RunNotFound(f"no event of run {run_id} is stored; `openwork runs list` shows the runs that are")
        return sorted(found, key=lambda item: item.sequence)

    async def ended(self, run_id: str) -> bool:
        """Whether the run has its terminal event."""
        return bool(await self.stored(run_id, END_PART))

    # --- inside ----------------------------------------------------------------------------------------------------

    def _encode(self, event: Event) -> bytes:
        # The server counts headers too; 4 KiB is above what we and tracing put there.
        limit = self.connection.max_payload - 4096
        return encode(event, compress_over_bytes=self._settings.compress_over_bytes, max_payload_bytes=limit)

    def _timer_message(self, timer: Timer) -> tuple[str, bytes, dict[str, str]]:
        target = timer.event.meta.event_id
        where = parse_subject(target)
        due = timer.event.due_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        subject = f"{TIMER_PREFIX}.{where.route}.{where.run_id}.{where.part}"
        return subject, self._encode(timer.event), {"Nats-Schedule": f"@at {due}", "Nats-Schedule-Target": target}

    def _headers(self, extra: Mapping[str, str]) -> dict[str, str]:
        traceparent = current_traceparent()
        return {**({"traceparent": traceparent} if traceparent else {}), **extra}

    async def _put(self, subject: str, payload: bytes, extra: Mapping[str, str]) -> bool:
        try:
            await self._js.publish(
                subject, payload, stream=STREAM, timeout=self._settings.publish_timeout_s, headers=self._headers(extra)
            )
        except APIError as error:
            if error.err_code in _WRONG_LAST_SEQUENCE:
                return False
            raise
        return True

    async def _put_atomically(self, messages: Sequence[tuple[str, bytes, Mapping[str, str]]]) -> bool:
        batch = {"Nats-Batch-Id": uuid.uuid4().hex}
        last = len(messages)
        for index, (subject, payload, extra) in enumerate(messages, 1):
            headers = self._headers({**extra, **batch, "Nats-Batch-Sequence": str(index)})
            if index == last:
                headers["Nats-Batch-Commit"] = "1"
            elif index > 1:
                await self.connection.publish(subject, payload, headers=headers)
                continue
            # The first and the last are answered by the server; those between only when they fail.
            reply = await self.connection.request(
                subject, payload, headers=headers, timeout=self._settings.publish_timeout_s
            )
            error = json.loads(reply.data).get("error") if reply.data else None
            if error is not None:
                if error.get("err_code") in _WRONG_LAST_SEQUENCE:
                    return False
                raise APIError(**{k: error.get(k) for k in ("code", "err_code", "description")})
        return True

    async def _retry(self, put: Put, subject: str) -> bool:
        """Try again while the server has no leader or no time; safe, since publishing is create-only."""
        give_up = monotonic() + self._settings.publish_patience_s
        pause_s = 0.05
        lost_ack = False
        while True:
            try:
                return await put() or lost_ack
            except ConnectionClosedError as error:
                raise BusUnavailable(f"{subject} was not stored: the connection to NATS is closed") from error
            except _TRANSIENT as error:
                lost_ack = True
                if monotonic() > give_up:
                    raise BusUnavailable(
                        f"{subject} was not acknowledged within {self._settings.publish_patience_s} s: {_said(error)}"
                    ) from error
                log.warning("no acknowledgement for %s (%s); trying again", subject, _said(error))
            except APIError as error:
                again = error.code == 503 or error.err_code in _BATCH_LOST
                if not again or monotonic() > give_up:
                    raise OpenWorkError(f"NATS refused {subject}: {_said(error)}") from error
            await asyncio.sleep(pause_s * random.uniform(0.5, 1.5))
            pause_s = min(pause_s * 2, 2.0)

    async def _get(self, subject: str) -> RawStreamMsg | None:
        """The last message of a subject: by direct get, and asked of the leader before it is called absent."""
        for direct in (True, False):
            try:
                message: RawStreamMsg = await self._js.get_last_msg(STREAM, subject, direct=direct)
                return message
            except NotFoundError:
                continue
            except (*_TRANSIENT, ConnectionClosedError) as error:
                raise BusUnavailable(f"{subject} could not be read: {error!r}") from error
        return None


def _said(error: Exception) -> str:
    """What the server says of an error, such as that its disk is full; of others their kind."""
    return f"{error.description} ({error.err_code})" if isinstance(error, APIError) else repr(error)


def _readable(subject: str, message: RawStreamMsg, stored_at: datetime) -> Event | None:
    """The event of a message; `None` when it is malformed: then it is a dead letter, and its run has failed."""
    try:
        return decode(subject, message.data or b"", stored_at=stored_at, headers=message.headers or {})
    except ContractViolation as error:
        log.warning("left out: %s", error)
        return None


def _stored_at(message: RawStreamMsg) -> datetime:
    moment = message.time
    if isinstance(moment, datetime):
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    header = (message.headers or {}).get("Nats-Time-Stamp")
    text = header or (str(moment) if moment else "")
    return parse_timestamp(text)


def stored_at_of(message: Msg) -> datetime:
    """When the stream stored a delivered message, to the same microsecond as a read of it says.

    From the acknowledgement subject ($JS.ACK....<nanoseconds>.<pending>): nats-py's own timestamp goes through a float
    and is rounded, and a replayed answer would differ from the first one by a digit.
    """
    tokens = message.reply.split(".")
    # $JS.ACK.<stream>.<consumer>.<delivered>.<stream seq>.<consumer seq>.<ns>.<pending>; with a domain two tokens more.
    nanoseconds = int(tokens[7] if len(tokens) == 9 else tokens[9])
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest // 1000)


def parse_timestamp(text: str) -> datetime:
    """An RFC 3339 time of the server, which has up to nine decimals, as UTC."""
    if not text:
        return datetime.now(UTC)
    head, _, tail = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(f"{head}.{(tail + '000000')[:6]}+00:00")
