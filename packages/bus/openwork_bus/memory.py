"""`Bus` in memory, for tests of handlers: no server, no waiting, a clock that is moved by hand.

It copies what handlers rely on: create-only publishing also over a wildcard, a full stream, age, timers that are set
once and fire, blobs, redelivery. Events pass through the same bytes as on the real bus.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from openwork_contracts.buckets import BLOBS
from openwork_contracts.errors import ContractViolation, RunNotFound, StorageFull, SubjectTaken
from openwork_contracts.meta import BlobRef, Event
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.progress import Progress
from openwork_contracts.subjects import run_filter, timer_subject

from openwork_bus.bus import REPLAYED_HEADER, StoredEvent, Timer, exclusive_filter, same_publication
from openwork_bus.codec import (
    JSON_ZSTD,
    LARGE_HEADER,
    LARGE_OVER_BYTES,
    deadline_header,
    decode,
    large,
    pack,
    reference_in,
    to_json,
)
from openwork_bus.run import Run
from openwork_bus.wildcards import matches

START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Message:
    sequence: int
    subject: str
    data: bytes
    headers: Mapping[str, str]
    stored_at: datetime


@dataclass
class MemoryBus:
    """`Bus` of one test."""

    now: datetime = START
    """The server's clock; see `advance`."""
    max_age_s: float | None = None
    """Seconds after which a message is gone."""
    full: bool = False
    """True = nothing more is taken."""
    told: list[Progress] = field(default_factory=list)
    """Progress, in order."""
    blobs: dict[str, bytes] = field(default_factory=dict)
    _messages: list[_Message] = field(default_factory=list)
    _timers: dict[str, Timer] = field(default_factory=dict)
    _sequence: int = 0

    # --- Bus -------------------------------------------------------------------------------------------------------

    async def publish(self, event: Event, *, headers: Mapping[str, str] | None = None) -> bool:
        return await self.publish_all([event], headers=headers)

    async def publish_all(self, events: Sequence[Event], *, headers: Mapping[str, str] | None = None) -> bool:
        there = [stored for event in events for stored in self._matching(exclusive_filter(event))]
        if there:
            found = await self.get_all(message.subject for message in self._matching(exclusive_filter(events[0])))
            if not any(same_publication(stored.event, events[0]) for stored in found):
                raise SubjectTaken(f"{events[0].meta.event_id} was not stored: there is {there[0].subject}")
            return False
        if self.full:
            raise StorageFull(f"{events[0].meta.event_id} was not stored: maximum bytes exceeded")
        for event in events:
            await self._store(event, {**deadline_header(event), **(headers or {})})
        return True

    async def set_timer(self, timer: Timer) -> datetime:
        target = timer.event.meta.event_id
        if (fired := await self.get(target)) is not None:
            assert isinstance(fired.event, DeadlineReached)
            return fired.event.due_at
        if self.full:
            raise StorageFull(f"{target} was not stored: maximum bytes exceeded")
        return self._timers.setdefault(timer_subject(target), timer).event.due_at

    async def progress(self, progress: Progress) -> None:
        self.told.append(progress)

    async def subjects(self, pattern: str) -> frozenset[str]:
        return frozenset(message.subject for message in self._matching(pattern))

    async def get(self, subject: str) -> StoredEvent | None:
        found = self._matching(subject)
        return await self._decoded(found[-1]) if found else None

    async def get_all(self, subjects: Iterable[str]) -> list[StoredEvent]:
        found: list[StoredEvent] = []
        for subject in subjects:
            try:
                stored = await self.get(subject)
            except ContractViolation:
                continue
            if stored is not None:
                found.append(stored)
        return found

    async def history(self, run_id: str) -> list[StoredEvent]:
        found = await self.get_all(await self.subjects(run_filter(run_id)))
        if not found:
            raise RunNotFound(f"no event of run {run_id} is stored")
        return sorted(found, key=lambda stored: stored.sequence)

    async def put_blob(self, data: bytes, *, media_type: str) -> BlobRef:
        digest = hashlib.sha256(data).hexdigest()
        self.blobs[digest] = data
        return BlobRef(bucket=BLOBS.name, name=digest, sha256=digest, size=len(data), media_type=media_type)

    async def get_blob(self, ref: BlobRef) -> bytes:
        if ref.name not in self.blobs:
            raise LookupError(f"{ref.name} is not in {ref.bucket}")
        data = self.blobs[ref.name]
        if hashlib.sha256(data).hexdigest() != ref.sha256:
            raise ContractViolation(f"{ref.name} in {ref.bucket} is not what was referred to: another checksum")
        return data

    # --- what a test moves -----------------------------------------------------------------------------------------

    async def advance(self, seconds: float) -> None:
        """Let time pass: timers that are due fire in their order, messages that are too old go."""
        until = self.now + timedelta(seconds=seconds)
        while due := [t for t in self._timers.items() if t[1].event.due_at <= until]:
            name, timer = min(due, key=lambda item: item[1].event.due_at)
            del self._timers[name]
            self.now = max(self.now, timer.event.due_at)
            await self._store(timer.event, {"Nats-Scheduler": name})
        self.now = until
        if self.max_age_s is not None:
            oldest = until - timedelta(seconds=self.max_age_s)
            self._messages = [message for message in self._messages if message.stored_at > oldest]

    async def put_raw(self, subject: str, data: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Store what no service of ours would: a malformed or forged message."""
        self._sequence += 1
        self._messages.append(_Message(self._sequence, subject, data, headers or {}, self.now))

    @property
    def n_bytes(self) -> int:
        """Bytes of all messages and blobs, as they are stored."""
        return sum(len(m.data) for m in self._messages) + sum(map(len, self.blobs.values()))

    # --- inside ----------------------------------------------------------------------------------------------------

    async def _store(self, event: Event, headers: Mapping[str, str]) -> None:
        body = to_json(event)
        if len(body) > LARGE_OVER_BYTES:
            ref = await self.put_blob(pack(body), media_type=JSON_ZSTD)
            await self.put_raw(event.meta.event_id, large(event, ref), {**headers, LARGE_HEADER: "1"})
        else:
            await self.put_raw(event.meta.event_id, body, headers)

    def _matching(self, pattern: str) -> list[_Message]:
        return [message for message in self._messages if matches(pattern, message.subject)]

    async def _decoded(self, message: _Message) -> StoredEvent:
        data = message.data
        if (ref := reference_in(message.subject, data, message.headers)) is not None:
            try:
                data = await self.get_blob(ref)
            except LookupError as error:
                raise ContractViolation(f"the body of {message.subject} is gone: {error}") from error
        event = decode(message.subject, data, headers=message.headers)
        return StoredEvent(message.sequence, message.subject, message.stored_at, event)


@dataclass
class MemoryRunner:
    """Delivers what is on a memory bus to handlers, each message once, and again on demand."""

    bus: MemoryBus
    handlers: Mapping[type[Event], tuple[str, Callable[..., Awaitable[None]]]]
    """Event -> the service's name and its handler, everything but event and run bound to it."""
    _seen: set[int] = field(default_factory=set)

    async def drain(self, *, most: int = 10_000) -> int:
        """Deliver until nothing new is there; how many messages that were.

        Raises:
            RuntimeError: more than `most`: handlers feed each other without end.
        """
        n = 0
        while fresh := [m for m in self.bus._messages if m.sequence not in self._seen]:
            for message in fresh:
                self._seen.add(message.sequence)
                n += 1
                if n > most:
                    raise RuntimeError(f"more than {most} messages")
                await self._deliver(message)
        return n

    async def redeliver(self, subject: str) -> None:
        """Deliver a message once more, as after a crash before the acknowledgement."""
        for message in self.bus._matching(subject):
            await self._deliver(message, again=True)

    async def _deliver(self, message: _Message, *, again: bool = False) -> None:
        if REPLAYED_HEADER in message.headers:
            return
        stored = await self.bus._decoded(message)
        found = self.handlers.get(type(stored.event))
        if found is None:
            return
        service, handler = found
        await handler(stored.event, run_of(self.bus, stored, service, redelivered=again))


def run_of(bus: MemoryBus, message: StoredEvent, service: str, *, redelivered: bool = False) -> Run:
    """The run of a message, as the service runner would hand it to a handler."""
    return Run(
        message.event.meta.run_id,
        bus=bus,
        service=service,
        cause=message.event,
        stored_at=message.stored_at,
        sequence=message.sequence,
        redelivered=redelivered,
    )
