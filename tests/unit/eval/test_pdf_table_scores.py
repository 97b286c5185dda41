"""When a cell of a PDF table counts as right, wrong or lost."""

from __future__ import annotations

import pytest

from tests.eval.pdf_tables.score import Score, TypedRow, TypedTable, score_table

ROWS = (TypedRow(("Age", "< 65"), ("1", "2")), TypedRow(("Age", "65+"), ("3", "")), TypedRow(("All",), ("4", None)))
TABLE = TypedTable("t", "t.pdf", 1, False, (("Drug A", "10 mg"), ("Placebo",)), ROWS)
HEADS = [["", "Drug A", ""], ["", "10 mg", "Placebo"]]
BODY = [["Age", "", ""], ["< 65", "1", "2"], ["65+", "3", ""], ["All", "4", "9"]]


def test_cells_under_their_heads_are_right_and_blank_ones_are_not_counted() -> None:
    assert score_table(TABLE, [[*HEADS, *BODY]]) == Score(right=4)


@pytest.mark.parametrize(
    ("heads", "body", "score"),
    [
        ([["", "Drug A", ""], ["", "10 mg Placebo", "Placebo"]], BODY, Score(right=1, wrong=3)),
        (HEADS, [["Age", "", ""], ["< 65", "2", "1"], *BODY[2:]], Score(right=2, wrong=2)),
        (HEADS, [BODY[0], BODY[1], ["65+ All", "3 4", "9"]], Score(right=2, lost=2)),
        (HEADS, [["Sex", "", ""], *BODY[1:]], Score(right=1, lost=3)),
        ([["", "Drug A 10 mg", "Drug A 10 mg", "Placebo"]], [BODY[0], ["< 65", "1", "1", "2"]], Score(1, 1, 2)),
    ],
    ids=["a head too many", "cells changed over", "two rows in one", "no group is said", "a column twice"],
)
def test_cells_elsewhere_are_wrong_and_those_without_a_row_lost(
    heads: list[list[str]], body: list[list[str]], score: Score
) -> None:
    assert score_table(TABLE, [[*heads, *body]]) == score


def test_row_of_another_group_is_not_the_wanted_one() -> None:
    rows = (TypedRow(("Harm", "Yes"), ("5",)), TypedRow(("Benefit", "Yes"), ("7",)))
    table = TypedTable("t", "t.pdf", 1, False, (), rows)
    assert score_table(table, [[["Harm", ""], ["Yes", "5"], ["Benefit", ""], ["Yes", "7"]]]) == Score(right=2)
    assert score_table(table, [[["Harm", ""], ["Yes", "7"], ["Benefit", ""], ["Yes", "5"]]]) == Score(wrong=2)
