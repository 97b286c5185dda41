"""Runs that are stored: listing them, folding them, running them again from a step."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from openwork_chassis.bus import REPLAYED_HEADER, Bus, StoredEvent
from openwork_chassis.identifiers import check_run_id, new_run_id
from openwork_chassis.settings import ChassisSettings
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.errors import UsageError
from openwork_contracts.meta import Event
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import END_PART, PREFIX, STREAM, parse_subject, spec_named, spec_of
from openwork_gateway.fold import fold
from openwork_gateway.submit import run_deadline
from openwork_gateway.watch import watch

STEPS = {
    "query": "query-submitted",
    "retrievers": "retrieval-requested",
    "normaliser": "retrieval-completed",
    "reranker": "evidence-normalised",
    "gap": "evidence-ranked",
    "synthesiser": "synthesis-requested",
    "verifier": "answer-drafted",
}
"""The event that starts each step: what is published anew when a run is taken up from there."""


async def list_runs(bus: Bus, limit: int) -> list[dict[str, str | None]]:
    """Newest runs first: run_id, submitted_at, status, question."""
    js = bus.connection.jetstream(timeout=10)
    submitted = await js.stream_info(STREAM, subjects_filter=spec_of(QuerySubmitted).filter())
    ended = await js.stream_info(STREAM, subjects_filter=f"{PREFIX}.*.*.*.{END_PART}")
    ends = {parse_subject(s).run_id: s for s in ended.state.subjects or {}}
    newest = sorted(submitted.state.subjects or {}, key=lambda s: parse_subject(s).run_id, reverse=True)[:limit]
    rows: list[dict[str, str | None]] = []
    for event in await bus.read_subjects(newest):
        assert isinstance(event, QuerySubmitted)
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
    triggers = [s for s in history if s.event.event_name == STEPS[step]]
    if not triggers:
        raise UsageError(f"run {run_id} never came to the step {step!r}")
    first = min(s.sequence for s in triggers)
    new_id = new_run_id()
    before = [s for s in history if s.sequence < first and s not in triggers]
    due = datetime.now(UTC) + timedelta(seconds=ChassisSettings().answer_deadline_s)
    for stored in before:
        await bus.publish_once(_moved(stored.event, new_id), headers={REPLAYED_HEADER: run_id})
    trace_id = triggers[0].event.meta.trace_id or ""
    await bus.set_timer(run_deadline(new_id, due, producer="cli", trace_id=trace_id))
    for stored in _first_only(triggers):
        await bus.publish_once(_moved(stored.event, new_id))
    return fold([stored async for stored in watch(bus, new_id)])


def _first_only(triggers: Sequence[StoredEvent]) -> list[StoredEvent]:
    """A later revision or round is made anew by the services, if it is needed at all."""
    parts = sorted({parse_subject(s.subject).part for s in triggers})
    return [s for s in triggers if parse_subject(s.subject).part == parts[0]]


def _moved(event: Event, run_id: str) -> Event:
    where = parse_subject(event.meta.event_id)
    subject = spec_named(where.event).subject(run_id, where.part, where.route)
    return event.model_copy(update={"meta": event.meta.model_copy(update={"event_id": subject, "run_id": run_id})})


def difference(before: AnswerDocument, after: AnswerDocument) -> str:
    """What changed between two answers, as a unified diff of their texts and references."""

    def lines(document: AnswerDocument) -> list[str]:
        references = [f"[{r.n}] {r.id} {r.title}" for r in document.references]
        return [f"status: {document.status.value}", *document.answer.markdown.splitlines(), *references]

    changes = list(difflib.unified_diff(lines(before), lines(after), before.run_id, after.run_id, lineterm="", n=1))
    return "\n".join(changes) if changes else f"nothing changed (run {after.run_id})"
