"""Numbers within names, and doses and routes before them, must be the source's."""

from __future__ import annotations

import pytest
from openwork_contracts.verdict import ReasonCode, Verdict
from verdicts import judged

ARMS = "VASST found no difference in 28-day mortality between low-dose vasopressin and norepinephrine in septic shock."


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("Metformin is the first-line drug for type 2 diabetes in India.", ("type 2", "type 1")),
        ("Metformin is the first-line drug for type 2 diabetes in India.", ("type 2", "type 9.4")),
        ("Remdesivir did not lower mortality in hospital in people with COVID-19.", ("COVID-19", "COVID-22.7")),
        ("Marine omega-3 supplements did not lower coronary disease.", ("omega-3", "omega-6")),
        ("Tocilizumab blocks the receptor of IL-6 in rheumatoid arthritis.", ("IL-6", "IL-17")),
        ("Dapagliflozin slowed the decline of eGFR in CKD stages 2-4.", ("stages 2-4", "stage 5")),
    ],
)
def test_another_number_makes_another_name(source: str, wrong: tuple[str, str]) -> None:
    assert judged(source, source).verdict is Verdict.SUPPORTED
    verdict = judged(source.replace(*wrong), source)
    assert verdict.verdict is Verdict.NOT_CONFIRMED
    assert any(reason.code is ReasonCode.NUMBER_NOT_FOUND for reason in verdict.reasons)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Metformin lowers HbA1c in type 2 diabetes.", "In T2DM, metformin lowers HbA1c. A type 1 error is unlikely."),
        ("Metformin lowers HbA1c in type II diabetes.", "Metformin lowers HbA1c in type 2 diabetes."),
        ("Patients with CKD stage 3 had fewer events.", "Patients with CKD stages 2-4 had fewer events."),
        ("Marine omega-3 did not lower coronary disease.", "Marine n-3 fatty acids did not lower coronary disease."),
        (
            "In COVID-19, 28-day mortality was lower with dexamethasone.",
            "Dexamethasone lowered 28-day mortality in COVID-19.",
        ),
        ("Surgery improved survival in stage III cancer.", "Surgery improved survival in stage I-III cancer."),
        ("Surgery improved survival in stage 3 cancer.", "Surgery improved survival in stage IIIA or IIIB cancer."),
        ("Secukinumab inhibits IL-17.", "Secukinumab inhibits interleukin-17; IL-4 was unaffected."),
        ("Events of grade 3 to 5 were rarer.", "Events of grade ≥3 were rarer; grade 5 events did not occur."),
        ("Oral rivaroxaban and apixaban lowered stroke.", "Oral apixaban and rivaroxaban lowered stroke."),
        ("The result was not pooled.", "The result could not be pooled."),
        ("Remdesivir did not lower deaths in COVID-19.", "Remdesivir did not lower deaths in SARS-CoV-2."),
    ],
)  # fmt: skip
def test_another_way_to_print_it_does_not(claim: str, source: str) -> None:
    assert judged(claim, source).verdict is Verdict.SUPPORTED


def test_a_number_beside_a_name_is_still_checked() -> None:
    source = "In COVID-19, 28-day outcomes were better on dexamethasone, and 40 patients died on dexamethasone."
    assert judged("In COVID-19, 40 patients died on dexamethasone.", source).verdict is Verdict.SUPPORTED
    assert judged("In COVID-19, 28 patients died on dexamethasone.", source).verdict is not Verdict.SUPPORTED
    assert judged("In COVID-28, 40 patients died on dexamethasone.", source).verdict is not Verdict.SUPPORTED


@pytest.mark.parametrize("outcome", ["sleep", "wound healing", "exercise tolerance"])
def test_an_outcome_that_the_source_does_not_speak_of_is_no_support(outcome: str) -> None:
    source = "In this trial of 4,000 adults, apixaban lowered major bleeding compared with warfarin over two years."
    verdict = judged(f"Apixaban improved {outcome} compared with warfarin.", source)
    assert verdict.verdict is Verdict.NOT_CONFIRMED
    assert {reason.code for reason in verdict.reasons} <= {
        ReasonCode.CONTENT_NOT_FOUND,
        ReasonCode.OUTCOME_NOT_FOUND,
        ReasonCode.DIRECTION_NOT_FOUND,
    }


def test_a_dose_that_the_source_gives_to_the_other_drug_is_a_swap() -> None:
    assert judged(ARMS, ARMS).verdict is Verdict.SUPPORTED
    swapped = ARMS.replace("vasopressin and norepinephrine", "norepinephrine and vasopressin")
    verdict = judged(swapped, ARMS)
    assert verdict.verdict is Verdict.NOT_CONFIRMED
    assert {reason.code for reason in verdict.reasons} == {ReasonCode.ARMS_SWAPPED}
    other_order = ARMS.replace("low-dose vasopressin and norepinephrine", "norepinephrine and low-dose vasopressin")
    assert judged(other_order, ARMS).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("source", "surer"),
    [
        ("RDW was associated with death in hospital.", "RDW caused death in hospital."),
        ("ESR could provide a clue to weight loss in cancer.", "ESR will provide a clue to weight loss in cancer."),
        ("The results suggest that p300 activates genes.", "The results prove that p300 activates genes."),
    ],
)  # fmt: skip
def test_a_possibility_that_became_a_fact_is_no_full_support(source: str, surer: str) -> None:
    assert judged(source, source).verdict is Verdict.SUPPORTED
    verdict = judged(surer, source)
    assert verdict.verdict is Verdict.NOT_CONFIRMED
    assert ReasonCode.CERTAINTY_OVERSTATED in {reason.code for reason in verdict.reasons}


def test_what_is_found_word_for_word_is_supported_although_the_source_asks_it_too() -> None:
    found = "BPROAD found fewer cardiovascular events with a target below 120 mm Hg than below 140 mm Hg."
    asked = "BPROAD asked whether a target below 120 mm Hg lowers cardiovascular events compared with below 140 mm Hg."
    assert judged(found, f"{asked} {found}").verdict is Verdict.SUPPORTED
