"""Which runs have ended: what is heard may have been refused, and the stream says which counts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from openwork_bus import ends as module
from openwork_bus.ends import EndsHeard
from openwork_bus.memory import MemoryBus
from openwork_bus.run_ids import new_run_id
from openwork_contracts.errors import BusUnavailable
from openwork_contracts.subjects import end_filter, run_filter

from tests.builders import failed, run_on


class Heard(MemoryBus):
    """A memory bus with a connection that tells what is published, whether it is stored or not."""

    looks = 0
    away = False
    tell: Callable[[Any], Awaitable[None]]

    @property
    def connection(self) -> Heard:
        return self

    async def subscribe(self, subject: str, cb: Callable[[Any], Awaitable[None]]) -> None:
        assert subject == end_filter("*")
        self.tell = cb

    async def subjects(self, pattern: str) -> frozenset[str]:
        self.looks += 1
        if self.away:
            raise BusUnavailable("nobody answers")
        return await super().subjects(pattern)

    async def say_ended(self, run_id: str) -> None:
        await self.tell(SimpleNamespace(subject=f"openwork.v1.end.answer.all.{run_id}.all.0.0"))


async def listening() -> tuple[EndsHeard, Heard]:
    ends, bus = EndsHeard(), Heard()
    await ends.listen(bus)  # type: ignore[arg-type]
    return ends, bus


def work(run_id: str) -> str:
    return f"openwork.v1.evidence-normalised.answer.all.{run_id}.affirmative.1.0"


async def test_of_a_run_whose_end_nobody_heard_nothing_is_asked() -> None:
    ends, bus = await listening()
    assert not await ends.has_ended(work(new_run_id()))
    assert bus.looks == 0


async def test_an_end_that_is_stored_counts_and_is_asked_for_once() -> None:
    ends, bus = await listening()
    run = run_on(bus)
    await bus.publish(failed(run))
    await bus.say_ended(run.id)
    assert [await ends.has_ended(work(run.id)) for _ in range(5)] == [True] * 5
    assert bus.looks == 1


async def test_an_end_that_was_refused_does_not_count() -> None:
    ends, bus = await listening()
    run = run_on(bus)
    await bus.say_ended(run.id)
    assert not await ends.has_ended(work(run.id))
    await bus.publish(failed(run))
    assert await ends.has_ended(work(run.id))


async def test_while_nobody_answers_the_work_is_done() -> None:
    ends, bus = await listening()
    await bus.say_ended(run_id := new_run_id())
    bus.away = True
    assert not await ends.has_ended(work(run_id))


@pytest.mark.parametrize("subject", ["", "openwork.v1.odd", run_filter("*")[:-1]])
async def test_what_is_no_event_has_no_end(subject: str) -> None:
    ends, bus = await listening()
    await bus.tell(SimpleNamespace(subject=subject))
    assert not await ends.has_ended(subject)


async def test_a_bounded_number_of_ends_is_kept_in_mind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 10)
    ends, bus = await listening()
    run_ids = [new_run_id() for _ in range(50)]
    for run_id in run_ids:
        await bus.say_ended(run_id)
    assert [*ends._heard] == run_ids[-10:]


async def test_before_it_listens_nothing_is_known() -> None:
    assert not await EndsHeard().has_ended(work(new_run_id()))
