"""What the gateway does with events: ends runs that are out of time, that nobody can make, or that kill services."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Annotated

from faststream import Context
from nats.js.errors import NotFoundError
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.run import Run
from openwork_bus.telemetry import Telemetry
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import ContractViolation, FailureReason, UsageError
from openwork_contracts.meta import Contract
from openwork_contracts.pipelines import require_installed
from openwork_contracts.plan import DeadlineReached, SearchPlanned
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import DEAD_LETTER_STREAM, DEAD_PREFIX, STREAM, parse_subject, spec_of

log = logging.getLogger(__name__)

_OLDER_S = 1.0
"""A timer that is due so much before the newest plan's deadline is an older one, after which another comes. Below it,
the two are the same deadline by two clocks, and a run that ends a little early is better than one that never does."""


class MaxDeliveriesAdvisory(Contract):
    """The server's notice that a message was delivered as often as its consumer allows. The fields we read."""

    stream: str
    consumer: str
    stream_seq: int
    deliveries: int


async def on_run_deadline(event: DeadlineReached, run: Annotated[Run, Context()]) -> None:
    """The run's time is up: end it, if nothing else has. A timer that is older than the newest plan is ignored."""
    plan = await _newest_plan(run)
    if plan and plan.run_deadline_at > event.due_at + timedelta(seconds=_OLDER_S):
        log.info("a timer of %s is older than the plan, whose deadline is %s", event.due_at, plan.run_deadline_at)
        return
    ended = await run.fail(
        FailureReason.DEADLINE,
        "The run did not finish within its time limit. What was found so far is in its history "
        f"(`openwork runs events {run.id}`).",
    )
    if ended:
        log.warning("run out of time")


async def _newest_plan(run: Run) -> SearchPlanned | None:
    plans = await run.bus.subjects(spec_of(SearchPlanned).filter(pipeline=run.pipeline, run_id=run.id))
    newest = max(await run.bus.get_all(plans), key=lambda found: found.sequence, default=None)
    return newest.event if newest and isinstance(newest.event, SearchPlanned) else None


async def on_query_submitted(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
    """A question that was published past `openwork.ask`, for a pipeline that is not installed: refused in words."""
    try:
        require_installed(run.pipeline)
    except UsageError as error:
        refused = RunEnded(meta=run.meta(RunEnded), kind=EndKind.REFUSED, message=_sentence(str(error)))
        await run.end(refused)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


async def on_max_deliveries(body: bytes, bus: JetStreamBus, telemetry: Telemetry) -> None:
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
