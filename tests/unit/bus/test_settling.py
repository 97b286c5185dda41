"""What becomes of a message whose handler raised: given back with a delay, dead letter, or left to another replica."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from nats.errors import ConnectionClosedError
from openwork_bus.middleware import DeadLetter, Heartbeat, InRun, Settle
from openwork_bus.settings import ServiceSettings
from openwork_contracts.errors import (
    BusUnavailable,
    ContractViolation,
    OpenWorkError,
    SourceUnavailable,
    StorageFull,
    SubjectTaken,
)

DELAYS_S = ServiceSettings().retry_delays_s


@dataclass
class Message:
    """As much of FastStream's message as the middlewares touch; keeps what was done to it, in order."""

    tries: int | None = 1
    headers: dict[str, str] | None = None
    done: list[Any] = field(default_factory=list)
    lost: bool = False
    """True = the connection is gone: nothing can be told to the server."""

    @property
    def raw_message(self) -> SimpleNamespace:
        sequence = SimpleNamespace(stream=7)
        return SimpleNamespace(
            subject="openwork.v1.x",
            data=b"body",
            headers=self.headers,
            metadata=SimpleNamespace(num_delivered=self.tries, sequence=sequence, stream="OPENWORK"),
        )

    async def nack(self, delay: float | None = None) -> None:
        if self.lost:
            raise ConnectionClosedError
        self.done.append(("nack", delay))

    async def reject(self) -> None:
        self.done.append("term")

    async def in_progress(self) -> None:
        self.done.append("alive")


async def settled(message: Message, error: BaseException | None, *, fails_at: str = "") -> list[Any]:
    """What was done to a message whose handler raised this."""

    async def handler(msg: Message) -> str:
        if error is not None:
            raise error
        return "handled"

    async def step(name: str) -> None:
        if name == fails_at:
            raise BusUnavailable("no acknowledgement")
        message.done.append(name)

    settle = Settle(
        None,
        context=None,
        durable="gap",
        delays_s=DELAYS_S,
        exhausted=lambda raw, cause: step("run ended"),
        dead_letter=lambda raw, durable, cause: step("dead letter"),
    )
    await settle.consume_scope(handler, message)
    return message.done


DEAD = ["dead letter", "run ended", "term"]


async def test_a_message_that_was_handled_is_left_to_the_acknowledgement() -> None:
    assert await settled(Message(), None) == []


@pytest.mark.parametrize(("tries", "delay_s"), [(None, DELAYS_S[0]), *enumerate(DELAYS_S, 1)])
@pytest.mark.parametrize("error", [KeyError("x"), LookupError("not stored yet"), SourceUnavailable("no answer")])
async def test_what_a_retry_may_cure_is_given_back_with_a_growing_delay(
    error: Exception, tries: int | None, delay_s: float
) -> None:
    """A plain nack would return it at once."""
    assert await settled(Message(tries), error) == [("nack", delay_s)]


@pytest.mark.parametrize("error", [KeyError("x"), SourceUnavailable("no answer")])
async def test_after_the_last_try_it_is_a_dead_letter_then_its_run_ends_then_it_is_terminated(
    error: Exception,
) -> None:
    """In this order: whatever is killed in between, nothing is lost in silence."""
    assert await settled(Message(len(DELAYS_S) + 1), error) == DEAD


@pytest.mark.parametrize("error", [ContractViolation("bad"), SubjectTaken("taken")])
async def test_what_no_retry_can_cure_is_a_dead_letter_at_once(error: OpenWorkError) -> None:
    assert await settled(Message(1), error) == DEAD


@pytest.mark.parametrize("error", [BusUnavailable("away"), StorageFull("full")])
async def test_waiting_for_the_bus_gets_twice_the_tries_with_the_longest_pause(error: OpenWorkError) -> None:
    """A message outlives a restart of NATS."""
    for tries in (1, 2 * len(DELAYS_S)):
        assert await settled(Message(tries), error) == [("nack", DELAYS_S[-1])]
    assert await settled(Message(2 * len(DELAYS_S) + 1), error) == DEAD


async def test_a_message_that_cannot_even_be_given_back_is_left_to_its_ack_wait() -> None:
    assert await settled(Message(lost=True), BusUnavailable("away")) == []


@pytest.mark.parametrize(("fails_at", "before"), [("dead letter", []), ("run ended", ["dead letter"])])
async def test_a_message_is_not_terminated_before_its_dead_letter_and_its_runs_end_are_stored(
    fails_at: str, before: list[str]
) -> None:
    message = Message(1)
    with pytest.raises(BusUnavailable):
        await settled(message, ContractViolation("bad"), fails_at=fails_at)
    assert message.done == before


@pytest.mark.parametrize("lost", [False, True])
async def test_a_handler_that_is_cancelled_gives_its_message_back_at_once(lost: bool) -> None:
    """A service that is stopped: another replica is to have it now, not after the ack wait."""
    message = Message(lost=lost)
    with pytest.raises(asyncio.CancelledError):
        await settled(message, asyncio.CancelledError())
    assert message.done == ([] if lost else [("nack", None)])


async def test_a_dead_letter_says_what_it_was_and_why_and_is_stored_once() -> None:
    sent: list[tuple[str, bytes, dict[str, Any]]] = []

    async def publish(subject: str, data: bytes, **options: Any) -> None:
        sent.append((subject, data, options))

    headers = {"traceparent": "00-1-2-01", "Nats-Expected-Last-Subject-Sequence": "0"}
    error = SourceUnavailable("no\nanswer " + "x" * 2000)
    await DeadLetter(publish)(Message(4, headers).raw_message, "gap", error)  # type: ignore[arg-type]
    ((subject, data, options),) = sent
    told = options["headers"]
    assert (subject, data) == ("openwork.dead.gap", b"body")
    assert told["Nats-Msg-Id"] == "dead-OPENWORK-gap-7"
    assert (told["Dead-Subject"], told["Dead-Deliveries"]) == ("openwork.v1.x", "4")
    assert told["Dead-Error"] == "SourceUnavailable"
    assert told["traceparent"] == "00-1-2-01"
    assert "Nats-Expected-Last-Subject-Sequence" not in told
    assert "\n" not in told["Dead-Reason"]
    assert len(told["Dead-Reason"]) <= 900


async def test_a_long_handler_tells_that_it_is_alive_and_stops_when_it_is_done() -> None:
    message = Message()

    async def slow(msg: Message) -> None:
        await asyncio.sleep(0.05)

    await Heartbeat(None, context=None, every_s=0.01).consume_scope(slow, message)
    n = len(message.done)
    assert n >= 2
    await asyncio.sleep(0.03)
    assert len(message.done) == n


async def test_a_replayed_message_reaches_no_handler() -> None:
    """Copied history is there to be read, not to be acted on."""

    async def handler(msg: Message) -> None:
        raise AssertionError("handled")

    middleware = InRun(None, context=None, run_of=None)  # type: ignore[arg-type]
    await middleware.consume_scope(handler, Message(headers={"Openwork-Replayed": "r"}))
