"""The gate, claim by claim: what passes, what is caught, and with which reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.verdict import ClaimVerdict, EvidenceItem, ReasonCode, Verdict
from openwork_verifier.domain.gate import verify_answer, verify_claim
from verdicts import codes

C = ReasonCode
# After the abstract of ARISTOTLE (10.1056/NEJMoa1107039), in words of our own.
TRIAL = EvidenceItem(
    n=1,
    title="Apixaban versus warfarin in patients with atrial fibrillation",
    text=(
        "We compared apixaban 5 mg twice daily with warfarin in 18,201 patients with atrial fibrillation (AF). "
        "Stroke or systemic embolism occurred at 1.27% per year in the apixaban group and 1.60% per year in the "
        "warfarin group (hazard ratio, 0.79; 95% CI, 0.66 to 0.95; P=0.01). "
        "The rate of major bleeding was 2.13% per year in the apixaban group, as compared with 3.09% per year in the "
        "warfarin group (hazard ratio, 0.69; 95% CI, 0.60 to 0.80; P<0.001). "
        "Myocardial infarction did not differ between the groups (hazard ratio, 0.88; 95% CI, 0.66 to 1.17). "
        "These data suggest that fewer strokes may occur in patients with impaired renal function."
    ),
)
LABEL = EvidenceItem(
    n=2,
    title="Metformin hydrochloride tablets",
    text=(
        "The usual starting dose of metformin is 500 mg twice daily. "
        "Lactic acidosis was reported in 3 of 100,000 adults."
    ),
)


def judged(text: str, *citations: int) -> ClaimVerdict:
    return verify_claim(text, citations or (1,), [TRIAL, LABEL])


@pytest.mark.parametrize(
    "text",
    [
        "Apixaban lowered major bleeding compared with warfarin (HR 0.69, 95% CI 0.60-0.80).",
        "Major bleeding was lower with apixaban than with warfarin (2.13% versus 3.09% per year).",
        "Stroke or systemic embolism occurred at 1.3% per year with apixaban and 1.6% per year with warfarin.",
        "In people with AF, apixaban reduced major haemorrhage (HR .69).",
        "Heart attacks did not differ between apixaban and warfarin.",
        "Apixaban 5 mg twice daily was compared with warfarin in about 18,000 patients with atrial fibrillation.",
    ],
)
def test_faithful_claims_are_supported(text: str) -> None:
    verdict = judged(text)
    assert verdict.verdict is Verdict.SUPPORTED, verdict.reasons


@pytest.mark.parametrize(
    ("text", "code", "verdict"),
    [
        ("Apixaban lowered major bleeding (HR 0.79, 95% CI 0.66 to 0.95).", C.NUMBER_NOT_BOUND, Verdict.NOT_CONFIRMED),
        ("Apixaban lowered major bleeding (HR 0.59).", C.NUMBER_NOT_FOUND, Verdict.CONTRADICTED),
        ("Apixaban lowered major bleeding (HR 0.69, 95% CI 0.60 to 0.85).", C.INTERVAL_MISMATCH, Verdict.CONTRADICTED),
        (
            "Major bleeding occurred at 3.09% per year with apixaban and 2.13% per year with warfarin.",
            C.NUMBER_NOT_BOUND,
            Verdict.NOT_CONFIRMED,
        ),
        ("Apixaban 5 g twice daily was compared with warfarin.", C.UNIT_MISMATCH, Verdict.CONTRADICTED),
        (
            "Apixaban increased major bleeding compared with warfarin (HR 0.69).",
            C.DIRECTION_REVERSED,
            Verdict.NOT_CONFIRMED,
        ),
        ("Rivaroxaban lowered major bleeding compared with warfarin.", C.DRUG_NOT_FOUND, Verdict.NOT_CONFIRMED),
        (
            "Apixaban lowered major bleeding in children with atrial fibrillation.",
            C.POPULATION_NOT_FOUND,
            Verdict.NOT_CONFIRMED,
        ),
        (
            "Apixaban lowered major bleeding in heart failure compared with warfarin.",
            C.DISEASE_NOT_FOUND,
            Verdict.NOT_CONFIRMED,
        ),
        (
            "Myocardial infarction was reduced by apixaban compared with warfarin.",
            C.NULL_RESULT,
            Verdict.NOT_CONFIRMED,
        ),
        (
            "The trial proves that fewer strokes always occur with impaired renal function.",
            C.CERTAINTY_OVERSTATED,
            Verdict.NOT_CONFIRMED,
        ),
    ],
)
def test_one_error_in_a_claim_is_named(text: str, code: ReasonCode, verdict: Verdict) -> None:
    found = judged(text)
    assert code in codes(found), found
    assert found.verdict is verdict, found


def test_an_outcome_that_the_source_does_not_report_is_named() -> None:
    found = judged("Apixaban lowered mortality in atrial fibrillation compared with warfarin.")
    assert C.OUTCOME_NOT_FOUND in codes(found)
    assert found.verdict is not Verdict.SUPPORTED


def test_a_subgroup_result_is_not_the_result_of_the_trial() -> None:
    item = EvidenceItem(
        n=1, text="In a post hoc subgroup analysis, drug treatment lowered stroke in women with migraine."
    )
    verdict = verify_claim("Drug treatment lowered stroke in women with migraine.", (1,), [item])
    assert C.SUBGROUP_AS_WHOLE in codes(verdict)
    assert verdict.verdict is Verdict.NOT_CONFIRMED


def test_a_significant_effect_is_not_claimed_from_an_interval_across_one() -> None:
    item = EvidenceItem(
        n=1, text="Death occurred in 86 and 94 patients with drug and placebo (HR 0.91, 95% CI 0.71 to 1.17)."
    )
    verdict = verify_claim("The drug reduced death compared with placebo (HR 0.91).", (1,), [item])
    assert C.NULL_RESULT in codes(verdict)
    assert verdict.verdict is Verdict.NOT_CONFIRMED


def test_the_verdict_does_not_depend_on_other_evidence_items() -> None:
    alone = verify_claim("Apixaban lowered major bleeding compared with warfarin (HR 0.69).", (1,), [TRIAL])
    assert alone == judged("Apixaban lowered major bleeding compared with warfarin (HR 0.69).")


def test_swapped_arms_are_not_confirmed() -> None:
    """Words are read, not proved: who exchanged what is for a judge to say."""
    verdict = judged("Major bleeding was lower with warfarin than with apixaban.")
    assert verdict.verdict is Verdict.NOT_CONFIRMED
    assert codes(verdict) & {C.ARMS_SWAPPED, C.DIRECTION_REVERSED}


def test_unrelated_content_is_not_confirmed() -> None:
    verdict = judged("Exercise programmes improve balance and prevent falls at home.")
    assert verdict.verdict is Verdict.NOT_CONFIRMED
    assert codes(verdict) & {C.CONTENT_NOT_FOUND, C.DIRECTION_NOT_FOUND}


def test_a_claim_without_a_mark_is_uncited() -> None:
    report = verify_answer("Apixaban lowered major bleeding compared with warfarin.", [TRIAL])
    assert [c.verdict for c in report.claims] == [Verdict.UNCITED]
    assert report.scores.citation_coverage == 0


def test_a_citation_that_does_not_exist_is_named_even_beside_one_that_does() -> None:
    report = verify_answer("Apixaban lowered major bleeding compared with warfarin [1][7].", [TRIAL])
    assert codes(report.claims[0]) == {C.CITATION_UNKNOWN}
    assert report.claims[0].citations == (1, 7)
    assert report.claims[0].verdict is Verdict.UNSUPPORTED


def test_parts_of_a_claim_may_come_from_different_passages() -> None:
    verdict = judged("Apixaban was given at 5 mg twice daily, and metformin is started at 500 mg twice daily.", 1, 2)
    assert verdict.verdict is Verdict.SUPPORTED, verdict.reasons
    assert {span.n for span in verdict.evidence} == {1, 2}


def test_the_right_sentence_with_the_wrong_citation_is_caught() -> None:
    assert judged("Apixaban lowered major bleeding compared with warfarin (HR 0.69).", 2).verdict is Verdict.UNSUPPORTED


def test_a_retracted_source_must_be_named_as_such() -> None:
    retracted = TRIAL.model_copy(update={"status": "retracted"})
    silent = verify_claim("Apixaban lowered major bleeding compared with warfarin.", (1,), [retracted])
    told = verify_claim(
        "Apixaban lowered major bleeding compared with warfarin in a retracted trial.", (1,), [retracted]
    )
    assert C.RETRACTED_SOURCE in codes(silent)
    assert silent.verdict is not Verdict.SUPPORTED
    assert C.RETRACTED_SOURCE not in codes(told)


@pytest.mark.parametrize(
    "text",
    [
        "You should take apixaban 5 mg twice daily.",
        "Take 5 mg of apixaban twice daily.",
        "We recommend starting apixaban.",
        "Patients should receive apixaban.",
        "Your symptoms suggest atrial fibrillation, so you have a stroke risk.",
    ],
)
def test_advice_is_never_supported(text: str) -> None:
    verdict = judged(text)
    assert C.ADVICE_LANGUAGE in codes(verdict)
    assert verdict.verdict is not Verdict.SUPPORTED


def test_a_reported_recommendation_is_not_advice() -> None:
    item = EvidenceItem(
        n=1, text="The 2023 guideline recommends that patients should receive apixaban in preference to warfarin."
    )
    verdict = verify_claim(
        "The 2023 guideline recommends that patients should receive apixaban over warfarin.", (1,), [item]
    )
    assert C.ADVICE_LANGUAGE not in codes(verdict)


@pytest.mark.parametrize(
    "text",
    [
        "## Direct answer",
        "**Limitations**",
        "The evidence found contains no systematic review.",
        "The evidence found includes a retracted source, which was not used: Apixaban versus warfarin in patients ....",
        "The evidence found includes a trial that did not test what was asked: ARISE (it tested resuscitation).",
        "The evidence found includes a trial that did not test what was asked: ARISE (tested pressure lowering; the "
        "question is about statins).",
        "The evidence found includes a preprint that is not peer reviewed: Metformin hydrochloride tablets.",
        "The evidence found is limited by an expression of concern about one source: Metformin hydrochloride.",
        "We searched PubMed and ClinicalTrials.gov.",
        "Is apixaban safer than warfarin?",
        "This summary is not medical advice.",
    ],
)
def test_sentences_that_claim_nothing_are_not_claims(text: str) -> None:
    assert [c.verdict for c in verify_answer(text, [TRIAL]).claims] == [Verdict.NOT_A_CLAIM]


@pytest.mark.parametrize(
    "text",
    [
        "No benefit of apixaban was found.",
        "No trial found an effect of apixaban on mortality.",
        "The summary hazard ratio was 0.56.",
        "The retrieved evidence is limited but shows that apixaban prevents death.",
        "This answer is based on trials that prove apixaban cures stroke and reduces death.",
        "The evidence shows that apixaban is safe.",
        "The evidence found includes a retracted source, which was not used: apixaban prevents death and cures stroke.",
        "The evidence found includes a preprint that is not peer reviewed: mortality fell from 12% to 4%.",
        "The evidence found includes a trial that did not test what was asked: ARISE (it showed less death).",
        "The evidence found includes a source that is new: apixaban is better.",
    ],
)
def test_a_negative_finding_is_a_claim(text: str) -> None:
    assert verify_answer(text, [TRIAL]).claims[0].verdict is Verdict.UNCITED


def test_reference_lists_are_not_judged() -> None:
    report = verify_answer(
        "Apixaban lowered major bleeding [1].\n\n## References\n[1] Granger CB. N Engl J Med 2011.", [TRIAL]
    )
    assert report.scores.claims == 1


def test_an_answer_without_claims_is_fully_grounded() -> None:
    scores = verify_answer("", []).scores
    assert (scores.claims, scores.grounding_score, scores.citation_coverage) == (0, 1.0, 1.0)


sentences = st.sampled_from(
    [
        "Apixaban lowered major bleeding compared with warfarin [1].",
        "Apixaban increased bleeding (HR 1.69) [1].",
        "It is uncited.",
        "## Heading\n\n",
        "Metformin is started at 500 mg [2][3].",
        "You must stop warfarin [2].",
    ]
)


@given(st.lists(sentences, max_size=6))
def test_scores_add_up_and_quotes_are_exact(parts: list[str]) -> None:
    """supported + unsupported = claims, and every quote is the passage's own words at that place."""
    evidence = {1: TRIAL, 2: LABEL}
    report = verify_answer(" ".join(parts), list(evidence.values()))
    scores = report.scores
    assert scores.supported + scores.unsupported == scores.claims
    assert scores.claims == sum(c.verdict is not Verdict.NOT_A_CLAIM for c in report.claims)
    for claim in report.claims:
        assert (claim.verdict is Verdict.SUPPORTED) <= (not claim.reasons)
        for span in claim.evidence:
            assert span.quote == evidence[span.n].text[span.start : span.end]


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_answer_and_any_evidence_get_a_report(answer: str, text: str) -> None:
    """No text breaks the gate, and it gives the same report twice."""
    evidence = [EvidenceItem(n=1, text=text)]
    assert verify_answer(answer, evidence) == verify_answer(answer, evidence)


TABLE = EvidenceItem(
    n=1,
    title="Apixaban versus warfarin",
    text=(
        "Table 2. Outcomes by treatment group.\n"
        "Outcome | Apixaban (n=9120), n (%) | Warfarin (n=9081), n (%) | HR (95% CI)\n"
        "Stroke | 199 (2.2) | 250 (2.8) | 0.79 (0.65 to 0.95)\n"
        "Major bleeding | 327 (3.6) | 462 (5.1) | 0.69 (0.60 to 0.80)\n"
    ),
)


@pytest.mark.parametrize(
    ("text", "supported"),
    [
        ("Major bleeding occurred in 3.6% of patients with apixaban and 5.1% with warfarin.", True),
        ("Major bleeding occurred in 5.1% of patients with apixaban and 3.6% with warfarin.", False),
        ("Stroke occurred in 3.6% of patients with apixaban.", False),
        ("Major bleeding was lower with apixaban than with warfarin (HR 0.69, 95% CI 0.60-0.80).", True),
        ("Major bleeding was lower with apixaban than with warfarin (HR 0.79, 95% CI 0.65-0.95).", False),
    ],
)
def test_numbers_of_a_table_belong_to_their_row_and_column(text: str, supported: bool) -> None:
    found = verify_claim(text, (1,), [TABLE])
    assert (found.verdict is Verdict.SUPPORTED) == supported, found


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Blood thinning with apixaban led to less serious haemorrhage than warfarin.", Verdict.SUPPORTED),
        ("Blood thinning with apixaban led to more serious haemorrhage than warfarin.", Verdict.NOT_CONFIRMED),
        ("Apixaban was cheaper than warfarin in Brazilian hospitals.", Verdict.NOT_CONFIRMED),
    ],
)
def test_other_words_may_say_the_same_or_the_opposite_or_nothing(text: str, verdict: Verdict) -> None:
    found = judged(text)
    assert found.verdict is verdict, found


def test_good_wording_never_makes_up_for_a_wrong_number() -> None:
    """Every word of the claim is the source's; one digit is not."""
    found = judged(
        "The rate of major bleeding was 2.73% per year in the apixaban group, as compared with 3.09% per year in the "
        "warfarin group."
    )
    assert found.verdict is Verdict.CONTRADICTED
