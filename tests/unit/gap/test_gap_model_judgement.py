"""What of a model's judgement of the evidence is taken over, and what never."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.evidence import TextOrigin
from openwork_contracts.gap import Assessment, GapAssessment, GapRecommendation
from openwork_contracts.ranking import RankedPassage
from openwork_gap.domain.model_judgement import ModelContradiction, ModelGap, fillings_of, gap_prompt, merge
from openwork_gap.domain.thresholds import THRESHOLDS

from tests.packs import TEXTS, documents, gap_assessment, passages, question_analysis

TRUE_PAIR = ModelContradiction(
    first=1,
    second=2,
    comparison="apixaban warfarin",
    outcome="stroke",
    first_quote="Apixaban lowered stroke compared with warfarin in atrial fibrillation",
    second_quote="There was no significant difference in stroke between apixaban and warfarin",
)


def judged(
    gap: GapAssessment | None = None, *, over: Sequence[RankedPassage] | None = None, **changes: object
) -> GapAssessment:
    fields: dict[str, object] = {
        "assessment": Assessment.SUFFICIENT,
        "contradictions": [],
        "missing_elements": [],
        "recommendation": GapRecommendation.PROCEED,
    }
    judgement = ModelGap.model_validate({**fields, **changes})
    return merge(
        gap or gap_assessment(),
        judgement,
        question_analysis(),
        over or passages(),
        model="m",
        thresholds=THRESHOLDS,
    )


@pytest.mark.parametrize(
    ("code", "coverage", "model", "merged"),
    [
        (Assessment.SUFFICIENT, 1.0, Assessment.PARTIAL, Assessment.PARTIAL),
        (Assessment.PARTIAL, 1.0, Assessment.SUFFICIENT, Assessment.PARTIAL),
        (Assessment.INSUFFICIENT, 0.0, Assessment.SUFFICIENT, Assessment.INSUFFICIENT),
        (Assessment.SUFFICIENT, 1.0, Assessment.INSUFFICIENT, Assessment.PARTIAL),
        (Assessment.PARTIAL, 0.3, Assessment.INSUFFICIENT, Assessment.INSUFFICIENT),
        (Assessment.SUFFICIENT, 1.0, Assessment.SUFFICIENT, Assessment.SUFFICIENT),
    ],
)
def test_a_model_may_lower_an_assessment_and_never_raise_it(
    code: Assessment, coverage: float, model: Assessment, merged: Assessment
) -> None:
    gap = gap_assessment(coverage=coverage, assessment=code)
    assert judged(gap, assessment=model).assessment is merged


def test_counts_and_years_are_the_codes() -> None:
    before, after = gap_assessment(), judged(missing_elements=["long-term safety data"])
    for name in ("coverage", "oldest_year", "newest_year", "quality", "recency_concern", "aspects"):
        assert getattr(after, name) == getattr(before, name)
    assert after.method == "code and m"


def test_a_missing_element_in_the_questions_own_words_is_taken() -> None:
    gap = judged(missing_elements=["randomised trial of apixaban in older adults"])
    assert gap.missing_elements == ("randomised trial of apixaban in older adults",)
    assert gap.assessment is Assessment.PARTIAL


@pytest.mark.parametrize(
    "text",
    [
        "proof that apixaban is anything but safe",
        "zanolixumab trials",
        "12 further trials",
        "evidence that warfarin is dangerous",
        "data; visit http://attacker.example",
        "long-term data <b>now</b>",
        "",
        "no trial",
        "trial " * 13,
    ],
)
def test_a_missing_element_cannot_carry_a_claim(text: str) -> None:
    """It is printed as "The evidence found contains no ...", unverified: no word in it may claim."""
    assert judged(missing_elements=[text]).missing_elements == ()


def test_what_the_rules_missed_is_not_said_twice() -> None:
    gap = gap_assessment(missing=("direct comparison of apixaban and warfarin in a randomised trial",))
    merged = judged(gap, missing_elements=["randomised trial comparison of apixaban and warfarin"])
    assert merged.missing_elements == gap.missing_elements


def test_a_contradiction_that_both_sources_state_is_taken_in_their_words() -> None:
    (found,) = judged(contradictions=[TRUE_PAIR]).contradictions
    assert (found.first, found.second) == (1, 2)
    assert found.summary.startswith("[1] reports “Apixaban lowered stroke")
    for quote in found.summary.split("“")[1:]:
        assert any(quote.split("”")[0] in text for text in TEXTS)


def test_words_of_a_summary_of_ours_are_no_quotation_in_a_contradiction() -> None:
    first, *others = passages()
    ours = first.model_copy(update={"text_origin": TextOrigin.OUR_SUMMARY})
    (found,) = judged(over=(ours, *others), contradictions=[TRUE_PAIR]).contradictions
    mine, theirs = found.summary.split(", while ")
    assert mine.endswith("(our summary)")
    assert "“" not in mine
    assert "“" in theirs


@pytest.mark.parametrize(
    "changes",
    [
        {"first_quote": "Apixaban tripled stroke compared with warfarin in everybody"},
        {"second": 1},
        {"second": 99},
        {"outcome": "zanolixumab deaths"},
        {"second_quote": "The guideline recommends direct oral anticoagulants over warfarin", "second": 3},
    ],
)
def test_a_contradiction_that_the_sources_do_not_state_is_refused(changes: dict[str, object]) -> None:
    pair = ModelContradiction.model_validate({**TRUE_PAIR.model_dump(), **changes})
    assert judged(contradictions=[pair]).contradictions == ()


def test_a_further_search_is_asked_for_on_the_codes_conditions_only() -> None:
    """The model must have named a gap that was taken over, and good sources must be few."""
    wanted = GapRecommendation.SEARCH_SPECIFIC_GAP
    assert judged(recommendation=wanted).recommendation is GapRecommendation.PROCEED
    named = judged(recommendation=wanted, missing_elements=["quality of life data"])
    assert named.recommendation is wanted


def test_the_prompt_says_of_a_summary_of_ours_that_it_is_one() -> None:
    first, *others = passages()
    ours = first.model_copy(update={"text_origin": TextOrigin.OUR_SUMMARY})
    filled = gap_prompt().fill(fillings_of(question_analysis(), (ours, *others), documents()))
    assert "[1] rct, 2011, our summary, not the source's own words" in filled.user
    assert filled.user.count("our summary") == 1


def test_the_prompt_shows_every_source_as_data() -> None:
    filled = gap_prompt().fill(fillings_of(question_analysis(), passages(misfit=2), documents()))
    assert "[1] rct, 2011" in filled.user
    assert "[2] cohort, 2012, MARKED: does not test what is asked" in filled.user
    assert "Graded recommendation (strength strong, class I)" in filled.user
    assert len(re.findall(r"</data-[0-9a-f]{16}>", filled.user)) == 4


@given(st.lists(st.text(max_size=60), max_size=5), st.sampled_from(Assessment), st.sampled_from(GapRecommendation))
def test_whatever_a_model_says_the_assessment_stays_one(
    missing: list[str], assessment: Assessment, recommendation: GapRecommendation
) -> None:
    merged = judged(missing_elements=missing, assessment=assessment, recommendation=recommendation)
    assert GapAssessment.model_validate(merged.model_dump()) == merged
    assert merged.assessment is not Assessment.INSUFFICIENT
