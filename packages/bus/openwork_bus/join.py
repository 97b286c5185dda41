"""Joins: waiting for several parts without keeping state.

On each arrival the joiner asks the stream which parts are in; any replica may do that, and create-only publishing lets
one of them win. Whole tokens are asked for (track and round), never the whole run: 500 parts of another step cost
nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from openwork_contracts.meta import Event
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.subjects import spec_of

from openwork_bus.run import Run

_WORK_AFTER_TIMER = timedelta(seconds=5)
"""How long after its deadline the work may still come that should have come before: a publish that had to wait."""
_LOOK_AGAIN_S = 0.2


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
    once only one does the work. Or when the message in hand is the deadline of the newest plan: one that was set for a
    try which came to nothing says so by an earlier `due_at`.

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
    overdue = _overdue(run.cause, deadline_at)
    if not overdue and (missing or isinstance(run.cause, DeadlineReached)):
        return None
    stored_outcomes = await run.bus.get_all(arrived.values())
    if not overdue and stored_outcomes and max(s.sequence for s in stored_outcomes) != run.sequence:
        return None
    return Arrived(tuple(s.event for s in stored_outcomes), missing)


async def without_work(run: Run, model: type[Event]) -> bool:
    """Whether the message in hand is a deadline without the work that it limits, which is set after it.

    Such a deadline means nothing: whoever set it was stopped before, and sets another one when it tries again. Work
    that may be on its way still is waited for here, not by trying again: tries are few, and the last one ends the run.

    Args:
        model: the event with which that work begins, in the message's track and round.
    """
    if not isinstance(run.cause, DeadlineReached):
        return False
    while not await run.stored(run.subject(model)):
        if datetime.now(UTC) - run.stored_at >= _WORK_AFTER_TIMER:
            return True
        await asyncio.sleep(_LOOK_AGAIN_S)
    return False


def _overdue(cause: Event | None, deadline_at: datetime | None) -> bool:
    return isinstance(cause, DeadlineReached) and deadline_at is not None and cause.due_at >= deadline_at
