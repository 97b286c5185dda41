"""Progress: what services tell is passed on to askers, seldom, and never over what a run came to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from openwork_bus.run_ids import new_run_id
from openwork_contracts.answer import RunStatus
from openwork_contracts.progress import Progress
from openwork_gateway.domain.refused import refused_document
from openwork_gateway.relay import ProgressRelay
from openwork_gateway.results import put_document

from tests.memory_results import MemoryResults
from tests.run_events import AT


def told(run_id: str, step: str = "search") -> Any:
    """A message of a service."""
    progress = Progress(run_id=run_id, service="retrievers", step=step, at=AT)
    return SimpleNamespace(subject=f"openwork.progress.v1.{run_id}", data=progress.model_dump_json().encode())


def steps(results: MemoryResults, run_id: str) -> list[str]:
    found = results.told.get(("ALICE", run_id), [])
    return [result.progress.step for result in found if result.progress]


async def test_the_newest_progress_is_told_once() -> None:
    results, run_id = MemoryResults(), new_run_id()
    relay = ProgressRelay(results)
    relay.follow(run_id, "ALICE", 60)
    for n in range(5):
        await relay.hear(told(run_id, f"step {n}"))
    await relay.pass_on()
    await relay.pass_on()
    assert steps(results, run_id) == ["step 4"]


async def test_runs_that_another_gateway_let_in_are_left_to_it() -> None:
    results, run_id = MemoryResults(), new_run_id()
    relay = ProgressRelay(results)
    await relay.hear(told(run_id))
    await relay.pass_on()
    assert results.told == {}


async def test_progress_that_is_late_is_not_put_over_the_document() -> None:
    """The document is to stay the last message: lists and later readers find it there."""
    results, run_id = MemoryResults(), new_run_id()
    relay = ProgressRelay(results)
    relay.follow(run_id, "ALICE", 60)
    await relay.hear(told(run_id))
    document = refused_document(run_id, "no", owner="ALICE", pipeline="answer")
    await put_document(results, document.model_copy(update={"status": RunStatus.FAILED}))
    await relay.pass_on()
    assert results.kinds("ALICE", run_id) == ["document"]


async def test_a_run_that_was_refused_once_and_let_in_later_has_progress() -> None:
    results, run_id = MemoryResults(), new_run_id()
    relay = ProgressRelay(results)
    await put_document(results, refused_document(run_id, "busy", owner="ALICE", pipeline="answer"))
    relay.follow(run_id, "ALICE", 60)
    await relay.hear(told(run_id))
    await relay.pass_on()
    assert results.kinds("ALICE", run_id) == ["document", "progress"]


async def test_a_run_whose_end_nobody_heard_is_forgotten_after_its_deadline() -> None:
    now = [0.0]
    relay = ProgressRelay(MemoryResults(), clock=lambda: now[0])
    for n in range(1000):
        relay.follow(str(n), "ALICE", 60)
    relay.forget("7")
    assert len(relay) == 999
    now[0] = 61
    await relay.pass_on()
    assert len(relay) == 0


@pytest.mark.parametrize(
    "data",
    [b"", b"[" * 100_000, b'{"run_id": "x"}', told(new_run_id()).data],
    ids=["empty", "nested", "another form", "another run"],
)
async def test_what_is_no_progress_of_that_run_stops_nothing(data: bytes) -> None:
    results, good, bad = MemoryResults(), new_run_id(), new_run_id()
    relay = ProgressRelay(results)
    for run_id in (bad, good):
        relay.follow(run_id, "ALICE", 60)
    message = told(bad)
    message.data = data
    await relay.hear(message)
    await relay.hear(told(good))
    await relay.pass_on()
    assert [*results.told] == [("ALICE", good)]


@pytest.mark.parametrize("error", [None, RuntimeError("a bug")])
async def test_results_that_cannot_be_stored_stop_nothing(error: Exception | None) -> None:
    class Broken(MemoryResults):
        async def put_progress(self, progress: Progress, owner: str) -> bool:
            if error:
                raise error
            return await super().put_progress(progress, owner)

    relay, run_id = ProgressRelay(Broken(away=True)), new_run_id()
    relay.follow(run_id, "ALICE", 60)
    await relay.hear(told(run_id))
    await relay.pass_on()


async def test_control_characters_of_a_note_do_not_reach_a_terminal() -> None:
    results, run_id = MemoryResults(), new_run_id()
    progress = Progress(run_id=run_id, service="gap", step="x", note="a\x1b[2Jb", at=AT)
    relay = ProgressRelay(results)
    relay.follow(run_id, "ALICE", 60)
    message = told(run_id)
    message.data = progress.model_dump_json().encode()
    await relay.hear(message)
    await relay.pass_on()
    (found,) = results.told["ALICE", run_id]
    assert found.progress is not None
    assert found.progress.note == "a[2Jb"
