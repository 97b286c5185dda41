"""Requests: every one has a reply, one account's do not hold up another's, and a service that stops drops none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from nats.errors import ConnectionClosedError
from openwork_bus.respond import QUEUED_BYTES, Answers, Responder
from openwork_contracts.question import AskReply
from openwork_contracts.requests import Reply


@dataclass
class Connection:
    """Takes a subscription and keeps what is replied."""

    max_payload: int = 1000
    replies: dict[str, bytes] = field(default_factory=dict)
    take: Callable[[Any], Awaitable[None]] | None = None
    closed: bool = False
    drained: bool = False

    async def subscribe(self, subject: str, queue: str, cb: Callable[[Any], Awaitable[None]]) -> SimpleNamespace:
        self.take = cb

        async def drain() -> None:
            if self.closed:
                raise ConnectionClosedError
            self.drained = True

        return SimpleNamespace(drain=drain)

    async def publish(self, subject: str, body: bytes) -> None:
        if self.closed:
            raise ConnectionClosedError
        assert subject not in self.replies
        self.replies[subject] = body

    async def ask(self, name: str, account: str = "A", body: bytes = b"") -> None:
        assert self.take is not None
        await self.take(SimpleNamespace(subject=f"openwork.show.{account}", reply=name, data=body))


async def serving(responder: Responder, **limits: Any) -> tuple[Answers, Connection]:
    answers, connection = Answers("openwork.show.*", "gateway", responder, **limits), Connection()
    await answers.start(connection)  # type: ignore[arg-type]
    return answers, connection


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_request_is_answered_for_its_account() -> None:
    async def responder(account: str, body: bytes) -> bytes:
        return account.encode() + body

    _, connection = await serving(responder)
    await connection.ask("r1", "ALICE", b"?")
    await settle()
    assert connection.replies == {"r1": b"ALICE?"}


async def test_an_account_with_all_its_places_taken_holds_up_no_other() -> None:
    never = asyncio.Event()

    async def responder(account: str, body: bytes) -> bytes:
        if account == "A":
            await never.wait()
        return b"done"

    answers, connection = await serving(responder, at_once=2, queued=3)
    for n in range(10):
        await connection.ask(f"a{n}", "A")
    await connection.ask("b", "B")
    await settle()
    assert connection.replies["b"] == b"done"
    assert sorted(connection.replies) == ["a5", "a6", "a7", "a8", "a9", "b"]
    never.set()
    await answers.stop()
    assert len(connection.replies) == 11
    assert answers._work == {}
    assert answers._room == {}


async def test_who_finds_no_place_is_told_when_to_come_again() -> None:
    """In a form that every reply has."""
    answers, connection = await serving(_waits, at_once=1, queued=0)
    await connection.ask("r1")
    await connection.ask("r2")
    for model in (AskReply, Reply):
        reply = model.model_validate_json(connection.replies["r2"])
        assert (reply.error_type, reply.retry_after_s) == ("Busy", 1.0)
        assert "try again in 1 s" in (reply.error or "")
    await answers.stop(within_s=0)


async def test_what_waits_of_one_account_holds_so_many_bytes_and_no_more() -> None:
    """A request may have megabytes, and a thousand may wait."""
    answers, connection = await serving(_waits, at_once=1, queued=1000)
    large = bytes(QUEUED_BYTES // 4)
    for n in range(6):
        await connection.ask(f"a{n}", "A", large)
    await connection.ask("b", "B", large)
    assert sorted(connection.replies) == ["a4", "a5"]
    await answers.stop(within_s=0)
    await settle()
    assert answers._held == {}


async def _waits(account: str, body: bytes) -> bytes:
    await asyncio.sleep(30)
    return b""


async def test_so_many_at_once_and_the_others_in_their_order() -> None:
    at_work, most = 0, 0

    async def responder(account: str, body: bytes) -> bytes:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0)
        at_work -= 1
        return body

    answers, connection = await serving(responder, at_once=3)
    for n in range(20):
        await connection.ask(str(n))
    await answers.stop()
    assert most == 3
    assert [*connection.replies] == [str(n) for n in range(20)]


async def test_a_service_that_stops_answers_what_it_took() -> None:
    async def responder(account: str, body: bytes) -> bytes:
        await asyncio.sleep(0.01)
        return b"done"

    answers, connection = await serving(responder, at_once=1)
    for n in range(3):
        await connection.ask(str(n))
    await answers.stop()
    assert connection.drained
    assert [*connection.replies] == ["0", "1", "2"]


async def test_a_service_that_stops_does_not_wait_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    answers, connection = await serving(_waits)
    await connection.ask("r1")
    await asyncio.wait_for(answers.stop(within_s=0.01), 25)
    assert "1 requests of openwork.show.* are left without a reply" in caplog.text


async def test_a_connection_that_is_gone_does_not_keep_a_service_from_stopping() -> None:
    answers, connection = await serving(_waits)
    await connection.ask("r1")
    connection.closed = True
    await asyncio.wait_for(answers.stop(within_s=0.01), 25)


async def test_a_responder_that_fails_is_a_reply_too() -> None:
    async def responder(account: str, body: bytes) -> bytes:
        raise RuntimeError("/secret/path")

    _, connection = await serving(responder)
    await connection.ask("r1")
    await settle()
    told = json.loads(connection.replies["r1"])
    assert told["error_type"] == "OpenWorkError"
    assert "secret" not in told["error"]


async def test_a_reply_that_is_larger_than_a_message_is_told_as_such() -> None:
    async def responder(account: str, body: bytes) -> bytes:
        return b"x" * 1001

    _, connection = await serving(responder)
    await connection.ask("r1")
    await settle()
    assert "larger than the server takes" in json.loads(connection.replies["r1"])["error"]


async def test_who_wants_no_reply_gets_none() -> None:
    async def responder(account: str, body: bytes) -> bytes:
        return b"done"

    _, connection = await serving(responder)
    await connection.ask("")
    await settle()
    assert connection.replies == {}
