"""The join of a round, decision by decision: who does the work, when, and with what."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from openwork_bus.memory import MemoryBus
from openwork_bus.run import Run
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceNormalised,
    EvidenceRecord,
    ExcludedKind,
    Identifiers,
    SourcePolicy,
    SourceStatus,
)
from openwork_contracts.meta import Event
from openwork_contracts.plan import DeadlineReached, RetrievalCompleted, SearchPlanned, SearchRequestLog
from openwork_normaliser.adapters.statuses import StatusCheck
from openwork_normaliser.handlers import on_arrival
from openwork_normaliser.settings import Settings

from tests.builders import completed, planned, run_on, source_failed
from tests.handling import bus_of_today, delivered, stored_of

AT = datetime(2026, 1, 1, tzinfo=UTC)


def record(source: str, pmid: str) -> EvidenceRecord:
    return EvidenceRecord(
        source=source,
        source_id=pmid,
        identifiers=Identifiers(pmid=pmid),
        title=f"Trial {pmid} of apixaban",
        abstract=(AbstractPart(text=f"Apixaban was superior in trial {pmid}."),),
        retrieved_at=AT,
    )


def found(run: Run, source: str, *pmids: str) -> RetrievalCompleted:
    event = completed(run, source)
    records = tuple(record(source, pmid) for pmid in pmids)
    return event.model_copy(update={"records": records, "policy": SourcePolicy(trust_tier=1)})


async def plan_for(bus: MemoryBus, *sources: str, run: Run | None = None, reason: str | None = None) -> Run:
    """A planned round; the run as the retrievers see it."""
    run = run or run_on(bus, service="query")
    await run.publish(planned(run, sources, now=bus.now).model_copy(update={"reason": reason}))
    return run_on(bus, run.id, service="retrievers", track=run.track, round_=run.round)


async def arrive(bus: MemoryBus, event: Event, *, again: bool = False, settings: Settings | None = None) -> None:
    settings = settings or Settings()
    await on_arrival(event, await delivered(bus, event, "normaliser", again=again), settings, StatusCheck(settings))


async def deadline(bus: MemoryBus, run: Run, *, later_s: float = 0.0) -> None:
    """The timer of the round fires, for the time of its plan or for an earlier or later one."""
    plan = await run.plan()
    due = plan.retrieval_deadline_at + timedelta(seconds=later_s)
    await arrive(bus, run_on(bus, run.id, track=run.track, round_=run.round).timer("normaliser", due).event)


async def normalised(bus: MemoryBus, run: Run) -> list[EvidenceNormalised]:
    return await stored_of(bus, run.id, EvidenceNormalised)


async def test_it_waits_until_every_planned_source_is_in() -> None:
    bus = bus_of_today()
    run = await plan_for(bus, "pubmed", "library")
    await arrive(bus, found(run, "pubmed", "1"))
    assert await normalised(bus, run) == []
    await arrive(bus, source_failed(run, "library"))
    (event,) = await normalised(bus, run)
    assert [(s.name, s.status) for s in event.sources] == [
        ("pubmed", SourceStatus.COMPLETED),
        ("library", SourceStatus.FAILED),
    ]
    assert event.meta.parent_ids[0] == (await run.plan()).meta.event_id
    assert event.policies["pubmed"].trust_tier == 1


async def test_what_a_source_found_counts_although_it_failed_before() -> None:
    """A redelivered request may leave both outcomes: a failure must not hide what was found."""
    bus = bus_of_today()
    run = await plan_for(bus, "pubmed", "library")
    await arrive(bus, source_failed(run, "pubmed"))
    await arrive(bus, found(run, "pubmed", "1", "2"))
    await arrive(bus, found(run, "library"))
    (event,) = await normalised(bus, run)
    assert [(s.name, s.status, s.found) for s in event.sources] == [
        ("pubmed", SourceStatus.COMPLETED, 2),
        ("library", SourceStatus.COMPLETED, 0),
    ]
    assert event.degradations == ()


async def test_of_several_simultaneous_arrivals_one_does_the_work() -> None:
    """Every replica sees all of them stored: the one that holds the last goes on, the others leave it alone."""
    bus = bus_of_today()
    run = await plan_for(bus, "a", "b", "c")
    events = [found(run, "a", "1"), found(run, "b", "2"), found(run, "c", "3")]
    for event in events:
        await run.publish(event)
    for event in events[:2]:
        await arrive(bus, event)
        assert await normalised(bus, run) == []
    assert bus.told == []
    await arrive(bus, events[2])
    assert len(await normalised(bus, run)) == 1


async def test_at_the_deadline_it_goes_on_and_names_the_sources_that_are_missing() -> None:
    bus = bus_of_today()
    run = await plan_for(bus, "pubmed", "library", "slow")
    await arrive(bus, found(run, "pubmed", "1"))
    await arrive(bus, source_failed(run, "library"))
    await deadline(bus, run)
    (event,) = await normalised(bus, run)
    assert len(event.candidates) == 1
    assert event.sources[2].status is SourceStatus.MISSED_DEADLINE
    assert event.sources[2].reason is FailureReason.DEADLINE
    assert set(event.degradations) == {
        "library did not answer in time",
        "slow gave no answer before the search deadline",
    }


async def overdue_plan(bus: MemoryBus, *, left_s: float, run: Run | None = None) -> Run:
    """A round whose search should have ended just now, of a run that has so long to go; no source was heard."""
    run = run or run_on(bus, service="query")
    plan = planned(run, ("pubmed",), due_in_s=0, now=bus.now)
    begun = plan.meta.model_copy(update={"occurred_at": bus.now - timedelta(seconds=20)})
    due = bus.now + timedelta(seconds=left_s)
    await run.publish(plan.model_copy(update={"meta": begun, "run_deadline_at": due}))
    return run_on(bus, run.id, service="retrievers", round_=run.round)


async def test_when_no_source_was_heard_at_all_it_waits_once_more() -> None:
    """Its request was held up, not the source: what comes then is found."""
    bus = bus_of_today()
    run = await overdue_plan(bus, left_s=30)
    await deadline(bus, run)
    await deadline(bus, run)
    assert await normalised(bus, run) == []
    await arrive(bus, found(run, "pubmed", "1"))
    (event,) = await normalised(bus, run)
    assert [s.status for s in event.sources] == [SourceStatus.COMPLETED]


async def test_a_second_silence_of_all_sources_is_a_result() -> None:
    bus = bus_of_today()
    run = await overdue_plan(bus, left_s=30)
    await deadline(bus, run)
    await bus.advance(16)
    second = await run.read(DeadlineReached, "1", route="normaliser")
    assert second is not None
    assert bus.now - timedelta(seconds=2) < second.due_at < bus.now
    await arrive(bus, second)
    (event,) = await normalised(bus, run)
    assert event.candidates == ()
    assert event.counts.identified == 0


async def test_a_further_round_does_not_wait_longer_for_what_it_only_adds() -> None:
    bus = bus_of_today()
    first = await plan_for(bus, "pubmed")
    await arrive(bus, found(first, "pubmed", "1"))
    run = await overdue_plan(bus, left_s=30, run=run_on(bus, first.id, service="query", round_=2))
    await deadline(bus, run)
    assert len(await normalised(bus, run)) == 2


async def test_without_time_left_one_silence_is_a_result() -> None:
    bus = bus_of_today()
    run = await overdue_plan(bus, left_s=1)
    await deadline(bus, run)
    (event,) = await normalised(bus, run)
    assert event.counts.identified == 0


async def test_a_timer_of_an_older_plan_is_not_the_deadline() -> None:
    bus = bus_of_today()
    run = await plan_for(bus, "pubmed")
    await deadline(bus, run, later_s=-5)
    assert await normalised(bus, run) == []
    assert isinstance(await run.read(DeadlineReached, route="normaliser"), DeadlineReached)


async def test_the_deadline_does_the_work_that_the_last_arrival_left() -> None:
    """That arrival's message may be a dead letter by now; if it is only slow, the work is stored once all the same."""
    bus = bus_of_today()
    run = await plan_for(bus, "pubmed")
    await run.publish(event := found(run, "pubmed", "1"))
    await deadline(bus, run)
    assert len(await normalised(bus, run)) == 1
    await arrive(bus, event)
    assert len(await normalised(bus, run)) == 1


async def test_a_deadline_that_comes_before_its_plan_waits_for_it() -> None:
    """It is set first. No try is used up meanwhile: tries are few, and the run fails with the last of them."""
    bus = bus_of_today()
    run = run_on(bus, track="affirmative", round_=1)
    waits = asyncio.create_task(arrive(bus, run.timer("normaliser", datetime.now(UTC) + timedelta(seconds=30)).event))
    await asyncio.sleep(0.05)
    await plan_for(bus, "pubmed", run=run)
    await waits
    assert len(await normalised(bus, run)) == 1


async def test_a_deadline_whose_plan_never_came_is_passed_over() -> None:
    """Whoever set it was stopped in between, and sets another."""
    bus = MemoryBus(now=datetime.now(UTC) - timedelta(seconds=60))
    run = run_on(bus, track="affirmative", round_=1)
    await arrive(bus, run.timer("normaliser", bus.now).event)
    assert not await run.stored(run.subject(EvidenceNormalised))


async def test_late_arrivals_and_redeliveries_change_nothing() -> None:
    bus = bus_of_today()
    run = await plan_for(bus, "pubmed", "slow")
    await arrive(bus, first := found(run, "pubmed", "1"))
    await deadline(bus, run)
    (before,) = await normalised(bus, run)
    told = len(bus.told)
    await arrive(bus, found(run, "slow", "2", "3"))
    await arrive(bus, first, again=True)
    await deadline(bus, run)
    assert await normalised(bus, run) == [before]
    assert len(bus.told) == told


async def test_a_further_round_adds_to_the_round_before() -> None:
    bus = bus_of_today()
    run = await plan_for(bus, "pubmed", "library")
    await arrive(bus, found(run, "pubmed", "1", "2"))
    await arrive(bus, found(run, "library"))
    gap = run_on(bus, run.id, service="gap", round_=2)
    second = await plan_for(bus, "web", run=gap, reason="the first search lacked a trial")
    event = found(second, "web", "2", "3").model_copy(update={"policy": SourcePolicy(trust_tier=4)})
    await arrive(bus, event)
    first, both = await normalised(bus, run)
    assert (first.meta.round, both.meta.round) == (1, 2)
    assert sorted(c.identifiers.pmid or "" for c in both.candidates) == ["1", "2", "3"]
    assert [s.name for s in both.sources] == ["pubmed", "library", "web"]
    assert (both.counts.identified, both.counts.duplicates, both.counts.screened) == (4, 1, 3)
    assert set(both.policies) == {"pubmed", "library", "web"}
    assert both.degradations[0] == "a further search, of web, was made because the first search lacked a trial"


async def test_a_further_round_is_not_joined_with_the_outcomes_of_the_first() -> None:
    """The same source in both rounds: round 2 waits for its own answer."""
    bus = bus_of_today()
    run = await plan_for(bus, "pubmed")
    await arrive(bus, found(run, "pubmed", "1"))
    await plan_for(bus, "pubmed", run=run_on(bus, run.id, service="gap", round_=2))
    await arrive(bus, found(run, "pubmed", "1"), again=True)
    assert [e.meta.round for e in await normalised(bus, run)] == [1]


async def test_a_source_that_searched_for_something_else_is_named() -> None:
    bus = bus_of_today()
    run = await plan_for(bus, "pubmed")
    log = SearchRequestLog(request="apixaban", suspect=True)
    event = found(run, "pubmed", "1").model_copy(update={"search_log": (log,), "degradations": ("page 2 was lost",)})
    await arrive(bus, event)
    (joined,) = await normalised(bus, run)
    assert joined.degradations == (
        "pubmed: page 2 was lost",
        "pubmed: the engine changed the meaning of the search 'apixaban'",
    )


async def test_the_tracks_of_a_run_are_joined_apart() -> None:
    bus = bus_of_today()
    run = await plan_for(bus, "pubmed")
    other = await plan_for(bus, "pubmed", run=run_on(bus, run.id, service="query", track="falsification"))
    await arrive(bus, found(run, "pubmed", "1"))
    assert [e.meta.track for e in await normalised(bus, run)] == ["affirmative"]
    await arrive(bus, found(other, "pubmed", "2"))
    assert [[c.identifiers.pmid for c in e.candidates] for e in await normalised(bus, run)] == [["1"], ["2"]]
    assert len(await stored_of(bus, run.id, SearchPlanned)) == 2


def bare(record_: EvidenceRecord, **fields: object) -> EvidenceRecord:
    return record_.model_copy(update={"abstract": (), **fields})


async def test_works_without_an_abstract_live_on_by_their_title_up_to_the_cap_and_the_others_are_named() -> None:
    bus = bus_of_today()
    run = await plan_for(bus, "pubmed")
    titles = [bare(record("pubmed", str(n))) for n in (1, 2, 3)]
    nameless = bare(record("pubmed", "4"), title=" ", source_id="x4")
    nowhere = bare(record("pubmed", "5"), identifiers=Identifiers(), source_id="x5")
    event = completed(run, "pubmed").model_copy(update={"records": (*titles, nameless, nowhere, record("pubmed", "6"))})
    await arrive(bus, event, settings=Settings(title_only_records=2))
    (joined,) = await normalised(bus, run)
    assert [c.candidate_id for c in joined.candidates] == ["pmid:1", "pmid:2", "pmid:6"]
    assert {(e.title.strip(), e.reason) for e in joined.excluded} == {
        ("Trial 3 of apixaban", "no abstract, and 2 works without one were found before it"),
        ("", "no title"),
        ("Trial 5 of apixaban", "no abstract, and nothing to look for a full text with"),
    }
    counts = joined.counts
    assert counts.excluded_no_text == len(joined.excluded) == 3
    assert counts.identified == 6 == counts.excluded_no_text + counts.screened


async def test_an_older_version_of_a_cochrane_review_is_named_with_its_reason() -> None:
    bus = bus_of_today()
    run = await plan_for(bus, "pubmed")
    versions = [
        record("pubmed", str(n)).model_copy(update={"identifiers": Identifiers(pmid=str(n), doi=doi)})
        for n, doi in ((1, "10.1002/14651858.cd002243"), (2, "10.1002/14651858.cd002243.pub2"))
    ]
    await arrive(bus, completed(run, "pubmed").model_copy(update={"records": tuple(versions)}))
    (joined,) = await normalised(bus, run)
    assert [(e.candidate_id, e.kind) for e in joined.excluded] == [("pmid:1", ExcludedKind.SUPERSEDED)]
    assert "CD002243.pub2" in joined.excluded[0].reason
    assert joined.counts.excluded_superseded == 1


async def in_two_rounds(first: EvidenceRecord, second: EvidenceRecord) -> list[EvidenceNormalised]:
    """What is known after each round of a run in which no work lives by its title."""
    bus, settings = bus_of_today(), Settings(title_only_records=0)
    run = await plan_for(bus, "pubmed")
    await arrive(bus, completed(run, "pubmed").model_copy(update={"records": (first,)}), settings=settings)
    again = await plan_for(bus, "pubmed", run=run_on(bus, run.id, service="query", round_=2), reason="of a gap")
    await arrive(bus, completed(again, "pubmed").model_copy(update={"records": (second,)}), settings=settings)
    rounds = await normalised(bus, run)
    for one in rounds:
        counts = one.counts
        assert counts.excluded_no_text == len(one.excluded)
        assert counts.identified == counts.duplicates + counts.excluded_no_text + counts.screened
    return rounds


DOI = Identifiers(doi="10.1000/one")


@pytest.mark.parametrize("known_by", [Identifiers(pmid="1"), DOI])
async def test_a_work_that_a_further_round_finds_with_its_text_is_neither_named_nor_counted_as_excluded(
    known_by: Identifiers,
) -> None:
    """Its two records are one work: the first of them is a duplicate now, whatever it was known by."""
    before = bare(record("pubmed", "1"), identifiers=known_by)
    after = record("pubmed", "1").model_copy(update={"identifiers": Identifiers(pmid="1", doi=DOI.doi)})
    first, second = await in_two_rounds(before, after)
    assert len(first.excluded) == 1
    assert second.excluded == ()
    assert [c.candidate_id for c in second.candidates] == ["pmid:1"]
    assert (second.counts.identified, second.counts.duplicates, second.counts.screened) == (2, 1, 1)


async def test_a_work_that_two_rounds_find_without_its_text_is_named_and_counted_once() -> None:
    _, second = await in_two_rounds(bare(record("pubmed", "1")), bare(record("pubmed", "1")))
    assert [e.candidate_id for e in second.excluded] == ["pmid:1"]
    assert (second.counts.identified, second.counts.duplicates, second.counts.excluded_no_text) == (2, 1, 1)


async def test_a_work_without_text_that_a_further_round_does_not_find_stays_excluded() -> None:
    _, second = await in_two_rounds(bare(record("pubmed", "1")), record("pubmed", "2"))
    assert [e.candidate_id for e in second.excluded] == ["pmid:1"]
    assert (second.counts.identified, second.counts.duplicates, second.counts.screened) == (2, 0, 1)
