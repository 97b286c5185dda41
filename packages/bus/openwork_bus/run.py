"""One run as a handler sees it: what came in, what is stored, and how to publish what comes next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from openwork_contracts.answer import AnswerCompleted
from openwork_contracts.meta import Event, EventMeta
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import END_PART, LIVE_PREFIX, spec_of
from pydantic_core import to_json

from openwork_bus.bus import Bus, Timer
from openwork_bus.run_ids import trace_id_of
from openwork_bus.telemetry import Telemetry, current_traceparent, trace_id_in

if TYPE_CHECKING:
    from openwork_contracts.answer import RunFailed
    from openwork_contracts.question import QueryRejected

E = TypeVar("E", bound=Event)
P = ParamSpec("P")
R = TypeVar("R")


class Run:
    """Everything a handler may do to its run. One per message."""

    def __init__(
        self,
        run_id: str,
        *,
        bus: Bus,
        telemetry: Telemetry,
        service: str,
        cause: Event | None,
        stored_at: datetime | None = None,
    ) -> None:
        self.id = run_id
        self.bus = bus
        self.telemetry = telemetry
        self.service = service
        self._cause = cause
        self.stored_at = stored_at or datetime.now(UTC)
        """When the stream stored the message that is handled: the server's clock, which no client can set wrong."""

    # --- making events ---------------------------------------------------------------------------------------------

    def meta(self, model: type[Event], part: str = "0", *, route: str = "all") -> EventMeta:
        """The meta of an event to be published: its id is the subject it will have."""
        if model.terminal:
            part = END_PART
        return EventMeta(
            event_id=spec_of(model).subject(self.id, part, route),
            run_id=self.id,
            parent_ids=(self._cause.meta.event_id,) if self._cause else (),
            occurred_at=datetime.now(UTC),
            producer=self.service,
            trace_id=trace_id_in(current_traceparent()) or trace_id_of(self.id),
        )

    def timer(self, joiner: str, part: str, due_at: datetime) -> Timer:
        """A deadline for `joiner` about this part of the run."""
        meta = self.meta(DeadlineReached, part, route=joiner)
        return Timer(DeadlineReached(meta=meta, joiner=joiner, due_at=due_at))

    # --- publishing ------------------------------------------------------------------------------------------------

    async def publish(self, event: Event) -> bool:
        """Store an event once; False when it was there already. See `Bus.publish_once`."""
        return await self.bus.publish_once(event)

    async def publish_all(self, events: Sequence[Event], timers: Sequence[Timer] = ()) -> bool:
        """Store a fan-out with its timers, all or nothing. See `Bus.publish_batch`."""
        return await self.bus.publish_batch(events, timers)

    async def end(self, event: AnswerCompleted | QueryRejected | RunFailed) -> bool:
        """End the run; False when it had ended already, in whatever way."""
        ended = await self.bus.publish_once(event)
        if ended and self.telemetry.enabled:
            await self._write_root(event)
        return ended

    async def live(self, kind: str, **fields: Any) -> None:
        """Tell watchers something that need not be kept: a progress line, a token."""
        body = to_json({"kind": kind, "service": self.service, "run_id": self.id, **fields})
        await self.bus.publish_live(f"{LIVE_PREFIX}.{self.id}", body)

    # --- reading ---------------------------------------------------------------------------------------------------

    async def read(self, model: type[E], part: str = "0", *, route: str = "all") -> E | None:
        """An event of this run; `None` when it is not stored."""
        return await self.bus.read(model, self.id, part, route)

    async def require(self, model: type[E], part: str = "0", *, route: str = "all") -> E:
        """An event of this run that must be there by now.

        Raises:
            LookupError: it is not; the message is tried again, since a replica may lag behind.
        """
        event = await self.read(model, part, route=route)
        if event is None:
            raise LookupError(f"{spec_of(model).subject(self.id, part, route)} is not stored")
        return event

    async def stored(self, part: str | None = None) -> frozenset[str]:
        """Subjects of this run (of one part) that hold an event, asked of the leader."""
        return await self.bus.stored(self.id, part)

    async def in_thread(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a computation beside the event loop, so that heartbeats go on. A cancelled handler leaves it running."""
        return await asyncio.to_thread(work, *args, **kwargs)

    async def _write_root(self, event: AnswerCompleted | QueryRejected | RunFailed) -> None:
        submitted = await self._submitted()
        if submitted is None or trace_id_of(self.id) != event.meta.trace_id:
            return  # the client brought its own trace: its own span is the root
        self.telemetry.write_root(
            self.id,
            started_at=submitted.meta.occurred_at,
            ended_at=event.meta.occurred_at,
            question=submitted.question,
            output=_outcome(event),
            ok=event.event_name != "run-failed",
        )

    async def _submitted(self) -> QuerySubmitted | None:
        for mode in ("answer", "review"):
            event = await self.read(QuerySubmitted, route=mode)
            if event is not None:
                return event
        return None


def _outcome(event: AnswerCompleted | QueryRejected | RunFailed) -> str:
    """What the reader is told, as one text."""
    if event.message or not isinstance(event, AnswerCompleted):
        return event.message or event.event_name
    return "\n".join(claim.text for section in event.sections for claim in section.claims)
