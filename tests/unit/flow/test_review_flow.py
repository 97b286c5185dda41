"""Deep reviews on a memory bus: what they come to, and that nothing but time is lost when services are killed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from openwork_bus.memory import MemoryBus
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.end import RunEnded
from openwork_contracts.evidence import (
    AbstractPart,
    ArmResult,
    EffectEstimate,
    EvidenceRecord,
    Identifiers,
    OutcomeResult,
    SourcePolicy,
    StudyDesign,
)
from openwork_contracts.question import Track
from openwork_contracts.tabulation import EvidenceTabulated
from openwork_gateway.domain.folds import fold
from openwork_retrievers.domain.source import Found, Search
from openwork_screener.settings import Settings as ScreenerSettings

from tests.builders import run_on, submitted
from tests.fakes.models.honest import honest_answer
from tests.handling import model_that, stored_of
from tests.killing import Deadly, Redelivering
from tests.review_flow import review_services

QUESTION = "Does apixaban reduce stroke compared with warfarin in atrial fibrillation?"
TRIALS = ((1, 212, 9120, 265, 9081), (2, 20, 1000, 30, 1005), (3, 41, 2000, 52, 1990))
"""Number, events and people with apixaban, events and people with warfarin."""
_LONG = "Participants were followed for two years and outcomes were adjudicated by a committee unaware of treatment. "


def trial(n: int, e1: int, n1: int, e2: int, n2: int) -> EvidenceRecord:
    """A randomised trial whose source gives its counts."""
    arms = (ArmResult(arm="apixaban", n=n1, events=e1), ArmResult(arm="warfarin", n=n2, events=e2))
    return EvidenceRecord(
        source="made",
        source_id=str(n),
        identifiers=Identifiers(pmid=str(n)),
        title=f"Apixaban versus warfarin in patients with atrial fibrillation: trial {n}",
        abstract=(AbstractPart(label="METHODS", text=_LONG * 3),),
        authors=(f"Author{n} A",),
        year=2010 + n,
        publication_types=("Randomized Controlled Trial",),
        results=(
            OutcomeResult(outcome="stroke", time_point="2 years", arms=arms),
            OutcomeResult(
                outcome="major bleeding",
                effect=EffectEstimate(measure="HR", estimate=0.7, ci_low=0.6, ci_high=0.8),
                arms=arms[:0],
            ),
        ),
        retrieved_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def other(n: int, title: str, *, design: StudyDesign | None = None, kind: str = "Journal Article") -> EvidenceRecord:
    """A record that is not to be read."""
    return EvidenceRecord(
        source="made",
        source_id=str(n),
        identifiers=Identifiers(pmid=str(n)),
        title=title,
        abstract=(AbstractPart(text=_LONG * 3),),
        authors=(f"Author{n} A",),
        year=2015,
        publication_types=(kind,),
        study_design=design,
        retrieved_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


@dataclass(frozen=True)
class Source:
    """What each track finds."""

    affirmative: Sequence[EvidenceRecord]
    falsification: Sequence[EvidenceRecord]
    route: str = "made"
    policy: SourcePolicy = SourcePolicy()  # noqa: RUF009 - frozen

    async def search(self, request: Search) -> Found:
        return Found(records=tuple(getattr(self, request.track)))


METFORMIN = other(50, "Metformin in polycystic ovary syndrome: a trial")
LETTER = other(51, "Apixaban in atrial fibrillation: a letter", kind="Letter")
FOUND = Source(
    affirmative=[*(trial(*row) for row in TRIALS), METFORMIN],
    falsification=[trial(*TRIALS[0]), trial(4, 9, 500, 8, 490), LETTER],
)


async def reviewed(bus: Deadly, source: Source = FOUND, settings: ScreenerSettings | None = None) -> AnswerDocument:
    """The document of a review that was run through."""
    run = run_on(bus)
    run.pipeline = "review"
    await MemoryBus.publish_all(bus, [submitted(run, QUESTION)])
    runner = review_services(bus, {source.route: source}, settings)
    await Redelivering(bus, runner.handlers).drain()
    assert len(await stored_of(bus, run.id, RunEnded)) == 1
    return fold(await bus.history(run.id))


def told(document: AnswerDocument) -> object:
    """What a reader gets, without the run's id and its times."""
    review = document.review
    return (document.status, document.answer.markdown, review.model_dump() if review else None)


async def test_a_review_pools_what_it_read_and_its_numbers_add_up() -> None:
    document = await reviewed(Deadly(now=datetime.now(UTC)))
    review = document.review
    assert document.status is RunStatus.ANSWERED
    assert review is not None
    assert review.flow.adds_up
    assert {study.study_id for study in review.studies} == {"pmid:1", "pmid:2", "pmid:3", "pmid:4"}
    stroke = next(one for one in review.outcomes if one.outcome == "stroke")
    assert (stroke.measure, len(stroke.rows), stroke.window) == ("RR", 4, "over 1 year")
    assert stroke.pooled is not None
    assert stroke.pooled.low < stroke.pooled.value < stroke.pooled.high
    assert sum(row.weight for row in stroke.rows) == pytest.approx(1)
    assert "Stroke, apixaban versus warfarin: risk ratio" in document.answer.markdown


async def test_every_pooled_number_stands_where_its_row_says() -> None:
    review = (await reviewed(Deadly(now=datetime.now(UTC)))).review
    assert review is not None
    studies = {study.study_id: study for study in review.studies}
    for outcome in review.outcomes:
        for row in outcome.rows:
            result = studies[row.study_id].results[row.result]
            if row.tested and row.other:
                cells = [(arm.events.value, arm.n.value) for arm in result.arms if arm.events and arm.n]
                assert cells == [(str(row.tested.events), str(row.tested.n)), (str(row.other.events), str(row.other.n))]
            assert all(cell.words and cell.place for cell in result.cells)


async def test_what_a_record_was_excluded_for_is_told_with_its_words() -> None:
    review = (await reviewed(Deadly(now=datetime.now(UTC)))).review
    assert review is not None
    decided = {one.work.candidate_id: one.decisions for one in review.screened}
    (metformin,) = decided["pmid:50"]
    assert metformin.decision is not None
    assert (metformin.decision.outcome, metformin.decision.criterion) == ("exclude", "population")
    (letter,) = decided["pmid:51"]
    assert letter.decision is not None
    assert (letter.track, letter.decision.criterion) == (Track.FALSIFICATION, "design")
    assert [signal.candidate_id for signal in review.signals] == ["pmid:51"]


async def test_a_study_that_both_searches_found_is_read_once_and_what_one_alone_found_is_counted() -> None:
    review = (await reviewed(Deadly(now=datetime.now(UTC)))).review
    assert review is not None
    assert review.flow.in_several == 1
    assert review.flow.only_in == {"affirmative": 2, "falsification": 1}
    tracks = {study.study_id: study.tracks for study in review.studies}
    assert tracks["pmid:1"] == (Track.AFFIRMATIVE, Track.FALSIFICATION)


async def test_no_more_is_read_than_the_asker_wants_and_the_rest_is_named() -> None:
    document = await reviewed(Deadly(now=datetime.now(UTC)), settings=ScreenerSettings(fulltext=False, max_studies=2))
    review = document.review
    assert review is not None
    assert (len(review.studies), len(review.never_read), review.flow.studies_never_read) == (2, 2, 2)
    assert "2 studies not excluded and never read." in review.limits


async def test_two_searches_that_find_nothing_end_as_too_little() -> None:
    document = await reviewed(Deadly(now=datetime.now(UTC)), Source([], []))
    assert document.status is RunStatus.TOO_LITTLE_EVIDENCE
    assert document.review is not None
    assert document.review.flow.adds_up


@pytest.mark.parametrize("stored", [True, False], ids=["after it was stored", "before"])
async def test_a_service_killed_at_any_publication_changes_nothing_of_a_review(stored: bool) -> None:
    undisturbed = Deadly(now=datetime.now(UTC))
    wanted = told(await reviewed(undisturbed))
    for place in range(1, undisturbed.n_publications + 1):
        bus = Deadly(now=datetime.now(UTC), kills_at=place, stored=stored)
        assert told(await reviewed(bus)) == wanted, place


async def test_every_message_delivered_again_after_the_end_changes_nothing() -> None:
    bus = Deadly(now=datetime.now(UTC))
    document = await reviewed(bus)
    runner = review_services(bus, {FOUND.route: FOUND})
    before = await bus.history(document.run_id)
    for message in before:
        await runner.redeliver(message.subject)
        assert await bus.history(document.run_id) == before, message.subject
    assert len(await stored_of(bus, document.run_id, EvidenceTabulated)) == 1


async def test_with_a_model_records_that_rules_leave_unsure_are_decided_with_their_words() -> None:
    model, provider = model_that(honest_answer)
    bare = other(60, "Apixaban: what we know").model_copy(update={"abstract": ()})
    source = Source([trial(*TRIALS[0]), bare], [])
    bus = Deadly(now=datetime.now(UTC))
    run = run_on(bus)
    run.pipeline = "review"
    await MemoryBus.publish_all(bus, [submitted(run, QUESTION)])
    await review_services(bus, {source.route: source}, model=model).drain()
    review = fold(await bus.history(run.id)).review
    assert review is not None
    decisions = {one.work.candidate_id: one.decisions[0].decision for one in review.screened}
    decided = decisions["pmid:60"]
    assert decided is not None
    assert (decided.decider, decided.outcome, decided.quotation) == ("model", "include", "Apixaban: what we know")
    assert [asked.step for asked in provider.asked].count("screener") == 1
