"""Joins: waiting for several parts without keeping state.

On each arrival the joiner asks the stream which parts are in; any replica may do that, and create-only publishing lets
one of them win. Whole tokens are asked for (track and round), never the whole run: 500 parts of another step cost
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from openwork_contracts.meta import Event
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.subjects import spec_of

from openwork_bus.run import Run


@dataclass(frozen=True, slots=True)
class Arrived:
    """What is in when a join goes on."""

    outcomes: tuple[Event, ...]
    """One per part that is in, in the order in which the parts were expected."""
    missing: tuple[str, ...]
    """Parts without an outcome: the deadline came first."""


async def join(
    run: Run,
    *,
    expected: Mapping[str, Sequence[str]],
    outcomes: Sequence[type[Event]],
    into: type[Event],
    deadline_at: datetime | None,
) -> Arrived | None:
    """What has arrived of a join, when it may go on; `None` when it has gone on already or still waits.

    It goes on when every part has an outcome: then by the message that was stored last, so that of many arrivals at
    once only one does the work. Or when the message in hand is the deadline of the newest plan: a timer
    that was moved has fired once for its old time too, and says so by an earlier `due_at`.

    Args:
        run: of the message in hand; the join is of its track and round.
        expected: part -> subjects on which its outcome may be, the one that counts first (a redelivered request may
            have left two).
        outcomes: the events those subjects belong to.
        into: the event that the join makes, part 0.
        deadline_at: when it goes on without what is missing; `None` = it waits.
    """
    asked = [
        spec_of(model).filter(pipeline=run.pipeline, run_id=run.id, track=run.track, round_=run.round)
        for model in outcomes
    ]
    made = run.subject(into)
    stored = await run.stored(made, *asked)
    if made in stored:
        return None
    arrived = {
        part: subject
        for part, subjects in expected.items()
        if (subject := next((s for s in subjects if s in stored), None)) is not None
    }
    missing = tuple(part for part in expected if part not in arrived)
    if missing and not _overdue(run.cause, deadline_at):
        return None
    stored_outcomes = await run.bus.get_all(arrived.values())
    if not missing and stored_outcomes and max(s.sequence for s in stored_outcomes) != run.sequence:
        return None
    return Arrived(tuple(s.event for s in stored_outcomes), missing)


def _overdue(cause: Event | None, deadline_at: datetime | None) -> bool:
    return isinstance(cause, DeadlineReached) and deadline_at is not None and cause.due_at >= deadline_at
