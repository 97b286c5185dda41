"""What the gateway does with deadlines and with ends: every run ends, and every end has one document."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from openwork_bus.figures import Figures
from openwork_bus.memory import MemoryBus, run_of
from openwork_bus.run import Run
from openwork_contracts.answer import RunStatus
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import BusUnavailable, FailureReason
from openwork_contracts.plan import DeadlineReached
from openwork_gateway import handlers
from openwork_gateway.domain.folds import fold
from openwork_gateway.domain.refused import refused_document
from openwork_gateway.door import Asked
from openwork_gateway.handlers import on_run_deadline, on_run_ended
from openwork_gateway.results import put_document

from tests.at_the_door import Inbox, Watched, a_door, asked_of, close_door, open_door
from tests.handling import delivered, end_of
from tests.memory_results import MemoryResults
from tests.memory_statistics import MemoryStatistics
from tests.run_events import RUN, completed, concluded, failed, planned, rejected, submitted


async def fired(bus: MemoryBus, run_id: str) -> list[DeadlineReached]:
    """The deadlines of a run that were reached, in their order."""
    found = await bus.get_all(await bus.subjects(f"openwork.due.v1.run.{run_id}.*"))
    return [stored.event for stored in found if isinstance(stored.event, DeadlineReached)]


async def reach(bus: MemoryBus, asked: Asked, results: MemoryResults) -> None:
    """Let the deadline of a question come, and have it handled."""
    await bus.advance((asked.deadline_at - bus.now).total_seconds() + 1)
    for event in await fired(bus, asked.run_id):
        await on_run_deadline(event, await delivered(bus, event, "gateway"), results)


def results_of(door: object) -> MemoryResults:
    assert isinstance(door, MemoryResults)
    return door


# --- deadlines -----------------------------------------------------------------------------------------------------


async def test_a_run_ends_when_its_time_is_up() -> None:
    door = a_door()
    asked = asked_of(door)
    await door.take(asked)
    assert isinstance(door.bus, Watched)
    await reach(door.bus, asked, results_of(door.results))
    end = await end_of(door.bus, asked.run_id)
    assert end is not None
    assert (end.kind, end.failure, end.stage) == (EndKind.FAILED, FailureReason.DEADLINE, "gateway")
    assert "time limit" in (end.message or "")
    assert end.meta.owner == "ALICE"


async def test_a_run_that_has_ended_is_not_ended_again() -> None:
    bus = MemoryBus()
    await bus.publish(submitted())
    await bus.publish(rejected())
    run = Run(RUN, bus=bus, service="gateway", cause=submitted())
    event = run.timer("run", datetime.now(UTC)).event
    await on_run_deadline(event, run_of(bus, await _stored(bus, event), "gateway"), MemoryResults())
    end = await end_of(bus, RUN)
    assert end is not None
    assert end.kind is EndKind.REJECTED


async def _stored(bus: MemoryBus, event: DeadlineReached):  # type: ignore[no-untyped-def]
    await bus.publish(event)
    return await bus.get(event.meta.event_id)


async def test_a_question_that_still_waits_ends_in_words_once() -> None:
    """Its timer tells, and the door does when it is its turn."""
    door, inbox = a_door(), Inbox()
    close_door(door)
    asked = inbox.of(asked_of(door))
    await door.take(asked)
    assert isinstance(door.bus, Watched)
    await reach(door.bus, asked, results_of(door.results))
    document = await door.results.document("ALICE", asked.run_id)
    assert document is not None
    assert (document.status, document.retry_after_s) == (RunStatus.REFUSED, 1)
    assert document.answer.markdown.startswith("Too late")
    assert document.timings.total_s == pytest.approx(120)
    await door.refuse_too_late(asked)
    assert results_of(door.results).kinds("ALICE", asked.run_id) == ["document"]
    assert inbox.settled == [asked.run_id]


async def test_who_was_refused_before_is_told_of_the_second_end_too() -> None:
    door = a_door()
    door.stopped_because = "full"
    first = asked_of(door, ago_s=30)
    await door.take(first)
    door.stopped_because = None
    close_door(door)
    again = asked_of(door, run_id=first.run_id)
    await door.take(again)
    assert isinstance(door.bus, Watched)
    await reach(door.bus, again, results_of(door.results))
    document = await door.results.document("ALICE", first.run_id)
    assert document is not None
    assert document.submitted_at == again.asked_at
    assert document.answer.markdown.startswith("Too late")


async def test_a_timer_of_an_earlier_question_does_not_end_the_run() -> None:
    """It was refused, and asked again under the same run id; or it is another account's timer."""
    door = a_door()
    close_door(door)
    earlier = asked_of(door, account="MALLORY", options={"deadline_s": 1})
    await door.set_deadline(earlier)
    open_door(door)
    asked = asked_of(door, run_id=earlier.run_id)
    await door.take(asked)
    bus = door.bus
    assert isinstance(bus, Watched)
    await reach(bus, earlier, results_of(door.results))
    assert await end_of(bus, asked.run_id) is None
    await reach(bus, asked, results_of(door.results))
    assert await end_of(bus, asked.run_id) is not None


# --- ends ----------------------------------------------------------------------------------------------------------


async def ended(
    bus: MemoryBus,
    results: MemoryResults,
    event: RunEnded,
    *,
    again: bool = False,
    statistics: MemoryStatistics | None = None,
) -> None:
    run = await delivered(bus, event, "gateway", again=again)
    await on_run_ended(event, run, results, Figures("gateway"), statistics or MemoryStatistics())


async def test_a_run_that_is_over_has_its_document() -> None:
    bus, results = MemoryBus(), MemoryResults()
    for event in (submitted(), planned(), concluded()):
        await bus.publish(event)
    await ended(bus, results, completed())
    document = await results.document("local", RUN)
    assert document is not None
    assert document.status is RunStatus.ANSWERED
    assert document.references


async def test_an_end_that_is_delivered_twice_or_to_two_gateways_has_one_document() -> None:
    bus, results = MemoryBus(), MemoryResults()
    await bus.publish(submitted())
    await ended(bus, results, rejected())
    await ended(bus, results, rejected())
    results._once.clear()  # the server forgets after two minutes
    await ended(bus, results, rejected(), again=True)
    assert results.kinds("local", RUN) == ["document"]


async def test_an_end_whose_document_could_not_be_stored_has_one_when_it_comes_again() -> None:
    bus, results = MemoryBus(), MemoryResults(away=True)
    await bus.publish(submitted())
    with pytest.raises(BusUnavailable):
        await ended(bus, results, rejected())
    results.away = False
    await ended(bus, results, rejected(), again=True)
    assert results.kinds("local", RUN) == ["document"]


async def test_the_numbers_of_a_run_are_kept_once_also_where_its_gateway_died_before() -> None:
    bus, results, statistics = MemoryBus(), MemoryResults(), MemoryStatistics()
    await bus.publish(submitted())
    await ended(bus, results, rejected())  # stored its document, and no more
    for _ in range(2):
        await ended(bus, results, rejected(), again=True, statistics=statistics)
    kept = (await statistics.kept()).runs
    assert [(one.run_id, one.status) for one in kept] == [(RUN, RunStatus.REJECTED)]


async def test_a_run_whose_numbers_cannot_be_kept_has_its_document_all_the_same() -> None:
    bus, results = MemoryBus(), MemoryResults()
    await bus.publish(submitted())
    await ended(bus, results, rejected(), statistics=MemoryStatistics(away=True))
    assert results.kinds("local", RUN) == ["document"]


async def test_a_refusal_of_the_same_run_id_before_does_not_count_as_its_document() -> None:
    bus, results = MemoryBus(), MemoryResults()
    await put_document(results, refused_document(RUN, "busy", owner="local", pipeline="answer"))
    await bus.publish(submitted())
    await ended(bus, results, rejected(), again=True)
    document = await results.document("local", RUN)
    assert document is not None
    assert document.status is RunStatus.REJECTED


@pytest.mark.parametrize(("event", "status"), [(failed(), RunStatus.FAILED), (rejected(), RunStatus.REJECTED)])
async def test_of_a_run_whose_events_are_gone_the_end_is_told(event: RunEnded, status: RunStatus) -> None:
    bus, results = MemoryBus(), MemoryResults()
    run = await delivered(bus, event, "gateway")
    bus._messages.clear()
    await on_run_ended(event, run, results, Figures("gateway"), MemoryStatistics())
    document = await results.document("local", RUN)
    assert document is not None
    assert (document.status, document.owner) == (status, "local")


async def test_an_answer_whose_document_cannot_be_made_has_an_end_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for it would wait for ever."""
    whole = fold

    def broken(history):  # type: ignore[no-untyped-def]
        if len(history) > 1:
            raise ValueError("a bug")
        return whole(history)

    monkeypatch.setattr(handlers, "fold", broken)
    bus, results = MemoryBus(), MemoryResults()
    for event in (submitted(), planned(), concluded()):
        await bus.publish(event)
    await ended(bus, results, completed())
    document = await results.document("local", RUN)
    assert document is not None
    assert document.status is RunStatus.FAILED
    assert "not stored any more" in document.answer.markdown


async def test_the_owner_of_a_question_is_the_owner_of_its_document() -> None:
    door = a_door()
    asked = asked_of(door, account="api", on_behalf_of="alice")
    await door.take(asked)
    run = Run(asked.run_id, bus=door.bus, service="query", cause=(await _question(door.bus, asked)))
    await run.fail(FailureReason.INTERNAL, "no")
    assert isinstance(door.bus, Watched)
    end = await end_of(door.bus, asked.run_id)
    assert end is not None
    await ended(door.bus, results_of(door.results), end)
    assert await door.results.document("api/alice", asked.run_id) is not None
    assert await door.results.document("api/bob", asked.run_id) is None


async def _question(bus: object, asked: Asked):  # type: ignore[no-untyped-def]
    assert isinstance(bus, MemoryBus)
    (subject,) = await bus.subjects(f"openwork.v1.query-submitted.*.*.{asked.run_id}.*.*.*")
    found = await bus.get(subject)
    assert found is not None
    return found.event


async def test_a_deadline_that_is_delivered_late_ends_only_what_has_no_end() -> None:
    """A gateway was away: the run ended meanwhile, and its document is there."""
    door = a_door()
    asked = asked_of(door, account="local")
    await door.take(asked)
    bus, results = door.bus, results_of(door.results)
    assert isinstance(bus, Watched)
    run = Run(asked.run_id, bus=bus, service="query", cause=await _question(bus, asked))
    await run.fail(FailureReason.INTERNAL, "no")
    end = await end_of(bus, asked.run_id)
    assert end is not None
    await ended(bus, results, end)
    await reach(bus, replace(asked), results)
    assert results.kinds("local", asked.run_id) == ["document"]
