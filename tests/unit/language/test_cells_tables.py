"""Tables that stand in a passage as text: each number with its row and its column."""

from __future__ import annotations

import pytest
from openwork_language.cells.cell import BEFORE, CONTROL, Cell
from openwork_language.cells.tables import Row, read_rows
from openwork_language.quantities.compare import QuantityKind
from openwork_language.sentences import split_sentences

K = QuantityKind
RESULTS = """Table 2. Outcomes of the trial
Outcome | Apixaban, n (%) | Placebo, n (%) | HR (95% CI) | P value
Stroke | 212 (2.3) | 265 (2.9) | 0.79 (0.66-0.95) | 0.01
Death | 603 (6.6) | 669 (7.3) | 0.89 (0.80-1.00) | <0.05"""


def rows_of(text: str) -> list[Row]:
    return list(read_rows(split_sentences(text)).values())


def cell_of(row: Row, value: str) -> Cell:
    return next(cell for cell in row.cells if str(cell.quantity.value) == value)


def test_the_header_and_the_caption_are_no_rows() -> None:
    assert len(rows_of(RESULTS)) == 2


def test_a_number_has_the_words_of_its_column_and_of_its_row() -> None:
    stroke, death = rows_of(RESULTS)
    assert ("apixaban" in cell_of(stroke, "2.3").arm, "stroke" in cell_of(stroke, "2.3").outcome) == (True, True)
    assert "apixaban" not in cell_of(stroke, "2.9").arm
    assert "stroke" not in cell_of(death, "6.6").outcome
    assert (cell_of(death, "7.3").arm_text, cell_of(death, "7.3").outcome_text) == ("Placebo, n (%)", "Death")


def test_the_role_of_a_column_is_read_from_its_header() -> None:
    stroke, _ = rows_of(RESULTS)
    assert CONTROL in cell_of(stroke, "2.9").arm
    assert CONTROL not in cell_of(stroke, "2.3").arm


def test_a_count_and_its_percentage_take_their_units_from_the_header() -> None:
    stroke, _ = rows_of(RESULTS)
    assert (cell_of(stroke, "212").quantity.kind, cell_of(stroke, "2.3").quantity.kind) == (K.COUNT, K.PERCENT)


def test_a_ratio_takes_its_measure_from_the_header_and_keeps_its_interval() -> None:
    stroke, _ = rows_of(RESULTS)
    assert (cell_of(stroke, "0.79").quantity.measure, cell_of(stroke, "0.66").quantity.kind) == ("HR", K.INTERVAL)


def test_the_numbers_of_a_p_value_column_are_p_values() -> None:
    found = [cell.quantity for row in rows_of(RESULTS) for cell in row.cells if cell.quantity.kind is K.P_VALUE]
    assert [(str(q.value), q.operator) for q in found] == [("0.01", "="), ("0.05", "<")]


def test_a_column_of_intervals_alone_is_read_as_such() -> None:
    (row,) = rows_of("Outcome | HR | 95% CI\nStroke | 0.79 | 0.66-0.95")
    assert [cell.quantity.kind for cell in row.cells] == [K.EFFECT, K.INTERVAL]


def test_a_percent_sign_in_the_header_is_the_unit_of_a_bare_number() -> None:
    (row,) = rows_of("Outcome | Drug, % | Placebo, %\nNausea | 12.5 | 8")
    assert [(cell.quantity.kind, str(cell.quantity.value)) for cell in row.cells] == [
        (K.PERCENT, "12.5"),
        (K.PERCENT, "8"),
    ]


def test_a_header_of_two_lines_is_one_header() -> None:
    (row,) = rows_of("| | Drug | Sham |\n| | at baseline | at 6 months |\n| Pain | 62.4 | 40.1 |")
    baseline, later = row.cells
    assert (baseline.arm_text, later.arm_text) == ("Drug at baseline", "Sham at 6 months")
    assert (baseline.times, later.times) == ({BEFORE}, {"180 day"})


def test_a_deviation_in_brackets_is_no_figure_of_its_own() -> None:
    (row,) = rows_of("Outcome | Drug | Placebo\nPain, mean (SD) | 62.4 (2.4) | 40.1 (3.1)")
    assert [(str(cell.quantity.value), cell.attached) for cell in row.cells] == [
        ("62.4", False),
        ("2.4", True),
        ("40.1", False),
        ("3.1", True),
    ]


def test_a_row_between_rows_names_the_group_of_those_that_follow() -> None:
    first, second = rows_of("Outcome | Drug | Placebo\nSafety | |\nNausea | 12 | 8\nBenefit | |\nRemission | 40 | 20")
    assert first.cells[0].outcome_text == "Safety  Nausea"
    assert "safet" not in second.cells[0].outcome


def test_a_column_of_weeks_gives_each_row_its_time() -> None:
    first, second = rows_of("Week | Drug | Placebo\n4 | 12.1 | 15.3\n8 | 10.0 | 14.9")
    assert (first.cells[0].times, second.cells[0].times) == ({"28 day"}, {"56 day"})


@pytest.mark.parametrize("text", ["Stroke was rarer with apixaban.", "Stroke | apixaban", ""])
def test_text_without_rows_under_a_header_has_none(text: str) -> None:
    assert rows_of(text) == []


def test_two_tables_each_have_their_own_header() -> None:
    text = (
        "Outcome | Apixaban | Warfarin\nStroke | 2.3 | 2.9\n"
        "Table 3. Adverse events\nEvent | Aspirin | Placebo\nNausea | 12 | 8"
    )
    first, second = rows_of(text)
    assert "apixaban" in first.cells[0].arm
    assert "aspirin" in second.cells[0].arm
    assert "apixaban" not in second.cells[0].arm


def test_a_number_stands_where_its_cell_stands_in_the_line() -> None:
    line = "Stroke | 212 (2.3) | 265 (2.9)"
    (row,) = rows_of(f"Outcome | Apixaban, n (%) | Placebo, n (%)\n{line}")
    shown = {str(c.quantity.value): line[c.quantity.start : c.quantity.end] for c in row.cells}
    assert shown == {"212": "212 (2.3)", "2.3": "212 (2.3)", "265": "265 (2.9)", "2.9": "265 (2.9)"}
