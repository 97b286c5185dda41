"""Whole reruns on the memory bus: what is copied, what is published anew, and that the answer is the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from openwork_bus.bus import REPLAYED_HEADER, StoredEvent
from openwork_bus.memory import MemoryBus, MemoryRunner
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.errors import UsageError
from openwork_gateway.domain.folds import fold
from openwork_laptop import runs

from tests.builders import run_on, submitted
from tests.flow import services

QUESTION = "Does dexamethasone reduce mortality in hospitalised patients with COVID-19?"


async def answered(bus: MemoryBus) -> tuple[str, MemoryRunner]:
    run = run_on(bus)
    await bus.publish(submitted(run, QUESTION))
    runner = services(bus)
    await runner.drain()
    return run.id, runner


async def rerun(
    bus: MemoryBus, run_id: str, runner: MemoryRunner, step: str, monkeypatch: pytest.MonkeyPatch
) -> AnswerDocument:
    async def watch(bus: MemoryBus, run_id: str, *, within_s: float) -> AsyncIterator[StoredEvent]:
        await runner.drain()
        for stored in await bus.history(run_id):
            yield stored

    monkeypatch.setattr(runs, "watch", watch)
    return await runs.rerun(bus, run_id, step)


def events_of(bus: MemoryBus, run_id: str, *, replayed: bool) -> list[str]:
    """Subjects of a run without its id, in order: those that were copied, or those that were not."""
    found = (m for m in bus._messages if f".{run_id}." in m.subject and (REPLAYED_HEADER in m.headers) is replayed)
    return [m.subject.replace(run_id, "RUN") for m in found]


@pytest.mark.parametrize("step", ["retrievers", "normaliser", "reranker", "gap", "synthesiser", "verifier"])
async def test_a_run_taken_up_from_a_step_has_the_history_before_it_and_makes_the_rest_anew(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = MemoryBus(now=datetime.now(UTC))
    run_id, runner = await answered(bus)
    whole = events_of(bus, run_id, replayed=False)
    document = await rerun(bus, run_id, runner, step, monkeypatch)
    copied = events_of(bus, document.run_id, replayed=True)
    anew = events_of(bus, document.run_id, replayed=False)
    assert document.run_id != run_id
    assert copied == whole[: len(copied)]
    assert copied + anew == whole
    assert anew[0].split(".")[2] in runs.STEPS[step]
    first = fold(await bus.history(run_id))
    assert document.answer.markdown == first.answer.markdown
    assert runs.difference(first, document).startswith("nothing changed")


async def test_a_step_that_there_is_not_and_one_that_the_run_never_came_to_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bus = MemoryBus(now=datetime.now(UTC))
    run = run_on(bus)
    await bus.publish(submitted(run, "What is the capital of France?"))
    runner = services(bus)
    await runner.drain()
    with pytest.raises(UsageError, match="the steps are"):
        await rerun(bus, run.id, runner, "reader", monkeypatch)
    with pytest.raises(UsageError, match="never came to the step 'gap'"):
        await rerun(bus, run.id, runner, "gap", monkeypatch)
