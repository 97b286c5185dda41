"""Of whom and about what a question is: diseases, times and drugs in lists, beside a dash, in a bracket."""

from __future__ import annotations

import pytest

from tests.unit.answers.made import question


@pytest.mark.parametrize(
    ("text", "outcomes", "people"),
    [
        (
            "What is the risk of a major bleed with edoxaban for an acute DVT or PE, compared with warfarin?",
            ("major bleed",),
            {"acute DVT or PE"},
        ),
        ("In sepsis or pneumonia, does hydrocortisone reduce deaths?", ("deaths",), {"sepsis", "pneumonia"}),
        (
            "Do beta-blockers after MI reduce death, reinfarction or heart failure?",  # the middle one is in no list
            ("death, reinfarction or heart failure",),
            {"after MI"},
        ),
        ("Does apixaban in AF reduce stroke or systemic embolism?", ("stroke or systemic embolism",), {"AF"}),
        ("Is there a difference in MI or stroke between prasugrel and clopidogrel?", ("MI or stroke",), set()),
        ("Does carvedilol in CKD mean fewer admissions for angina, heart block or syncope?", None, {"CKD"}),
        ("Major bleeding during six months of dabigatran for an acute DVT?", ("Major bleeding",), {"acute DVT"}),
        ("In the large WHO trial, did colchicine prevent gout flares in CKD?", ("gout flares",), {"CKD"}),
    ],
)
def test_a_list_is_of_one_role(text: str, outcomes: tuple[str, ...] | None, people: set[str]) -> None:
    read = question(text)
    assert outcomes is None or read.outcome_texts == outcomes
    assert {term.text for term in read.people} == people


@pytest.mark.parametrize(
    ("text", "treatments", "comparators"),
    [
        ("Septic shock, hydrocortisone specifically (not dex): 28d mortality?", ["hydrocortisone"], []),
        ("Subclinical hypothyroidism, levothyroxine vs nil - QoL any better?", ["levothyroxine"], ["nil"]),
        ("Vaso + NA vs NA alone in septic shock: AF risk?", ["vasopressin", "noradrenaline"], ["noradrenaline"]),
    ],
)
def test_what_is_not_given_is_no_treatment_and_a_dash_ends_a_comparator(
    text: str, treatments: list[str], comparators: list[str]
) -> None:
    read = question(text)
    assert [idea.term for idea in read.treatments] == treatments
    assert [idea.term for idea in read.comparators] in ([], comparators)


@pytest.mark.parametrize(
    ("text", "outcomes", "people"),
    [
        ("Does prednisone reduce death in acute exacerbations of COPD?", ("death",), {"acute exacerbations of COPD"}),
        (
            "Does magnesium reduce hospital admission in acute asthma exacerbation?",
            ("hospital admission",),
            {"acute asthma exacerbation"},
        ),
        (
            "What is the risk of hyperglycaemia with prednisone for COPD exacerbations?",
            ("hyperglycaemia",),
            {"COPD exacerbations"},
        ),
        ("Does roflumilast prevent COPD exacerbations?", ("COPD exacerbations",), set()),
        (
            "Does azithromycin reduce hospital admission for COPD exacerbation?",
            ("hospital admission for COPD exacerbation",),
            set(),
        ),
        ("Is there a difference in COPD exacerbations with theophylline?", ("COPD exacerbations",), set()),
        ("Does theophylline reduce death or COPD exacerbations?", ("death or COPD exacerbations",), set()),
    ],
)
def test_an_attack_in_which_something_else_is_counted_is_what_somebody_has(
    text: str, outcomes: tuple[str, ...], people: set[str]
) -> None:
    read = question(text)
    assert read.outcome_texts == outcomes
    assert {term.text for term in read.people} == people
