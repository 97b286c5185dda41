"""The bus as services see it: a protocol. `jetstream.py` is the real one, `memory.py` the one of unit tests.

Four mechanisms carry everything (ARCHITECTURE.md): an event's subject is derived from its input and publishing is
create-only; joins ask the stream what is in; deadlines are scheduled messages; side effects come before the ack.
Both implementations pass the same suite (tests/contract/test_bus_conformance.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from openwork_contracts.meta import BlobRef, Event
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.progress import Progress
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import end_filter, question_filter

REPLAYED_HEADER = "Openwork-Replayed"
"""On copied history: stored to be read, not to be acted on."""


@dataclass(frozen=True, slots=True)
class Timer:
    """A deadline, set before the work that it limits: fires as `deadline-reached` on the joiner's route."""

    event: DeadlineReached
    """Its `meta.event_id` is the subject it will be stored on; its `due_at` is when."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as the stream holds it."""

    sequence: int
    subject: str
    stored_at: datetime
    event: Event


class Bus(Protocol):
    """Reads and writes of one service. Holds no state of its own."""

    async def publish(self, event: Event, *, headers: Mapping[str, str] | None = None) -> bool:
        """Store an event unless its subject holds one. A run's question and its end exclude those of other pipelines.

        Returns:
            True when this call stored it, or may have (an acknowledgement did not arrive and the retry found it there);
            False when the same was there before: its own repetition, see `same_publication`.
        Raises:
            SubjectTaken: something else is there. EventTooLarge: over the server's limit. StorageFull: the stream takes
            nothing more. BusUnavailable: no acknowledgement in time.
        """
        ...

    async def publish_all(self, events: Sequence[Event], *, headers: Mapping[str, str] | None = None) -> bool:
        """Store a fan-out together, or nothing when any of the events is there already.

        Returns, raises: as `publish`, judged by the first event.
        """
        ...

    async def set_timer(self, timer: Timer) -> datetime:
        """Store a timer, create-only over where it waits and where it fires: a deadline is set once.

        Returns:
            When the deadline is: the timer's `due_at`, or that of the one which was there before, waiting or fired.
        Raises:
            StorageFull, BusUnavailable: as `publish`.
        """
        ...

    async def progress(self, progress: Progress) -> None:
        """Tell whoever listens now; never stored, never retried."""
        ...

    async def subjects(self, pattern: str) -> frozenset[str]:
        """Subjects that hold a message, asked of the stream's leader. `pattern` may have `*` for whole tokens."""
        ...

    async def get(self, subject: str) -> StoredEvent | None:
        """The event on a subject; `None` when there is none.

        Raises:
            ContractViolation: it is malformed. BusUnavailable: nobody answers.
        """
        ...

    async def get_all(self, subjects: Iterable[str]) -> list[StoredEvent]:
        """The events of several subjects, in the given order; those that are gone or malformed are left out."""
        ...

    async def history(self, run_id: str) -> list[StoredEvent]:
        """Every event of a run, in the order in which they were stored. Timers that wait are not events.

        Raises:
            RunNotFound: the stream holds nothing of that run.
        """
        ...

    async def put_blob(self, data: bytes, *, media_type: str) -> BlobRef:
        """Keep what is too large for an event; the same bytes have the same name."""
        ...

    async def get_blob(self, ref: BlobRef) -> bytes:
        """What a reference refers to.

        Raises:
            LookupError: it is gone. ContractViolation: it is not what the reference says.
        """
        ...


def exclusive_filter(event: Event) -> str:
    """What must be empty for an event to be stored: its own subject, or wherever a run has its question or its end."""
    if event.terminal:
        return end_filter(event.meta.run_id)
    if isinstance(event, QuerySubmitted):
        return question_filter(event.meta.run_id)
    return event.meta.event_id


def same_publication(stored: Event, event: Event) -> bool:
    """Whether an event on a subject is a repetition: made by the same service in answer to the same event.

    Bodies are not compared: a repeated computation may differ in its timings. A question, which answers nothing, is
    the same when the same owner asks the same.
    """
    ours, theirs = event.meta, stored.meta
    if isinstance(event, QuerySubmitted):
        same = stored.model_dump(exclude={"meta"}) == event.model_dump(exclude={"meta"})
        return same and (ours.event_id, ours.owner) == (theirs.event_id, theirs.owner)
    return (ours.event_id, ours.producer, ours.parent_ids[:1]) == (
        theirs.event_id,
        theirs.producer,
        theirs.parent_ids[:1],
    )
