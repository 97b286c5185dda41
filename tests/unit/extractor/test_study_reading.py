"""What a study reports, bound to its place: fields of a source, sentences of an abstract, prose of a full text."""

from __future__ import annotations

from datetime import UTC, datetime

from openwork_answers.asked import read_question
from openwork_appraiser.domain.grouping import Row, one_of_each
from openwork_appraiser.domain.studies import StudyInTable
from openwork_contracts.cells import AnalysisSet
from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import (
    AbstractPart,
    ArmResult,
    EffectEstimate,
    EvidenceCandidate,
    Identifiers,
    OutcomeResult,
    Provenance,
    StudyDesign,
    TextOrigin,
)
from openwork_contracts.extraction import ExtractedResult, MarkKind, ResultSource, VariableState
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import TextSection
from openwork_contracts.tables import Table
from openwork_extractor.domain.cells import analysis_set
from openwork_extractor.domain.reading import read_study
from openwork_language.searching.ladder import strategy_of
from openwork_query.domain.analysis import analyse

QUESTION = "Does apixaban reduce stroke compared with warfarin in atrial fibrillation?"
SENTENCE = (
    "Stroke occurred in 212 of 9120 patients (2.3%) in the apixaban group and in 265 of 9081 patients (2.9%) in the "
    "warfarin group (hazard ratio, 0.79; 95% CI, 0.66 to 0.95; P=0.01)."
)


def report(**changes: object) -> EvidenceCandidate:
    given = {
        "candidate_id": "pmid:1",
        "title": "Apixaban versus warfarin in patients with atrial fibrillation",
        "identifiers": Identifiers(pmid="1"),
        "study_design": StudyDesign.RCT,
        "text_origin": TextOrigin.PUBLISHER,
        "provenance": (Provenance(source="pubmed", source_id="1", rank=1, retrieved_at=datetime.now(UTC)),),
    }
    return EvidenceCandidate(**(given | changes))  # type: ignore[arg-type]


def read(*reports: EvidenceCandidate, sections: tuple[TextSection, ...] = ()) -> tuple[ExtractedResult, ...]:
    analysis = analyse(QUESTION, available_sources=("pubmed",), current_year=2026)
    assert isinstance(analysis, QuestionAnalysis)
    return read_study(read_question(analysis, strategy_of(analysis)), reports, sections).results


def section(text: str, *path: str) -> TextSection:
    return TextSection(path=path or ("Results",), text=text, start=0, end=len(text))


def test_numbers_of_a_sentence_are_bound_to_their_span_in_it() -> None:
    (result,) = read(report(abstract=(AbstractPart(label="RESULTS", text=SENTENCE),)))
    assert (result.source, result.outcome_fit) == (ResultSource.ABSTRACT, Fit.ASKED)
    assert result.effect is not None
    assert result.effect.place is not None
    assert result.effect.words is not None
    place = result.effect.place
    assert result.effect.words[place.start : place.end] == "0.79"
    assert result.effect.interval is not None
    assert (result.effect.interval.low, result.effect.interval.high) == ("0.66", "0.95")


def test_prose_of_the_full_text_says_in_which_section_it_stands() -> None:
    text = section(SENTENCE, "Results", "Primary outcome")
    (result,) = read(report(), sections=(section("Patients were randomised.", "Methods"), text))
    assert result.source is ResultSource.TEXT
    assert result.effect is not None
    assert result.effect.place is not None
    assert result.effect.place.passage_id == "pmid:1#1"
    assert result.text_origin is TextOrigin.PUBLISHER


def test_a_registry_s_counts_name_their_row_and_arm() -> None:
    arms = (ArmResult(arm="apixaban", n=9120, events=212), ArmResult(arm="warfarin", n=9081, events=265))
    entry = report(
        candidate_id="nct:1",
        structured_origin=TextOrigin.REGISTRY,
        results=(OutcomeResult(outcome="stroke", time_point="24 months", arms=arms),),
    )
    (result,) = read(entry)
    assert (result.source, result.text_origin, result.time) == (ResultSource.REGISTRY, TextOrigin.REGISTRY, "24 months")
    assert [(arm.arm, arm.events and arm.events.value, arm.n and arm.n.value) for arm in result.arms] == [
        ("apixaban", "212", "9120"),
        ("warfarin", "265", "9081"),
    ]
    assert all(cell.place and cell.place.row == "stroke" for cell in result.cells)
    assert all(cell.words == "stroke, 24 months; apixaban: 212 of 9120; warfarin: 265 of 9081" for cell in result.cells)


def test_another_comparison_is_no_result_of_the_question() -> None:
    arms = (ArmResult(arm="metformin", n=100, events=2), ArmResult(arm="placebo", n=100, events=5))
    assert read(report(results=(OutcomeResult(outcome="stroke", arms=arms),))) == ()


def test_the_asked_outcome_stands_before_others() -> None:
    arms = (ArmResult(arm="apixaban", n=100, events=2), ArmResult(arm="warfarin", n=100, events=5))
    outcomes = ("major bleeding", "stroke")
    found = read(report(results=tuple(OutcomeResult(outcome=name, arms=arms) for name in outcomes)))
    assert [one.outcome for one in found] == ["stroke", "major bleeding"]


def test_counts_and_an_effect_that_disagree_are_marked_and_kept() -> None:
    arms = (ArmResult(arm="apixaban", n=1000, events=20), ArmResult(arm="warfarin", n=1000, events=60))
    effect = EffectEstimate(measure="HR", estimate=1.2, ci_low=0.9, ci_high=1.6)
    (result,) = read(report(results=(OutcomeResult(outcome="stroke", arms=arms, effect=effect),)))
    assert [mark.kind for mark in result.marks] == [MarkKind.EFFECT]
    assert len(result.cells) == 5


def test_who_was_counted_is_read_from_the_source_s_words() -> None:
    assert analysis_set("modified intention-to-treat") is AnalysisSet.INTENTION_TO_TREAT
    assert analysis_set("per protocol") is AnalysisSet.PER_PROTOCOL
    assert analysis_set("on-treatment") is AnalysisSet.AS_TREATED
    assert analysis_set(None) is None


def test_a_table_of_the_full_text_gives_cells_with_row_column_and_words_and_is_never_pooled() -> None:
    table = Table(
        label="Table 2",
        caption="Outcomes at 24 months",
        rows=(("Outcome", "Apixaban (n = 500)", "Warfarin (n = 498)"), ("Stroke, n (%)", "12 (2.4)", "20 (4.0)")),
        n_header_rows=1,
    )
    text = "Table 2: Outcomes at 24 months"
    section_ = TextSection(path=("Results",), text=text, start=0, end=len(text), kind="table", table=table)
    found = [one for one in read(report(), sections=(section_,)) if one.source is ResultSource.TABLE]
    (result,) = found
    assert [(arm.events and arm.events.value, arm.n and arm.n.value) for arm in result.arms] == [
        ("12", "500"),
        ("20", "498"),
    ]
    events = result.arms[0].events
    assert events is not None
    assert events.place is not None
    assert (events.place.table, events.place.table_row, events.place.table_column) == ("Table 2", 1, 1)
    assert events.words == "12 (2.4)"
    row = Row(StudyInTable("pmid:1", "Trial", report(), (result,)), 0, result)
    chosen, left = one_of_each([row])
    assert chosen == []
    assert "not sure enough to be pooled" in left[0][1]


def test_what_a_study_does_not_say_differs_from_what_nobody_could_look_for() -> None:
    analysis = analyse(QUESTION, available_sources=("pubmed",), current_year=2026)
    assert isinstance(analysis, QuestionAnalysis)
    question = read_question(analysis, strategy_of(analysis))
    methods = section(
        "Patients were randomised by a computer-generated list. The trial was funded by a council.", "Methods"
    )
    with_text = {one.name: one for one in read_study(question, [report()], (methods,)).variables}
    without = {one.name: one for one in read_study(question, [report()]).variables}
    assert with_text["pmid"].value == without["pmid"].value == "1"
    assert VariableState.NOT_REPORTED in {one.state for one in with_text.values()}
    assert {one.state for one in without.values()} <= {VariableState.FOUND, VariableState.NOT_FOUND}


def test_the_time_before_of_a_paper_without_another_group_is_marked_and_never_the_asked_comparison_nor_pooled() -> None:
    table = Table(
        label="Table 2",
        rows=(("Outcome", "Before", "After"), ("Stroke, n/N (%)", "20/498 (4.0)", "12/500 (2.4)")),
        n_header_rows=1,
    )
    shown = TextSection(path=("Results",), text="Table 2", start=0, end=7, kind="table", table=table)
    methods = section("We did a before and after study of one clinic in which apixaban was introduced.", "Methods")
    analysis = analyse("Does apixaban reduce stroke?", available_sources=("pubmed",), current_year=2026)
    assert isinstance(analysis, QuestionAnalysis)
    one = report(title="Apixaban in one clinic", study_design=StudyDesign.OTHER)
    found = read_study(read_question(analysis, strategy_of(analysis)), (one,), (shown, methods)).results

    (result,) = [one for one in found if one.source is ResultSource.TABLE]

    assert [(arm.arm, arm.events and arm.events.value) for arm in result.arms] == [("After", "12"), ("Before", "20")]
    assert [mark.kind for mark in result.marks] == [MarkKind.BEFORE]
    assert result.marks[0].words == "compared with the time before: the paper has no other group"
    assert result.comparison_fit is Fit.OTHER
    study = StudyInTable("pmid:1", "One", one, (result,))
    chosen, left = one_of_each([Row(study, 0, result.model_copy(update={"comparison_fit": Fit.ASKED}))])
    assert chosen == []
    assert [why for _, why in left] == ["compared with the time before, not with another group: see its cells"]
