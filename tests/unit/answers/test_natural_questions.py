"""Where in a natural question the outcome, the comparison and the people stand, and what is none of them."""

from __future__ import annotations

import pytest

from tests.unit.answers.made import question


@pytest.mark.parametrize(
    ("text", "outcomes", "people"),
    [
        ("Does prednisolone reduce relapse compared with no prednisolone in sarcoidosis?", ("relapse",),
         {"sarcoidosis"}),
        ("How does lithium compare with control for self-harm in bipolar disorder?", ("self-harm",),
         {"bipolar disorder"}),
        ("How does rifaximin with usual care compare with placebo with usual care for falls in cirrhosis?", ("falls",),
         {"cirrhosis"}),
        ("Denosumab vs placebo in osteoporosis: fatal or nonfatal stroke?", ("fatal or nonfatal stroke",),
         {"osteoporosis"}),
        ("Denosumab vs placebo in osteoporosis: hip replacement?", ("hip replacement",), {"osteoporosis"}),
        ("Does sotalol prevent catheter ablation compared with placebo in atrial flutter?", ("catheter ablation",),
         {"atrial flutter"}),
        ("Does riociguat change the 6-minute walk distance in pulmonary hypertension?", ("6-minute walk distance",),
         {"pulmonary hypertension"}),
        ("Would letrozole rather than tamoxifen change mortality in breast cancer?", ("mortality",), {"breast cancer"}),
        ("Does erenumab reduce change in the visual analogue score in migraine?",
         ("change in the visual analogue score",), {"migraine"}),
        ("Does amiodarone cause a stroke in another vascular territory in carotid stenosis?",
         ("stroke in another vascular territory",), {"carotid stenosis"}),
        ("Ibutilide vs placebo in sarcoidosis: admission for atrial fibrillation or flutter?",
         ("admission for atrial fibrillation or flutter",), {"sarcoidosis"}),
        ("Does alemtuzumab reduce death or dependence at 90 days in multiple sclerosis?", ("death or dependence",),
         {"multiple sclerosis"}),
        ("Is patiromer better than placebo at preventing a serum potassium above 5.5 mmol/L in cirrhosis?",
         ("serum potassium above 5.5 mmol/L",), {"cirrhosis"}),
        ("Which slows the renal decline more in lupus nephritis, tacrolimus or cyclophosphamide?", ("renal decline",),
         {"lupus nephritis"}),
        ("Does niacin prolong life in gout irrespective of baseline cholesterol?", ("prolong life",), {"gout"}),
        ("Does niacin prolong life irrespective of age in gout?", ("prolong life",), {"gout"}),
        ("Taking all the trials together, does zinc shorten the common cold?", ("common cold",), set()),
        ("Is gout diagnosed more often when people with hypertension are put on indapamide?", ("gout",),
         {"hypertension"}),
        ("Does vitamin D prevent falls in people past 70?", ("falls",), {"past 70"}),
    ],
)  # fmt: skip
def test_what_is_asked_about_and_who_is_meant(text: str, outcomes: tuple[str, ...], people: set[str]) -> None:
    read = question(text)
    assert read.outcome_texts == outcomes
    assert {term.text for term in read.people} == people


@pytest.mark.parametrize(
    ("text", "treatments", "comparators"),
    [
        ("Is early surgery better than watchful waiting at preventing recurrence in diverticulitis?",
         {"early surgery"}, set()),
        ("Does letrozole or anastrozole prevent recurrence of breast cancer?", {"letrozole"}, {"anastrozole"}),
        ("Should letrozole or anastrozole be used in breast cancer?", {"letrozole"}, {"anastrozole"}),
        ("Whistle distribution: does it lower malaria deaths?", {"Whistle distribution"}, set()),
        ("Does spray treatment and usual care reduce death compared with usual care in burns?", {"spray treatment"},
         set()),
        ("Does treating mild gestational diabetes reduce caesarean sections?", set(), set()),
    ],
)  # fmt: skip
def test_what_is_given_and_against_what(text: str, treatments: set[str], comparators: set[str]) -> None:
    read = question(text)
    assert {idea.term for idea in read.treatments} == treatments
    assert {idea.term for idea in read.comparators} == comparators


@pytest.mark.parametrize(
    "text",
    [
        "Does metoprolol reduce death in heart failure while lowering blood pressure below 130 mm Hg?",
        "Does noradrenaline reduce death in shock with a systolic past 60 mm Hg?",
        "In the past 60 years, does dialysis reduce death in myeloma?",
    ],
)
def test_a_target_is_no_outcome_and_a_time_no_age(text: str) -> None:
    read = question(text)
    assert not any("130" in one for one in read.outcome_texts)
    assert not any(term.measure == "age" for term in read.people)
