"""When a join goes on: with every part, by the last of them, or at the deadline of the newest plan."""

from __future__ import annotations

from datetime import datetime, timedelta

from openwork_bus.join import Arrived, join
from openwork_bus.memory import MemoryBus
from openwork_bus.run import Run
from openwork_contracts.evidence import EvidenceNormalised, PrismaCounts
from openwork_contracts.meta import Event
from openwork_contracts.plan import RetrievalCompleted, RetrievalFailed

from tests.builders import completed, run_on, source_failed
from tests.handling import delivered

COUNTS = PrismaCounts(identified=0, duplicates=0, excluded_notices=0, excluded_no_text=0, screened=0)


async def arrive(bus: MemoryBus, event: Event, *sources: str, deadline_at: datetime | None = None) -> Arrived | None:
    run = await delivered(bus, event, "normaliser")
    return await join(
        run,
        expected={
            s: (run.subject(RetrievalCompleted, route=s), run.subject(RetrievalFailed, route=s)) for s in sources
        },
        outcomes=(RetrievalCompleted, RetrievalFailed),
        into=EvidenceNormalised,
        deadline_at=deadline_at,
    )


def sources_of(arrived: Arrived | None) -> list[str] | None:
    return None if arrived is None else [e.source for e in arrived.outcomes]  # type: ignore[attr-defined]


async def test_it_waits_for_every_part_and_keeps_their_order() -> None:
    bus = MemoryBus()
    run = run_on(bus)
    assert await arrive(bus, completed(run, "b"), "a", "b") is None
    arrived = await arrive(bus, source_failed(run, "a"), "a", "b")
    assert sources_of(arrived) == ["a", "b"]
    assert arrived is not None
    assert arrived.missing == ()


async def test_only_the_message_that_was_stored_last_goes_on() -> None:
    bus = MemoryBus()
    run = run_on(bus)
    events = [completed(run, "a"), completed(run, "b")]
    for event in events:
        await run.publish(event)
    assert await arrive(bus, events[0], "a", "b") is None
    assert sources_of(await arrive(bus, events[1], "a", "b")) == ["a", "b"]


async def test_a_second_outcome_of_a_part_does_not_stop_the_join() -> None:
    """a failed and was then found by a redelivery; b is the last that is still to come."""
    bus = MemoryBus()
    run = run_on(bus)
    assert await arrive(bus, source_failed(run, "a"), "a", "b") is None
    assert await arrive(bus, completed(run, "a"), "a", "b") is None
    arrived = await arrive(bus, completed(run, "b"), "a", "b")
    assert arrived is not None
    assert [type(e) for e in arrived.outcomes] == [RetrievalCompleted, RetrievalCompleted]


async def test_at_the_deadline_it_goes_on_with_what_is_in() -> None:
    bus = MemoryBus()
    run = run_on(bus)
    due = bus.now + timedelta(seconds=10)
    await run.publish(completed(run, "b"))
    timer = run.timer("normaliser", due).event
    arrived = await arrive(bus, timer, "a", "b", deadline_at=due)
    assert sources_of(arrived) == ["b"]
    assert arrived is not None
    assert arrived.missing == ("a",)


async def test_a_timer_that_says_an_earlier_time_is_not_the_deadline() -> None:
    bus = MemoryBus()
    run = run_on(bus)
    due = bus.now + timedelta(seconds=10)
    early = run.timer("normaliser", due - timedelta(milliseconds=1)).event
    assert await arrive(bus, early, "a", deadline_at=due) is None


async def test_no_deadline_means_that_it_waits() -> None:
    bus = MemoryBus()
    run = run_on(bus)
    assert await arrive(bus, run.timer("normaliser", bus.now).event, "a", deadline_at=None) is None


async def test_an_arrival_is_no_deadline_however_late_it_is() -> None:
    bus = MemoryBus()
    run = run_on(bus)
    assert await arrive(bus, completed(run, "b"), "a", "b", deadline_at=bus.now - timedelta(days=1)) is None


async def test_what_was_joined_is_not_joined_again() -> None:
    bus = MemoryBus()
    run = run_on(bus)
    due = bus.now
    await run.publish(EvidenceNormalised(meta=run.meta(EvidenceNormalised), candidates=(), sources=(), counts=COUNTS))
    assert await arrive(bus, completed(run, "a"), "a", deadline_at=due) is None
    assert await arrive(bus, run.timer("normaliser", due).event, "a", deadline_at=due) is None


async def test_parts_of_other_tracks_and_rounds_are_not_counted() -> None:
    bus = MemoryBus()
    run = run_on(bus)
    for place in (run_on(bus, run.id, track="falsification"), run_on(bus, run.id, round_=2)):
        await place.publish(completed(place, "a"))
    assert await arrive(bus, completed(run, "b"), "a", "b") is None


async def test_the_join_asks_for_its_own_round_and_never_for_the_whole_run() -> None:
    """500 parts of another step cost nothing."""
    asked: list[str] = []

    class Watched(MemoryBus):
        async def subjects(self, pattern: str) -> frozenset[str]:
            asked.append(pattern)
            return await super().subjects(pattern)

    bus = Watched()
    run: Run = run_on(bus)
    await arrive(bus, completed(run, "a"), "a", "b")
    assert asked
    assert all(f".{run.id}.affirmative.1." in pattern for pattern in asked)
