"""A gateway for tests of its askers: the real replies over a memory bus, or whatever a test has it say."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import nats
from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from openwork_bus.memory import MemoryBus
from openwork_contracts.accounts import LOCAL_ACCOUNT, out_subject
from openwork_contracts.meta import Contract, Event
from openwork_contracts.question import AskReply, AskRequest
from openwork_contracts.results import RESULT_HEADER, ResultKind
from openwork_contracts.subjects import (
    ASK_SUBJECT,
    CANCEL_SUBJECT,
    EVENTS_SUBJECT,
    LIST_SUBJECT,
    SHOW_SUBJECT,
    served_subject,
)
from openwork_gateway.domain.folds import fold
from openwork_gateway.door import Door
from openwork_gateway.listing import answer_list
from openwork_gateway.requests import answer_ask, answer_cancel, answer_events, answer_show
from openwork_gateway.results import put_document
from openwork_gateway.settings import Settings
from openwork_gateway.watch import EndWatch

from tests.memory_results import MemoryResults
from tests.run_events import (
    RUN,
    completed,
    concluded,
    drafted,
    normalised,
    planned,
    ranked,
    rejected,
    shortlisted,
    submitted,
)

Reply = Callable[[bytes], Awaitable[bytes]]
IS_IT_HEARD = {"Openwork-Test": "is it heard"}
"""The header of a request that asks nothing: whoever serves the subject replies at once."""
ANSWERED = (submitted(), planned(), normalised(), shortlisted(), ranked(), drafted(), concluded(), completed())
REJECTED = (submitted(), rejected())


class ScriptedGateway:
    """Answers requests on a real server. `replies` may be changed while it runs."""

    def __init__(self, url: str, connection: NatsClient, *, progress: tuple[dict[str, object], ...] = ()) -> None:
        self.url = url
        self.connection = connection
        self.bus = MemoryBus()
        self.ends = EndWatch()
        self.results = MemoryResults()
        self.door = Door(self.bus, self.results, Settings())
        self.progress = progress
        self.then: tuple[Event, ...] = ANSWERED
        """What happens in every run that is asked for."""
        self.after_s = 0.05
        self.replies: dict[str, Reply] = {
            ASK_SUBJECT: self.ask,
            SHOW_SUBJECT: self._with(lambda body: answer_show(LOCAL_ACCOUNT, body, self.bus, self.results, self.ends)),
            LIST_SUBJECT: self._with(lambda body: answer_list(LOCAL_ACCOUNT, body, self.bus, self.results)),
            EVENTS_SUBJECT: self._with(lambda body: answer_events(LOCAL_ACCOUNT, body, self.bus, self.results, 2**20)),
            CANCEL_SUBJECT: self._with(lambda body: answer_cancel(LOCAL_ACCOUNT, body, self.bus)),
        }
        self.asked: list[str] = []
        """Subjects of the requests, in order."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Answer from now on."""
        for subject in self.replies:
            await self.connection.subscribe(served_subject(subject), cb=self._take)
        await _heard_from_outside(self.url, *self.replies)

    async def add(self, subject: str, reply: Reply) -> None:
        """Answer another subject too."""
        self.replies[subject] = reply
        await self.connection.subscribe(served_subject(subject), cb=self._take)
        await _heard_from_outside(self.url, subject)

    async def tell(self, run_id: str, progress: dict[str, object]) -> None:
        """What a run does, to whoever listens."""
        result = {"run_id": run_id, "kind": "progress", "at": "2026-01-02T03:04:05Z"}
        body = json.dumps({**result, "progress": {"run_id": run_id, **progress}}).encode()
        headers = {RESULT_HEADER: ResultKind.PROGRESS.value}
        await self.connection.publish(out_subject(LOCAL_ACCOUNT, run_id), body, headers=headers)

    async def run_to_its_end(self, run_id: str) -> None:
        """Tell the progress, store the run's events, the end last."""
        for told in self.progress:
            await self.tell(run_id, told)
        await asyncio.sleep(self.after_s)
        for event in self.then[1:]:
            moved = _moved(event, run_id)
            await self.bus.publish(moved)
        if self.then[-1].terminal:
            await self.conclude(run_id)

    async def conclude(self, run_id: str) -> None:
        """Store what a run came to, as the real gateway does when it hears of the end."""
        await put_document(self.results, fold(await self.bus.history(run_id)))
        self.ends.tell(run_id)

    async def ask(self, body: bytes) -> bytes:
        """The real reply; then the run goes its way."""
        reply: AskReply = await answer_ask(LOCAL_ACCOUNT, body, self.door, _to_inbox)
        if reply.run_id and not reply.already_known:
            self._spawn(self.run_to_its_end(reply.run_id))
        return reply.model_dump_json().encode()

    def _with(self, answer: Callable[[bytes], Awaitable[Contract]]) -> Reply:
        async def reply(body: bytes) -> bytes:
            return (await answer(body)).model_dump_json().encode()

        return reply

    async def _take(self, message: Msg) -> None:
        if IS_IT_HEARD.keys() <= (message.headers or {}).keys():  # an import of an account may add its own
            await message.respond(b"")
            return
        self.asked.append(message.subject.removesuffix(f".{LOCAL_ACCOUNT}"))
        self._spawn(self._reply(message))

    async def _reply(self, message: Msg) -> None:
        await message.respond(await self.replies[message.subject.removesuffix(f".{LOCAL_ACCOUNT}")](message.data))

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Answer no more."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.connection.close()


async def _to_inbox(account: str, run_id: str, request: AskRequest) -> None:
    raise AssertionError("nobody waits at this door")


def _moved(event: Event, run_id: str) -> Event:
    """The event in another run."""
    return type(event).model_validate_json(event.model_dump_json().replace(RUN, run_id))


@asynccontextmanager
async def scripted_gateway(url: str, *, progress: tuple[dict[str, object], ...] = ()) -> AsyncIterator[ScriptedGateway]:
    """A gateway on the server of this URL, until the end of the block."""
    gateway = ScriptedGateway(url, await nats.connect(url), progress=progress)
    try:
        await gateway.start()
        yield gateway
    finally:
        await gateway.stop()


async def _heard_from_outside(url: str, *subjects: str) -> None:
    """Wait until each is served: it is known in its own account at once, and in those that import it a moment later."""
    asker = await nats.connect(f"nats://{url.rpartition('@')[2].removeprefix('nats://')}")
    try:
        async with asyncio.timeout(10):
            for subject in subjects:
                await _until_served(asker, subject)
    finally:
        await asker.close()


async def _until_served(asker: NatsClient, subject: str) -> None:
    while True:
        try:
            await asker.request(subject, b"", timeout=5, headers=IS_IT_HEARD)
            return
        except NoRespondersError:
            await asyncio.sleep(0.01)
