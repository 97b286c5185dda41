"""Running a stored run again from one of its steps."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from openwork_bus.bus import REPLAYED_HEADER, Bus, StoredEvent, Timer
from openwork_bus.run_ids import check_run_id, new_run_id
from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.errors import UsageError
from openwork_contracts.meta import ALL, Event
from openwork_contracts.pipelines import ANSWER
from openwork_contracts.plan import DeadlineReached, SearchPlanned
from openwork_contracts.subjects import RUN_ROUTE, Subject, parse_subject
from openwork_gateway.domain.folds import fold
from openwork_gateway.watch import watch

from openwork_laptop.installed import replay_steps, service_names

STEPS = replay_steps(service_names())
"""The events that start each step: what is published anew when a run is taken up from there."""
_JOINED_S = {"retrievers": ServiceSettings().retrieval_deadline_s, "normaliser": 2.0}
"""Steps that a join follows, and seconds after which it goes on without what never came in the first run either."""
_MOMENTS = ("deadline_at", "retrieval_deadline_at", "run_deadline_at", "fulltext_deadline_at", "due_at")


async def rerun(bus: Bus, run_id: str, step: str) -> AnswerDocument:
    """Take a run up again from a step, as a new run with the old one's history up to there.

    The history is copied marked as replayed: it can be read and is acted on by nobody; only the events that start the
    step are published as new ones.

    Raises:
        UsageError: there is no such step, or the run never came to it.
    """
    if step not in STEPS:
        raise UsageError(f"no step is called {step!r}; the steps are {', '.join(STEPS)}")
    run_id = check_run_id(run_id)
    history = await bus.history(run_id)
    if (pipeline := parse_subject(history[0].subject).pipeline) != ANSWER:
        raise UsageError(f"run {run_id} is a {pipeline}; an answer alone can be taken up at a step")
    triggers = _first_only([s for s in history if s.event.event_name in STEPS[step]])
    if not triggers:
        raise UsageError(f"run {run_id} never came to the step {step!r}")
    first = min(s.sequence for s in triggers)
    before = [s for s in history if s.sequence < first]
    new_id, now = new_run_id(), datetime.now(UTC)
    later = now - history[0].stored_at
    joined_at = now + timedelta(seconds=_JOINED_S[step]) if step in _JOINED_S else None
    for stored in before:
        event = _joined_at(_moved(stored.event, new_id, later), joined_at)
        await bus.publish(event, headers={REPLAYED_HEADER: run_id})
    await _set_timers(bus, new_id, joined_at, triggers, now)
    for stored in triggers:
        await bus.publish(_moved(stored.event, new_id, later))
    within_s = ServiceSettings().answer_deadline_s
    return fold([stored async for stored in watch(bus, new_id, within_s=within_s)])


def _joined_at(event: Event, due: datetime | None) -> Event:
    """A plan whose join goes on at that time: what never came in the first run is not waited for again."""
    if due is None or not isinstance(event, SearchPlanned):
        return event
    return event.model_copy(update={"retrieval_deadline_at": due})


async def _set_timers(
    bus: Bus, run_id: str, joined_at: datetime | None, triggers: Sequence[StoredEvent], now: datetime
) -> None:
    """The new run's own end, and the deadline of the join that follows the step in each track."""
    due = now + timedelta(seconds=ServiceSettings().answer_deadline_s)
    first = replace(parse_subject(triggers[0].subject), run_id=run_id, track=ALL, round=0)
    await bus.set_timer(_deadline(RUN_ROUTE, triggers[0].event, first, due, now))
    if joined_at is not None:
        for trigger in {parse_subject(s.subject).track: s for s in triggers}.values():
            where = replace(parse_subject(trigger.subject), run_id=run_id)
            await bus.set_timer(_deadline("normaliser", trigger.event, where, joined_at, now))


def _deadline(joiner: str, trigger: Event, where: Subject, due: datetime, now: datetime) -> Timer:
    meta = trigger.meta.model_copy(
        update={
            "event_id": str(replace(where, event=DeadlineReached.event_name, route=joiner, part="0")),
            "run_id": where.run_id,
            "track": where.track,
            "round": where.round,
            "occurred_at": now,
            "producer": "operator",
            "parent_ids": (),
            "deadline_at": None,
        }
    )
    return Timer(DeadlineReached(meta=meta, joiner=joiner, due_at=due))


def _first_only(triggers: Sequence[StoredEvent]) -> list[StoredEvent]:
    """Of the first round, and of a draft's first revision: what comes later is made anew by the services, if needed."""
    places = [parse_subject(s.subject) for s in triggers]
    first_round = min((place.round for place in places), default=0)
    of_round = [s for s, place in zip(triggers, places, strict=True) if place.round == first_round]
    if any(s.event.event_name == "answer-drafted" for s in of_round):
        return [s for s in of_round if parse_subject(s.subject).part == "0"]
    return of_round


def _moved(event: Event, run_id: str, later: timedelta) -> Event:
    """The event in another run, its moments moved on: a deadline of last week would end the new run at once."""
    old = event.meta.run_id
    meta = event.meta.model_copy(
        update={
            "event_id": str(replace(parse_subject(event.meta.event_id), run_id=run_id)),
            "run_id": run_id,
            "parent_ids": tuple(parent.replace(old, run_id) for parent in event.meta.parent_ids),
            "occurred_at": event.meta.occurred_at + later,
            "deadline_at": event.meta.deadline_at + later if event.meta.deadline_at else None,
        }
    )
    given = {name: getattr(event, name) for name in _MOMENTS if name in type(event).model_fields}
    moments = {name: moment + later for name, moment in given.items() if moment is not None}
    return event.model_copy(update={"meta": meta, **moments})


def difference(before: AnswerDocument, after: AnswerDocument) -> str:
    """What changed between two answers, as a unified diff of their texts and references."""

    def lines(document: AnswerDocument) -> list[str]:
        references = [f"[{r.n}] {r.id} {r.title}" for r in document.references]
        return [f"status: {document.status.value}", *document.answer.markdown.splitlines(), *references]

    changes = list(difflib.unified_diff(lines(before), lines(after), before.run_id, after.run_id, lineterm="", n=1))
    return "\n".join(changes) if changes else f"nothing changed (run {after.run_id})"
