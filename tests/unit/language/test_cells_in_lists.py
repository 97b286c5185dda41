"""Results told one after another: which numbers are a series, what carries on, and which time each has."""

from __future__ import annotations

import pytest
from openwork_language.cells.cell import Cell
from openwork_language.cells.read import read_cells
from openwork_language.cells.times import read_times

PAIRS = (
    "Girls with asthma more often had a cough (12% versus 31%, P=0.01), wheeze (4% versus 9%, P=0.20), "
    "or an admission (2% versus 7%, P=0.04)."
)


def cell_of(text: str, shown: str) -> Cell:
    """The first cell of the number that is printed so."""
    return next(cell for cell in read_cells(text) if cell.quantity.text == shown)


@pytest.mark.parametrize(("shown", "word", "other"), [("31%", "cough", "wheez"), ("9%", "wheez", "cough")])
def test_two_numbers_in_one_bracket_are_of_what_stands_before_it(shown: str, word: str, other: str) -> None:
    """Also the second one, which stands nearer to the next result."""
    words = cell_of(PAIRS, shown).words
    assert words[word] > words.get(other, 0.0)


def test_what_a_pair_comes_to_does_not_stand_between_it_and_its_outcome() -> None:
    found = cell_of("Relapse was 23% lower (3.7% versus 4.8%) with lithium than with placebo.", "4.8%")
    assert found.words["relaps"] > 0.5


def test_the_subject_carries_on_to_figures_that_name_no_other() -> None:
    text = "Pain was lowered by ice among boys (9% versus 11%) and among girls (12% versus 17%)."
    assert cell_of(text, "12%").words["pain"] > 0.5
    alone = "Ice was given to boys (9% versus 11%), and swelling was rare (12% versus 17%)."
    assert "ice" not in cell_of(alone, "12%").words


def test_people_of_their_own_take_no_sides_from_the_clause_before() -> None:
    text = (
        "Compared with nurses, teachers with asthma coughed more (8.6 v 7.2); "
        "and patients with gout coughed more too (8.2 v 7.2)."
    )
    assert "teacher" not in cell_of(text, "8.2").arm


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("Pain was 2% at 4 weeks and 3% at 8 weeks.", {"2%": "28 day", "3%": "56 day"}),
        ("At week 4, pain was 33 mm; at week 8 it was 20 mm.", {"33 mm": "28 day", "20 mm": "56 day"}),
        ("Scores fell by 5 over days 1-15 and by 7 over days 1-29.", {"5": "15 day", "7": "29 day"}),
        ("Response was 82%, and 18-month survival was 52%.", {"82%": "", "52%": "540 day"}),
        ("At 18 months, response was 82% and survival 52%.", {"82%": "540 day", "52%": "540 day"}),
    ],
)
def test_each_figure_has_its_own_time(text: str, times: dict[str, str]) -> None:
    assert {shown: "".join(cell_of(text, shown).times) for shown in times} == times


def test_a_list_of_weeks_is_a_list_of_times() -> None:
    assert [time for _, time in read_times("Blood was drawn at weeks 4, 8 and 12.")] == ["28 day", "56 day", "84 day"]


def test_a_figure_is_no_side_of_a_comparison() -> None:
    text = "Sensitivity was 97% (3 T) and 99% (1.5 T) versus ultrasound with 70% (3 T) and 79% (1.5 T)."
    assert not any(word.startswith("#97") for cell in read_cells(text) for word in cell.arm)
