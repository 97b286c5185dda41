"""When the embedded server is restarted, and what is said, on a disk and a server that are told what to be."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest
from openwork_contracts.errors import BusUnavailable, StorageFull
from openwork_laptop import supervision
from openwork_laptop.supervision import ROOM_BYTES, Supervisor, require_room

WORDS = "JetStream stream 'A' write error: no space left on device"


@dataclass
class Process:
    """A process that runs until it is said to have ended."""

    code: int | None = None

    def poll(self) -> int | None:
        return self.code


@dataclass
class Server:
    """Counts its starts."""

    folder: Path
    monitor_url: str = "http://127.0.0.1:1"
    process: Process | None = field(default_factory=Process)
    n_starts: int = 0
    refuses: bool = False

    async def stop(self) -> None:
        self.process = None

    async def start(self) -> None:
        if self.refuses:
            raise BusUnavailable("nats-server did not start")
        self.n_starts += 1
        self.process = Process()


@dataclass
class World:
    """The disk, the server's words and the clock."""

    free: int = ROOM_BYTES
    words: str | None = None
    now: float = 1000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()

    async def words(url: str) -> str | None:
        return world.words

    monkeypatch.setattr(supervision, "free_bytes", lambda folder: world.free)
    monkeypatch.setattr(supervision, "write_error", words)
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: world)
    return world


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path)


@pytest.fixture
def supervisor(server: Server) -> Supervisor:
    return Supervisor(server)  # type: ignore[arg-type]


async def test_a_server_that_stores_is_left_alone(supervisor: Supervisor, server: Server, world: World) -> None:
    for world.free in (ROOM_BYTES, 0, ROOM_BYTES):
        await supervisor.look()
    assert server.n_starts == 0


async def test_a_server_that_stores_nothing_is_restarted_when_there_is_room_and_not_before(
    supervisor: Supervisor, server: Server, world: World
) -> None:
    world.words, world.free = WORDS, ROOM_BYTES - 1
    await supervisor.look()
    assert server.n_starts == 0
    world.free = ROOM_BYTES
    await supervisor.look()
    assert server.n_starts == 1


async def test_what_fails_again_at_once_is_restarted_ever_more_seldom(
    supervisor: Supervisor, server: Server, world: World
) -> None:
    """Looked at every two seconds for an hour: 5, 10, 20, ... 300 s between two restarts."""
    world.words = WORDS
    starts = []
    for world.now in range(0, 3600, 2):
        before = server.n_starts
        await supervisor.look()
        if server.n_starts > before:
            starts.append(world.now)
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert gaps[:4] == [6, 10, 20, 40]
    assert all(gap == 300 for gap in gaps[6:])


async def test_after_ten_minutes_of_work_the_next_restart_waits_for_nothing(
    supervisor: Supervisor, server: Server, world: World
) -> None:
    world.words = WORDS
    for world.now in (0.0, 5.0, 606.0):
        await supervisor.look()
    assert server.n_starts == 3


async def test_a_server_that_ended_or_did_not_start_is_started_again(
    supervisor: Supervisor, server: Server, world: World
) -> None:
    assert server.process is not None
    server.process.code, server.refuses = 2, True
    with pytest.raises(BusUnavailable):
        await supervisor.look()
    world.now, server.refuses = world.now + 5, False
    await supervisor.look()
    assert server.n_starts == 1


async def test_the_same_trouble_is_told_once(
    supervisor: Supervisor, world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.free = 0
    for world.words in (None, None, WORDS, WORDS):
        await supervisor.look()
    told = [record.getMessage() for record in caplog.records]
    assert ["soon nothing more is stored" in line for line in told] == [True, False]
    assert WORDS in told[1]


def test_a_full_disk_is_refused_with_what_to_do(world: World, tmp_path: Path) -> None:
    world.free = 5 * 2**20
    with pytest.raises(StorageFull, match=r"is full \(5\.0 MiB free\).*make room"):
        require_room(tmp_path)
