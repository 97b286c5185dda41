"""Batches, their join, and what is asked for each chosen study."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from openwork_bus.memory import MemoryBus
from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceCandidate,
    EvidenceNormalised,
    Identifiers,
    PrismaCounts,
    Provenance,
    StudyDesign,
)
from openwork_contracts.extraction import ExtractionRequested
from openwork_contracts.meta import ALL
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import AskOptions, QuerySubmitted, Track
from openwork_contracts.ranking import DocumentScore, DocumentsRanked, FulltextRequested, ScorerReport
from openwork_contracts.screening import (
    RecordsScreened,
    ScreeningCompleted,
    ScreeningDecision,
    ScreeningOutcome,
    ScreeningRequested,
    StudiesSelected,
)
from openwork_query.domain.analysis import analyse
from openwork_screener.app import create_service
from openwork_screener.handlers import (
    on_documents_ranked,
    on_records_screened,
    on_screening_arrival,
)
from openwork_screener.settings import Settings

from tests.builders import planned, run_on
from tests.flow import no_model
from tests.handling import bus_of_today, delivered, stored_of

QUESTION = "Does apixaban reduce stroke compared with warfarin in atrial fibrillation?"
TRACKS = (Track.AFFIRMATIVE, Track.FALSIFICATION)


def work(n: int, **changes: object) -> EvidenceCandidate:
    given = {
        "candidate_id": f"pmid:{n}",
        "title": f"Apixaban in atrial fibrillation {n}",
        "abstract": (AbstractPart(text="Apixaban was given."),),
        "identifiers": Identifiers(pmid=str(n), pmcid=f"PMC{n}"),
        "study_design": StudyDesign.RCT,
        "provenance": (Provenance(source="pubmed", source_id=str(n), rank=1, retrieved_at=datetime.now(UTC)),),
    }
    return EvidenceCandidate(**(given | changes))  # type: ignore[arg-type]


async def found(bus: MemoryBus, works: list[EvidenceCandidate], track: Track = Track.AFFIRMATIVE) -> DocumentsRanked:
    """A track of which everything is normalised and ranked."""
    run = run_on(bus, RUN, service="reranker", track=track)
    run.pipeline = "review"
    run.deadline_at = datetime.now(UTC) + timedelta(seconds=600)
    counts = PrismaCounts(
        identified=len(works), duplicates=0, excluded_notices=0, excluded_no_text=0, screened=len(works)
    )
    analysis = analyse(QUESTION, available_sources=("pubmed",), current_year=2026)
    await run.publish(planned(run, ("pubmed",), tracks=TRACKS).model_copy(update={"analysis": analysis}))
    await run.publish(
        EvidenceNormalised(meta=run.meta(EvidenceNormalised), candidates=tuple(works), sources=(), counts=counts)
    )
    order = tuple(DocumentScore(candidate_id=one.candidate_id, score=0.5) for one in works)
    return DocumentsRanked(
        meta=run.meta(DocumentsRanked), shortlist=order, report=ScorerReport(stage="documents", scorer="lexical")
    )


RUN = "01JD3W8Q4Z5N6P7R8S9TAVBWCX"


def decision(n: int, outcome: ScreeningOutcome) -> ScreeningDecision:
    return ScreeningDecision(candidate_id=f"pmid:{n}", outcome=outcome, criterion="design", reason="for a reason")


async def batches(bus: MemoryBus, n: int) -> list[ScreeningRequested]:
    event = await found(bus, [work(i) for i in range(1, n + 1)])
    run = await delivered(bus, event, "screener")
    await on_documents_ranked(event, run, Settings(screening_batch=2))
    return await stored_of(bus, RUN, ScreeningRequested)


async def complete(bus: MemoryBus, request: ScreeningRequested, outcome: ScreeningOutcome) -> None:
    run = await delivered(bus, request, "screener")
    part = request.meta.event_id.rpartition(".")[2]
    decisions = tuple(decision(int(name.removeprefix("pmid:")), outcome) for name in request.candidate_ids)
    event = ScreeningCompleted(meta=run.meta(ScreeningCompleted, part), decisions=decisions)
    await on_screening_arrival(event, await delivered(bus, event, "screener"), no_model())


async def test_every_record_is_in_one_batch() -> None:
    requests = await batches(bus_of_today(), 5)
    assert [len(one.candidate_ids) for one in requests] == [2, 2, 1]
    assert {one.n_batches for one in requests} == {3}


async def test_a_track_is_screened_when_its_last_batch_is_in() -> None:
    bus = bus_of_today()
    first, second = await batches(bus, 4)
    await complete(bus, first, ScreeningOutcome.INCLUDE)
    assert await stored_of(bus, RUN, RecordsScreened) == []
    await complete(bus, second, ScreeningOutcome.EXCLUDE)
    (screened,) = await stored_of(bus, RUN, RecordsScreened)
    assert (screened.included, screened.excluded, screened.undecided) == (("pmid:1", "pmid:2"), {"design": 2}, ())


async def test_a_batch_that_does_not_come_counts_as_unsure_and_is_named() -> None:
    bus = bus_of_today()
    first, second = await batches(bus, 4)
    await complete(bus, first, ScreeningOutcome.INCLUDE)
    run = run_on(bus, RUN, service="screener")
    run.pipeline = "review"
    due = DeadlineReached(
        meta=run.meta(DeadlineReached, route="screener"), joiner="screener", due_at=second.deadline_at
    )
    await on_screening_arrival(due, await delivered(bus, due, "screener"), no_model())
    (screened,) = await stored_of(bus, RUN, RecordsScreened)
    assert screened.unsure == screened.undecided == ("pmid:3", "pmid:4")
    assert screened.degradations == ("2 records had no decision by the deadline and count as unsure",)


async def test_a_track_that_found_nothing_is_screened_at_once() -> None:
    bus = bus_of_today()
    assert await batches(bus, 0) == []
    (screened,) = await stored_of(bus, RUN, RecordsScreened)
    assert screened.included == ()


async def selected(bus: MemoryBus, works: list[EvidenceCandidate], settings: Settings) -> StudiesSelected:
    """What is chosen of works that both tracks included."""
    question = run_on(bus, RUN, track="all", round_=0)
    question.pipeline = "review"
    await question.publish(
        QuerySubmitted(meta=question.meta(QuerySubmitted), question="Why?", options=AskOptions(max_studies=3))
    )
    for track in TRACKS:
        ranked = await found(bus, works, track)
        run = await delivered(bus, ranked, "screener")
        screened = RecordsScreened(meta=run.meta(RecordsScreened), included=tuple(one.candidate_id for one in works))
        await on_records_screened(screened, await delivered(bus, screened, "screener"), settings)
    (event,) = await stored_of(bus, RUN, StudiesSelected)
    return event


async def test_the_asker_says_how_many_are_read_and_each_text_is_asked_for_once() -> None:
    bus = bus_of_today()
    event = await selected(bus, [work(n) for n in range(1, 6)], Settings())
    assert (len(event.studies), len(event.never_read), event.meta.track) == (3, 2, ALL)
    requests = await stored_of(bus, RUN, FulltextRequested)
    assert [one.candidate_id for one in requests] == [study.candidate_id for study in event.studies]
    leader = [one for one in requests if one.pmc_batch]
    assert [len(one.pmc_batch) for one in leader] == [3]
    assert event.extraction_deadline_at is not None
    assert all(one.deadline_at < event.extraction_deadline_at for one in requests)


async def test_what_has_no_text_to_look_for_is_extracted_at_once() -> None:
    bus = bus_of_today()
    stored = work(1, provenance=(Provenance(source="library", source_id="x", rank=1, retrieved_at=datetime.now(UTC)),))
    await selected(bus, [stored, work(2)], Settings())
    assert [one.candidate_id for one in await stored_of(bus, RUN, ExtractionRequested)] == ["pmid:1"]
    assert [one.candidate_id for one in await stored_of(bus, RUN, FulltextRequested)] == ["pmid:2"]


def test_criteria_of_ones_own_that_are_none_are_refused_before_anything_starts(tmp_path: Path) -> None:
    own = tmp_path / "criteria.toml"
    own.write_text('[[criterion]]\nname = "Design"\n')
    with pytest.raises(UsageError, match="criteria"):
        create_service(Settings(screening_criteria=own))
