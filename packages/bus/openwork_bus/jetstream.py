"""`Bus` on NATS JetStream. What is written here about the server was tried on nats-server 2.15."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError
from nats.errors import Error as NatsError
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError
from openwork_contracts.buckets import BLOBS, bucket_named
from openwork_contracts.errors import (
    BusUnavailable,
    ContractViolation,
    RunNotFound,
    SubjectTaken,
)
from openwork_contracts.meta import BlobRef, Event
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.progress import Progress
from openwork_contracts.subjects import (
    DUE_PREFIX,
    PROGRESS_PREFIX,
    STREAM,
    TIMER_PREFIX,
    TIMERS_STREAM,
    run_filter,
    timer_or_due_filter,
    timer_subject,
)

from openwork_bus.bus import StoredEvent, Timer, exclusive_filter, same_publication
from openwork_bus.codec import (
    JSON_ZSTD,
    LARGE_HEADER,
    LARGE_OVER_BYTES,
    check_size,
    deadline_header,
    decode,
    large,
    pack,
    reference_in,
    to_json,
    unpack,
)
from openwork_bus.known import known_on
from openwork_bus.listing import subjects_in
from openwork_bus.objects import Objects
from openwork_bus.publishing import EXPECTED, EXPECTED_FILTER, TRANSIENT, Message, Publisher
from openwork_bus.settings import ServiceSettings

log = logging.getLogger(__name__)

_HEADER_BYTES = 4096
"""The server counts headers too; above what we and tracing put there."""
_LAG_S = (0.01, 0.05, 0.25)
"""Pauses before a direct get is asked again for what the leader has: a replica may lag behind it."""


class JetStreamBus:
    """`Bus` over one connection that is open."""

    def __init__(self, connection: NatsClient, settings: ServiceSettings) -> None:
        self.connection = connection
        self._settings = settings
        self._js = connection.jetstream(timeout=settings.publish_timeout_s)
        self.publisher = Publisher(connection, settings)
        self.known = known_on(getattr(connection, "_server_info", {}).get("server_id"))

    # --- writing ---------------------------------------------------------------------------------------------------

    async def publish(self, event: Event, *, headers: Mapping[str, str] | None = None) -> bool:
        subject, payload, extra = await self._message(event, headers)
        if await self.publisher.store(STREAM, subject, payload, extra):
            return True
        await self._check_repetition(event)
        return False

    async def publish_all(self, events: Sequence[Event], *, headers: Mapping[str, str] | None = None) -> bool:
        if len(events) == 1:
            return await self.publish(events[0], headers=headers)
        messages = [await self._message(event, headers) for event in events]
        if await self.publisher.store_together(messages):
            return True
        await self._check_repetition(events[0])
        return False

    async def set_timer(self, timer: Timer) -> datetime:
        target = timer.event.meta.event_id
        due = timer.event.due_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        headers = {
            "Nats-Schedule": f"@at {due}",
            "Nats-Schedule-Target": target,
            EXPECTED: "0",
            EXPECTED_FILTER: timer_or_due_filter(target),
        }
        body = self._fitting(timer.event, to_json(timer.event))
        if await self.publisher.store(TIMERS_STREAM, timer_subject(target), body, headers):
            return timer.event.due_at
        for subject in (timer_subject(target), target):  # it may fire between the two
            message = await self._get(subject)
            if message is not None:
                return DeadlineReached.model_validate_json(unpack(message.data or b"")).due_at
        raise BusUnavailable(f"the deadline {target} is neither waiting nor reached, and cannot be set")

    async def progress(self, progress: Progress) -> None:
        try:
            await self.connection.publish(f"{PROGRESS_PREFIX}.{progress.run_id}", to_json(progress))
        except (NatsError, OSError) as error:
            log.debug("progress was not told: %r", error)

    async def put_blob(self, data: bytes, *, media_type: str) -> BlobRef:
        return await self._store(BLOBS.name).put(data, media_type=media_type)

    # --- reading ---------------------------------------------------------------------------------------------------

    async def subjects(self, pattern: str) -> frozenset[str]:
        return await self._subjects(_stream_of(pattern), pattern)

    async def _subjects(self, stream: str, pattern: str) -> frozenset[str]:
        return await subjects_in(self._js, stream, pattern, timeout_s=self._settings.publish_timeout_s)

    async def get(self, subject: str) -> StoredEvent | None:
        if (known := self.known.get(subject)) is not None:
            return known
        message = await self._get(subject)
        if message is None:
            return None
        stored = await self._stored(subject, message)
        self.known.keep(stored, len(message.data or b""))
        return stored

    async def get_all(self, subjects: Iterable[str]) -> list[StoredEvent]:
        found = await asyncio.gather(*(self._readable(subject) for subject in subjects))
        return [stored for stored in found if stored is not None]

    async def history(self, run_id: str) -> list[StoredEvent]:
        subjects = await self.subjects(run_filter(run_id))
        found = await self.get_all(subjects)
        if not found:
            raise RunNotFound(f"no event of run {run_id} is stored; `openwork runs list` shows the runs that are")
        return sorted(found, key=lambda stored: stored.sequence)

    async def get_blob(self, ref: BlobRef) -> bytes:
        return await self._store(ref.bucket).get(ref)

    async def decode(self, subject: str, data: bytes, *, headers: Mapping[str, str]) -> Event:
        """The event of a message that was delivered, its body fetched where it was stored apart.

        Raises:
            ContractViolation: as `codec.decode`, or what it refers to is gone.
        """
        if (ref := reference_in(subject, data, headers)) is not None:
            try:
                data = await self.get_blob(ref)
            except LookupError as error:
                raise ContractViolation(f"the body of {subject} is gone: {error}") from error
        return decode(subject, data, headers=headers)

    # --- inside ----------------------------------------------------------------------------------------------------

    async def _message(self, event: Event, headers: Mapping[str, str] | None) -> Message:
        extra = {EXPECTED: "0", **deadline_header(event), **(headers or {})}
        if (empty := exclusive_filter(event)) != event.meta.event_id:
            extra[EXPECTED_FILTER] = empty
        body = to_json(event)
        if len(body) > LARGE_OVER_BYTES:
            ref = await self.put_blob(pack(body), media_type=JSON_ZSTD)
            return event.meta.event_id, large(event, ref), {**extra, LARGE_HEADER: "1"}
        return event.meta.event_id, self._fitting(event, body), extra

    def _fitting(self, event: Event, body: bytes) -> bytes:
        packed = pack(body, over_bytes=self._settings.compress_over_bytes)
        limit = self.connection.max_payload - _HEADER_BYTES
        return check_size(event, packed, n_bytes=len(body), max_payload_bytes=limit)

    async def _check_repetition(self, event: Event) -> None:
        """Raise unless what is there is the same publication."""
        subjects = await self.subjects(exclusive_filter(event))
        there = [stored for subject in subjects if (stored := await self._readable(subject))]
        if not any(same_publication(stored.event, event) for stored in there):
            found = ", ".join(f"{s.subject} by {s.event.meta.producer}" for s in there) or "nothing that can be read"
            raise SubjectTaken(f"{event.meta.event_id} was not stored: there is {found}")

    async def _get(self, subject: str) -> RawStreamMsg | None:
        """The last message of a subject, by direct get; the leader says whether a missing one is really absent."""
        stream = _stream_of(subject)
        for pause_s in (0.0, *_LAG_S):
            await asyncio.sleep(pause_s)
            try:
                message: RawStreamMsg = await self._js.get_last_msg(stream, subject, direct=True)
                return message
            except NotFoundError:
                if subject not in await self._subjects(stream, subject):
                    return None
            except (*TRANSIENT, ConnectionClosedError) as error:
                raise BusUnavailable(f"{subject} could not be read: {error!r}") from error
        raise BusUnavailable(f"{subject} is stored, but no replica has it yet")

    async def _stored(self, subject: str, message: RawStreamMsg) -> StoredEvent:
        event = await self.decode(subject, message.data or b"", headers=message.headers or {})
        return StoredEvent(message.seq or 0, subject, stored_at(message), event)

    async def _readable(self, subject: str) -> StoredEvent | None:
        """The event of a subject; `None` when it is gone or malformed: then it is a dead letter, and its run failed."""
        try:
            return await self.get(subject)
        except ContractViolation as error:
            log.warning("left out: %s", error)
            return None

    def _store(self, bucket: str) -> Objects:
        """A bucket of objects; KeyError, which is a LookupError, when the contracts know none of that name."""
        return Objects(self._js, bucket_named(bucket))


def _stream_of(pattern: str) -> str:
    """Deadlines, waiting and reached, have a stream of their own."""
    return TIMERS_STREAM if pattern.startswith((f"{TIMER_PREFIX}.", f"{DUE_PREFIX}.")) else STREAM


def stored_at(message: RawStreamMsg) -> datetime:
    """When the stream stored a message that was read."""
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
