"""One run as a handler sees it: what came in, what is stored, and how to publish what comes next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import ParamSpec, TypeVar

from openwork_contracts.answer import Usage
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import BusUnavailable, ContractViolation, FailureReason, SubjectTaken
from openwork_contracts.meta import ALL, CONTRACT_VERSION, LOCAL_OWNER, Event, EventMeta
from openwork_contracts.pipelines import ANSWER
from openwork_contracts.plan import DeadlineReached, SearchPlanned
from openwork_contracts.progress import Progress
from openwork_contracts.question import RejectionReason
from openwork_contracts.subjects import spec_of

from openwork_bus.bus import Bus, Timer
from openwork_bus.run_ids import trace_id_of
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry, current_traceparent, trace_id_in

_MOST_DEADLINES = 16
"""Timers for one piece of work: more tries than a message has."""
_TIME_TO_PUBLISH = timedelta(seconds=2)
"""A timer of an earlier try that fires sooner may fire before its work is stored, and be passed over."""

E = TypeVar("E", bound=Event)
P = ParamSpec("P")
R = TypeVar("R")


class Run:
    """Everything a handler may do to its run. One per message; its track and round are those of the message."""

    def __init__(
        self,
        run_id: str,
        *,
        bus: Bus,
        service: str,
        cause: Event | None,
        pipeline: str = ANSWER,
        owner: str = LOCAL_OWNER,
        telemetry: Telemetry | None = None,
        stored_at: datetime | None = None,
        sequence: int = 0,
        redelivered: bool = False,
    ) -> None:
        self.id = run_id
        self.bus = bus
        self.telemetry = telemetry or _untraced(service)
        self.service = service
        self.cause = cause
        """The event that is handled; `None` when it could not be read."""
        meta = cause.meta if cause else None
        self.pipeline = meta.pipeline if meta else pipeline
        self.track = meta.track if meta else ALL
        self.round = meta.round if meta else 0
        self.owner = meta.owner if meta else owner
        self.deadline_at = meta.deadline_at if meta else None
        """When the run ends in any case; `None` = the event that is handled does not say."""
        self.stored_at = stored_at or datetime.now(UTC)
        """When the stream stored the message that is handled: the server's clock, which no client can set wrong."""
        self.sequence = sequence
        """The place of that message in the stream."""
        self.redelivered = redelivered
        """Whether it was delivered before: then something may have been published for it already."""

    # --- making events ---------------------------------------------------------------------------------------------

    def subject(
        self,
        model: type[Event],
        part: str = "0",
        *,
        route: str = ALL,
        track: str | None = None,
        round_: int | None = None,
    ) -> str:
        """The one subject of an event of this run; its track and round are the message's unless given."""
        track, round_ = self._place(model, track, round_)
        return spec_of(model).subject(self.id, part, pipeline=self.pipeline, route=route, track=track, round_=round_)

    def _place(self, model: type[Event], track: str | None, round_: int | None) -> tuple[str, int]:
        """Track and round of an event of this run: those given, else the message's; the end of a run has none."""
        if model.terminal:
            return ALL, 0
        return self.track if track is None else track, self.round if round_ is None else round_

    def meta(
        self,
        model: type[Event],
        part: str = "0",
        *,
        route: str = ALL,
        track: str | None = None,
        round_: int | None = None,
        parents: Sequence[str] = (),
    ) -> EventMeta:
        """The meta of an event to be published: its id is the subject it will have.

        Args:
            parents: the events it is made from, the one that it answers first; the message in hand when left out.
        """
        answered = tuple(parents) or ((self.cause.meta.event_id,) if self.cause else ())
        track, round_ = self._place(model, track, round_)
        return EventMeta(
            event_id=self.subject(model, part, route=route, track=track, round_=round_),
            run_id=self.id,
            pipeline=self.pipeline,
            track=track,
            round=round_,
            owner=self.owner,
            deadline_at=self.deadline_at,
            contract_version=CONTRACT_VERSION,
            parent_ids=answered,
            occurred_at=datetime.now(UTC),
            producer=self.service,
            trace_id=trace_id_in(current_traceparent()) or trace_id_of(self.id),
        )

    def timer(
        self,
        joiner: str,
        due_at: datetime,
        *,
        part: str = "0",
        track: str | None = None,
        round_: int | None = None,
    ) -> Timer:
        """A deadline for `joiner` about this track and round."""
        meta = self.meta(DeadlineReached, part, route=joiner, track=track, round_=round_)
        return Timer(DeadlineReached(meta=meta, joiner=joiner, due_at=due_at))

    # --- publishing ------------------------------------------------------------------------------------------------

    async def publish(self, event: Event) -> bool:
        """Store an event once; False when it was there already. See `Bus.publish`."""
        return await self.bus.publish(event)

    async def publish_all(self, events: Sequence[Event]) -> bool:
        """Store a fan-out, all or nothing. See `Bus.publish_all`."""
        return await self.bus.publish_all(events)

    async def set_deadline(
        self, joiner: str, due_at: datetime, *, track: str | None = None, round_: int | None = None
    ) -> datetime:
        """Have `joiner` told when the time for a piece of work is up. Called before that work is published.

        A timer without work is harmless, work without a timer is not. A message that is handled a second time finds
        the timer of the first: that one counts, unless it has fired meanwhile or is about to; then another is set.

        Returns:
            When the time is up: the work must be published with this deadline, not with its own.
        """
        for part in range(_MOST_DEADLINES):
            set_for = await self.bus.set_timer(self.timer(joiner, due_at, part=str(part), track=track, round_=round_))
            if set_for >= min(due_at, datetime.now(UTC) + _TIME_TO_PUBLISH):
                return set_for
        raise BusUnavailable(f"no deadline for {joiner} in run {self.id} could be set: {_MOST_DEADLINES} have passed")

    async def end(self, event: RunEnded) -> bool:
        """End the run; False when it had ended already, in whatever way: the first end counts."""
        try:
            return await self.bus.publish(event)
        except SubjectTaken:
            return False

    async def reject(self, reason: RejectionReason, message: str, *, usage: Usage | None = None) -> bool:
        """End the run since its question is not one to search for. `usage`: what models consumed to say so."""
        meta = self.meta(RunEnded)
        return await self.end(
            RunEnded(meta=meta, kind=EndKind.REJECTED, rejection=reason, message=message, usage=usage)
        )

    async def fail(self, reason: FailureReason, message: str, *, stage: str | None = None) -> bool:
        """End the run since it cannot be finished; `message` is for the asker, `stage` the step (this service)."""
        meta, at = self.meta(RunEnded), stage or self.service
        return await self.end(RunEnded(meta=meta, kind=EndKind.FAILED, failure=reason, stage=at, message=message))

    async def conclude(self, outcome: Event) -> bool:
        """Store the outcome of this track, and end the run when every track of its plan has one.

        Args:
            outcome: of the track, whatever its round: made with `round_=0`.
        Returns:
            Whether the run ended by it. A second delivery finds the outcome there and ends the run all the same.
        """
        await self.publish(outcome)
        plan = await self.plan()
        model = type(outcome)
        wanted = [self.subject(model, track=track, round_=0) for track in plan.tracks]
        if len(wanted) > 1:
            pattern = spec_of(model).filter(pipeline=self.pipeline, run_id=self.id)
            if not set(wanted) <= await self.bus.subjects(pattern):
                return False
        return await self.end(RunEnded(meta=self.meta(RunEnded), kind=EndKind.COMPLETED, results=tuple(wanted)))

    async def progress(self, step: str, *, done: int = 0, total: int | None = None, note: str | None = None) -> None:
        """Tell watchers how far a step is; lossy, and nothing may be decided by it."""
        told = Progress(
            run_id=self.id,
            service=self.service,
            step=step,
            done=done,
            total=total,
            note=note,
            track=self.track,
            round=self.round,
            at=datetime.now(UTC),
        )
        await self.bus.progress(told)

    # --- reading ---------------------------------------------------------------------------------------------------

    async def read(
        self,
        model: type[E],
        part: str = "0",
        *,
        route: str = ALL,
        track: str | None = None,
        round_: int | None = None,
    ) -> E | None:
        """An event of this run, of the message's track and round unless given; `None` when it is not stored."""
        subject = self.subject(model, part, route=route, track=track, round_=round_)
        stored = await self.bus.get(subject)
        if stored is None:
            return None
        if not isinstance(stored.event, model):
            raise ContractViolation(f"{subject} is a {type(stored.event).__name__}, not a {model.__name__}")
        return stored.event

    async def require(
        self,
        model: type[E],
        part: str = "0",
        *,
        route: str = ALL,
        track: str | None = None,
        round_: int | None = None,
    ) -> E:
        """An event of this run that must be there by now.

        Raises:
            LookupError: it is not; the message is tried again, since a replica may lag behind.
        """
        event = await self.read(model, part, route=route, track=track, round_=round_)
        if event is None:
            subject = self.subject(model, part, route=route, track=track, round_=round_)
            raise LookupError(f"{subject} is not stored")
        return event

    async def plan(self) -> SearchPlanned:
        """What was understood and planned for this track and round. Raises as `require`."""
        return await self.require(SearchPlanned)

    async def stored(self, *wanted: str) -> frozenset[str]:
        """Which of these subjects hold an event, asked of the leader."""
        found = await asyncio.gather(*(self.bus.subjects(subject) for subject in wanted))
        return frozenset[str]().union(*found)

    async def events(self, model: type[E]) -> list[E]:
        """Every event of that kind in this track, of all its rounds and routes."""
        pattern = spec_of(model).filter(pipeline=self.pipeline, run_id=self.id, track=self.track)
        found = await self.bus.get_all(sorted(await self.bus.subjects(pattern)))
        return [stored.event for stored in found if isinstance(stored.event, model)]

    async def in_thread(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a computation beside the event loop, so that heartbeats go on. A cancelled handler leaves it running."""
        return await asyncio.to_thread(work, *args, **kwargs)


@cache
def _untraced(service: str) -> Telemetry:
    """For jobs and tests: a tracer that records nothing."""
    return Telemetry(service, ServiceSettings(otlp_endpoint=None))
