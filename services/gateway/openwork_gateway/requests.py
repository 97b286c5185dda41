"""What the gateway replies to requests. No request goes without a reply: what went wrong is said in it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from openwork_bus.bus import Bus, StoredEvent
from openwork_bus.codec import unpack
from openwork_bus.run import Run
from openwork_bus.run_ids import check_run_id
from openwork_bus.telemetry import Telemetry
from openwork_contracts.accounts import API_ACCOUNT
from openwork_contracts.answer import AnswerDocument, AnswerDrafted, RevisionRequested, RunStatus
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import ContractViolation, OpenWorkError, RunNotFound, UsageError
from openwork_contracts.meta import Contract, Event
from openwork_contracts.question import AskReply, AskRequest
from openwork_contracts.requests import (
    CancelReply,
    CancelRequest,
    DeleteReply,
    DeleteRequest,
    EventRow,
    EventsReply,
    EventsRequest,
    ListReply,
    ListRequest,
    ObserveReply,
    ObserveRequest,
    ShowReply,
    ShowRequest,
)
from openwork_contracts.subjects import parse_subject, question_filter
from openwork_report.markdown import escaped
from openwork_report.render import rendered
from pydantic import ValidationError

from openwork_gateway.domain.describe import describe
from openwork_gateway.domain.folds import fold
from openwork_gateway.door import Door
from openwork_gateway.refusals import stored_question
from openwork_gateway.results import Results
from openwork_gateway.submit import ToInbox, submit
from openwork_gateway.watch import EndWatch

log = logging.getLogger(__name__)

Request = TypeVar("Request", bound=Contract)
Reply = TypeVar("Reply", AskReply, ShowReply, ListReply, EventsReply, CancelReply, DeleteReply, ObserveReply)

Waits = Callable[[str, str], Awaitable[AnswerDocument | None]]
"""Owner and run id in, the document of a question that waits for its turn out; `None` = none waits."""

MOST_BYTES = 2**20
"""Of a request: two texts of 20,000 characters, each escaped as 12 bytes, are half of it."""
PAGE_BYTES = 256 * 1024
"""A page of events is closed when it holds so much."""
EXAMPLES: dict[type[Contract], str] = {
    AskRequest: '{"question": "..."}; run_id is a ULID',
    ShowRequest: '{"run_id": "..."}; run_id is a ULID',
    EventsRequest: '{"run_id": "..."}; run_id is a ULID',
    CancelRequest: '{"run_id": "...", "reason": "..."}; run_id is a ULID',
    DeleteRequest: '{"run_id": "..."}; run_id is a ULID',
    ListRequest: '{"limit": 20}',
    ObserveRequest: '{"window": "day"}',
}


async def replied(
    body: bytes, asked: type[Request], reply: type[Reply], work: Callable[[Request], Awaitable[Reply]]
) -> Reply:
    """Read a request and do its work; what goes wrong is said in the reply. Raises nothing."""
    try:
        return await work(_read(body, asked))
    except OpenWorkError as error:
        refused = reply(error=str(error), error_type=type(error).__name__)
        return refused.model_copy(update={"retry_after_s": error.retry_after_s}) if error.retry_after_s else refused
    except Exception as error:
        log.exception("%s could not be answered", asked.__name__)
        return reply(error=f"The gateway failed unexpectedly ({type(error).__name__}).", error_type="OpenWorkError")


def _read(body: bytes, asked: type[Request]) -> Request:
    try:
        if len(body) > MOST_BYTES:
            raise ContractViolation(f"body: has {len(body)} bytes, and may have {MOST_BYTES}")
        return asked.model_validate_json(unpack(body, most_bytes=MOST_BYTES))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "body"
        raise UsageError(f"{field}: {first['msg']}. Send JSON such as {EXAMPLES[asked]}.") from error
    except ContractViolation as error:
        raise UsageError(f"{error}. Send JSON such as {EXAMPLES[asked]}.") from error


async def answer_ask(account: str, body: bytes, door: Door, to_inbox: ToInbox) -> AskReply:
    """`openwork.ask`: a question in, its run out; what is not let in is refused in words."""

    async def work(request: AskRequest) -> AskReply:
        return await submit(door, account, request, to_inbox)

    return await replied(body, AskRequest, AskReply, work)


async def answer_show(
    account: str, body: bytes, bus: Bus, results: Results, ends: EndWatch, waits: Waits | None = None
) -> ShowReply:
    """`openwork.show`: a run's document, after its end when that is waited for."""

    async def work(request: ShowRequest) -> ShowReply:
        owner, run_id = owner_of(account, request.on_behalf_of), check_run_id(request.run_id)

        async def look() -> AnswerDocument | None:
            return await came_to(bus, results, run_id, owner, waits)

        if request.wait_s and await _is_begun(bus, run_id, owner):
            document = await ends.wait(run_id, look, request.wait_s)  # what is on its way is not read in between
        else:
            document = await as_it_stands(bus, results, run_id, owner, waits)
            if document.status is RunStatus.RUNNING and request.wait_s:
                document = await ends.wait(run_id, look, request.wait_s)
        # What was stored is looked up before the document is: what is told from there on is newer than both.
        told = await results.last_told(owner, run_id)
        document = document or await as_it_stands(bus, results, run_id, owner, waits)
        words = rendered(document) if request.rendered else None
        shown = document if request.record else document.model_copy(update={"record": None})
        sequence, progress = told or (None, None)
        is_running = document.status is RunStatus.RUNNING
        at_work = progress if is_running else None
        if progress is not None and not is_running:
            sequence = None  # it has ended, and its document is not stored yet
        return ShowReply(document=shown, rendered=words, progress=at_work, sequence=sequence)

    return await replied(body, ShowRequest, ShowReply, work)


async def came_to(
    bus: Bus, results: Results, run_id: str, owner: str, waits: Waits | None = None
) -> AnswerDocument | None:
    """What is stored of an owner's run that is over, or was refused; `None` = nothing, or it goes on."""
    document = await results.document(owner, run_id)
    if document is None or document.status is not RunStatus.REFUSED:
        return document
    # Refused once and asked again: then what counts is whether it waits now, or was begun.
    waiting = await waits(owner, run_id) if waits else None
    if waiting is not None and waiting.submitted_at != document.submitted_at:
        return None
    begun = await stored_question(bus, run_id)
    return None if begun is not None and begun.meta.owner == owner else document


async def as_it_stands(
    bus: Bus, results: Results, run_id: str, owner: str, waits: Waits | None = None
) -> AnswerDocument:
    """A run over, at work, or waiting for its turn.

    Raises:
        RunNotFound: none of it, or another's, which is not told.
    """
    # First whether it waits: from there it goes on only to where is looked next, and is not missed between the two.
    waiting = await waits(owner, run_id) if waits else None
    if document := await came_to(bus, results, run_id, owner, waits):
        return document
    try:
        return await document_of(bus, run_id, owner)
    except RunNotFound:
        if waiting is None:
            raise
        return waiting


async def _is_begun(bus: Bus, run_id: str, owner: str) -> bool:
    question = await stored_question(bus, run_id)
    return question is not None and question.meta.owner == owner


def owner_of(account: str, person: str | None) -> str:
    """Whose runs a request may see.

    Raises:
        UsageError: it says to be on behalf of somebody, and is not the API's.
    """
    if person and account != API_ACCOUNT:
        raise UsageError(f"on_behalf_of is for the account {API_ACCOUNT!r}, which knows its persons; leave it out")
    return f"{account}/{person}" if person else account


async def own_history(bus: Bus, run_id: str, owner: str) -> list[StoredEvent]:
    """The events of a run of this owner.

    Raises:
        RunNotFound: nothing of it is stored, or it is another's, which is not told. UsageError: it is not a run id.
    """
    history = await bus.history(check_run_id(run_id))
    if history[0].event.meta.owner != owner:
        raise RunNotFound(f"no event of run {run_id} is stored; `openwork runs list` shows the runs that are")
    return history


async def document_of(bus: Bus, run_id: str, owner: str) -> AnswerDocument:
    """A run as far as it has come, folded from its events. Raises as `own_history`."""
    return fold(await own_history(bus, run_id, owner))


async def answer_events(account: str, body: bytes, bus: Bus, results: Results, most_bytes: int) -> EventsReply:
    """`openwork.events`: a page of what is stored of a run.

    Args:
        most_bytes: what the server takes in one message.
    """

    async def work(request: EventsRequest) -> EventsReply:
        owner, run_id = owner_of(account, request.on_behalf_of), check_run_id(request.run_id)
        await results.document(owner, run_id)  # of one that was deleted nothing is shown
        history = await own_history(bus, run_id, owner)
        return events_page([stored for stored in history if stored.sequence > request.after], most_bytes)

    return await replied(body, EventsRequest, EventsReply, work)


def events_page(history: Sequence[StoredEvent], most_bytes: int) -> EventsReply:
    """As many events as make a page; one that is larger than a message is told of without its body."""
    rows: list[EventRow] = []
    size = 0
    for stored in history:
        body = _shown(stored.event)
        # Quotation marks are escaped once more inside the reply.
        length = len(body.encode()) + body.count('"') + body.count("\\")
        fits = length <= most_bytes - 4096
        length = length if fits else 0
        if rows and size + length > min(PAGE_BYTES, most_bytes - 4096):
            return EventsReply(events=tuple(rows), next=rows[-1].sequence)
        size += length + 512
        rows.append(_row(stored, body if fits else None))
    return EventsReply(events=tuple(rows))


def _shown(event: Event) -> str:
    """An event as JSON. Of a draft only where it comes from: what no gate has checked reaches no reader."""
    unverified = isinstance(event, AnswerDrafted | RevisionRequested)
    return event.model_dump_json(include={"meta"}) if unverified else event.model_dump_json()


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


async def answer_cancel(
    account: str, body: bytes, bus: Bus, telemetry: Telemetry | None = None, *, door: Door | None = None
) -> CancelReply:
    """`openwork.cancel`: the run ends as cancelled, unless it has ended. One that waits at this door never begins."""

    async def work(request: CancelRequest) -> CancelReply:
        owner = owner_of(account, request.on_behalf_of)
        if door and await door.cancel(account, request.run_id, owner, _cancelled(request.reason)):
            return CancelReply(run_id=request.run_id, cancelled=True)
        await own_history(bus, request.run_id, owner)
        cancelled = await cancel(bus, request.run_id, request.reason, owner=owner, telemetry=telemetry)
        return CancelReply(run_id=request.run_id, cancelled=cancelled)

    return await replied(body, CancelRequest, CancelReply, work)


async def cancel(bus: Bus, run_id: str, reason: str | None, *, owner: str, telemetry: Telemetry | None = None) -> bool:
    """End a run by somebody's wish; False when it had ended already.

    Raises:
        RunNotFound: nothing of it is stored.
    """
    questions = sorted(await bus.subjects(question_filter(run_id)))
    if not questions:
        raise RunNotFound(f"no event of run {run_id} is stored; `openwork runs list` shows the runs that are")
    pipeline = parse_subject(questions[0]).pipeline
    run = Run(run_id, bus=bus, service="gateway", cause=None, pipeline=pipeline, telemetry=telemetry, owner=owner)
    return await run.end(
        RunEnded(
            meta=run.meta(RunEnded, parents=questions),
            kind=EndKind.CANCELLED,
            message=_cancelled(reason),
            cancelled_by=owner,
        )
    )


def _cancelled(reason: str | None) -> str:
    why = f": {escaped(reason)}" if reason and reason.strip() else ""
    return f"The run was cancelled{why}{'' if why.endswith('.') else '.'}"
