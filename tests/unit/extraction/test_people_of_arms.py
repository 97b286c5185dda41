"""How many people an arm has, as sentences, headings and rows say it."""

from __future__ import annotations

import pytest
from openwork_extraction.extract import extract
from openwork_extraction.study import Asked

from tests.unit.extraction.papers import paper, table

_PAIN = table("| Drug | Placebo", "Pain, mean (SD) | 3.1 (1.2) | 4.0 (1.1)")


_PAIN_ALONE = table("| Drug | Control", "Pain, mean (SD) | 3.1 (1.2) | 4.0 (1.1)")


def _sizes(methods: str) -> list[str | None]:
    first = extract(paper(_PAIN, methods=methods), Asked("drug", "placebo", "pain")).first
    return [arm.n.value if arm.n else None for arm in first.arms] if first else []


def test_both_arms_of_one_sentence_of_treatment_have_their_people() -> None:
    """ "22 patients were treated with A and 20 patients with B" without a word of how they were divided."""
    told = "In all, 22 patients were treated with the drug, and 20 patients were treated with placebo."
    assert _sizes(told) == ["22", "20"]


@pytest.mark.parametrize(
    "told",
    [
        "Four patients in both groups were anaemic at the end.",
        "Values fell with the drug (P = 0.04 versus placebo, n = 5).",
        "In the first subgroup, 5 patients were assigned to the drug and 6 patients were assigned to placebo.",
        "Effects were tested within-subjects in 80 patients.",
    ],
)
def test_people_of_a_part_or_of_a_test_are_not_the_arms(told: str) -> None:
    """What befell some, the n of a p value, a subgroup: none is the size of an arm."""
    assert _sizes(told) in ([], [None, None])


def test_people_of_one_arm_are_not_those_of_the_other() -> None:
    """ "No drug" shares a word with the drug: the sentence is of the drug alone."""
    study = paper(
        table("| Zinc infusion | No infusion", "Pain, mean (SD) | 3.1 (1.2) | 4.0 (1.1)"),
        methods="Of the 90 patients, 46 were assigned to receive zinc infusion.",
    )
    first = extract(study, Asked("zinc infusion", "no infusion", "pain")).first
    sizes = [arm.n.value if arm.n else None for arm in first.arms] if first else []
    assert sizes[1:] in ([], [None])


def test_a_row_of_people_may_be_named_as_the_counts_below_it() -> None:
    """ "No. of patients (%)" over whole numbers."""
    study = paper(
        table("| Drug | Placebo", "No. of patients (%) | 22 | 20", "Pain, mean (SD) | 3.1 (1.2) | 4.0 (1.1)"),
    )
    first = extract(study, Asked("drug", "placebo", "pain")).first
    assert first is not None
    assert [arm.n.value for arm in first.arms if arm.n] == ["22", "20"]


def test_sizes_that_text_and_tables_exchange_are_not_given() -> None:
    """The text gives the drug 47 people and the control 46, every heading the other way round: one is a misprint."""
    heads = table("| Drug (n = 46) | Control (n = 47)", "Women, n (%) | 23 (50) | 20 (43)", label="Table 1")
    told = "Of these, 93 patients were randomised to drug (n = {0}) or control (n = {1})."
    for sizes, wanted in (((46, 47), ["46", "47"]), ((47, 46), [])):
        first = extract(paper(heads, _PAIN_ALONE, methods=told.format(*sizes)), Asked("drug", "control", "pain")).first
        assert [arm.n.value for arm in (first.arms if first else ()) if arm.n] == wanted
