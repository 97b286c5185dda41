"""Figures of sentences in which an arm stands between them, behind them or nowhere, and efficacies."""

from __future__ import annotations

import pytest
from openwork_answers.figures_in_words import figures_in_words
from openwork_answers.one_acted import told_of_one
from openwork_answers.reported import Reported
from openwork_answers.told import told_results
from openwork_contracts.evidence import AbstractPart, EvidenceCandidate, TrialArm

from tests.unit.answers.made import concluded, ratio, record, result


def told(sentence: str, *arms: str, title: str = "Example trial") -> list[Reported]:
    named = tuple(TrialArm(name=arm) for arm in arms)
    document = record(title, abstract=(AbstractPart(label="Results", text=sentence),), arms=named)
    return list(told_results(1, document, ()))


@pytest.mark.parametrize(
    ("sentence", "read"),
    [
        (
            "In EXAMPLE, aspirin lowered nonfatal reinfarction (1.0% versus 2.0%) and nonfatal stroke (0.3% v 0.6%).",
            [("nonfatal reinfarction", "aspirin", "control", "1.0", "2.0", None),
             ("nonfatal stroke", "aspirin", "control", "0.3", "0.6", None)],
        ),
        (
            "In EXAMPLE, aspirin lowered serious vascular events by 12% compared with no aspirin (0.51% versus 0.57% "
            "per year; P=0.0001), mainly through fewer myocardial infarctions (0.18% versus 0.23% per year).",
            [("serious vascular events", "aspirin", "no aspirin", "0.51", "0.57", "100 person-year"),
             ("myocardial infarctions", "aspirin", "no aspirin", "0.18", "0.23", "100 person-year")],
        ),
        ("In EXAMPLE, aspirin lowered stroke (2.0% versus 1.0%).", []),  # the figures go the other way
        ("In EXAMPLE, age raised death (2.0% versus 1.0%).", []),  # nobody is given age
        ("In EXAMPLE, aspirin and warfarin lowered stroke (1.0% versus 2.0%).", []),  # which of them is not told
    ],
)  # fmt: skip
def test_one_treatment_and_its_two_shares(sentence: str, read: list[tuple[str | None, ...]]) -> None:
    found = told_of_one(sentence)
    assert [(f.outcome, *f.comparison, *(a.percent for a in f.arms), f.arms[0].per) for f in found] == read


def test_rates_of_three_arms_are_each_set_against_the_control() -> None:
    sentence = (
        "In EXAMPLE, major bleeding occurred at 3.36% per year with warfarin, 2.71% per year with dabigatran 110 mg "
        "(P=0.003) and 3.11% per year with dabigatran 150 mg."
    )
    found = told(sentence, "dabigatran 110 mg", "dabigatran 150 mg", "warfarin")
    assert [(r.comparison, [a.percent for a in r.arms]) for r in found] == [
        (("dabigatran 110 mg", "warfarin"), ["2.71", "3.36"]),
        (("dabigatran 150 mg", "warfarin"), ["3.11", "3.36"]),
    ]


def test_a_mean_number_a_year_is_a_rate() -> None:
    (found,) = told(
        "In EXAMPLE, the mean number of exacerbations was 0.73 per patient-year with tiotropium and 0.85 per "
        "patient-year with placebo.",
        "tiotropium",
        "placebo",
    )
    assert found.outcome == "exacerbations"
    assert [(a.percent, a.per) for a in found.arms] == [("0.73", "patient-year"), ("0.85", "patient-year")]


def test_an_arm_may_stand_between_a_count_and_its_share() -> None:
    (found,) = told(
        "Serious adverse events occurred in 40 people with platelet transfusion (42%) and 28 people with standard care "
        "(29%).",
        "platelet transfusion",
        "standard care",
    )
    assert [a.percent for a in found.arms] == ["42", "29"]


DENGUE = "Efficacy of a Dengue Vaccine Candidate (TAK-003) in Children"


def test_an_efficacy_is_against_what_the_title_says_and_of_whom_the_sentence_does() -> None:
    found = told(
        "In EXAMPLE, efficacy in the second year declined to 56.2% (95% CI 42.3 to 66.8), and to 24.5% (95% CI -34.2 "
        "to 57.5) in children aged 4 to 5 years.",
        "TAK-003 vaccine",
        "placebo",
        title=DENGUE,
    )
    assert [(r.outcome, r.people, r.effect.estimate) for r in found if r.effect] == [
        ("dengue", "in the second year", 56.2),
        ("dengue", "in the second year, in children aged 4 to 5 years", 24.5),
    ]


def test_an_efficacy_against_a_serotype_is_against_the_disease() -> None:
    (found,) = told(
        "In EXAMPLE, efficacy was 89.5% (95% CI 78.7 to 95.0) against serotype 1.", "TAK-003 vaccine", "placebo",
        title=DENGUE,
    )  # fmt: skip
    assert found.outcome == "serotype 1 dengue"


def vaccine_trial(outcome: str, arm: str = "TAK-003 vaccine") -> EvidenceCandidate:
    text = "In this trial, 900 children received TAK-003 vaccine or placebo."
    events = ((arm, 10, 600), ("placebo", 20, 300))
    return record(DENGUE, text, results=(result(outcome, ratio(0.25, 0.12, 0.52, "RR"), events),))


def test_a_vaccines_ratio_is_told_as_efficacy_too() -> None:
    lead = concluded("Does TAK-003 vaccine reduce dengue compared with placebo?", vaccine_trial("dengue")).lead
    assert lead is not None
    assert figures_in_words(lead).endswith("RR 0.25 (0.12 to 0.52), efficacy 75% (48% to 88%)")


def test_of_what_is_no_infection_it_is_not() -> None:
    lead = concluded("Does TAK-003 vaccine reduce headache compared with placebo?", vaccine_trial("headache")).lead
    assert lead is not None
    assert "efficacy" not in figures_in_words(lead)


def test_rates_of_a_result_that_the_table_has_are_not_told_again() -> None:
    text = (
        "In this trial, 12037 people with atrial fibrillation received dabigatran 110 mg or warfarin. Major bleeding "
        "occurred at 2.71% per year with dabigatran 110 mg and 3.36% per year with warfarin."
    )
    events = (("dabigatran 110 mg", 322, 6015), ("warfarin", 397, 6022))
    document = record(
        "Dabigatran versus warfarin in atrial fibrillation", text,
        results=(result("major bleeding", ratio(0.80, 0.69, 0.93, "RR"), events),),
    )  # fmt: skip
    asked = "Does dabigatran 110 mg reduce major bleeding compared with warfarin in atrial fibrillation?"
    conclusion = concluded(asked, document)
    assert [r.arms[0].percent for r in conclusion.results if r.outcome.lower() == "major bleeding"] == [None]
