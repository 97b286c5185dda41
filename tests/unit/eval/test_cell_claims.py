"""Claims of cells: the right one, and wrong ones that no rounding would explain."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from openwork_contracts.verdict import EvidenceItem

from tests.eval.fidelity import cells
from tests.eval.fidelity.cell_claims import (
    EXCHANGED,
    OFF,
    OTHER,
    OTHER_TIME,
    RIGHT,
    Cell,
    Figures,
    claims_of,
    exchanged,
    of_another,
    off,
    plain,
    stands_in,
    told,
)

TEXT = "Outcome | Drug (n = 1,287) | Placebo (n = 640)\nDeath | 177 | 51\nStroke | 12 | 60"
CELL = Cell(
    key="1",
    outcome="death",
    arms=("with the drug", "with placebo"),
    figures=(Figures("177", 1287), Figures("51", 640)),
    evidence=EvidenceItem(n=1, text=TEXT),
    time="at week 24",
    other_time="at week 12",
)
STROKE = replace(CELL, key="2", outcome="stroke", figures=(Figures("12", 1287), Figures("60", 640)))


def test_percentages_are_worked_out_and_rounded() -> None:
    """14 % of 1,287 is 177."""
    texts = " ".join(told(CELL, Random(1), 9))
    assert "14%" in texts
    assert "8%" in texts
    assert "177 of 1287" in texts
    assert "At week 24, " in texts


def test_without_the_groups_sizes_no_percentage_is_told() -> None:
    """A reader of the evidence could not check it."""
    assert not any("%" in text or " of " in text for text in told(replace(CELL, says_n=False), Random(1), 9))


def test_every_wrong_kind_differs_from_the_right_one() -> None:
    """Arms, outcome, time and number, each told wrong; as many as the cell allows."""
    made = claims_of(CELL, [CELL, STROKE], "t", Random(1), 2)
    kinds = {case.kind.removeprefix("t | ") for case in made}
    assert kinds == {RIGHT, EXCHANGED, OTHER, OTHER_TIME, OFF}
    assert [case.right for case in made].count(True) == 2
    right = {case.text for case in made if case.right}
    assert right.isdisjoint(case.text for case in made if not case.right)


def test_arms_with_like_figures_are_not_exchanged() -> None:
    """Ten percent apart is the least that rounding cannot explain."""
    assert exchanged(replace(CELL, figures=(Figures("10", 100), Figures("10", 101)))) is None
    assert exchanged(CELL) is not None


def test_another_outcome_is_taken_from_the_same_arms_only() -> None:
    """Else it would be another error."""
    assert of_another(CELL, [CELL], Random(1)) is None
    assert of_another(CELL, [replace(STROKE, arms=("with A", "with B"))], Random(1)) is None
    changed = of_another(CELL, [STROKE], Random(1))
    assert changed is not None
    assert (changed.outcome, changed.figures) == ("death", STROKE.figures)


def test_a_number_off_stands_nowhere_in_the_evidence() -> None:
    """And no group has more events than people."""
    for seed in range(30):
        changed = off(CELL, Random(seed))
        assert changed is not None
        value = changed.figures[0].value
        assert not stands_in(value, TEXT)
        assert int(value) <= 1287


def test_figures_are_found_in_any_notation() -> None:
    """Separators of thousands and minus signs differ between articles."""
    assert plain("10 218 of 12,345 and −0.4") == "10218 of 12345 and -0.4"
    assert stands_in("1287", TEXT)
    assert not stands_in("128", TEXT)


def test_the_list_of_cells_is_well_formed() -> None:
    """Nine columns, a known place, an arm each; no row twice."""
    rows = cells.listed()
    assert len(rows) >= 100
    assert all(set(row["place"]) <= {"t", "p"} and row["outcome"] and row["arm"] != row["comparator"] for row in rows)
    assert len({row["id"] for row in rows}) == len(rows)
