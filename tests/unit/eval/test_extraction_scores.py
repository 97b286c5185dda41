"""How the extraction's evaluation judges: a share over trials, a split that nobody chooses."""

from __future__ import annotations

from decimal import Decimal

from openwork_contracts.cells import ResultCell
from openwork_extraction.results import ArmNumbers, Source, StudyResult
from openwork_extraction.study import Asked

from tests.eval.extraction.results import NOT_GIVEN, RIGHT, WRONG, Judged, given, interval
from tests.eval.extraction.rows import APART, DEVELOPMENT, SECOND, Row, part_of


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
