"""Runs: ask, list and search, get, cancel, delete, ask again; what happened in one."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Response
from openwork_bus.run_ids import check_run_id, new_run_id
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.errors import UsageError
from openwork_contracts.pipelines import ANSWER
from openwork_contracts.question import AskContext, AskOptions, AskReply, AskRequest
from openwork_contracts.requests import (
    CancelRequest,
    DeleteRequest,
    EventRow,
    EventsRequest,
    ListRequest,
    Rendered,
    RunSummary,
    ShowReply,
    ShowRequest,
)
from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError

from openwork_api.bodies import ULID, ChosenYear, PipelineName, Place, RunName, Source, Studies
from openwork_api.depend import Bus, Deleter, Questioner, Reader, RunPath
from openwork_api.idempotency import Remembered
from openwork_api.problems import ProblemError

router = APIRouter(tags=["runs"])

QUESTION = "Does dexamethasone reduce mortality in hospitalised patients with COVID-19?"
RUN = "01JD3W8Q4Z5N6P7R8S9TAVBWCX"


class Options(BaseModel):
    """What an asker may choose; everything has a default."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)

    sources: list[Source] | None = Field(default=None, min_length=1, max_length=50)
    """Search these and no others; absent = the services decide."""
    deadline_s: float | None = Field(default=None, gt=0, le=3600)
    """Seconds within which the run must end; absent = the services' setting."""
    from_year: ChosenYear | None = None
    """Only works published in this year or later; one of which no year is known is kept."""
    to_year: ChosenYear | None = None
    """Only works published in this year or before."""
    max_studies: Studies | None = None
    """Of a review: most studies that are read; absent = the services' setting."""


class Context(BaseModel):
    """What a question belongs to."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)

    conversation_id: str | None = Field(default=None, max_length=200)
    turn: Place | None = None
    """Place in the conversation, from 1."""
    parent_run: RunName | None = None
    """The run that this question follows up."""
    standalone_question: str | None = Field(default=None, max_length=20_000)
    """The question with what it takes from the conversation written out."""


class Submit(BaseModel):
    """A question, and what its asker chooses for its run."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        use_attribute_docstrings=True,
        json_schema_extra={"examples": [{"question": QUESTION, "options": {"sources": ["library"]}}]},
    )

    question: str = Field(min_length=1, max_length=20_000)
    """What a person asks; judged by the query service."""
    pipeline: Annotated[PipelineName, Strict(False)] = PipelineName(ANSWER)
    """The kind of run."""
    options: Options = Options()
    context: Context | None = None


class Submitted(BaseModel):
    """A run that was begun, or was there already."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    run_id: str = Field(examples=[RUN])
    already_known: bool = False
    """Whether the same question was asked under the same key before: it is the same run."""
    waiting: bool = False
    """Whether it waits for its turn; its deadline counts already."""
    deadline_s: float | None = None
    """Seconds from now within which the run ends in any case."""
    links: dict[str, str] = Field(
        examples=[{"self": f"/api/v1/runs/{RUN}", "events": f"/api/v1/runs/{RUN}/events", "page": f"/runs/{RUN}"}]
    )


class Runs(BaseModel):
    """A page of runs, newest first."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    runs: tuple[RunSummary, ...]
    next: str | None = None
    """What to give as `before` for the next page; `None` = that is all."""


class Happened(BaseModel):
    """A page of what happened in a run."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    events: tuple[EventRow, ...]
    next: int | None = None
    """What to give as `after` for the next page; `None` = that is all there is so far."""


class Shown(AnswerDocument):
    """A run as far as it has come."""

    rendered: Rendered | None = None
    """The same in words, when they were asked for."""


class Cancel(BaseModel):
    """Why a run is to end."""

    model_config = ConfigDict(extra="forbid")

    reason: str | None = Field(default=None, max_length=500)


class Cancelled(BaseModel):
    """What became of it."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    run_id: str
    cancelled: bool
    """False = it had ended already; its end stays."""


@router.post("/runs", status_code=202, summary="Ask a question")
async def submit(
    body: Submit,
    response: Response,
    bus: Bus,
    person: Questioner,
    remembered: Remembered,
    idempotency_key: Annotated[
        str | None,
        Header(min_length=1, max_length=255, description="Sent again with the same question it is the same run."),
    ] = None,
) -> Submitted:
    """Begin a run and come back at once. Follow it with its events, or get it with `wait_s`."""
    try:
        options = AskOptions.model_validate(body.options.model_dump())
    except ValidationError as error:  # each is well formed, and together they are refused
        raise ProblemError(409, "NotTaken", str(error.errors()[0]["ctx"]["error"])) from error
    run_id = new_run_id()
    if idempotency_key is not None:
        run_id = await remembered.run_id_for(person, idempotency_key, body.model_dump_json(), run_id)
    request = AskRequest(
        question=body.question,
        pipeline=body.pipeline.value,
        options=options,
        context=AskContext.model_validate(body.context.model_dump()) if body.context else None,
        run_id=run_id,
    )
    try:
        reply = await bus.ask(person, request)
    except UsageError as error:
        raise ProblemError(409, "NotTaken", str(error)) from error  # well formed, and refused
    return _submitted(reply, run_id, response)


@router.get("/runs", summary="List and search runs")
async def list_runs(
    bus: Bus,
    person: Reader,
    limit: Annotated[int, Query(ge=1, le=500)] = 20,
    before: Annotated[
        str | None, Query(pattern=ULID, description="Only runs older than this one.", examples=[RUN])
    ] = None,
    query: Annotated[
        str | None,
        Query(max_length=500, description="Only runs whose question holds these words, or words that begin so."),
    ] = None,
) -> Runs:
    """The runs of whoever asks, newest first."""
    before = check_run_id(before) if before else None
    found = await bus.runs(person, ListRequest(limit=limit, before=before, query=query))
    return Runs(runs=found.runs, next=found.next)


@router.get("/runs/{run_id}", summary="Get a run")
async def get_run(
    run_id: RunPath,
    bus: Bus,
    person: Reader,
    wait_s: Annotated[float, Query(ge=0, le=30, description="Seconds to wait for its end.")] = 0.0,
    record: Annotated[bool, Query(description="With searches, works with what became of each, and passages.")] = False,
    rendered: Annotated[bool, Query(description="In words too, as a command line prints them.")] = False,
) -> Shown:
    """A run as far as it has come: its answer claim by claim, references, method."""
    reply = await bus.show(person, ShowRequest(run_id=run_id, wait_s=wait_s, record=record, rendered=rendered))
    return Shown(**dict(document_in(reply)), rendered=reply.rendered)


@router.delete("/runs/{run_id}", status_code=204, summary="Delete a run")
async def delete_run(run_id: RunPath, bus: Bus, person: Deleter) -> None:
    """Remove what a run came to, for good. One that goes on is to be cancelled first."""
    try:
        await bus.delete(person, DeleteRequest(run_id=run_id))
    except UsageError as error:
        raise ProblemError(409, "RunGoesOn", str(error)) from error  # well formed, and refused


@router.post("/runs/{run_id}/cancel", summary="Cancel a run")
async def cancel_run(run_id: RunPath, bus: Bus, person: Questioner, body: Cancel | None = None) -> Cancelled:
    """End a run before it has ended by itself."""
    reply = await bus.cancel(person, CancelRequest(run_id=run_id, reason=body.reason if body else None))
    return Cancelled(run_id=run_id, cancelled=reply.cancelled)


@router.post("/runs/{run_id}/replay", status_code=202, summary="Ask the same question again")
async def replay_run(run_id: RunPath, response: Response, bus: Bus, person: Questioner) -> Submitted:
    """A new run of the same question with the same options, to be compared with this one."""
    document = await document_of(bus, person, run_id, record=True)
    if not is_whole(document):
        raise ProblemError(409, "QuestionCut", "this long question was not let in, and not kept whole; ask it anew")
    again = new_run_id()
    request = AskRequest(
        question=document.question,
        pipeline=document.pipeline,
        options=document.options,
        context=(document.context or AskContext()).model_copy(update={"parent_run": run_id}),
        run_id=again,
    )
    return _submitted(await bus.ask(person, request), again, response)


@router.get("/runs/{run_id}/history", summary="What happened in a run")
async def history(run_id: RunPath, bus: Bus, person: Reader, after: Annotated[int, Query(ge=0)] = 0) -> Happened:
    """The stored events of a run, in the order in which they were stored; they expire before its answer does."""
    reply = await bus.events(person, EventsRequest(run_id=run_id, after=after))
    return Happened(events=reply.events, next=reply.next)


async def document_of(
    bus: Bus, person: Reader, run_id: str, *, wait_s: float = 0.0, record: bool = False
) -> AnswerDocument:
    """The document of a run. Raises: RunNotFound."""
    return document_in(await bus.show(person, ShowRequest(run_id=run_id, wait_s=wait_s, record=record)))


def is_whole(document: AnswerDocument) -> bool:
    """Whether the question is as it was asked: of a long one that was not let in only the beginning is kept."""
    return document.record is not None or not document.question.endswith(" ...")


def document_in(reply: ShowReply) -> AnswerDocument:
    """The document in a reply."""
    if reply.document is None:
        raise ProblemError(502, "ContractViolation", "the services' reply holds no document")
    return reply.document


def _submitted(reply: AskReply, run_id: str, response: Response) -> Submitted:
    known: dict[str, Any] = reply.model_dump(include={"already_known", "waiting", "deadline_s"})
    run_id = reply.run_id or run_id
    self_link = f"/api/v1/runs/{run_id}"
    response.headers["Location"] = self_link
    links = {"self": self_link, "events": f"{self_link}/events", "page": f"/runs/{run_id}"}
    return Submitted(run_id=run_id, links=links, **known)
