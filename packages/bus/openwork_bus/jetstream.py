"""`Bus` on NATS JetStream. What is written here about the server was tried on nats-server 2.15."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from time import monotonic

from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError, NoRespondersError, NoServersError
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import RawStreamMsg
from nats.js.errors import APIError, NoStreamResponseError, NotFoundError, ServiceUnavailableError
from nats.js.object_store import ObjectStore
from openwork_contracts.buckets import BLOBS, bucket_named
from openwork_contracts.errors import (
    BusUnavailable,
    ContractViolation,
    OpenWorkError,
    RunNotFound,
    StorageFull,
    SubjectTaken,
)
from openwork_contracts.meta import BlobRef, Event
from openwork_contracts.progress import Progress
from openwork_contracts.subjects import (
    PROGRESS_PREFIX,
    STREAM,
    is_timer,
    run_filter,
    timer_subject,
)

from openwork_bus.backoff import backoff_s
from openwork_bus.buckets import open_objects
from openwork_bus.bus import StoredEvent, Timer, exclusive_filter, same_publication
from openwork_bus.codec import (
    JSON_ZSTD,
    LARGE_HEADER,
    LARGE_OVER_BYTES,
    check_size,
    decode,
    large,
    pack,
    reference_in,
    to_json,
)
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import current_traceparent

log = logging.getLogger(__name__)

Put = Callable[[], Awaitable[bool]]
Message = tuple[str, bytes, dict[str, str]]
"""Subject, payload, headers."""

_EXPECTED = "Nats-Expected-Last-Subject-Sequence"
_EXPECTED_FILTER = "Nats-Expected-Last-Subject-Sequence-Subject"
_WRONG_LAST_SEQUENCE = frozenset({10071, 10164})
_FULL = frozenset({10023, 10077})
"""Out of storage, or over the stream's bytes. (10077 has a second meaning only on streams of one message a subject.)"""
_BATCH_GONE = frozenset({10176, 10210, 10211})
"""The server knows the batch no more (it was restarted in the middle of it), or too many are open: send it anew."""
_BATCH_LIMIT = 1000
"""Most messages the server takes in one atomic batch (error 10199 above)."""
_HEADER_BYTES = 4096
"""The server counts headers too; above what we and tracing put there."""
_TRANSIENT = (
    NatsTimeoutError,
    NoStreamResponseError,
    ServiceUnavailableError,
    NoRespondersError,
    NoServersError,
    OSError,
)
_LAG_S = (0.01, 0.05, 0.25)
"""Pauses before a direct get is asked again for what the leader has: a replica may lag behind it."""


class JetStreamBus:
    """`Bus` over one connection that is open."""

    def __init__(self, connection: NatsClient, settings: ServiceSettings) -> None:
        self.connection = connection
        self._settings = settings
        self._js = connection.jetstream(timeout=settings.publish_timeout_s)
        self._stores: dict[str, ObjectStore] = {}

    # --- writing ---------------------------------------------------------------------------------------------------

    async def publish(self, event: Event, *, headers: Mapping[str, str] | None = None) -> bool:
        subject, payload, extra = await self._message(event, headers)
        if await self._retry(lambda: self._put(subject, payload, extra), subject):
            return True
        await self._check_repetition(event)
        return False

    async def publish_all(
        self, events: Sequence[Event], timers: Sequence[Timer] = (), *, headers: Mapping[str, str] | None = None
    ) -> bool:
        messages = [await self._message(event, headers) for event in events]
        messages += [await self._timer_message(timer) for timer in timers]
        if len(messages) > _BATCH_LIMIT:
            raise ValueError(f"{len(messages)} messages; one atomic batch takes {_BATCH_LIMIT}")
        if await self._retry(lambda: self._put_atomically(messages), messages[0][0]):
            return True
        await self._check_repetition(events[0])
        return False

    async def set_timer(self, timer: Timer) -> None:
        subject, payload, headers = await self._timer_message(timer)
        await self._retry(lambda: self._put(subject, payload, headers), subject)

    async def progress(self, progress: Progress) -> None:
        try:
            await self.connection.publish(f"{PROGRESS_PREFIX}.{progress.run_id}", to_json(progress))
        except (NatsError, OSError) as error:
            log.debug("progress was not told: %r", error)

    async def put_blob(self, data: bytes, *, media_type: str) -> BlobRef:
        digest = hashlib.sha256(data).hexdigest()
        try:
            store = await self._store(BLOBS.name)
            try:
                await store.get_info(digest)
            except (NotFoundError, NatsError):
                await store.put(digest, data)
        except (*_TRANSIENT, ConnectionClosedError, NatsError) as error:
            raise BusUnavailable(f"{len(data)} bytes could not be stored in {BLOBS.name}: {error!r}") from error
        return BlobRef(bucket=BLOBS.name, name=digest, sha256=digest, size=len(data), media_type=media_type)

    # --- reading ---------------------------------------------------------------------------------------------------

    async def subjects(self, pattern: str) -> frozenset[str]:
        try:
            info = await self._js.stream_info(STREAM, subjects_filter=pattern)
        except (*_TRANSIENT, ConnectionClosedError) as error:
            raise BusUnavailable(f"the stream did not say what it holds of {pattern}: {error!r}") from error
        return frozenset(info.state.subjects or {})

    async def get(self, subject: str) -> StoredEvent | None:
        message = await self._get(subject)
        return None if message is None else await self._stored(subject, message)

    async def get_all(self, subjects: Iterable[str]) -> list[StoredEvent]:
        found = await asyncio.gather(*(self._readable(subject) for subject in subjects))
        return [stored for stored in found if stored is not None]

    async def history(self, run_id: str) -> list[StoredEvent]:
        subjects = await self.subjects(run_filter(run_id))
        found = await self.get_all(s for s in subjects if not is_timer(s))
        if not found:
            raise RunNotFound(f"no event of run {run_id} is stored; `openwork runs list` shows the runs that are")
        return sorted(found, key=lambda stored: stored.sequence)

    async def get_blob(self, ref: BlobRef) -> bytes:
        try:
            data = (await (await self._store(ref.bucket)).get(ref.name)).data or b""
        except NotFoundError:
            raise LookupError(f"{ref.name} is not in {ref.bucket}") from None
        except (*_TRANSIENT, ConnectionClosedError, NatsError) as error:
            raise BusUnavailable(f"{ref.name} could not be read from {ref.bucket}: {error!r}") from error
        if hashlib.sha256(data).hexdigest() != ref.sha256:
            raise ContractViolation(f"{ref.name} in {ref.bucket} is not what was referred to: another checksum")
        return data

    async def decode(self, subject: str, data: bytes, *, stored_at: datetime, headers: Mapping[str, str]) -> Event:
        """The event of a message that was delivered, its body fetched where it was stored apart.

        Raises:
            ContractViolation: as `codec.decode`, or what it refers to is gone.
        """
        if (ref := reference_in(subject, data, headers)) is not None:
            try:
                data = await self.get_blob(ref)
            except LookupError as error:
                raise ContractViolation(f"the body of {subject} is gone: {error}") from error
        return decode(subject, data, stored_at=stored_at, headers=headers)

    # --- inside ----------------------------------------------------------------------------------------------------

    async def _message(self, event: Event, headers: Mapping[str, str] | None) -> Message:
        extra = {_EXPECTED: "0", **(headers or {})}
        if (empty := exclusive_filter(event)) != event.meta.event_id:
            extra[_EXPECTED_FILTER] = empty
        body = to_json(event)
        if len(body) > LARGE_OVER_BYTES:
            ref = await self.put_blob(pack(body), media_type=JSON_ZSTD)
            return event.meta.event_id, large(event, ref), {**extra, LARGE_HEADER: "1"}
        return event.meta.event_id, self._fitting(event, body), extra

    def _fitting(self, event: Event, body: bytes) -> bytes:
        packed = pack(body, over_bytes=self._settings.compress_over_bytes)
        limit = self.connection.max_payload - _HEADER_BYTES
        return check_size(event, packed, n_bytes=len(body), max_payload_bytes=limit)

    async def _timer_message(self, timer: Timer) -> Message:
        target = timer.event.meta.event_id
        due = timer.event.due_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        headers = {"Nats-Schedule": f"@at {due}", "Nats-Schedule-Target": target}
        return timer_subject(target), self._fitting(timer.event, to_json(timer.event)), headers

    async def _check_repetition(self, event: Event) -> None:
        """Raise unless what is there is the same publication."""
        subjects = await self.subjects(exclusive_filter(event))
        there = [stored for subject in subjects if (stored := await self._readable(subject))]
        if not any(same_publication(stored.event, event) for stored in there):
            found = ", ".join(f"{s.subject} by {s.event.meta.producer}" for s in there) or "nothing that can be read"
            raise SubjectTaken(f"{event.meta.event_id} was not stored: there is {found}")

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

    async def _put_atomically(self, messages: Sequence[Message]) -> bool:
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
        tries, ack_missing = 0, False
        while True:
            tries += 1
            try:
                return await put() or ack_missing
            except ConnectionClosedError as error:
                raise BusUnavailable(f"{subject} was not stored: the connection to NATS is closed") from error
            except _TRANSIENT as error:
                ack_missing = True
                if monotonic() > give_up:
                    raise await self._given_up(subject, error) from error
                log.warning("no acknowledgement for %s (%s); trying again", subject, _words_of(error))
            except APIError as error:
                again = error.code == 503 or error.err_code in _BATCH_GONE
                if not again:
                    raise OpenWorkError(f"NATS refused {subject}: {_words_of(error)}") from error
                if monotonic() > give_up:
                    raise await self._given_up(subject, error) from error
            await asyncio.sleep(backoff_s(tries, base_s=0.1, max_s=2.0))

    async def _given_up(self, subject: str, error: Exception) -> BusUnavailable:
        code = error.err_code if isinstance(error, APIError) else None
        kind = StorageFull if code in _FULL else BusUnavailable
        words = _words_of(error)
        # Out of disk space the server does not answer a publication; that a batch is incomplete is all it says of one.
        if (isinstance(error, NatsTimeoutError) or code in _BATCH_GONE) and await self._answers():
            words = f"NATS answers, but stores nothing ({words}): is its disk full? Its log and its /healthz say why"
        return kind(f"{subject} was not acknowledged within {self._settings.publish_patience_s} s: {words}")

    async def _answers(self) -> bool:
        """Whether the server is there."""
        try:
            await self.connection.flush(timeout=2)
        except (NatsError, OSError, TimeoutError):
            return False
        return True

    async def _get(self, subject: str) -> RawStreamMsg | None:
        """The last message of a subject, by direct get; the leader says whether a missing one is really absent."""
        for pause_s in (0.0, *_LAG_S):
            await asyncio.sleep(pause_s)
            try:
                message: RawStreamMsg = await self._js.get_last_msg(STREAM, subject, direct=True)
                return message
            except NotFoundError:
                if subject not in await self.subjects(subject):
                    return None
            except (*_TRANSIENT, ConnectionClosedError) as error:
                raise BusUnavailable(f"{subject} could not be read: {error!r}") from error
        raise BusUnavailable(f"{subject} is stored, but no replica has it yet")

    async def _stored(self, subject: str, message: RawStreamMsg) -> StoredEvent:
        stored_at = _stored_at(message)
        event = await self.decode(subject, message.data or b"", stored_at=stored_at, headers=message.headers or {})
        return StoredEvent(message.seq or 0, subject, stored_at, event)

    async def _readable(self, subject: str) -> StoredEvent | None:
        """The event of a subject; `None` when it is gone or malformed: then it is a dead letter, and its run failed."""
        try:
            return await self.get(subject)
        except ContractViolation as error:
            log.warning("left out: %s", error)
            return None

    async def _store(self, bucket: str) -> ObjectStore:
        if bucket not in self._stores:
            self._stores[bucket] = await open_objects(self._js, bucket_named(bucket))
        return self._stores[bucket]


def _words_of(error: Exception) -> str:
    """What the server says of an error, such as that its disk is full; of others their kind."""
    return f"{error.description} ({error.err_code})" if isinstance(error, APIError) else repr(error)


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
