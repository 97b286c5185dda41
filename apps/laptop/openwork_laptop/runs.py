"""Runs that are stored: listing them, folding them, running them again from a step."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from openwork_bus.bus import REPLAYED_HEADER, Bus, StoredEvent, Timer
from openwork_bus.run_ids import check_run_id, new_run_id
from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.errors import UsageError
from openwork_contracts.meta import Event, EventMeta
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import END_PART, PREFIX, STREAM, parse_subject, spec_named, spec_of
from openwork_gateway.domain.fold import fold
from openwork_gateway.submit import run_deadline
from openwork_gateway.watch import watch

from openwork_laptop.installed import replay_steps, service_names

STEPS = replay_steps(service_names())
"""The events that start each step: what is published anew when a run is taken up from there."""
_JOINED_S = {"retrievers": ServiceSettings().retrieval_deadline_s, "normaliser": 2.0}
"""Steps that a join follows, and seconds after which it goes on without what never came in the first run either."""
_MOMENTS = ("deadline_at", "retrieval_deadline_at", "run_deadline_at", "due_at")


async def list_runs(bus: Bus, limit: int) -> list[dict[str, str | None]]:
    """Newest runs first: run_id, submitted_at, status, question."""
    js = bus.connection.jetstream(timeout=10)
    submitted = await js.stream_info(STREAM, subjects_filter=spec_of(QuerySubmitted).filter())
    ended = await js.stream_info(STREAM, subjects_filter=f"{PREFIX}.*.*.*.{END_PART}")
    ends = {parse_subject(s).run_id: s for s in ended.state.subjects or {}}
    newest = sorted(submitted.state.subjects or {}, key=lambda s: parse_subject(s).run_id, reverse=True)[:limit]
    rows: list[dict[str, str | None]] = []
    for event in await bus.read_subjects(newest):
        if not isinstance(event, QuerySubmitted):
            continue
        end = ends.get(event.meta.run_id)
        rows.append(
            {
                "run_id": event.meta.run_id,
                "submitted_at": event.meta.occurred_at.astimezone(UTC).isoformat(timespec="seconds"),
                "status": parse_subject(end).event if end else "running",
                "question": event.question,
            }
        )
    return rows


async def load(bus: Bus, run_id: str) -> AnswerDocument:
    """The answer of a run, folded from its events.

    Raises:
        RunNotFound: nothing of it is stored. UsageError: it is not a run id.
    """
    return fold(await bus.history(check_run_id(run_id)))


async def rerun(bus: Bus, run_id: str, step: str) -> AnswerDocument:
    """Take a run up again from a step, as a new run with the old one's history up to there.

    The history is copied marked as replayed: it can be read and is acted on by nobody; only the events that start the
    step are published as new ones.

    Raises:
        UsageError: there is no such step, or the run never came to it.
    """
    if step not in STEPS:
        raise UsageError(f"no step is called {step!r}; the steps are {', '.join(STEPS)}")
    history = await bus.history(check_run_id(run_id))
    triggers = _first_only([s for s in history if s.event.event_name in STEPS[step]])
    if not triggers:
        raise UsageError(f"run {run_id} never came to the step {step!r}")
    first = min(s.sequence for s in triggers)
    before = [s for s in history if s.sequence < first]
    new_id, now = new_run_id(), datetime.now(UTC)
    later = now - history[0].stored_at
    for stored in before:
        await bus.publish_once(_moved(stored.event, new_id, later), headers={REPLAYED_HEADER: run_id})
    await _set_timers(bus, new_id, step, triggers[0], now)
    for stored in triggers:
        await bus.publish_once(_moved(stored.event, new_id, later))
    within_s = ServiceSettings().answer_deadline_s
    return fold([stored async for stored in watch(bus, new_id, within_s=within_s)])


async def _set_timers(bus: Bus, run_id: str, step: str, trigger: StoredEvent, now: datetime) -> None:
    """The new run's own end, and the deadline of the join that follows the step."""
    trace_id = trigger.event.meta.trace_id or ""
    due = now + timedelta(seconds=ServiceSettings().answer_deadline_s)
    await bus.set_timer(run_deadline(run_id, due, producer="cli", trace_id=trace_id))
    if step in _JOINED_S:
        part = parse_subject(trigger.subject).part
        meta = EventMeta(
            event_id=spec_of(DeadlineReached).subject(run_id, part, "normaliser"),
            run_id=run_id,
            occurred_at=now,
            producer="cli",
            trace_id=trace_id,
        )
        due = now + timedelta(seconds=_JOINED_S[step])
        await bus.set_timer(Timer(DeadlineReached(meta=meta, joiner="normaliser", due_at=due)))


def _first_only(triggers: Sequence[StoredEvent]) -> list[StoredEvent]:
    """A later revision or round is made anew by the services, if it is needed at all."""
    parts = sorted({parse_subject(s.subject).part for s in triggers})
    return [s for s in triggers if parse_subject(s.subject).part == parts[0]]


def _moved(event: Event, run_id: str, later: timedelta) -> Event:
    """The event in another run, its moments moved on: a deadline of last week would end the new run at once."""
    where = parse_subject(event.meta.event_id)
    subject = spec_named(where.event).subject(run_id, where.part, where.route)
    meta = event.meta.model_copy(
        update={"event_id": subject, "run_id": run_id, "occurred_at": event.meta.occurred_at + later}
    )
    moments = {name: getattr(event, name) + later for name in _MOMENTS if name in type(event).model_fields}
    return event.model_copy(update={"meta": meta, **moments})


def difference(before: AnswerDocument, after: AnswerDocument) -> str:
    """What changed between two answers, as a unified diff of their texts and references."""

    def lines(document: AnswerDocument) -> list[str]:
        references = [f"[{r.n}] {r.id} {r.title}" for r in document.references]
        return [f"status: {document.status.value}", *document.answer.markdown.splitlines(), *references]

    changes = list(difflib.unified_diff(lines(before), lines(after), before.run_id, after.run_id, lineterm="", n=1))
    return "\n".join(changes) if changes else f"nothing changed (run {after.run_id})"
