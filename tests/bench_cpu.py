"""Processor time of an answer from the starter library: of the whole, and of each step without the bus.

python -m tests.bench_cpu [--only whole,steps] [--rounds N]

A hundred questions of different text, since what was read before is remembered. Whole: every service in this process
and a nats-server, asked through the gateway. Steps: the handlers on a memory bus, one after the other. Linux only.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import nats
from nats.aio.client import Client as NatsClient
from openwork_bus import loop
from openwork_bus.bus import Bus
from openwork_bus.memory import MemoryBus
from openwork_bus.settings import ServiceSettings
from openwork_contracts.question import AskRequest
from openwork_contracts.requests import ShowReply
from openwork_contracts.subjects import ASK_SUBJECT, SHOW_SUBJECT
from openwork_evidence.library.references import shipped
from openwork_gateway.domain.folds import fold
from openwork_report.render import rendered
from openwork_retrievers.adapters.library import LibrarySource

from tests.asking import submit
from tests.bench import Row, answering, report
from tests.flow import services
from tests.handling import bus_of_today
from tests.processor import processor_s

T = TypeVar("T")

_BUS = ("publish", "publish_all", "subjects", "get", "get_all", "history", "progress")


def questions() -> list[str]:
    """A question about each record of the starter library, and ten to begin with: caches filled, lists loaded."""
    return [f"What is known of this: {record.title}?" for record in shipped().values()][:110]


async def ask(connection: NatsClient, question: str) -> None:
    """As a client does: ask, wait for the end, take the document in words."""
    asked = json.dumps({"question": question}).encode()
    run_id = json.loads((await connection.request(ASK_SUBJECT, asked, timeout=30)).data)["run_id"]
    shown = json.dumps({"run_id": run_id, "wait_s": 30, "rendered": True}).encode()
    reply = json.loads((await connection.request(SHOW_SUBJECT, shown, timeout=40)).data)
    assert reply["document"], reply["error"]


def server_pid() -> int:
    """The nats-server, which is this process's only child."""
    (pid,) = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return int(pid)


async def whole(rounds: int) -> list[Row]:
    """Medians over batches of ten questions, which a busy machine disturbs less than one long measurement."""
    asked = questions()
    python: list[float] = []
    server: list[float] = []
    async with answering() as (bus, _):
        pid = server_pid()
        # Of an asker without credentials, on the same server.
        connection = await nats.connect(f"nats://127.0.0.1:{bus.connection.connected_url.port}")  # type: ignore[union-attr]
        for question in asked[:10]:
            await ask(connection, question)
        for start in [*range(10, len(asked), 10)] * rounds:
            before = time.process_time(), processor_s(pid)
            for question in asked[start : start + 10]:
                await ask(connection, question)
            python.append((time.process_time() - before[0]) * 100)
            server.append((processor_s(pid) - before[1]) * 100)
        await connection.close()
    return [
        ("all services and the client", f"{statistics.median(python):.1f} ms", ""),
        ("nats-server", f"{statistics.mean(server):.1f} ms", ""),
    ]


@dataclass(slots=True)
class Clock:
    """Processor time by step; a step inside another is not counted twice."""

    spent_s: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _open: list[tuple[str, float]] = field(default_factory=list)

    def timed(self, step: str, work: Callable[..., Awaitable[T]]) -> Callable[..., Awaitable[T]]:
        """The work, its time told to the clock."""

        async def measured(*args: object, **kwargs: object) -> T:
            self._turn(step)
            try:
                return await work(*args, **kwargs)
            finally:
                self._turn(None)

        return measured

    def _turn(self, step: str | None) -> None:
        now = time.process_time()
        if self._open:
            name, since = self._open[-1]
            self.spent_s[name] += now - since
            self._open[-1] = (name, now)
        if step is None:
            self._open.pop()
            if self._open:
                self._open[-1] = (self._open[-1][0], now)
        else:
            self._open.append((step, now))


def clocked_bus(clock: Clock) -> MemoryBus:
    """A memory bus whose own time is counted as the bus's."""
    bus = bus_of_today()
    for name in _BUS:
        setattr(bus, name, clock.timed("bus (memory)", getattr(bus, name)))
    return bus


async def answer(question: str, clock: Clock, library: LibrarySource) -> None:
    """One run of all steps, the gateway's document included."""
    bus = clocked_bus(clock)
    runner = services(bus, sources={"library": library})
    runner.handlers = {event: (name, clock.timed(name, handler)) for event, (name, handler) in runner.handlers.items()}
    reply = await submit(bus, AskRequest(question=question), ServiceSettings())
    assert reply.run_id is not None
    await runner.drain()
    await clock.timed("gateway", shown)(bus, reply.run_id)


async def shown(bus: Bus, run_id: str) -> None:
    """What the gateway makes of a finished run."""
    document = fold(await bus.history(run_id))
    ShowReply(document=document, rendered=rendered(document)).model_dump_json().encode()


async def steps(rounds: int) -> list[Row]:
    """The median of the rounds, per step."""
    library, asked = LibrarySource(), questions()
    for question in asked[:10]:
        await answer(question, Clock(), library)
    clocks = []
    for _ in range(rounds):
        clocks.append(clock := Clock())
        for question in asked[10:]:
            await answer(question, clock, library)
    by_step = {
        step: statistics.median(clock.spent_s[step] for clock in clocks) * 1000 / len(asked[10:])
        for step in sorted(clocks[0].spent_s)
    }
    return [
        *((step, f"{ms:.1f} ms", "") for step, ms in by_step.items()),
        ("all", f"{sum(by_step.values()):.1f} ms", ""),
    ]


def main() -> int:
    """Run what was asked for and print a Markdown table."""
    os.environ.setdefault("OPENWORK_SOURCES", "library")
    parts = {"whole": lambda rounds: loop.run(whole(rounds)), "steps": lambda rounds: loop.run(steps(rounds))}
    return report(parts, doc=__doc__, rounds=3)


if __name__ == "__main__":
    sys.exit(main())
