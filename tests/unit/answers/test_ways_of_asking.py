"""The same question in many ways: what is given, what is asked about and who is meant are read alike in all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.answers.made import question

LINES = (Path(__file__).parent / "ways_of_asking.txt").read_text().splitlines()
WAYS = [line for line in LINES if not line.startswith("#")]
ALONE = [way for way in WAYS if "{C}" not in way]
AGAINST = [way for way in WAYS if "{C}" in way]


def asked(way: str, **names: str) -> str:
    text = way.format(**names)
    return f"{text[0].upper()}{text[1:]}"


@pytest.mark.parametrize("way", ALONE)
def test_a_drug_an_outcome_and_a_disease_are_read_whatever_the_order(way: str) -> None:
    read = question(asked(way, D="dexamethasone", O="mortality", P="patients with tuberculous meningitis"))
    assert [one.term.casefold() for one in read.treatments] == ["dexamethasone"]
    assert [one.casefold() for one in read.outcome_texts] == ["mortality"]
    assert [one.text.casefold() for one in read.people] == ["tuberculous meningitis"]


@pytest.mark.parametrize("way", AGAINST)
def test_two_drugs_are_set_against_each_other_in_people_named_by_what_they_are_on(way: str) -> None:
    read = question(asked(way, D="apixaban", C="warfarin", O="stroke", P="dialysis patients"))
    assert {one.term.casefold() for one in (*read.treatments, *read.comparators)} == {"apixaban", "warfarin"}
    assert [one.casefold() for one in read.outcome_texts] == ["stroke"]
    who = [one.text.casefold() for one in read.people]
    assert [text for text in who if not text.endswith(("on apixaban", "with apixaban"))] == ["dialysis"]
