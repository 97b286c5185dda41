"""What the gateway does with events: ends runs that are out of time or kill services, stores what runs came to."""

from __future__ import annotations

import logging
from typing import Annotated

from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from openwork_bus.bus import StoredEvent
from openwork_bus.figures import Figures
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.metrics import DEAD_LETTERS
from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.telemetry import Telemetry
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import BusUnavailable, ContractViolation, FailureReason, RunNotFound
from openwork_contracts.meta import Contract
from openwork_contracts.patterns import dead_letter_subject
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.subjects import DEAD_LETTER_STREAM, STREAM, TIMERS_STREAM, parse_subject

from openwork_gateway.domain.admission import RUNS_GO_ON_WITHOUT
from openwork_gateway.domain.folds import fold
from openwork_gateway.domain.refused import TOO_LATE, refused_document
from openwork_gateway.metrics import count_run
from openwork_gateway.refusals import put_refusal, stored_question
from openwork_gateway.results import Results, StoredResults, put_document
from openwork_gateway.statistics import Statistics, StoredStatistics, keep_statistics
from openwork_gateway.tracing import trace_run

log = logging.getLogger(__name__)


class MaxDeliveriesAdvisory(Contract):
    """The server's notice that a message was delivered as often as its consumer allows. The fields we read."""

    stream: str
    consumer: str
    stream_seq: int
    deliveries: int


async def on_run_deadline(
    event: DeadlineReached, run: Annotated[Run, Provided()], results: Annotated[Results, Provided()]
) -> None:
    """The run's time is up: end it, if nothing else has. One that waits at the door still is ended there.

    A timer of an earlier question of that run id, which was refused, says so by a time before this one's deadline.
    """
    question = await stored_question(run.bus, run.id)
    if question is None:
        document = refused_document(
            run.id,
            TOO_LATE,
            owner=run.owner,
            pipeline=run.pipeline,
            retry_after_s=1.0,
            waited_s=(event.due_at - event.meta.occurred_at).total_seconds(),
            asked_at=event.meta.occurred_at,
        )
        await put_refusal(run.bus, results, document, begun=None, notice=TOO_LATE)
        return
    if question.meta.deadline_at is not None and event.due_at < question.meta.deadline_at:
        return
    ended = await run.fail(
        FailureReason.DEADLINE,
        "The run did not finish within its time limit. What was found so far is in its history "
        f"(`openwork runs events {run.id}`).",
    )
    if ended:
        log.warning("run out of time")


async def on_run_ended(
    event: RunEnded,
    run: Annotated[Run, Provided()],
    results: Annotated[Results, Provided()],
    figures: Annotated[Figures, Provided()],
    statistics: Annotated[Statistics, Provided()],
) -> None:
    """The run is over: its document, for the asker. There is one whatever became of the run's events."""
    if run.redelivered:
        try:
            known = await results.document(run.owner, run.id)
        except RunNotFound:  # deleted in the meantime
            return
        if known is not None and known.status is not RunStatus.REFUSED:
            await keep_statistics(statistics, known, event)
            trace_run(run.telemetry, known, event)
            return
    document = await _document_of(event, run)
    await put_document(results, document, once=True)
    count_run(figures, document)
    await keep_statistics(statistics, document, event)
    trace_run(run.telemetry, document, event)


async def _document_of(event: RunEnded, run: Run) -> AnswerDocument:
    try:
        return fold(await run.bus.history(run.id))
    except BusUnavailable:
        raise
    except RunNotFound:
        log.warning("of run %s only the end is left", run.id)
    except Exception:
        log.exception("the document of run %s could not be made", run.id)
    # Of its end alone: it says how the run ended, and that what it came to is not there.
    return fold([StoredEvent(run.sequence, event.meta.event_id, run.stored_at, event)])


async def on_max_deliveries(body: bytes, bus: JetStreamBus, telemetry: Telemetry, figures: Figures) -> None:
    """A handler died on a message as often as is allowed (killed, out of memory): dead letter, and the run's end."""
    notice = MaxDeliveriesAdvisory.model_validate_json(body)
    if notice.stream not in (STREAM, TIMERS_STREAM):
        return
    js = bus.connection.jetstream(timeout=5)
    try:
        message = await js.get_msg(notice.stream, notice.stream_seq)
    except NotFoundError:
        return
    subject = message.subject or ""
    reason = f"delivered {notice.deliveries} times to {notice.consumer} without an acknowledgement"
    await _keep_dead(js, notice, subject, message.data or b"", reason)
    figures.count(DEAD_LETTERS, notice.consumer)
    log.error("%s was %s", subject, reason)
    if notice.consumer == "gateway-results":
        await _put_end_alone(bus, notice, subject, message.data or b"", dict(message.headers or {}))
        return
    if notice.consumer.startswith(RUNS_GO_ON_WITHOUT):
        return  # the run goes on without it when its deadline is reached
    try:
        where = parse_subject(subject)
    except ContractViolation:
        return
    run = Run(where.run_id, bus=bus, service="gateway", cause=None, pipeline=where.pipeline, telemetry=telemetry)
    await run.fail(
        FailureReason.INTERNAL,
        f"The {notice.consumer} step stopped without a result several times; its message is kept in the dead-letter "
        "stream.",
        stage=notice.consumer,
    )


async def _put_end_alone(
    bus: JetStreamBus, notice: MaxDeliveriesAdvisory, subject: str, body: bytes, headers: dict[str, str]
) -> None:
    """What killed gateways while they made a run's document: the asker is told how it ended, and no more."""
    try:
        event = await bus.decode(subject, body, headers=headers)
    except ContractViolation:
        return
    document = fold([StoredEvent(notice.stream_seq, subject, event.meta.occurred_at, event)])
    await put_document(StoredResults(bus), document, once=True)
    if isinstance(event, RunEnded):
        await keep_statistics(StoredStatistics(bus), document, event)


async def _keep_dead(
    js: JetStreamContext, notice: MaxDeliveriesAdvisory, subject: str, body: bytes, reason: str
) -> None:
    await js.publish(
        dead_letter_subject(notice.consumer),
        body,
        stream=DEAD_LETTER_STREAM,
        headers={
            "Nats-Msg-Id": f"dead-{notice.stream}-{notice.consumer}-{notice.stream_seq}",
            "Dead-Subject": subject,
            "Dead-Stream": notice.stream,
            "Dead-Sequence": str(notice.stream_seq),
            "Dead-Consumer": notice.consumer,
            "Dead-Deliveries": str(notice.deliveries),
            "Dead-Error": "MaxDeliveries",
            "Dead-Reason": reason,
        },
    )
