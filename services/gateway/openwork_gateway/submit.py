"""A question becomes a run: the first event and the run's deadline, stored together."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from nats.errors import Error as NatsError
from openwork_bus.bus import Bus, Timer
from openwork_bus.run_ids import check_run_id, new_run_id, trace_id_of
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import current_traceparent, trace_id_in
from openwork_contracts.errors import BusUnavailable, OpenWorkError, UsageError
from openwork_contracts.meta import EventMeta
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import AskReply, AskRequest, Mode, QuerySubmitted
from openwork_contracts.subjects import ASK_SUBJECT, LIVE_PREFIX, RUN_ROUTE, run_filter, spec_of
from pydantic import ValidationError

REPLY_S = 20.0
"""Seconds to wait for a gateway; above the patience with which it publishes."""


async def submit(bus: Bus, request: AskRequest, settings: ServiceSettings, *, producer: str) -> AskReply:
    """Start a run, or find that it was started before.

    Raises:
        UsageError: the run id is not a ULID. BusUnavailable: the stream gave no acknowledgement.
    """
    run_id = check_run_id(request.run_id) if request.run_id else new_run_id()
    now = datetime.now(UTC)
    trace_id = trace_id_in(current_traceparent()) or trace_id_of(run_id)
    subject = spec_of(QuerySubmitted).subject(run_id, "0", request.mode.value)
    meta = EventMeta(event_id=subject, run_id=run_id, occurred_at=now, producer=producer, trace_id=trace_id)
    event = QuerySubmitted(meta=meta, question=request.question, mode=request.mode, options=request.options)
    due = now + timedelta(seconds=request.options.deadline_s or settings.answer_deadline_s)
    stored = await bus.publish_batch([event], [run_deadline(run_id, due, producer=producer, trace_id=trace_id)])
    return AskReply(run_id=run_id, history=run_filter(run_id), live=f"{LIVE_PREFIX}.{run_id}", already_known=not stored)


async def request_run(bus: Bus, request: AskRequest) -> AskReply:
    """Start a run through a gateway, as any client does: it needs the right to publish to `openwork.ask` alone.

    Raises:
        UsageError: the gateway refuses the request. BusUnavailable: no gateway answers.
    """
    try:
        reply = await bus.connection.request(ASK_SUBJECT, request.model_dump_json().encode(), timeout=REPLY_S)
    except NatsError as error:
        raise BusUnavailable(f"no gateway answers at this NATS server ({error}); is `openwork up` running?") from error
    found = AskReply.model_validate_json(reply.data)
    if found.error:
        raise UsageError(found.error)
    return found


def run_deadline(run_id: str, due_at: datetime, *, producer: str, trace_id: str) -> Timer:
    """The timer that ends the run in any case."""
    meta = EventMeta(
        event_id=spec_of(DeadlineReached).subject(run_id, "0", RUN_ROUTE),
        run_id=run_id,
        occurred_at=datetime.now(UTC),
        producer=producer,
        trace_id=trace_id,
    )
    return Timer(DeadlineReached(meta=meta, joiner=RUN_ROUTE, due_at=due_at))


async def answer_ask(body: bytes, bus: Bus, settings: ServiceSettings) -> AskReply:
    """What `openwork.ask` replies to a request; never raises, so that no client waits for a timeout."""
    try:
        request = AskRequest.model_validate_json(body)
        return await submit(bus, request, settings, producer="gateway")
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "body"
        modes = ", ".join(mode.value for mode in Mode)
        return AskReply(
            error=f"{field}: {first['msg']}. Send JSON such as "
            f'{{"question": "..."}}; mode is one of {modes}; run_id is a ULID.'
        )
    except OpenWorkError as error:
        return AskReply(error=str(error))
