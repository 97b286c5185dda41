"""What the HTTP API asks of the bus, in memory: the gateway's own replies over a memory bus and memory results."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import TypeVar

import httpx
from fastapi import FastAPI
from openwork_api.asker import error_of
from openwork_api.hub import Hub, Told
from openwork_api.people import Person
from openwork_api.settings import Settings
from openwork_api.web import create_app
from openwork_bus.memory import MemoryBus
from openwork_contracts.accounts import API_ACCOUNT
from openwork_contracts.errors import BusUnavailable
from openwork_contracts.meta import Contract
from openwork_contracts.observatory import Window
from openwork_contracts.question import AskReply, AskRequest
from openwork_contracts.requests import (
    CancelReply,
    CancelRequest,
    DeleteReply,
    DeleteRequest,
    EventsReply,
    EventsRequest,
    ListReply,
    ListRequest,
    LookupReply,
    LookupRequest,
    ObserveReply,
    ObserveRequest,
    ShowReply,
    ShowRequest,
    VerifyReply,
    VerifyRequest,
)
from openwork_gateway.deleting import answer_delete
from openwork_gateway.door import Door
from openwork_gateway.listing import answer_list
from openwork_gateway.observing import answer_observe
from openwork_gateway.requests import answer_ask, answer_cancel, answer_events, answer_show
from openwork_gateway.settings import Settings as GatewaySettings
from openwork_gateway.watch import EndWatch
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.requests import Lookup
from openwork_verifier.domain.gate import verify_answer

from tests.memory_results import MemoryResults
from tests.memory_statistics import MemoryStatistics

R = TypeVar("R", AskReply, ShowReply, ListReply, EventsReply, CancelReply, DeleteReply, LookupReply, ObserveReply)


class MemoryAsker:
    """`Asker` of one test; `bus` and `results` hold what its persons may see."""

    def __init__(self, bus: MemoryBus | None = None, results: MemoryResults | None = None) -> None:
        self.bus = bus or MemoryBus()
        self.results = results or MemoryResults()
        self.statistics = MemoryStatistics()
        self.hub = Hub()
        self.asked: list[AskRequest] = []
        self.away = False
        """True = no service answers."""
        self._door = Door(self.bus, self.results, GatewaySettings())

    async def ask(self, person: Person, request: AskRequest) -> AskReply:
        self.asked.append(request)
        return await self._reply(answer_ask(person.account, _body(person, request), self._door, _no_inbox))

    async def show(self, person: Person, request: ShowRequest) -> ShowReply:
        body = _body(person, request)
        return await self._reply(answer_show(person.account, body, self.bus, self.results, EndWatch()))

    async def runs(self, person: Person, request: ListRequest) -> ListReply:
        return await self._reply(answer_list(person.account, _body(person, request), self.bus, self.results))

    async def events(self, person: Person, request: EventsRequest) -> EventsReply:
        body = _body(person, request)
        return await self._reply(answer_events(person.account, body, self.bus, self.results, 2**20))

    async def cancel(self, person: Person, request: CancelRequest) -> CancelReply:
        return await self._reply(answer_cancel(person.account, _body(person, request), self.bus))

    async def delete(self, person: Person, request: DeleteRequest) -> DeleteReply:
        return await self._reply(answer_delete(person.account, _body(person, request), self.bus, self.results))

    async def lookup(self, person: Person, request: LookupRequest) -> LookupReply:
        return await self._reply(Lookup(LibrarySource()).reply(request))

    async def verify(self, person: Person, request: VerifyRequest) -> VerifyReply:
        self._check()
        return VerifyReply(report=verify_answer(request.text, list(request.evidence)))

    async def observe(self, person: Person, window: Window) -> ObserveReply:
        body = ObserveRequest(window=window, reader=person.owner).model_dump_json().encode()
        return await self._reply(answer_observe(API_ACCOUNT, body, self.statistics, self.results))

    def follow(self, person: Person, run_id: str) -> AbstractContextManager[asyncio.Queue[Told | None]]:
        return self.hub.follow(run_id)

    def is_ending(self, person: Person) -> bool:
        return self.hub.is_over

    async def check(self) -> None:
        self._check()

    async def _reply(self, answer: Awaitable[R]) -> R:
        reply = await answer
        self._check()
        if reply.error:
            raise error_of(reply.error, reply.error_type, reply.retry_after_s)
        return reply

    def _check(self) -> None:
        if self.away:
            raise BusUnavailable("no service answers; are they running?")


def _body(person: Person, request: Contract) -> bytes:
    return request.model_copy(update={"on_behalf_of": person.name}).model_dump_json(exclude_defaults=True).encode()


async def _no_inbox(account: str, run_id: str, request: AskRequest) -> bool:
    raise AssertionError("nobody waits at this door")


@asynccontextmanager
async def api_client(asker: MemoryAsker, app: FastAPI | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application, as a program on this machine."""
    app = app or create_app(asker, Settings())
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        yield client
