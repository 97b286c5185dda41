"""Whose numbers are whose where a sentence names the arms apart from them, and how many people the text tells."""

from __future__ import annotations

import pytest
from openwork_extraction.extract import extract
from openwork_extraction.study import Asked

from tests.unit.extraction.papers import paper
from tests.unit.extraction.test_extracted_tables import counts, means

PEOPLE = "Patients were assigned to lotaphene (n = 40) or placebo (n = 42). Data are mean ± SD."
SCORE = Asked("lotaphene", "placebo", "itch score")
HEALED = Asked("lotaphene", "placebo", "healing")


def test_arms_named_before_the_numbers_are_in_their_order() -> None:
    told = "The itch score was lower with lotaphene than with placebo (2.1 ± 0.4 vs. 3.0 ± 0.5; P = 0.01)."

    assert means(extract(paper(results=told, methods=PEOPLE), SCORE).first) == [
        ("2.1", "0.4", "40"),
        ("3.0", "0.5", "42"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The itch score was lower with lotaphene than with placebo (3.0 ± 0.5 vs. 2.1 ± 0.4).",
        "The itch score differed in patients and doctors (3.0 ± 0.5 vs. 2.1 ± 0.4).",
        "Compared with placebo, lotaphene 5 mg and lotaphene 9 mg lowered the itch score (3.0 ± 0.5 and 2.1 ± 0.4).",
        "The AUC of the itch score was lower with lotaphene than with placebo (2.1 ± 0.4 vs 3.0 ± 0.5).",
        "The itch score was 2.1 ± 0.4 vs 3.0 ± 0.5 vs 3.3 ± 0.6 with lotaphene, metoprine and placebo.",
    ],
    ids=["the direction contradicts", "no arms", "two doses", "worked out of it", "three arms"],
)
def test_a_sentence_that_does_not_say_whose_numbers_gives_none(text: str) -> None:
    first = extract(paper(results=text, methods=PEOPLE), SCORE).first

    assert first is None or not first.is_complete


def test_of_several_pairs_the_one_behind_the_outcome_is_read() -> None:
    told = (
        "With lotaphene compared with placebo, thirst (1.0 ± 0.2 vs 1.1 ± 0.3) was alike and the itch score "
        "(2.1 ± 0.4 vs 3.0 ± 0.5) was not."
    )

    assert means(extract(paper(results=told, methods=PEOPLE), SCORE).first)[1] == ("3.0", "0.5", "42")


def test_percentages_of_known_people_become_counts_that_say_so() -> None:
    told = "The healing rate was higher with lotaphene than with placebo (75.0% vs 50.0%)."

    result = extract(paper(results=told, methods=PEOPLE), HEALED).first

    assert counts(result) == [("30", "40"), ("21", "42")]
    assert result is not None
    assert result.is_computed


def test_two_sentences_with_other_numbers_give_none() -> None:
    told = (
        "Healing was seen in 30 of 40 patients with lotaphene and 21 of 42 with placebo. "
        "Healing was seen in 28 of 38 patients with lotaphene and 20 of 40 with placebo."
    )

    found = extract(paper(results=told), HEALED)

    assert found.first is None or not found.first.is_complete
    assert "2 sentences" in found.refused[-1]


def test_people_divided_into_groups_are_taken_as_equal_only_as_computed() -> None:
    methods = "Thirty-two mice were randomly divided into four groups. Data are mean ± SD."
    told = "The itch score was 2.1 ± 0.4 with lotaphene and 3.0 ± 0.5 with placebo."

    result = extract(paper(results=told, methods=methods), SCORE).first

    assert means(result) == [("2.1", "0.4", "8"), ("3.0", "0.5", "8")]
    assert result is not None
    assert result.is_computed


def test_people_of_a_calculation_beforehand_are_not_those_of_an_arm() -> None:
    methods = "A sample size of 20 patients per group was required. Data are mean ± SD."
    told = "The itch score was 2.1 ± 0.4 with lotaphene and 3.0 ± 0.5 with placebo."

    first = extract(paper(results=told, methods=methods), SCORE).first

    assert first is None or not first.is_complete
