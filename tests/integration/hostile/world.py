"""Accounts that mean ill on a server like every other, all services at work, and somebody who may see everything."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import APIError
from openwork_bus.accounts import asker_account
from openwork_bus.codec import unpack
from openwork_bus.connection import taken_by_server
from openwork_bus.run_ids import new_run_id
from openwork_bus.service import Service
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import ensure_inbox
from openwork_contracts.accounts import ASKER_INBOX, ASKER_RESULTS, inbox_stream
from openwork_contracts.results import RESULT_HEADER, ResultKind
from openwork_contracts.subjects import ASK_SUBJECT, SHOW_SUBJECT, TIMERS_STREAM
from openwork_laptop.accounts.askers import FILE as ASKERS_FILE
from openwork_laptop.stack import SERVICES, create, prepare

from tests.nats_server import OpenServer

QUESTION = "Do omega-3 fatty acids reduce major cardiovascular events?"
CHEAP = "What is the capital of France?"
"""Rejected by rules, so that a run of it takes milliseconds."""
ALICE, BOB, MALLORY, GREEDY = "ALICE", "BOB", "MALLORY", "GREEDY"
ACCOUNTS = (ALICE, BOB, MALLORY, GREEDY)
"""Who asks; who attacks with an asker's user; who does so with one that may do everything; who asks too much."""
PASSWORD = "p-asker"


def _open_account(name: str) -> str:
    """The block of an account whose user has every right: then the imports alone stand between it and the services."""
    lines = asker_account(name, f"user: {name}, password: {PASSWORD}").splitlines(keepends=True)
    first, last = (next(i for i, line in enumerate(lines) if start in line) for start in (", permissions: {", "} } ]"))
    return "".join([*lines[:first], lines[first].split(", permissions")[0] + " } ]\n", *lines[last + 1 :]])


class HostileServer(OpenServer):
    """A server with these accounts beside its own."""

    def accounts(self) -> str:
        """With these."""
        blocks = [asker_account(name, f"user: {name}, password: {PASSWORD}") for name in ACCOUNTS if name != MALLORY]
        include = f"  include {ASKERS_FILE}"
        return super().accounts().replace(include, "".join([*blocks, _open_account(MALLORY), include]), 1)


class Asker:
    """One connection of an account."""

    def __init__(self, client: Client, account: str, denied: list[str]) -> None:
        self.client = client
        self.account = account
        self.denied = denied
        """What the server refused, in its words."""
        self.results: list[Msg] = []
        """What was heard on `openwork.results.*`."""

    @classmethod
    async def login(cls, url: str, account: str) -> Self:
        """Connect, and hear the account's results."""
        denied: list[str] = []

        async def note(error: Exception) -> None:
            denied.append(str(error))

        client = await nats.connect(url, user=account, password=PASSWORD, error_cb=note, allow_reconnect=False)
        asker = cls(client, account, denied)

        async def hear(message: Msg) -> None:
            asker.results.append(message)

        await client.subscribe(f"{ASKER_RESULTS}.*", cb=hear)
        await taken_by_server(client)
        return asker

    async def answer(
        self, subject: str, body: object = b"", *, headers: Mapping[str, str] | None = None, wait_s: float = 0.5
    ) -> bytes | None:
        """What is answered to a request; `None` = nobody answers."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            reply = await self.client.request(subject, data, timeout=wait_s, headers=dict(headers) if headers else None)
        except (NatsTimeoutError, NoRespondersError):
            return None
        return reply.data

    async def request(self, subject: str, body: object, *, wait_s: float = 40.0) -> dict[str, Any]:
        """The reply to a request, which must come."""
        data = await self.answer(subject, body, wait_s=wait_s)
        assert data is not None, f"no reply to {subject} within {wait_s} s"
        reply = json.loads(data)
        assert isinstance(reply, dict)
        return reply

    async def publish(
        self, body: object, run_id: str | None = None, *, headers: Mapping[str, str] | None = None
    ) -> tuple[str, APIError | None]:
        """Publish a question to the inbox: its run id, and why it was refused at once."""
        run_id = run_id or new_run_id()
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            await self.client.jetstream(timeout=5).publish(
                f"{ASKER_INBOX}.{run_id}", data, headers=dict(headers) if headers else None
            )
        except APIError as error:
            return run_id, error
        return run_id, None

    async def document(self, run_id: str, *, wait_s: float = 30.0) -> dict[str, Any]:
        """The document of a run, as it is told."""
        return (await self.told(run_id, ResultKind.DOCUMENT, wait_s=wait_s))["document"]

    async def told(self, run_id: str, kind: ResultKind, *, wait_s: float = 30.0) -> dict[str, Any]:
        """The first result of that kind of a run."""
        async with asyncio.timeout(wait_s):
            while True:
                for message in self.results:
                    is_of = message.subject == f"{ASKER_RESULTS}.{run_id}"
                    if is_of and (message.headers or {}).get(RESULT_HEADER) == kind.value:
                        return dict(json.loads(unpack(message.data)))
                await asyncio.sleep(0.02)

    async def ask(self, question: str = QUESTION, **more: object) -> str:
        """Ask by request: the run id."""
        reply = await self.request(ASK_SUBJECT, {"question": question, **more})
        assert reply.get("error") is None, reply
        return str(reply["run_id"])

    async def answered(self, question: str = QUESTION) -> dict[str, Any]:
        """Ask, and have the document of the answer."""
        run_id = await self.ask(question)
        document = (await self.request(SHOW_SUBJECT, {"run_id": run_id, "wait_s": 30}))["document"]
        assert (document["status"], document["owner"]) == ("answered", self.account), document
        return dict(document)


class World:
    """The server, the services, and the eyes."""

    def __init__(self, folder: Path) -> None:
        self.server = HostileServer(folder)
        self.services: dict[str, Service] = {}

    async def start(self) -> None:
        """Start everything."""
        await self.server.start()
        await prepare(self.server.url)
        self.eyes = await nats.connect(self.server.url)
        self.js = self.eyes.jetstream(timeout=10)
        for account in ACCOUNTS:
            await ensure_inbox(self.js, account, ServiceSettings())
        self.services = {name: self._service(name) for name in SERVICES}
        await asyncio.gather(*(service.start() for service in self.services.values()))

    async def stop(self) -> None:
        """Stop everything."""
        await asyncio.gather(*(service.stop() for service in self.services.values()))
        await self.eyes.close()
        await self.server.stop()

    def _service(self, name: str) -> Service:
        return create(name, self.server.asker_url, self.server.logins)

    @asynccontextmanager
    async def without(self, name: str) -> AsyncIterator[None]:
        """One service is away."""
        await self.services[name].stop()
        try:
            yield
        finally:
            self.services[name] = self._service(name)
            await self.services[name].start()

    @asynccontextmanager
    async def asker(self, account: str) -> AsyncIterator[Asker]:
        """A connection of an account."""
        asker = await Asker.login(self.server.asker_url, account)
        try:
            yield asker
        finally:
            await asker.client.close()

    async def say(self, account: str, words: bytes) -> bytes:
        """Speak to the server without a client that would look at what is said; what it answered."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        login = json.dumps({"user": account, "pass": PASSWORD, "verbose": False, "headers": True}).encode()
        writer.write(b"CONNECT " + login + b"\r\n" + words + b"PING\r\n")
        heard = b""
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(20):
                while b"PONG" not in heard and (more := await reader.read(65_536)):
                    heard += more
        writer.close()
        return heard

    async def api(self, subject: str, body: object = None) -> dict[str, Any]:
        """What JetStream answers to who may ask everything."""
        data = b"" if body is None else json.dumps(body).encode()
        return dict(json.loads((await self.eyes.request(f"$JS.API.{subject}", data, timeout=10)).data))

    async def streams(self) -> dict[str, dict[str, Any]]:
        """Every stream with its state."""
        return {stream["config"]["name"]: stream for stream in (await self.api("STREAM.LIST"))["streams"]}

    async def subjects(self, stream: str, pattern: str = ">") -> frozenset[str]:
        """Subjects of a stream that hold something."""
        state = (await self.api(f"STREAM.INFO.{stream}", {"subjects_filter": pattern}))["state"]
        return frozenset(state.get("subjects") or ())

    async def drained(self, account: str) -> None:
        """Wait until nothing is left in an inbox."""
        async with asyncio.timeout(60):
            while await self.subjects(inbox_stream(account)):  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    async def mentioning(self, token: str) -> dict[str, frozenset[str]]:
        """Subjects that a word stands in, by stream."""
        found = {name: await self.subjects(name) for name in await self.streams()}
        named = {name: frozenset(s for s in subjects if token in s) for name, subjects in found.items()}
        return {name: subjects for name, subjects in named.items() if subjects}

    async def shape(self) -> dict[str, Any]:
        """Configuration of all streams and consumers, as the server has it."""
        streams = await self.streams()
        found: dict[str, Any] = {name: stream["config"] for name, stream in streams.items()}
        for name in streams:
            consumers = (await self.api(f"CONSUMER.LIST.{name}"))["consumers"]
            found |= {f"{name} > {c['name']}": (c["config"], c.get("paused", False)) for c in consumers}
        return found

    async def picture(self, but: Collection[str] = ()) -> dict[str, Any]:
        """What is stored: the last sequence of each stream and its subjects; of deadlines, which fire, their runs."""
        seen: dict[str, Any] = {}
        for name, stream in (await self.streams()).items():
            subjects = await self.subjects(name)
            if name == TIMERS_STREAM:
                seen[name] = {subject.split(".")[4] for subject in subjects}
            elif name not in but:
                seen[name] = (stream["state"]["last_seq"], stream["state"]["messages"], subjects)
        return seen

    @asynccontextmanager
    async def untouched(self, *, but: Collection[str] = ()) -> AsyncIterator[None]:
        """Nothing changes meanwhile in the services' account: neither what is stored nor the shape of anything.

        Args:
            but: streams in which something is to be stored.
        """
        shape, picture = await self.shape(), await self.picture(but)
        yield
        assert await self.picture(but) == picture
        assert await self.shape() == shape

    @asynccontextmanager
    async def overheard(self, word: bytes) -> AsyncIterator[list[str]]:
        """Subjects in the services' account on which a word is said."""
        subjects: list[str] = []

        async def hear(message: Msg) -> None:
            if word in message.data or word in message.subject.encode():
                subjects.append(message.subject)

        subscription = await self.eyes.subscribe(">", cb=hear)
        await taken_by_server(self.eyes)
        yield subjects
        await self.eyes.flush()
        await asyncio.sleep(0.1)
        await subscription.unsubscribe()
