"""Is it enough? Judged by what the documents speak of, not by how many there are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.evidence import (
    AbstractPart,
    ArmResult,
    EffectEstimate,
    EvidenceCandidate,
    EvidenceStatus,
    Identifiers,
    OutcomeResult,
    Provenance,
    StudyDesign,
    TrialArm,
)
from openwork_contracts.gap import Assessment, GapAssessment, GapRecommendation
from openwork_contracts.question import Entity, Intent, Pico, QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_evidence.text import abstract_text
from openwork_gap.domain.assess import assess
from openwork_language.terms import find_terms

YEAR = 2026
AF = "atrial fibrillation"


def question(text: str, pico: Pico | None = None, since: int | None = None) -> QuestionAnalysis:
    entities = tuple(
        Entity(kind=t.kind, text=t.text, start=t.start, end=t.end, name=t.name, synonyms=t.synonyms)
        for t in find_terms(text)
    )
    return QuestionAnalysis(
        question=text,
        intent=Intent.TREATMENT_GUIDELINE,
        entities=entities,
        pico=pico or Pico(),
        search_variants=(text, f"{text} trial", f"{text} review"),
        recent_since_year=since,
        temporal_markers=() if since is None else (str(since),),
        complexity=0.4,
        sources=("library",),
    )


def document(
    title: str,
    text: str = "",
    design: StudyDesign = StudyDesign.RCT,
    year: int | None = 2024,
    status: EvidenceStatus = EvidenceStatus.NONE,
    arms: tuple[TrialArm, ...] = (),
    results: tuple[OutcomeResult, ...] = (),
) -> EvidenceCandidate:
    return EvidenceCandidate(
        candidate_id=f"hash:{title}",
        identifiers=Identifiers(),
        title=title,
        abstract=(AbstractPart(text=text or f"{title} was studied."),),
        year=year,
        study_design=design,
        status=status,
        arms=arms,
        results=results,
        provenance=(Provenance(source="library", source_id=title, rank=1, retrieved_at="2026-01-01T00:00:00Z"),),
    )


def judged(analysis: QuestionAnalysis, *documents: EvidenceCandidate) -> GapAssessment:
    passages = [
        RankedPassage(
            n=n, passage_id=str(n), candidate_id=d.candidate_id, section="Abstract", start=0, end=1,
            text=abstract_text(d), score=0.9, passage_score=0.9, document_score=0.9,
        )
        for n, d in enumerate(documents, start=1)
    ]  # fmt: skip
    return assess(analysis, passages, documents, current_year=YEAR)


VERSUS = question(
    "Is apixaban or rivaroxaban safer in atrial fibrillation?",
    Pico(population=(AF,), intervention=("apixaban",), comparison=("rivaroxaban",)),
)
HEAD_TO_HEAD = document(
    f"Apixaban versus rivaroxaban in {AF}", arms=(TrialArm(name="apixaban 5 mg"), TrialArm(name="rivaroxaban 20 mg"))
)


class TestAssessment:
    @pytest.mark.parametrize(
        "asked",
        [
            "Does metformin help in polycystic ovary syndrome?",
            "What is the best treatment for cystic fibrosis?",
            "Does apixaban work in cystic fibrosis?",
        ],
    )
    def test_a_topic_that_the_library_does_not_hold_is_insufficient(self, asked: str) -> None:
        """Highly scored passages on something else are no evidence."""
        gap = judged(question(asked), *(document(f"Apixaban in {AF}, trial {i}") for i in range(8)))
        assert gap.assessment is Assessment.INSUFFICIENT
        assert gap.missing_elements

    def test_no_document_at_all_is_insufficient(self) -> None:
        assert judged(VERSUS).assessment is Assessment.INSUFFICIENT

    def test_retracted_works_are_no_evidence(self) -> None:
        retracted = HEAD_TO_HEAD.model_copy(update={"status": EvidenceStatus.RETRACTED})
        assert judged(VERSUS, retracted).assessment is Assessment.INSUFFICIENT

    def test_a_question_covered_by_trials_of_the_comparison_is_sufficient(self) -> None:
        gap = judged(VERSUS, HEAD_TO_HEAD, HEAD_TO_HEAD, document(f"Apixaban and rivaroxaban for {AF}"))
        assert (gap.assessment, gap.coverage, gap.missing_elements) == (Assessment.SUFFICIENT, 1.0, ())

    def test_an_observational_comparison_leaves_the_randomised_one_missing(self) -> None:
        cohort = document(f"Apixaban versus rivaroxaban in {AF}: a cohort", design=StudyDesign.COHORT)
        gap = judged(VERSUS, cohort)
        assert gap.assessment is Assessment.PARTIAL
        assert gap.missing_elements == ("direct comparison of apixaban and rivaroxaban in a randomised trial",)

    def test_saying_that_two_drugs_were_not_compared_compares_nothing(self) -> None:
        text = f"The trial in {AF} did not compare apixaban with rivaroxaban."
        gap = judged(VERSUS, document(f"Apixaban in {AF}", text), document(f"Rivaroxaban in {AF}"))
        pair = next(a for a in gap.aspects if a.slot == "comparison_pair")
        assert not pair.covered

    def test_a_member_of_a_class_and_a_synonym_count_as_the_thing_asked_about(self) -> None:
        asked = question(
            "Do SGLT2 inhibitors help in AF?", Pico(population=("AF",), intervention=("SGLT2 inhibitors",))
        )
        gap = judged(asked, document(f"Empagliflozin in {AF}"))
        assert all(a.covered for a in gap.aspects)

    def test_the_country_of_a_guideline_is_an_aspect(self) -> None:
        asked = question("What do Indian guidelines recommend for type 2 diabetes?")
        american = document("Standards of care in type 2 diabetes", "American advice.", StudyDesign.GUIDELINE)
        indian = document("RSSDI recommendations for type 2 diabetes", "Advice for India.", StudyDesign.GUIDELINE)
        assert "evidence or guideline from India" in judged(asked, american).missing_elements
        assert judged(asked, american, indian).coverage == 1.0

    def test_figures_of_age_count_as_the_people_asked_about(self) -> None:
        asked = question("Statins over 75?", Pico(population=("adults over 75",), intervention=("statins",)))
        gap = judged(asked, document("Statins", "Statin therapy was tested in people aged 76 years or older."))
        assert all(a.covered for a in gap.aspects)


class TestRecommendation:
    def test_old_evidence_is_searched_anew_only_when_recent_evidence_is_asked_for(self) -> None:
        old = [document(f"Apixaban versus rivaroxaban in {AF} {i}", year=2012) for i in range(6)]
        asked = VERSUS.model_copy(update={"recent_since_year": 2023})
        assert judged(VERSUS, *old).recency_concern
        assert judged(VERSUS, *old).recommendation is GapRecommendation.PROCEED
        gap = judged(asked, *old)
        assert gap.recommendation is GapRecommendation.SEARCH_RECENT
        assert "evidence from 2023 or later" in gap.missing_elements

    def test_few_documents_ask_for_a_further_search(self) -> None:
        assert judged(VERSUS, HEAD_TO_HEAD).recommendation is GapRecommendation.SEARCH_SPECIFIC_GAP

    def test_enough_evidence_of_high_quality_needs_no_further_search(self) -> None:
        gap = judged(VERSUS, *[HEAD_TO_HEAD] * 5)
        assert gap.recommendation is GapRecommendation.PROCEED


def trial(name: str, estimate: float, low: float, high: float, *, swapped: bool = False) -> EvidenceCandidate:
    """A trial of omega-3 against placebo with one hazard ratio; `swapped` prints it for placebo against omega-3."""
    arms = ("omega-3 fatty acids", "placebo")
    named = tuple(ArmResult(arm=a) for a in (reversed(arms) if swapped else arms))
    effect = EffectEstimate(measure="HR", estimate=estimate, ci_low=low, ci_high=high)
    return document(name, "Omega-3 fatty acids were tested.", results=(
        OutcomeResult(outcome="major cardiovascular events", arms=named, effect=effect),
    ))  # fmt: skip


OMEGA_3 = question("Do omega-3 fatty acids prevent cardiovascular events?")


class TestContradictions:
    @pytest.mark.parametrize(
        ("second", "contradicts"),
        [
            (trial("B", 1.40, 1.10, 1.80), True),
            (trial("B", 0.99, 0.90, 1.09), True),
            (trial("B", 0.95, 0.60, 1.40), False),
            (trial("B", 0.80, 0.70, 0.90), False),
            (trial("B", 1.33, 1.20, 1.47, swapped=True), False),
        ],
    )
    def test_only_results_that_exclude_each_other_contradict(
        self, second: EvidenceCandidate, contradicts: bool
    ) -> None:
        """A wide interval across 1 contradicts nothing; the same result told the other way round neither."""
        gap = judged(OMEGA_3, trial("A", 0.75, 0.68, 0.83), second)
        assert bool(gap.contradictions) is contradicts
        for found in gap.contradictions:
            assert (found.first, found.second) == (1, 2)
            assert found.summary.startswith(
                "[1] reports less major cardiovascular events (HR 0.75, 95% CI 0.68 to 0.83)"
            )

    def test_results_told_in_sentences_contradict_too(self) -> None:
        texts = (
            "Major bleeding was less frequent with apixaban than with rivaroxaban (HR 0.60, 95% CI 0.50 to 0.70).",
            "Major bleeding was more frequent with apixaban than with rivaroxaban (HR 1.50, 95% CI 1.20 to 1.90).",
        )
        gap = judged(VERSUS, *(document(f"Apixaban and rivaroxaban in {AF} {i}", t) for i, t in enumerate(texts)))
        assert [(c.first, c.second) for c in gap.contradictions] == [(1, 2)]


designs = st.lists(st.sampled_from(list(StudyDesign)), max_size=10)


@given(designs, st.lists(st.one_of(st.none(), st.integers(1990, YEAR)), min_size=10, max_size=10))
def test_counts_and_years_are_those_of_the_documents(kinds: list[StudyDesign], years: list[int | None]) -> None:
    """The distribution sums to the documents; years are the extremes; coverage is a share."""
    documents = [document(f"Apixaban in {AF} {i}", design=d, year=years[i]) for i, d in enumerate(kinds)]
    gap = judged(VERSUS, *documents)
    known = [y for y in years[: len(kinds)] if y is not None]
    assert sum(gap.quality.model_dump().values()) == len(kinds)
    assert (gap.oldest_year, gap.newest_year) == (min(known, default=None), max(known, default=None))
    assert 0 <= gap.coverage <= 1
    assert all(1 <= n <= len(kinds) for a in gap.aspects for n in a.citations)
