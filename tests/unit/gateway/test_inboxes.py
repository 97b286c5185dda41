"""Inboxes: what is no question ends in words, nothing of one asker's stops another's, and nothing is lost."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from nats.errors import ConnectionClosedError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import NotFoundError
from openwork_bus.codec import pack
from openwork_bus.run_ids import new_run_id
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.errors import BusUnavailable
from openwork_contracts.results import RunResult
from openwork_gateway import inboxes as module
from openwork_gateway.door import Door
from openwork_gateway.inboxes import Inboxes

from tests.at_the_door import Watched, a_door, close_door, questions
from tests.memory_results import MemoryResults

QUESTION = {"question": "Why?"}


@dataclass
class Message:
    """A message of an inbox, which has no hash, as that of nats-py; keeps what was done to it, in order."""

    run_id: str
    data: bytes = json.dumps(QUESTION).encode()
    account: str = "ALICE"
    delivery: int = 1
    at: float = field(default_factory=lambda: datetime.now(UTC).timestamp())
    sequence: int = field(default_factory=count(1).__next__)
    done: list[str] = field(default_factory=list)
    broken: list[Exception] = field(default_factory=list)
    """What the next acknowledgements meet."""

    @property
    def subject(self) -> str:
        return f"openwork.inbox.v1.{self.account}.{self.run_id}"

    @property
    def reply(self) -> str:
        nanoseconds = round(self.at * 1e6) * 1000
        return f"$JS.ACK.OPENWORK_INBOX_{self.account}.gateway-inbox.{self.delivery}.{self.sequence}.1.{nanoseconds}.0"

    @property
    def metadata(self) -> SimpleNamespace:
        return SimpleNamespace(num_delivered=self.delivery)

    async def ack(self) -> None:
        self._do("ack")

    async def term(self) -> None:
        self._do("term")

    async def in_progress(self) -> None:
        self._do("keep")

    async def nak(self, delay: float) -> None:
        self._do("nak")

    def _do(self, what: str) -> None:
        if self.broken:
            raise self.broken.pop(0)
        self.done.append(what)


@dataclass
class Server:
    """As much of JetStream as inboxes ask: which there are, and what is in them."""

    inboxes: dict[str, list[Any]] = field(default_factory=dict)
    page: int = 2
    _prefix: str = "$JS.API"
    unsubscribed: list[str] = field(default_factory=list)

    async def _api_request(self, subject: str, body: bytes, timeout: float) -> dict[str, Any]:  # noqa: ASYNC109
        asked = json.loads(body)
        if "STREAM.INFO" in subject:
            return self._info(subject.rpartition(".")[2].removeprefix("OPENWORK_INBOX_"), asked["subjects_filter"])
        names = [f"OPENWORK_INBOX_{account}" for account in self.inboxes]
        return {"streams": names[asked["offset"] : asked["offset"] + self.page], "total": len(names)}

    def _info(self, account: str, subject: str) -> dict[str, Any]:
        if account not in self.inboxes:
            raise NotFoundError
        held = {m.subject: 1 for m in self.inboxes[account] if m.subject == subject}
        return {"state": {"subjects": held}, "total": len(held)}

    async def pull_subscribe_bind(self, durable: str, stream: str, inbox_prefix: bytes) -> SimpleNamespace:
        account = stream.removeprefix("OPENWORK_INBOX_")

        async def fetch(batch: int, timeout: float) -> list[Any]:  # noqa: ASYNC109
            waiting = self.inboxes.get(account, [])
            if not waiting:
                await asyncio.sleep(0.005)
                raise NatsTimeoutError
            taken, waiting[:] = waiting[:batch], waiting[batch:]
            return taken

        async def unsubscribe() -> None:
            self.unsubscribed.append(account)

        return SimpleNamespace(fetch=fetch, unsubscribe=unsubscribe)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_AGAIN_S", "_FIND_S", "_KEEP_S"):
        monkeypatch.setattr(module, name, 0.01)


def reader(door: Door, server: Server | None = None) -> Inboxes:
    return Inboxes(server or Server(), door, inbox_prefix=b"_INBOX_gateway.")  # type: ignore[arg-type]


async def taken(door: Door, message: Message) -> list[str]:
    """What is done to a message that is taken."""
    await reader(door).take(message.account, message)  # type: ignore[arg-type]
    return message.done


async def refusal(door: Door, message: Message) -> AnswerDocument:
    document = await door.results.last(message.account, message.run_id)
    assert document is not None
    assert document.status is RunStatus.REFUSED
    return document


@pytest.mark.parametrize("compress", [False, True])
async def test_a_question_is_let_in_and_its_message_acknowledged(compress: bool) -> None:
    door, body = a_door(), json.dumps(QUESTION).encode()
    message = Message(new_run_id(), pack(body) if compress else body)
    assert await taken(door, message) == ["ack"]
    (event,) = await questions(door.bus)
    assert (event.question, event.meta.run_id, event.meta.owner) == ("Why?", message.run_id, "ALICE")
    assert event.meta.occurred_at.timestamp() == pytest.approx(message.at, abs=1e-5)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "Invalid JSON"),
        (b"\xff\xfe", "Invalid JSON"),
        (b"null", "body"),
        (b"[" * 60_000, "Invalid JSON"),
        (b'{"question": 7}', "question: "),
        (b'{"question": "x", "options": {"deadline_s": -1}}', "options.deadline_s"),
        (b'{"question": "x", "run_id": "01BX5ZZKBKACTAV9WEVGEMMVRZ"}', "leave it out of the body"),
        (b'{"question": "x", "on_behalf_of": "bob"}', "'api'"),
        (b"\x28\xb5\x2f\xfd and then nothing", "cannot be decompressed"),
        (pack(b" " * (64 * 2**20)), "unfolds to more than 1048576 bytes"),
    ],
)
async def test_what_is_no_question_ends_in_words(body: bytes, words: str) -> None:
    """The last is a message of 2 kB that would be 64 MB, in the process that everybody asks."""
    door, message = a_door(), Message(new_run_id(), body)
    assert await taken(door, message) == ["term"]
    document = await refusal(door, message)
    assert words in document.answer.markdown
    assert (document.owner, document.retry_after_s) == ("ALICE", None)
    assert await questions(door.bus) == []


async def test_a_pipeline_that_is_not_installed_ends_in_words_for_who_asked() -> None:
    door = a_door()
    body = {"question": "x", "pipeline": "check", "on_behalf_of": "bob"}
    message = Message(new_run_id(), json.dumps(body).encode(), account="api")
    assert await taken(door, message) == ["term"]
    document = await refusal(door, message)
    assert (document.owner, document.question, document.pipeline) == ("api/bob", "x", "check")
    assert "Installed: answer" in document.answer.markdown


@pytest.mark.parametrize("run_id", ["hello", "01arz3ndektsv4rrffq69g5fav", "0" * 27])
async def test_a_run_id_that_is_none_ends_in_words(run_id: str) -> None:
    door, message = a_door(), Message(run_id)
    assert await taken(door, message) == ["term"]
    assert "run id" in (await refusal(door, message)).answer.markdown


@pytest.mark.parametrize("run_id", ["*", ">", "\u202e", "a b", "x" * 65])
@pytest.mark.parametrize("delivery", [1, 9])
async def test_a_subject_under_which_nothing_can_be_stored_is_put_away(run_id: str, delivery: int) -> None:
    door = a_door()
    assert await taken(door, Message(run_id, delivery=delivery)) == ["term"]
    assert isinstance(door.results, MemoryResults)
    assert door.results.told == {}


async def test_a_message_that_gateways_did_not_survive_is_refused_unread() -> None:
    door, message = a_door(), Message(new_run_id(), delivery=5)
    assert await taken(door, message) == ["term"]
    assert "could not be handled" in (await refusal(door, message)).answer.markdown


async def test_garbage_under_the_run_id_of_a_run_is_a_notice_beside_it() -> None:
    door, message = a_door(), Message(new_run_id())
    await taken(door, message)
    assert await taken(door, Message(message.run_id, b"garbage")) == ["term"]
    assert isinstance(door.results, MemoryResults)
    (told,) = door.results.told["ALICE", message.run_id]
    assert told.kind.value == "notice"
    assert "Invalid JSON" in (told.message or "")


async def test_garbage_that_is_delivered_again_is_told_once() -> None:
    door, message = a_door(), Message(new_run_id(), b"garbage", broken=[ConnectionClosedError()])
    assert await taken(door, message) == ["term"]
    assert isinstance(door.results, MemoryResults)
    assert door.results.kinds("ALICE", message.run_id) == ["document"]


async def test_while_the_bus_takes_nothing_a_message_is_kept_and_not_given_back() -> None:
    """Given back it would be at its last delivery after seconds, and refused for a fault that is not its asker's."""
    bus = Watched(now=datetime.now(UTC), broken=BusUnavailable("no room"))
    door, message = a_door(bus), Message(new_run_id())
    task = asyncio.create_task(taken(door, message))
    await asyncio.sleep(0.1)
    assert message.done == []
    bus.broken = None
    assert await asyncio.wait_for(task, 60) == ["ack"]
    assert len(await questions(bus)) == 1


async def test_an_acknowledgement_that_is_lost_is_sent_again_and_the_run_begun_once() -> None:
    door, message = a_door(), Message(new_run_id(), broken=[ConnectionClosedError()])
    assert await taken(door, message) == ["ack"]
    assert len(await questions(door.bus)) == 1


async def test_a_fault_of_ours_gives_the_message_back() -> None:
    bus = Watched(now=datetime.now(UTC), broken=RuntimeError("a bug"))
    assert await taken(a_door(bus), Message(new_run_id())) == ["nak"]


async def until(what: Any) -> None:
    async with asyncio.timeout(60):
        while not what():  # noqa: ASYNC110 - what is waited for is no event
            await asyncio.sleep(0.005)


async def test_all_inboxes_are_read_however_many_pages_of_them_there_are() -> None:
    accounts = [f"A{n}" for n in range(5)]
    server = Server({name: [Message(new_run_id(), account=name)] for name in accounts})
    door = a_door()
    inboxes = reader(door, server)
    inboxes.start()
    await until(lambda: len(door.bus._messages) == 5)  # type: ignore[attr-defined]
    server.inboxes["NEW"] = [Message(new_run_id(), account="NEW")]
    await until(lambda: len(door.bus._messages) == 6)  # type: ignore[attr-defined]
    await inboxes.stop()
    assert {event.meta.owner for event in await questions(door.bus)} == {*accounts, "NEW"}
    assert sorted(server.unsubscribed) == sorted([*accounts, "NEW"])


async def test_the_reader_of_an_inbox_that_is_gone_stops() -> None:
    server = Server({"A": [], "B": []})
    inboxes = reader(a_door(), server)
    inboxes.start()
    await until(lambda: len(inboxes._readers) == 2)
    await asyncio.sleep(0.02)
    del server.inboxes["A"]
    await until(lambda: server.unsubscribed == ["A"])
    assert [*inboxes._readers] == ["B"]
    await inboxes.stop()


async def test_what_was_fetched_is_kept_while_the_first_of_it_takes_its_time() -> None:
    """Thirty come at once; a slow bus must not have the last of them delivered to another gateway meanwhile."""
    bus = Watched(now=datetime.now(UTC), broken=BusUnavailable("slow"))
    messages = [Message(new_run_id()) for _ in range(3)]
    server = Server({"ALICE": list(messages)})
    inboxes = reader(a_door(bus), server)
    inboxes.start()
    await until(lambda: all(len(m.done) >= 2 for m in messages))
    assert {what for m in messages for what in m.done} == {"keep"}
    bus.broken = None
    await until(lambda: all("ack" in m.done for m in messages))
    assert inboxes._in_hand == {}
    await inboxes.stop()


async def test_garbage_of_one_account_does_not_stop_anothers_question() -> None:
    class Remote(MemoryResults):
        async def put(self, result: RunResult, owner: str, *, once: bool = False, first: bool = False) -> bool:
            await asyncio.sleep(0)  # as whoever asks a server
            return await super().put(result, owner, once=once, first=first)

    garbage = [Message(new_run_id(), b"garbage", account="A") for _ in range(500)]
    good = Message(new_run_id(), account="B")
    server = Server({"A": list(garbage), "B": [good]})
    door = a_door()
    door.results = Remote()
    inboxes = reader(door, server)
    inboxes.start()
    await until(lambda: good.done)
    n_before = sum(bool(m.done) for m in garbage)
    await until(lambda: all(m.done for m in garbage))
    await inboxes.stop()
    assert n_before < 100


async def test_whether_a_question_is_in_an_inbox_is_asked_of_the_server() -> None:
    message = Message(new_run_id())
    inboxes = reader(a_door(), Server({"ALICE": [message]}))
    assert await inboxes.holds("ALICE", message.run_id)
    assert not await inboxes.holds("ALICE", new_run_id())
    assert not await inboxes.holds("NOBODY", message.run_id)


async def test_a_question_that_has_to_wait_is_not_acknowledged() -> None:
    door, message = a_door(), Message(new_run_id())
    close_door(door)
    assert await taken(door, message) == []
    await door.keep_waiting()
    assert message.done == ["keep"]
