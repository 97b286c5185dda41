"""A door on a memory bus, and questions that come to it as from an inbox."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from time import monotonic

from openwork_bus.bus import Timer
from openwork_bus.memory import MemoryBus
from openwork_bus.run_ids import new_run_id
from openwork_contracts.meta import Event
from openwork_contracts.question import AskRequest, QuerySubmitted
from openwork_contracts.subjects import question_filter
from openwork_gateway.domain.admission import Lag
from openwork_gateway.door import Asked, Door
from openwork_gateway.settings import Settings

from tests.memory_results import MemoryResults


@dataclass
class Watched(MemoryBus):
    """A memory bus that keeps in mind in which order timers were set and events stored."""

    done: list[str] = field(default_factory=list)
    broken: Exception | None = None
    """What every publication meets."""

    async def set_timer(self, timer: Timer) -> datetime:
        due = await super().set_timer(timer)
        self.done.append("timer")
        return due

    async def publish(self, event: Event, *, headers: object = None) -> bool:
        if self.broken:
            raise self.broken
        stored = await super().publish(event, headers=headers)  # type: ignore[arg-type]
        self.done.append(event.event_name if stored else "known")
        return stored


@dataclass
class Inbox:
    """What was done to the inbox messages of questions."""

    settled: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def of(self, asked: Asked, delivery: str = "") -> Asked:
        """The question with a message in this inbox."""
        name = delivery or asked.run_id

        def note(where: list[str]) -> Callable[[], Awaitable[None]]:
            async def told() -> None:
                where.append(name)

            return told

        return replace(asked, settle=note(self.settled), keep=note(self.kept))


def a_door(bus: MemoryBus | None = None, *, clock: Callable[[], float] | None = None, **settings: object) -> Door:
    """A door with results in memory."""
    made = Settings.model_validate(settings)
    return Door(bus or Watched(now=datetime.now(UTC)), MemoryResults(), made, clock=clock or monotonic)


def asked_of(
    door: Door,
    words: str = "Why?",
    *,
    account: str = "ALICE",
    run_id: str | None = None,
    ago_s: float = 0.0,
    **request: object,
) -> Asked:
    """A question that came to the door so many seconds ago."""
    asked_at = datetime.now(UTC) - timedelta(seconds=ago_s)
    body = AskRequest.model_validate({"question": words, **request})
    return door.asked(account, run_id or new_run_id(), body, asked_at)


def close_door(door: Door, *, rate: float = 8.0) -> None:
    """Have the services be seen as busy: one second of work is in front of them, and so much a second is done."""
    n = 0
    for second in range(8):
        n = round(rate * second)
        door.load.measure({"query": Lag(round(rate), n)}, door.clock() - 8 + second, waiting=0)
    door.load.measure({"query": Lag(round(rate), n)}, door.clock(), waiting=1)


def open_door(door: Door) -> None:
    """Have the services be seen as idle."""
    door.load.measure({"query": Lag(0, 10_000)}, door.clock() + 1, waiting=len(door.waiting))


def told(door: Door, asked: Asked) -> list[str]:
    """What the asker was told, in order."""
    assert isinstance(door.results, MemoryResults)
    return door.results.kinds(asked.account, asked.run_id)


async def questions(bus: object) -> list[QuerySubmitted]:
    """Every question that was let in, in the order in which it was."""
    assert isinstance(bus, MemoryBus)
    found = await bus.get_all(await bus.subjects(question_filter("*")))
    found.sort(key=lambda stored: stored.sequence)
    return [stored.event for stored in found if isinstance(stored.event, QuerySubmitted)]
