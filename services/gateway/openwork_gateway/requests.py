"""What the gateway replies to requests. No request goes without a reply: what went wrong is said in it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from openwork_bus.bus import Bus, StoredEvent
from openwork_bus.run import Run
from openwork_bus.run_ids import check_run_id
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_contracts.answer import AnswerConcluded, AnswerDocument
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import ContractViolation, OpenWorkError, RunNotFound
from openwork_contracts.meta import LOCAL_OWNER, Contract
from openwork_contracts.question import AskReply, AskRequest, QuerySubmitted
from openwork_contracts.requests import (
    CancelReply,
    CancelRequest,
    EventRow,
    EventsReply,
    EventsRequest,
    ListReply,
    ListRequest,
    RunSummary,
    ShowReply,
    ShowRequest,
)
from openwork_contracts.subjects import parse_subject, question_filter, spec_of
from pydantic import ValidationError

from openwork_gateway.domain.describe import describe
from openwork_gateway.domain.folds import fold, run_status
from openwork_gateway.domain.lines import one_line
from openwork_gateway.domain.markdown import escaped
from openwork_gateway.domain.render import rendered
from openwork_gateway.submit import submit
from openwork_gateway.watch import EndWatch

log = logging.getLogger(__name__)

Request = TypeVar("Request", bound=Contract)
Reply = TypeVar("Reply", AskReply, ShowReply, ListReply, EventsReply, CancelReply)

QUESTION_CHARS = 200
"""Of a question in the list of runs."""
PAGE_BYTES = 256 * 1024
"""A page of events is closed when it holds so much."""
EXAMPLES: dict[type[Contract], str] = {
    AskRequest: '{"question": "..."}; run_id is a ULID',
    ShowRequest: '{"run_id": "..."}; run_id is a ULID',
    EventsRequest: '{"run_id": "..."}; run_id is a ULID',
    CancelRequest: '{"run_id": "...", "reason": "..."}; run_id is a ULID',
    ListRequest: '{"limit": 20}',
}


async def _replied(
    body: bytes, asked: type[Request], reply: type[Reply], work: Callable[[Request], Awaitable[Reply]]
) -> Reply:
    try:
        request = asked.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "body"
        return reply(error=f"{field}: {first['msg']}. Send JSON such as {EXAMPLES[asked]}.", error_type="UsageError")
    try:
        return await work(request)
    except OpenWorkError as error:
        return reply(error=str(error), error_type=type(error).__name__)
    except Exception as error:
        log.exception("%s could not be answered", asked.__name__)
        return reply(error=f"The gateway failed unexpectedly ({type(error).__name__}).", error_type="OpenWorkError")


async def answer_ask(body: bytes, bus: Bus, settings: ServiceSettings) -> AskReply:
    """`openwork.ask`: a question in, its run out; one of a pipeline that is not installed is refused in words."""

    async def work(request: AskRequest) -> AskReply:
        return await submit(bus, request, settings)

    return await _replied(body, AskRequest, AskReply, work)


async def answer_show(body: bytes, bus: Bus, ends: EndWatch) -> ShowReply:
    """`openwork.show`: a run's document, after its end when that is waited for."""

    async def work(request: ShowRequest) -> ShowReply:
        if request.wait_s and await bus.subjects(question_filter(request.run_id)):
            await ends.wait(bus, request.run_id, request.wait_s)
        document = await document_of(bus, request.run_id)
        return ShowReply(document=document, rendered=rendered(document) if request.rendered else None)

    return await _replied(body, ShowRequest, ShowReply, work)


async def document_of(bus: Bus, run_id: str) -> AnswerDocument:
    """A run as far as it has come, folded from its events.

    Raises:
        RunNotFound: nothing of it is stored. UsageError: it is not a run id.
    """
    try:
        return fold(await bus.history(check_run_id(run_id)))
    except ValueError:
        raise RunNotFound(f"the question of run {run_id} is not stored any more") from None


async def answer_list(body: bytes, bus: Bus) -> ListReply:
    """`openwork.list`: the newest runs."""

    async def work(request: ListRequest) -> ListReply:
        return ListReply(runs=tuple(await newest_runs(bus, request.limit)))

    return await _replied(body, ListRequest, ListReply, work)


async def newest_runs(bus: Bus, limit: int) -> list[RunSummary]:
    """Runs in one line each, newest first. What somebody published under a subject of another form is left out."""
    subjects = {}
    for subject in await bus.subjects(question_filter("*")):
        try:
            subjects[parse_subject(subject).run_id] = subject
        except ContractViolation:
            continue
    newest = [subjects[run_id] for run_id in sorted(subjects, reverse=True)[:limit]]
    summaries = await asyncio.gather(*(_summary(bus, subject) for subject in newest))
    return [summary for summary in summaries if summary]


async def _summary(bus: Bus, subject: str) -> RunSummary | None:
    where = parse_subject(subject)
    try:
        asked = await bus.get(subject)
        if asked is None or not isinstance(asked.event, QuerySubmitted):
            return None
        end = await bus.get(spec_of(RunEnded).subject(where.run_id, pipeline=where.pipeline))
        ended = end.event if end and isinstance(end.event, RunEnded) else None
        status, _ = run_status(ended, await _outcome(bus, ended))
        return RunSummary(
            run_id=where.run_id,
            pipeline=where.pipeline,
            status=status,
            submitted_at=asked.event.meta.occurred_at,
            question=one_line(asked.event.question, QUESTION_CHARS),
            owner=asked.event.meta.owner,
        )
    except (ContractViolation, ValidationError) as error:
        log.warning("left out of the list: %s", error)
        return None


async def _outcome(bus: Bus, ended: RunEnded | None) -> AnswerConcluded | None:
    """Of the first track, as in the document."""
    if ended is None or ended.kind != EndKind.COMPLETED:
        return None
    for event_id in ended.results:
        found = await bus.get(event_id)
        if found and isinstance(found.event, AnswerConcluded):
            return found.event
    return None


async def answer_events(body: bytes, bus: Bus, most_bytes: int) -> EventsReply:
    """`openwork.events`: a page of what is stored of a run.

    Args:
        most_bytes: what the server takes in one message.
    """

    async def work(request: EventsRequest) -> EventsReply:
        history = await bus.history(check_run_id(request.run_id))
        return events_page([stored for stored in history if stored.sequence > request.after], most_bytes)

    return await _replied(body, EventsRequest, EventsReply, work)


def events_page(history: Sequence[StoredEvent], most_bytes: int) -> EventsReply:
    """As many events as make a page; one that is larger than a message is told of without its body."""
    rows: list[EventRow] = []
    size = 0
    for stored in history:
        body = stored.event.model_dump_json()
        # Quotation marks are escaped once more inside the reply.
        length = len(body.encode()) + body.count('"') + body.count("\\")
        fits = length <= most_bytes - 4096
        length = length if fits else 0
        if rows and size + length > min(PAGE_BYTES, most_bytes - 4096):
            return EventsReply(events=tuple(rows), next=rows[-1].sequence)
        size += length + 512
        rows.append(_row(stored, body if fits else None))
    return EventsReply(events=tuple(rows))


def _row(stored: StoredEvent, body: str | None) -> EventRow:
    return EventRow(
        sequence=stored.sequence,
        subject=stored.subject,
        stored_at=stored.stored_at,
        name=stored.event.event_name,
        producer=stored.event.meta.producer,
        in_words=describe(stored.event),
        body=body,
    )


async def answer_cancel(body: bytes, bus: Bus, telemetry: Telemetry | None = None) -> CancelReply:
    """`openwork.cancel`: the run ends as cancelled, unless it has ended."""

    async def work(request: CancelRequest) -> CancelReply:
        cancelled = await cancel(bus, request.run_id, request.reason, telemetry=telemetry)
        return CancelReply(run_id=request.run_id, cancelled=cancelled)

    return await _replied(body, CancelRequest, CancelReply, work)


async def cancel(bus: Bus, run_id: str, reason: str | None, *, telemetry: Telemetry | None = None) -> bool:
    """End a run by somebody's wish; False when it had ended already.

    Raises:
        RunNotFound: nothing of it is stored.
    """
    questions = sorted(await bus.subjects(question_filter(run_id)))
    if not questions:
        raise RunNotFound(f"no event of run {run_id} is stored; `openwork runs list` shows the runs that are")
    pipeline = parse_subject(questions[0]).pipeline
    run = Run(run_id, bus=bus, service="gateway", cause=None, pipeline=pipeline, telemetry=telemetry)
    why = f": {escaped(reason)}" if reason and reason.strip() else ""
    return await run.end(
        RunEnded(
            meta=run.meta(RunEnded, parents=questions),
            kind=EndKind.CANCELLED,
            message=f"The run was cancelled{why}{'' if why.endswith('.') else '.'}",
            cancelled_by=LOCAL_OWNER,
        )
    )
