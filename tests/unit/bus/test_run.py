"""A run as handlers use it: outcomes of tracks, its one end, and what is no repetition."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from openwork_bus.bus import same_publication
from openwork_bus.memory import MemoryBus
from openwork_bus.run import Run
from openwork_contracts.answer import AnswerConcluded, AnswerStatus
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import ContractViolation, FailureReason, SubjectTaken
from openwork_contracts.plan import RetrievalCompleted, RetrievalFailed, SearchPlanned
from openwork_contracts.question import RejectionReason, Track
from openwork_contracts.verdict import VerificationScores

from tests.builders import completed, failed, planned, requested, run_on, submitted
from tests.handling import end_of

BOTH = (Track.AFFIRMATIVE, Track.FALSIFICATION)
NOTHING = VerificationScores(claims=0, supported=0, unsupported=0, grounding_score=1, citation_coverage=1)


async def track_of(bus: MemoryBus, run_id: str | None, track: Track, tracks: tuple[Track, ...] = BOTH) -> Run:
    """A planned track, as the verifier sees it."""
    planner = run_on(bus, run_id, service="query", track=track)
    await planner.publish(planned(planner, ("library",), tracks=tracks))
    return run_on(bus, planner.id, service="verifier", track=track)


def outcome(run: Run) -> AnswerConcluded:
    meta = run.meta(AnswerConcluded, round_=0)
    return AnswerConcluded(meta=meta, status=AnswerStatus.ANSWERED, verification=NOTHING)


async def test_the_run_ends_with_the_last_track_and_names_the_outcomes_in_the_order_of_the_plan() -> None:
    bus = MemoryBus()
    second = await track_of(bus, None, Track.FALSIFICATION)
    first = await track_of(bus, second.id, Track.AFFIRMATIVE)
    assert not await second.conclude(outcome(second))
    assert await end_of(bus, first.id) is None
    assert await first.conclude(outcome(first))
    end = await end_of(bus, first.id)
    assert end is not None
    assert end.results == (outcome(first).meta.event_id, outcome(second).meta.event_id)


async def test_a_run_of_one_track_ends_with_its_outcome() -> None:
    bus = MemoryBus()
    run = await track_of(bus, None, Track.AFFIRMATIVE, (Track.AFFIRMATIVE,))
    assert await run.conclude(outcome(run))
    assert not await run.conclude(outcome(run))
    end = await end_of(bus, run.id)
    assert end is not None
    assert end.kind is EndKind.COMPLETED


async def test_an_outcome_whose_end_was_not_stored_ends_the_run_at_its_second_delivery() -> None:
    """The crash came between the two publications."""
    bus = MemoryBus()
    run = await track_of(bus, None, Track.AFFIRMATIVE, (Track.AFFIRMATIVE,))
    await run.publish(outcome(run))
    assert await run.conclude(outcome(run))


async def test_two_services_cannot_conclude_one_track() -> None:
    bus = MemoryBus()
    run = await track_of(bus, None, Track.AFFIRMATIVE, (Track.AFFIRMATIVE,))
    other = run_on(bus, run.id, service="gap")
    await other.publish(outcome(other))
    with pytest.raises(SubjectTaken, match="answer-concluded"):
        await run.conclude(outcome(run))
    assert await end_of(bus, run.id) is None


async def test_something_else_on_an_events_subject_is_raised_to_the_handler() -> None:
    """Swallowed, two decisions about one thing would pass for one."""
    bus = MemoryBus()
    ours = run_on(bus)
    theirs = run_on(bus, ours.id, service="other")
    await theirs.publish(completed(theirs, "pubmed"))
    with pytest.raises(SubjectTaken):
        await ours.publish(completed(ours, "pubmed"))
    with pytest.raises(SubjectTaken):
        await ours.publish_all([completed(ours, "pubmed"), completed(ours, "library")])
    assert await ours.read(RetrievalCompleted, route="library") is None


async def test_of_several_ends_the_first_counts_and_the_others_are_no_errors() -> None:
    bus = MemoryBus()
    run, other = run_on(bus), run_on(bus, service="other")
    other.id = run.id
    assert await run.reject(RejectionReason.EMPTY, "nothing was asked")
    assert not await other.fail(FailureReason.INTERNAL, "failed")
    assert not await other.end(failed(other))
    end = await end_of(bus, run.id)
    assert end is not None
    assert (end.kind, end.rejection, end.message) == (EndKind.REJECTED, RejectionReason.EMPTY, "nothing was asked")


async def test_a_failed_run_says_at_which_step() -> None:
    bus = MemoryBus()
    run = run_on(bus, service="gateway")
    assert await run.fail(FailureReason.DEADLINE, "too late", stage="reranker")
    end = await end_of(bus, run.id)
    assert end is not None
    assert (end.failure, end.stage) == (FailureReason.DEADLINE, "reranker")


def test_a_repetition_is_told_by_who_answers_what_and_not_by_its_body() -> None:
    """The same computation done twice differs in its timings; another's result may look the same."""
    bus = MemoryBus()
    run, other = run_on(bus), run_on(bus, service="other")
    other.id = run.id
    first = completed(run, "pubmed")
    assert same_publication(first, first.model_copy(update={"elapsed_s": 9.9}))
    assert not same_publication(first, completed(other, "pubmed"))
    run.cause = requested(run, "pubmed")
    assert not same_publication(first, completed(run, "pubmed"))


def test_a_question_that_asks_the_same_is_the_same_whoever_brings_it() -> None:
    run = run_on(MemoryBus())
    client = run_on(MemoryBus(), run.id, service="client")
    assert same_publication(submitted(run, "asked"), submitted(client, "asked"))
    assert not same_publication(submitted(run, "asked"), submitted(run, "edited"))


async def test_what_is_not_stored_yet_is_a_reason_to_try_again() -> None:
    run = run_on(MemoryBus())
    with pytest.raises(LookupError, match="search-planned"):
        await run.plan()


async def test_an_event_of_another_kind_is_not_read_as_the_one_wanted() -> None:
    bus = MemoryBus()
    run = run_on(bus)
    await run.publish(completed(run, "pubmed"))

    class Astray(MemoryBus):
        async def get(self, subject: str):  # type: ignore[no-untyped-def]
            return await bus.get(run.subject(RetrievalCompleted, route="pubmed"))

    run.bus = Astray()
    with pytest.raises(ContractViolation, match="not a RetrievalFailed"):
        await run.read(RetrievalFailed, route="pubmed")


async def test_a_run_has_the_track_round_and_owner_of_its_message_and_passes_them_on() -> None:
    bus = MemoryBus()
    plan = planned(run_on(bus, track="falsification", round_=2), ("library",))
    plan = plan.model_copy(update={"meta": plan.meta.model_copy(update={"owner": "ada"})})
    run = Run(plan.meta.run_id, bus=bus, service="gap", cause=plan)
    meta = run.meta(RetrievalCompleted, route="library")
    assert (meta.track, meta.round, meta.owner, meta.parent_ids) == ("falsification", 2, "ada", (plan.meta.event_id,))
    everywhere = run.meta(RunEnded)
    assert (everywhere.track, everywhere.round) == ("all", 0)


async def test_events_of_a_kind_are_those_of_this_track_in_every_round() -> None:
    bus = MemoryBus()
    run = run_on(bus)
    for round_, source in ((1, "a"), (1, "b"), (2, "a")):
        place = run_on(bus, run.id, round_=round_)
        await place.publish(completed(place, source))
    other = run_on(bus, run.id, track="falsification")
    await other.publish(completed(other, "c"))
    found = await run.events(RetrievalCompleted)
    assert sorted((e.meta.round, e.source) for e in found) == [(1, "a"), (1, "b"), (2, "a")]
    assert await run.events(SearchPlanned) == []


async def test_a_timer_speaks_of_its_joiner_and_of_the_track_and_round_it_limits() -> None:
    bus = MemoryBus()
    run = run_on(bus, service="query")
    timer = run.timer("run", bus.now + timedelta(seconds=5), track="all", round_=0)
    assert timer.event.meta.event_id == f"openwork.due.v1.run.{run.id}.answer~all~0~0"


async def test_a_handler_that_is_run_again_takes_the_deadline_in_force_unless_it_is_over() -> None:
    """By the clock of whoever sets it: the message may have waited long before its second try."""
    bus = MemoryBus(now=datetime.now(UTC))
    run, now = run_on(bus), datetime.now(UTC)
    first = await run.set_deadline("normaliser", now + timedelta(seconds=30))
    assert await run.set_deadline("normaliser", now + timedelta(seconds=40)) == first
    over = await run.set_deadline("reranker-passages", now + timedelta(milliseconds=10))
    await bus.advance(5)
    await asyncio.sleep(0.02)
    again = await run.set_deadline("reranker-passages", now + timedelta(seconds=30))
    assert (again - over) > timedelta(seconds=20)


async def test_the_same_question_of_another_owner_is_no_repetition() -> None:
    bus = MemoryBus()
    run = run_on(bus)
    assert await bus.publish(submitted(run, "asked"))
    run.owner = "ALICE"
    with pytest.raises(SubjectTaken):
        await bus.publish(submitted(run, "asked"))
