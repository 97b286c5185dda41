"""What the gateway does with deadlines and with questions that no pipeline serves."""

from __future__ import annotations

from datetime import timedelta

import pytest
from openwork_bus.memory import MemoryBus
from openwork_bus.run import Run
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import FailureReason
from openwork_contracts.meta import Event
from openwork_contracts.plan import DeadlineReached
from openwork_gateway.handlers import on_query_submitted, on_run_deadline

from tests.run_events import AT, RUN, meta, planned, rejected, submitted


def run(bus: MemoryBus, cause: Event) -> Run:
    return Run(cause.meta.run_id, bus=bus, service="gateway", cause=cause)


def due(seconds: float) -> DeadlineReached:
    return DeadlineReached(
        meta=meta(DeadlineReached, route="run"), joiner="run", due_at=AT + timedelta(seconds=seconds)
    )


async def end_of(bus: MemoryBus, pipeline: str = "answer") -> RunEnded | None:
    stored = await bus.get(f"openwork.v1.end.{pipeline}.all.{RUN}.all.0.0")
    return stored.event if stored and isinstance(stored.event, RunEnded) else None


async def test_a_run_without_a_plan_ends_when_its_time_is_up() -> None:
    bus = MemoryBus()
    await bus.publish(submitted())
    await on_run_deadline(due(0), run(bus, due(0)))
    end = await end_of(bus)
    assert end is not None
    assert (end.kind, end.failure, end.stage) == (EndKind.FAILED, FailureReason.DEADLINE, "gateway")
    assert "time limit" in (end.message or "")


@pytest.mark.parametrize(("due_s", "ends"), [(0, False), (58.9, False), (59.5, True), (60, True), (61, True)])
async def test_a_timer_that_is_older_than_the_newest_plan_is_ignored(due_s: float, ends: bool) -> None:
    """Timers are told at least once, and one may have been set before the plan that moved the deadline."""
    bus = MemoryBus()
    for event in (submitted(), planned(), planned(round_=2, run_deadline_at=AT + timedelta(seconds=60))):
        await bus.publish(event)
    await on_run_deadline(due(due_s), run(bus, due(due_s)))
    assert (await end_of(bus) is not None) is ends


async def test_a_run_that_has_ended_is_not_ended_again() -> None:
    bus = MemoryBus()
    await bus.publish(submitted())
    await bus.publish(rejected())
    await on_run_deadline(due(0), run(bus, due(0)))
    end = await end_of(bus)
    assert end is not None
    assert end.kind is EndKind.REJECTED


async def test_a_question_published_for_a_pipeline_that_is_not_installed_is_refused_in_words() -> None:
    bus, question = MemoryBus(), submitted(pipeline="review")
    await bus.publish(question)
    await on_query_submitted(question, run(bus, question))
    end = await end_of(bus, "review")
    assert end is not None
    assert end.kind is EndKind.REFUSED
    assert "'review'" in (end.message or "")
    assert "not installed. Installed: answer: " in (end.message or "")


async def test_a_question_of_an_installed_pipeline_is_left_to_it() -> None:
    bus, question = MemoryBus(), submitted()
    await bus.publish(question)
    await on_query_submitted(question, run(bus, question))
    assert await end_of(bus) is None
