"""The sweep: every run that is past its deadline ends, whatever became of its timer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from openwork_bus.memory import MemoryBus
from openwork_contracts.end import EndKind
from openwork_contracts.errors import BusUnavailable, FailureReason
from openwork_contracts.meta import Event
from openwork_gateway.sweep import sweep

from tests.builders import run_on, submitted
from tests.handling import bus_of_today, end_of


async def begun(bus: MemoryBus, *, overdue_s: float, owner: str = "ALICE") -> str:
    """A run whose deadline was so many seconds ago."""
    run = run_on(bus)
    run.owner, run.deadline_at = owner, datetime.now(UTC) - timedelta(seconds=overdue_s)
    await bus.publish(submitted(run))
    return run.id


async def test_a_run_that_is_overdue_is_ended_with_its_reason() -> None:
    bus = bus_of_today()
    run_id = await begun(bus, overdue_s=10)
    assert await sweep(bus) == 1
    end = await end_of(bus, run_id)
    assert end is not None
    assert (end.kind, end.failure, end.meta.owner) == (EndKind.FAILED, FailureReason.DEADLINE, "ALICE")
    assert await sweep(bus) == 0


@pytest.mark.parametrize("overdue_s", [-60, 0, 1])
async def test_a_run_that_has_time_or_whose_timer_may_come_is_left(overdue_s: float) -> None:
    bus = bus_of_today()
    run_id = await begun(bus, overdue_s=overdue_s)
    assert await sweep(bus) == 0
    assert await end_of(bus, run_id) is None


async def test_many_overdue_runs_are_ended_in_one_sweep() -> None:
    bus = bus_of_today()
    for _ in range(150):
        await begun(bus, overdue_s=10)
    await begun(bus, overdue_s=-60)
    assert await sweep(bus) == 150


async def test_a_run_that_cannot_be_ended_keeps_no_other_from_its_end() -> None:
    class Broken(MemoryBus):
        async def publish(self, event: Event, *, headers: object = None) -> bool:
            if event.terminal and event.meta.run_id == bad:
                raise RuntimeError("a bug")
            return await super().publish(event)

    bus = Broken(now=datetime.now(UTC))
    bad = await begun(bus, overdue_s=10)
    good = await begun(bus, overdue_s=10)
    assert await sweep(bus) == 1
    assert await end_of(bus, good) is not None


async def test_a_question_that_cannot_be_read_keeps_no_other_run_from_its_end() -> None:
    bus = bus_of_today()
    await begun(bus, overdue_s=10)
    await bus.put_raw("openwork.v1.query-submitted.answer.all.01ARZ3NDEKTSV4RRFFQ69G5FAV.all.0.0", b"no")
    assert await sweep(bus) == 1


async def test_a_bus_that_is_away_is_said() -> None:
    class Away(MemoryBus):
        async def subjects(self, pattern: str) -> frozenset[str]:
            raise BusUnavailable("nobody answers")

    with pytest.raises(BusUnavailable):
        await sweep(Away())
