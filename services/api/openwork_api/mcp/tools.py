"""The tools: what each does, over whatever can be asked. What a caller can mend is a result that says so, never a
protocol error."""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractContextManager
from typing import Annotated, Any, Protocol

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, TextContent
from openwork_bus.run_ids import check_run_id, new_run_id
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.errors import BusUnavailable, ContractViolation, OpenWorkError, UsageError
from openwork_contracts.progress import Progress
from openwork_contracts.question import AskOptions, AskReply, AskRequest, Year
from openwork_contracts.requests import (
    ListReply,
    ListRequest,
    ShowReply,
    ShowRequest,
    VerifyReply,
    VerifyRequest,
)
from openwork_contracts.results import ResultKind
from openwork_contracts.verdict import EvidenceItem
from openwork_report.render import render_document
from pydantic import BaseModel, Field, ValidationError

from openwork_api.hub import Told
from openwork_api.mcp import shape
from openwork_api.mcp.results import Passages, Run, RunLines, SearchLog, Source, Verified
from openwork_api.mcp.room import cut
from openwork_api.people import Person, Scope
from openwork_api.problems import ProblemError

log = logging.getLogger(__name__)

WAIT_S = 45.0
"""How long `ask` waits when nobody says: clients give a call up after a minute."""
LOOK_S = 10.0
"""Without a word of a run for so long, it is looked up."""
MOST_OF_A_RESOURCE = 200_000

RunId = Annotated[str, Field(description="As `ask` or `runs` returned it.", max_length=64)]
Wait = Annotated[float, Field(ge=0, le=600, description="Seconds to wait for the end of the run.")]


class Asks(Protocol):
    """What the tools need of `Asker`, or of a client."""

    async def ask(self, person: Person, request: AskRequest) -> AskReply:
        """Start a run."""
        ...

    async def show(self, person: Person, request: ShowRequest) -> ShowReply:
        """A run as far as it has come."""
        ...

    async def runs(self, person: Person, request: ListRequest) -> ListReply:
        """The person's runs."""
        ...

    async def verify(self, person: Person, request: VerifyRequest) -> VerifyReply:
        """The gate alone."""
        ...

    def follow(self, person: Person, run_id: str) -> AbstractContextManager[asyncio.Queue[Told | None]]:
        """What is told of a run from now on; `None` = something may have been missed."""
        ...


def answered(tool: Callable[..., Awaitable[BaseModel]]) -> Callable[..., Coroutine[Any, Any, CallToolResult]]:
    """A tool whose result is structured, and as JSON text too, and whose errors are results that say what to do."""

    @functools.wraps(tool)
    async def called(*args: Any, **kwargs: Any) -> CallToolResult:
        try:
            result = await tool(*args, **kwargs)
        except ValidationError as error:
            return _failed(UsageError(_first_fault(error)))
        except (OpenWorkError, ProblemError) as error:
            return _failed(error)
        text = TextContent(type="text", text=result.model_dump_json(exclude_none=True))
        return CallToolResult(content=[text], structured_content=result.model_dump(mode="json", exclude_none=True))

    return called


def _failed(error: OpenWorkError | ProblemError) -> CallToolResult:
    kind = error.code if isinstance(error, ProblemError) else type(error).__name__
    again = f" Ask again in {error.retry_after_s:.0f} s." if error.retry_after_s else ""
    about: dict[str, Any] = {"code": kind, "retry_after_s": error.retry_after_s}
    text = TextContent(type="text", text=f"{kind}: {error}{again}")
    return CallToolResult(content=[text], is_error=True, meta={"openwork/error": about})


def _first_fault(error: ValidationError) -> str:
    """Where and what; never the value, which may be somebody's question."""
    first = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])


class Tools:
    """The tools of one server."""

    def __init__(self, asks: Asks, whose: Callable[[Context[Any, Any]], Person]) -> None:
        self._asks = asks
        self._whose = whose

    @answered
    async def ask(
        self,
        question: Annotated[str, Field(min_length=1, max_length=20_000, description="In English, one question.")],
        ctx: Context[Any, Any],
        sources: Annotated[
            list[str] | None, Field(description="Search these and no others, e.g. pubmed; leave it out to search all.")
        ] = None,
        deadline_s: Annotated[
            float | None, Field(ge=1, le=3600, description="Seconds within which the run must end.")
        ] = None,
        from_year: Annotated[Year | None, Field(description="Only works published in this year or later.")] = None,
        to_year: Annotated[Year | None, Field(description="Only works published in this year or before.")] = None,
        wait_s: Wait = WAIT_S,
    ) -> Run:
        """See `words.ASK`."""
        person = self._may(ctx, Scope.ASK)
        chosen = tuple(sources) if sources else None
        options = AskOptions(sources=chosen, deadline_s=deadline_s, from_year=from_year, to_year=to_year)
        request = AskRequest(question=question, options=options, run_id=new_run_id())
        reply = await self._asks.ask(person, request)
        run_id = reply.run_id or request.run_id or ""
        await ctx.report_progress(0, message=f"asked, as run {run_id}")
        return shape.run_of(await self._after(self._may(ctx, Scope.READ), run_id, wait_s, ctx))

    @answered
    async def show(self, run_id: RunId, ctx: Context[Any, Any], wait_s: Wait = 0.0) -> Run:
        """See `words.SHOW`."""
        person = self._may(ctx, Scope.READ)
        return shape.run_of(await self._after(person, check_run_id(run_id), wait_s, ctx))

    @answered
    async def passage(
        self,
        run_id: RunId,
        ctx: Context[Any, Any],
        passage_id: Annotated[str | None, Field(description="As in `claims`.", max_length=500)] = None,
        n: Annotated[int | None, Field(ge=1, description="A citation number.")] = None,
        offset: Annotated[int, Field(ge=0, description="Of a long passage: where to go on.")] = 0,
    ) -> Passages:
        """See `words.PASSAGE`."""
        document = await self._whole(ctx, run_id)
        return shape.passages_of(document, n, passage_id, offset)

    @answered
    async def verify(
        self,
        text: Annotated[str, Field(min_length=1, max_length=200_000, description="Cites as [1], [2].")],
        evidence: Annotated[list[Source], Field(max_length=500, description="What it cites.")],
        ctx: Context[Any, Any],
    ) -> Verified:
        """See `words.VERIFY`."""
        person = self._may(ctx, Scope.ASK)
        items = [
            EvidenceItem(n=source.n or place, title=source.title, text=source.text)
            for place, source in enumerate(evidence, start=1)
        ]
        reply = await self._asks.verify(person, VerifyRequest(text=text, evidence=tuple(items)))
        if reply.report is None:
            raise ContractViolation("the services' reply holds no report")
        return shape.verified_of(reply.report)

    @answered
    async def search_log(
        self,
        run_id: RunId,
        ctx: Context[Any, Any],
        source: Annotated[str | None, Field(description="Of this source alone.", max_length=64)] = None,
        after: Annotated[int, Field(ge=0, description="Requests up to this place are known already.")] = 0,
    ) -> SearchLog:
        """See `words.SEARCH_LOG`."""
        return shape.search_log_of(await self._whole(ctx, run_id), source, after)

    @answered
    async def runs(
        self,
        ctx: Context[Any, Any],
        query: Annotated[str | None, Field(max_length=500, description="Words of the question.")] = None,
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
        before: Annotated[str | None, Field(description="Only runs older than this run.", max_length=64)] = None,
    ) -> RunLines:
        """See `words.RUNS`."""
        person = self._may(ctx, Scope.READ)
        request = ListRequest(limit=limit, query=query, before=check_run_id(before) if before else None)
        return shape.lines_of(await self._asks.runs(person, request))

    async def document(self, run_id: str, ctx: Context[Any, Any]) -> str:
        """A run as a Markdown document: the resource."""
        person = self._may(ctx, Scope.READ)
        document = _document(await self._asks.show(person, ShowRequest(run_id=check_run_id(run_id))))
        return cut(render_document(document), MOST_OF_A_RESOURCE)

    # --- inside ------------------------------------------------------------------------------------------------------

    def _may(self, ctx: Context[Any, Any], scope: Scope) -> Person:
        person = self._whose(ctx)
        if not person.may(scope):
            raise ProblemError(403, "ScopeMissing", f"this key may not do that: it lacks the scope {scope.value!r}")
        return person

    async def _whole(self, ctx: Context[Any, Any], run_id: str) -> AnswerDocument:
        person = self._may(ctx, Scope.READ)
        return _document(await self._asks.show(person, ShowRequest(run_id=check_run_id(run_id), record=True)))

    async def _after(self, person: Person, run_id: str, wait_s: float, ctx: Context[Any, Any]) -> AnswerDocument:
        """A run, after its end when that comes in time; meanwhile the caller is told what it does."""
        request, give_up, said = ShowRequest(run_id=run_id), time.monotonic() + wait_s, 0
        with self._asks.follow(person, run_id) as told:
            document = _document(await self._asks.show(person, request))
            while document.status is RunStatus.RUNNING and (left := give_up - time.monotonic()) > 0:
                heard = await _heard(told, min(left, LOOK_S))
                if heard is not None and heard.kind is ResultKind.PROGRESS:
                    said += 1
                    await ctx.report_progress(said, message=in_words(Progress.model_validate(heard.body["progress"])))
                    continue
                try:
                    document = _document(await self._asks.show(person, request))
                except BusUnavailable:
                    log.warning("run %s cannot be looked up just now", run_id)
        return document


def in_words(progress: Progress) -> str:
    """One step of a run on a line."""
    words = " ".join((progress.note or progress.step).split())
    words = f"{words} ({progress.done} of {progress.total})" if progress.total else words
    asked = [f"{one.name} {one.state.value if one.found is None else one.found}" for one in progress.sources]
    return cut(f"{words}: {', '.join(asked)}" if asked else words, 300)


async def _heard(told: asyncio.Queue[Told | None], within_s: float) -> Told | None:
    try:
        return await asyncio.wait_for(told.get(), within_s)
    except TimeoutError:
        return None


def _document(reply: ShowReply) -> AnswerDocument:
    if reply.document is None:
        raise ContractViolation("the services' reply holds no document")
    return reply.document
