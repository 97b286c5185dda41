"""What the gateway does with events: ends runs that are out of time or kill services, stores what runs came to."""

from __future__ import annotations

import logging
from typing import Annotated

from nats.js.errors import NotFoundError
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.telemetry import Telemetry
from openwork_contracts.answer import RunStatus
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import ContractViolation, FailureReason
from openwork_contracts.meta import Contract
from openwork_contracts.patterns import dead_letter_subject
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.subjects import DEAD_LETTER_STREAM, STREAM, TIMERS_STREAM, parse_subject, question_filter

from openwork_gateway.domain.folds import fold
from openwork_gateway.domain.refused import TOO_LATE, refused_document
from openwork_gateway.results import Results, put_document

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
    """The run's time is up: end it, if nothing else has. One that waits at the door still is ended there."""
    if not await run.bus.subjects(question_filter(run.id)):
        if await results.document(run.owner, run.id) is None:
            await put_document(results, refused_document(run.id, TOO_LATE, owner=run.owner, pipeline=run.pipeline))
        return
    ended = await run.fail(
        FailureReason.DEADLINE,
        "The run did not finish within its time limit. What was found so far is in its history "
        f"(`openwork runs events {run.id}`).",
    )
    if ended:
        log.warning("run out of time")


async def on_run_ended(
    event: RunEnded, run: Annotated[Run, Provided()], results: Annotated[Results, Provided()]
) -> None:
    """The run is over: its document, for the asker."""
    if run.redelivered:
        known = await results.document(run.owner, run.id)
        if known is not None and known.status is not RunStatus.REFUSED:
            return
    document = fold(await run.bus.history(run.id))
    await put_document(results, document, once=True)


async def on_max_deliveries(body: bytes, bus: JetStreamBus, telemetry: Telemetry) -> None:
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
    await js.publish(
        dead_letter_subject(notice.consumer),
        message.data or b"",
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
    log.error("%s was %s", subject, reason)
    if notice.consumer.startswith(("retriever-", "fulltext")):
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
