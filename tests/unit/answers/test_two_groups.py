"""Shares of two groups told one after the other, in words that no list of arms has."""

from __future__ import annotations

import pytest
from openwork_answers.told import told_results
from openwork_answers.two_groups import of_two_groups
from openwork_contracts.evidence import AbstractPart

from tests.unit.answers.made import record


@pytest.mark.parametrize(
    ("sentence", "read"),
    [
        (
            "In EXAMPLE, nonfatal serious adverse events occurred in 23.3% of people with intensive lowering and 23.6% "
            "of people with standard lowering.",
            [("nonfatal serious adverse events", "intensive lowering", "standard lowering", "23.3", "23.6")],
        ),
        (
            "Iron deficiency at term occurred in 44.0% of women with daily iron and 66.0% of women without.",
            [("Iron deficiency at term", "daily iron", "no daily iron", "44.0", "66.0")],
        ),
        (
            "In EXAMPLE, any preeclampsia occurred in 24.4% with treatment and 31.1% without, and preterm birth in "
            "27.5% and 31.4%.",
            [
                ("any preeclampsia", "treatment", "no treatment", "24.4", "31.1"),
                ("preterm birth", "treatment", "no treatment", "27.5", "31.4"),
            ],
        ),
        (
            "Vasopressors were used in the first 6 hours in 66.6% of patients with protocol care and 57.8% with usual "
            "care (P<0.001).",
            [("Vasopressors", "protocol care", "usual care", "66.6", "57.8")],
        ),
        (
            "In EXAMPLE, symptomatic hypotension ended treatment in 0.9% of people on drug A and 0.7% on drug B.",
            [("symptomatic hypotension ending treatment", "drug A", "drug B", "0.9", "0.7")],
        ),
        (
            "Treatment was completed by 97% of people on the 1-month regimen and 90% on 9 months of isoniazid.",
            [("Treatment completed", "1-month regimen", "9 months of isoniazid", "97", "90")],
        ),
    ],
)
def test_each_share_has_its_group(sentence: str, read: list[tuple[str, ...]]) -> None:
    assert [(f.outcome, *f.comparison, *(arm.percent for arm in f.arms)) for f in of_two_groups(sentence)] == read


@pytest.mark.parametrize(
    "sentence",
    [
        "Death occurred in 20% of people with diabetes and 10% of people without.",
        "Death occurred in 20% of men with angina and 10% of women with angina.",
        "Stroke occurred in 12% of people aged 80 or over and 5% of people aged under 60.",
        "Relapse occurred in 30% of patients with the drug, which 20% of patients with side effects stopped.",
        "Relapse occurred in 30% of patients with the drug.",
        "Stroke occurred in 9% of people with a previous event and 4% of people with no previous event.",
    ],
)
def test_groups_that_were_not_treated_apart_are_not_read(sentence: str) -> None:
    assert of_two_groups(sentence) == ()


def told(text: str) -> list[tuple[str, ...]]:
    document = record("Drug A or placebo in stroke", abstract=(AbstractPart(label="Results", text=text),))
    return [(r.outcome, *(arm.percent or "" for arm in r.arms)) for r in told_results(1, document, ())]


def test_pairs_behind_are_of_the_same_two_groups() -> None:
    text = "Hyperkalemia was reported in 10.8% on finerenone and 5.3% on placebo"
    assert told(f"{text} and led to discontinuation in 1.2% and 0.4%.") == [
        ("Hyperkalemia", "10.8", "5.3"),
        ("discontinuation", "1.2", "0.4"),
    ]


def test_a_pair_of_another_group_is_not_theirs() -> None:
    text = "Bleeding occurred in 9% on aspirin and 12% on placebo; with clopidogrel, stroke in 3% and 5%."
    assert all(name != "stroke" for name, *_ in told(text))


def test_what_an_effect_came_about_by_is_named_without_the_words_for_it() -> None:
    text = "Aspirin lowered vascular events compared with placebo (5.1% versus 5.7%), mainly through fewer infarctions "
    assert told(f"{text}(1.8% versus 2.3%).")[-1] == ("infarctions", "1.8", "2.3")
