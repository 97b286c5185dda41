"""The pace: the door's picture of the services, and the loop that gives turns, which nothing may end."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from nats.errors import TimeoutError as NatsTimeoutError
from openwork_gateway.pace import Pace

from tests.at_the_door import a_door, asked_of, close_door, questions


def consumer(name: str, pending: int, delivered: int | None) -> SimpleNamespace:
    sequences = None if delivered is None else SimpleNamespace(consumer_seq=delivered)
    return SimpleNamespace(name=name, num_pending=pending, delivered=sequences)


@dataclass
class Server:
    """The event stream as the server tells of it."""

    consumers: list[SimpleNamespace] = field(default_factory=lambda: [consumer("query", 0, 10_000)])
    n_bytes: int = 0
    error: Exception | None = None

    async def consumers_info(self, stream: str) -> list[SimpleNamespace]:
        if self.error:
            raise self.error
        return self.consumers

    async def stream_info(self, stream: str) -> Any:
        config, state = SimpleNamespace(max_bytes=1000), SimpleNamespace(bytes=self.n_bytes)
        return SimpleNamespace(config=config, state=state)


def pace_of(door: object, server: Server) -> Pace:
    return Pace(server, door)  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [None, NatsTimeoutError(), RuntimeError("a bug")])
async def test_a_measurement_that_fails_ends_nothing_and_turns_go_on(error: Exception | None) -> None:
    door, server = a_door(), Server()
    close_door(door)
    await door.take(asked_of(door))
    pace = pace_of(door, server)
    server.error = error
    await pace.step()
    server.error = None
    await pace.step()
    assert len(await questions(door.bus)) == 1


async def test_a_store_that_is_nearly_full_closes_the_door_and_room_opens_it() -> None:
    door, server = a_door(), Server(n_bytes=800)
    await pace_of(door, server).step()
    assert "nearly full" in (door.stopped_because or "")
    server.n_bytes = 799
    await pace_of(door, server).step()
    assert door.stopped_because is None


async def test_what_waits_is_not_let_in_while_the_store_is_nearly_full() -> None:
    door, server = a_door(), Server(n_bytes=900)
    close_door(door)
    await door.take(asked_of(door))
    await pace_of(door, server).step()
    assert len(door.waiting) == 1


async def test_sources_that_nobody_serves_keep_nobody_out_for_long() -> None:
    now = [0.0]
    door = a_door(clock=lambda: now[0])
    pace = pace_of(door, Server([consumer("query", 0, None), consumer("retriever-x", 500, 7)]))
    await pace.step()
    assert not door.load.has_room
    for now[0] in range(1, 30):
        await pace.step()
    assert door.load.has_room


async def test_documents_that_are_not_stored_yet_keep_questions_out() -> None:
    """A run is over for its asker when its document is there: a gateway that falls behind with them lets in less."""
    now = [0.0]
    door = a_door(clock=lambda: now[0])
    server = Server()
    pace = pace_of(door, server)
    for now[0] in range(5):
        server.consumers = [consumer("query", 0, 1000), consumer("gateway-results", 80, 10 * int(now[0]))]
        await pace.step()
    assert not door.load.has_room
    assert door.load.wait_s == pytest.approx(8.0, rel=0.2)
    for now[0] in range(5, 15):
        server.consumers = [consumer("query", 0, 1000), consumer("gateway-results", 0, 10 * int(now[0]))]
        await pace.step()
    assert door.load.has_room
