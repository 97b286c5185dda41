"""What the MCP tools ask, over the client: services that were named, those that run here, else some that it starts."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager, suppress

import openwork
from openwork.client import Client
from openwork.errors import OpenWorkError
from openwork.home import RunningServer, running_url
from openwork.models import EvidenceItem, Progress
from openwork.reading import as_json
from openwork_api.asker import error_of
from openwork_api.hub import Told
from openwork_api.people import Person
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.question import AskReply, AskRequest
from openwork_contracts.requests import (
    ListReply,
    ListRequest,
    RunSummary,
    ShowReply,
    ShowRequest,
    VerifyReply,
    VerifyRequest,
)
from openwork_contracts.results import ResultKind
from openwork_contracts.verdict import VerificationReport

from openwork_laptop.errors import as_client_errors

WITHIN_S = 3600.0
"""How long a run is followed at most; the longest deadline there is."""


class Services:
    """A client, made when somebody asks: who only opens an assistant starts nothing."""

    def __init__(self, server: str | None) -> None:
        """
        Args:
            server: URL of services that run elsewhere; `None` = find some, or start them.
        """
        self._named = server
        self._url: str | None = None
        self._client: Client | None = None
        self._open = AsyncExitStack()
        self._reaching: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._starts = False
        """Whether the services that are asked are its own."""

    async def client(self) -> Client:
        """A client of services that are there; where those of this machine have gone, of others.

        Raises:
            openwork.errors.OpenWorkError: none can be reached or started.
        """
        async with self._lock:
            url = self._named or running_url()
            if self._client is None or not (self._starts or url == self._url):
                if self._reaching is None or self._reaching.done():
                    self._reaching = asyncio.create_task(self._reach(url))
                await asyncio.shield(self._reaching)  # who gives the call up leaves it to the next
            assert self._client is not None
            return self._client

    async def close(self) -> None:
        """Close what was opened, stop what was started, or is being started."""
        if self._reaching is not None:
            self._reaching.cancel()
            await asyncio.wait([self._reaching])
        await self._open.aclose()

    async def _reach(self, url: str | None) -> None:
        self._client = None
        await self._open.aclose()
        self._open = AsyncExitStack()
        self._starts = url is None
        with as_client_errors():
            self._url = url or await self._open.enter_async_context(started())
        self._client = await self._open.enter_async_context(openwork.connect(self._url))


@asynccontextmanager
async def started() -> AsyncIterator[str]:
    """Every service on a server of this process's own. Other commands find them while they run, as those of `up`."""
    from openwork_laptop.home import Home
    from openwork_laptop.stack import embedded

    home = Home()
    async with embedded(home) as url:
        home.announce(RunningServer(pid=os.getpid(), url=url, stays=True))
        yield url


@contextmanager
def _theirs() -> Iterator[None]:
    """An error of the client is raised as the services' of the same name, which the tools know."""
    try:
        yield
    except OpenWorkError as error:
        raise error_of(str(error), type(error).__name__, getattr(error, "retry_after_s", None)) from error


class ClientAsker:
    """See `openwork_api.mcp.tools.Asks`. Whoever asks is whoever the client says; the person is not looked at."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def ask(self, person: Person, request: AskRequest) -> AskReply:
        """See `Asks`."""
        with _theirs():
            client = await self._services.client()
            options = request.options
            reply = await client.submit(
                request.question,
                sources=options.sources,
                deadline_s=options.deadline_s,
                from_year=options.from_year,
                to_year=options.to_year,
                run_id=request.run_id,
            )
        return AskReply(run_id=reply.run_id, already_known=reply.already_known, deadline_s=reply.deadline_s)

    async def show(self, person: Person, request: ShowRequest) -> ShowReply:
        """See `Asks`."""
        with _theirs():
            client = await self._services.client()
            answer = await client.show(request.run_id, wait_s=request.wait_s, rendered=False, record=request.record)
        return ShowReply(document=AnswerDocument.model_validate(answer.raw))

    async def runs(self, person: Person, request: ListRequest) -> ListReply:
        """See `Asks`."""
        with _theirs():
            client = await self._services.client()
            found = await client.runs(request.limit, query=request.query, before=request.before)
        runs = tuple(RunSummary.model_validate(as_json(run)) for run in found)
        return ListReply(runs=runs, next=runs[-1].run_id if len(runs) == request.limit else None)

    async def verify(self, person: Person, request: VerifyRequest) -> VerifyReply:
        """See `Asks`."""
        with _theirs():
            client = await self._services.client()
            items = [EvidenceItem(n=item.n, title=item.title, text=item.text) for item in request.evidence]
            report = await client.verify(request.text, items)
        return VerifyReply(report=VerificationReport.model_validate(as_json(report)))

    @contextmanager
    def follow(self, person: Person, run_id: str) -> Iterator[asyncio.Queue[Told | None]]:
        """See `Asks`."""
        told: asyncio.Queue[Told | None] = asyncio.Queue()
        following = asyncio.create_task(self._follow(run_id, told))
        try:
            yield told
        finally:
            following.cancel()

    async def _follow(self, run_id: str, told: asyncio.Queue[Told | None]) -> None:
        with suppress(OpenWorkError):
            client = await self._services.client()
            async with aclosing(client.watch(run_id, within_s=WITHIN_S)) as watched:
                async for one in watched:
                    if isinstance(one, Progress):
                        body = {"run_id": run_id, "progress": as_json(one)}
                        told.put_nowait(Told(0, ResultKind.PROGRESS, body))
        told.put_nowait(None)  # it is over, or can be followed no more: it is to be looked up
