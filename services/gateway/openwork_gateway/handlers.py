"""What the gateway does with events: ends runs that are out of time, or whose message kept killing its service."""

from __future__ import annotations

import logging

from nats.js.errors import NotFoundError
from openwork_bus.bus import Bus
from openwork_bus.run import Run
from openwork_bus.telemetry import Telemetry
from openwork_contracts.answer import RunFailed
from openwork_contracts.errors import ContractViolation, FailureReason
from openwork_contracts.meta import Contract
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.subjects import DEAD_LETTER_STREAM, DEAD_PREFIX, STREAM, parse_subject

log = logging.getLogger(__name__)


class MaxDeliveriesAdvisory(Contract):
    """The server's notice that a message was delivered as often as its consumer allows. The fields we read."""

    stream: str
    consumer: str
    stream_seq: int
    deliveries: int


async def on_run_deadline(event: DeadlineReached, run: Run) -> None:
    """The run's time is up: end it, if nothing else has."""
    ended = await run.end(
        RunFailed(
            meta=run.meta(RunFailed),
            reason=FailureReason.DEADLINE,
            stage="gateway",
            message="The run did not finish within its time limit. What was found so far is in its history "
            f"(`openwork runs events {run.id}`).",
        )
    )
    if ended:
        log.warning("run out of time")


async def on_max_deliveries(body: bytes, bus: Bus, telemetry: Telemetry) -> None:
    """A handler died on a message as often as is allowed (killed, out of memory): dead letter, and the run's end."""
    notice = MaxDeliveriesAdvisory.model_validate_json(body)
    if notice.stream != STREAM:
        return
    js = bus.connection.jetstream(timeout=5)
    try:
        message = await js.get_msg(STREAM, notice.stream_seq)
    except NotFoundError:
        return
    subject = message.subject or ""
    reason = f"delivered {notice.deliveries} times to {notice.consumer} without an acknowledgement"
    await js.publish(
        f"{DEAD_PREFIX}.{notice.consumer}",
        message.data or b"",
        stream=DEAD_LETTER_STREAM,
        headers={
            "Nats-Msg-Id": f"dead-{STREAM}-{notice.consumer}-{notice.stream_seq}",
            "Dead-Subject": subject,
            "Dead-Sequence": str(notice.stream_seq),
            "Dead-Consumer": notice.consumer,
            "Dead-Deliveries": str(notice.deliveries),
            "Dead-Error": "MaxDeliveries",
            "Dead-Reason": reason,
        },
    )
    log.error("%s was %s", subject, reason)
    if notice.consumer.startswith("retriever-") or notice.consumer == "fulltext":
        return  # the run goes on without it when its deadline is reached
    try:
        run = Run(parse_subject(subject).run_id, bus=bus, telemetry=telemetry, service="gateway", cause=None)
    except ContractViolation:
        return
    await run.end(
        RunFailed(
            meta=run.meta(RunFailed),
            reason=FailureReason.INTERNAL,
            stage=notice.consumer,
            message=f"The {notice.consumer} step stopped without a result several times; its message is kept in the "
            "dead-letter stream.",
        )
    )
