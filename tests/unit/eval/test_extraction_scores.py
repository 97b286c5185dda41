"""How the extraction's evaluation judges: a share over trials, a split that nobody chooses."""

from __future__ import annotations

import csv
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

import pytest
from openwork_contracts.cells import ResultCell
from openwork_extraction.results import ArmNumbers, Source, StudyResult
from openwork_extraction.study import Asked

from tests.eval.extraction.results import NOT_GIVEN, RIGHT, WRONG, Judged, given, interval
from tests.eval.extraction.rows import (
    APART,
    DEVELOPMENT,
    FURTHER,
    FURTHER_SETS,
    SECOND,
    Row,
    further,
    further_without_text,
    part_of,
)


def judged(pmcid: str, verdict: str) -> Judged:
    """A row of a trial with its verdict."""
    return Judged(Row(pmcid, "binary", Asked("a", "b", "c"), ()), verdict, None)


def test_numbers_are_compared_by_value_in_the_order_of_a_row() -> None:
    def arm(events: str, n: str) -> ArmNumbers:
        return ArmNumbers("arm", n=ResultCell(value=n), events=ResultCell(value=events))

    result = StudyResult(Source.TABLE, "death", intervention=arm("12", "1,038"), comparator=arm("20", "101"))

    assert given(result) == (Decimal(12), Decimal(1038), Decimal(20), Decimal(101))


def test_the_interval_is_of_trials_and_the_same_each_time() -> None:
    one_trial = [judged("PMC1", RIGHT), judged("PMC1", WRONG)]
    two_trials = [judged("PMC1", RIGHT), judged("PMC2", NOT_GIVEN)]

    assert interval(one_trial, lambda one: one.verdict == RIGHT) == " 50.0 % [50.0, 50.0]"
    assert interval(two_trials, lambda one: one.verdict == RIGHT) == " 50.0 % [ 0.0, 100.0]"


def test_a_trial_is_in_the_part_that_its_id_says() -> None:
    parts = [part_of(f"PMC{number}") for number in range(1000)]

    assert set(parts) == {DEVELOPMENT, SECOND, APART}
    assert 550 < parts.count(DEVELOPMENT) < 650


def test_a_further_result_is_complete_and_its_trial_in_one_set_only() -> None:
    sets: dict[str, set[str]] = defaultdict(set)
    with FURTHER.open(encoding="utf-8", newline="") as lines:
        for one in csv.DictReader(lines, delimiter="\t"):
            numbers = [Decimal(number) for number in one["numbers"].split()]
            people = numbers[1::2] if one["kind"] == "binary" else numbers[2::3]

            assert len(numbers) == {"binary": 4, "continuous": 6}[one["kind"]], one
            assert all(n > 0 and n == int(n) for n in people), one
            assert one["kind"] == "continuous" or (numbers[0] <= numbers[1] and numbers[2] <= numbers[3]), one
            assert all((one["intervention"], one["comparator"], one["outcome"])), one
            sets[one["pmcid"]].add(one["set"])

    assert {name for names in sets.values() for name in names} == set(FURTHER_SETS)
    assert all(len(names) == 1 for names in sets.values())


def test_articles_without_a_text_are_named_and_none_of_their_results_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.eval.extraction.rows.FURTHER_TEXTS", tmp_path)

    assert further("third") == ()
    assert len(further_without_text("third")) == 20


def test_a_set_of_further_articles_that_there_is_not_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(ValueError, match="first, second, third"):
        further("fourth")
