"""A question becomes a run: the first event and the run's deadline, stored together."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from openwork_bus.bus import Bus, Timer
from openwork_bus.run_ids import check_run_id, new_run_id, trace_id_of
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import current_traceparent, trace_id_in
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import SubjectTaken, UsageError
from openwork_contracts.meta import CONTRACT_VERSION, LOCAL_OWNER, EventMeta
from openwork_contracts.pipelines import ANSWER, require_installed
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import AskReply, AskRequest, QuerySubmitted
from openwork_contracts.subjects import PROGRESS_PREFIX, RUN_ROUTE, question_filter, run_filter, spec_of


async def submit(bus: Bus, request: AskRequest, settings: ServiceSettings, *, producer: str = "gateway") -> AskReply:
    """Start a run, or find that it was started before.

    Raises:
        UsageError: the run id is not a ULID, or another question's; the pipeline is not installed.
        BusUnavailable: the stream gave no acknowledgement.
    """
    pipeline = require_installed(request.pipeline)
    run_id = check_run_id(request.run_id) if request.run_id else new_run_id()
    event = _question(request, run_id, producer)
    within_s = request.options.deadline_s or settings.deadline_s_of(pipeline)
    due = event.meta.occurred_at + timedelta(seconds=within_s)
    timer = run_deadline(run_id, due, pipeline=pipeline.name, producer=producer, trace_id=event.meta.trace_id)
    if request.run_id:
        await _refuse_other_question(bus, event)
    try:
        stored = await bus.publish_all([event], [timer])
    except SubjectTaken:  # somebody was faster, with another question or through another door
        stored = False
    if not stored:
        await _refuse_other_question(bus, event)
    return AskReply(
        run_id=run_id,
        history=run_filter(run_id),
        end=spec_of(RunEnded).subject(run_id, pipeline=pipeline.name),
        progress=f"{PROGRESS_PREFIX}.{run_id}",
        already_known=not stored,
        deadline_s=within_s,
    )


def _question(request: AskRequest, run_id: str, producer: str) -> QuerySubmitted:
    return QuerySubmitted(
        meta=EventMeta(
            event_id=spec_of(QuerySubmitted).subject(run_id, pipeline=request.pipeline),
            run_id=run_id,
            pipeline=request.pipeline,
            owner=LOCAL_OWNER,
            contract_version=CONTRACT_VERSION,
            occurred_at=datetime.now(UTC),
            producer=producer,
            trace_id=trace_id_in(current_traceparent()) or trace_id_of(run_id),
        ),
        question=request.question,
        options=request.options,
        context=request.context,
    )


async def _refuse_other_question(bus: Bus, event: QuerySubmitted) -> None:
    """A run id belongs to one question, whatever its pipeline: an answer never stands under words that were edited."""
    for subject in await bus.subjects(question_filter(event.meta.run_id)):
        known = await bus.get(subject)
        same = (
            known is not None
            and isinstance(known.event, QuerySubmitted)
            and known.subject == event.meta.event_id
            and (known.event.question, known.event.options) == (event.question, event.options)
        )
        if not same:
            raise UsageError(
                f"run {event.meta.run_id} was asked another question before, which stays; ask with a new run_id, or "
                "with none"
            )


def run_deadline(
    run_id: str, due_at: datetime, *, producer: str, trace_id: str | None, pipeline: str = ANSWER
) -> Timer:
    """The timer that ends the run in any case."""
    meta = EventMeta(
        event_id=spec_of(DeadlineReached).subject(run_id, pipeline=pipeline, route=RUN_ROUTE),
        run_id=run_id,
        pipeline=pipeline,
        owner=LOCAL_OWNER,
        contract_version=CONTRACT_VERSION,
        occurred_at=datetime.now(UTC),
        producer=producer,
        trace_id=trace_id,
    )
    return Timer(DeadlineReached(meta=meta, joiner=RUN_ROUTE, due_at=due_at))
