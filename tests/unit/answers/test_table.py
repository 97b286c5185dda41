"""The table beneath the direct answer: a row a study, five columns."""

from __future__ import annotations

import pytest
from openwork_answers.forms import lines_of
from openwork_answers.table import HEADER, MOST_ROWS, table_of
from openwork_contracts.conclusion import ArmFigures, Conclusion, ConclusionVerdict, Fit, StudyResult

from tests.unit.answers.made import ARISTOTLE, DAPA_HF, concluded, ratio

V = ConclusionVerdict


def study(n: int = 1, **changes: object) -> StudyResult:
    fields: dict[str, object] = {
        "n": n,
        "study": f"Example {n}",
        "comparison": ("drug A 5 mg twice daily", "placebo"),
        "outcome": "stroke",
        "arms": (ArmFigures(name="drug A", n=1000, events=60), ArmFigures(name="placebo", n=1001, events=100)),
        "effect": ratio(0.60, 0.45, 0.80),
    }
    return StudyResult.model_validate(fields | changes)


def test_a_row_has_study_people_arms_outcome_with_counts_and_harm() -> None:
    (row,) = table_of(concluded("Does dapagliflozin reduce death in people with heart failure?", DAPA_HF))
    assert len(row.cells) == len(HEADER) == 5
    name, people, compared, outcome, harm = row.cells
    assert (row.n, name, people, compared) == (1, "McMurray 2019 [1]", "4,744", "dapagliflozin v placebo")
    assert outcome.startswith(
        "death from any cause: 276 of 2,373 (11.6%) v 329 of 2,371 (13.9%) over a median 18.2 months, HR 0.83 (0.71 to "
        "0.97); 22 fewer per 1,000 (3 to 41), NNT 45 (25 to 289); worsening heart failure or cardiovascular death: "
    )
    assert harm == "not reported here"


def test_the_harm_of_a_study_stands_in_its_own_row() -> None:
    harm = study(2, outcome="major bleeding")
    rows = table_of(Conclusion(verdict=V.BENEFIT, lead=study(1), others=(study(2),), harms=(harm,)))
    assert [row.n for row in rows] == [1, 2]
    assert rows[0].cells[4] == "not reported here"
    assert rows[1].cells[4].startswith("major bleeding: 60 of 1,000 (6.0%) v 100 of 1,001 (10.0%)")


def test_a_harm_of_other_arms_is_no_harm_of_the_row() -> None:
    sides = ("laser", "eye drops"), ("laser", "surgery")
    lead, other = study(1, comparison=sides[0]), study(1, comparison=sides[1], outcome="cataract")
    (row,) = table_of(Conclusion(verdict=V.BENEFIT, lead=lead, harms=(other,)))
    assert row.cells[4] == "not reported here"
    untold = study(1, comparison=(), outcome="cataract")
    (row,) = table_of(Conclusion(verdict=V.BENEFIT, lead=lead, harms=(untold,)))
    assert row.cells[4].startswith("cataract")


def test_two_arms_that_only_doses_tell_apart_keep_them_in_the_row() -> None:
    (row,) = table_of(Conclusion(verdict=V.BENEFIT, lead=study(1, comparison=("zinc 10 mg", "zinc 20 mg"))))
    assert row.cells[2] == "zinc 10 mg v zinc 20 mg"


def test_a_study_with_two_results_has_one_row_and_the_lead_stands_first() -> None:
    rows = table_of(
        Conclusion(
            verdict=V.CONFLICTING, lead=study(3), conflicts=(study(2),), others=(study(3, outcome="death"), study(1))
        )
    )
    assert [row.n for row in rows] == [3, 2, 1]
    assert "; death: " in rows[0].cells[3]


def test_there_are_at_most_five_rows() -> None:
    rows = table_of(Conclusion(verdict=V.BENEFIT, lead=study(1), others=tuple(study(n) for n in range(2, 9))))
    assert len(rows) == MOST_ROWS == 5


def test_what_is_not_published_is_said() -> None:
    bare = study(arms=(), comparison=(), effect=None)
    (row,) = table_of(Conclusion(verdict=V.TOO_LITTLE, lead=bare))
    assert row.cells[1:4] == ("n not published", "not told", "stroke: counts not published")


def test_people_of_a_part_are_named_and_those_not_asked_about_marked() -> None:
    part = study(people="with diabetes at baseline", is_subgroup=True, people_fit=Fit.WIDER)
    (row,) = table_of(Conclusion(verdict=V.BENEFIT, lead=part))
    assert row.cells[1] == "2,001; with diabetes at baseline"
    assert row.cells[3].endswith("(not the asked people alone)")


def test_without_a_result_there_is_no_table() -> None:
    assert table_of(Conclusion(verdict=V.NOT_FOUND)) == ()


@pytest.mark.xfail(strict=True, reason="a study that is there for its harm alone has no row")
def test_a_study_that_only_told_the_harm_has_a_row_too() -> None:
    rows = table_of(Conclusion(verdict=V.BENEFIT, lead=study(1), harms=(study(2, outcome="major bleeding"),)))
    assert [row.n for row in rows] == [1, 2]


def test_a_turned_result_is_shown_as_it_was_asked() -> None:
    asked = "Does warfarin cause more major bleeding than apixaban in people with atrial fibrillation?"
    (row,) = table_of(concluded(asked, ARISTOTLE))
    assert row.cells[2] == "warfarin v apixaban"
    assert row.cells[3].startswith("major bleeding: 462 of 9,052 (5.1%) v 327 of 9,088 (3.6%)")
    assert "HR 1.45 (1.25 to 1.67)" in row.cells[3]


def test_results_of_two_doses_of_one_drug_are_told_apart_wherever_they_stand() -> None:
    """In a row, in the direct answer and in its harms; where one dose alone was given it is left out."""
    high, low = ("dabigatran 150 mg", "warfarin"), ("dabigatran 110 mg", "warfarin")
    lead, other = (
        study(comparison=high, outcome="stroke"),
        study(comparison=low, outcome="stroke", components=("a", "b")),
    )
    other = other.model_copy(update={"outcome_fit": Fit.WIDER})
    harm = study(comparison=low, outcome="major bleeding")
    both = Conclusion(verdict=V.BENEFIT, lead=lead, others=(other,), harms=(harm,))
    (row,) = table_of(both)
    assert row.cells[2] == "dabigatran 150 mg v warfarin; dabigatran 110 mg v warfarin"
    assert "; stroke with dabigatran 110 mg v warfarin: " in row.cells[3]
    assert row.cells[4].startswith("major bleeding with dabigatran 110 mg v warfarin: ")
    texts = [line.text for line in lines_of(both)]
    assert "with dabigatran 150 mg or with warfarin" in texts[0]
    assert any(text.startswith("With dabigatran 110 mg v warfarin: ") for text in texts)
    assert any("major bleeding with dabigatran 110 mg v warfarin" in text for text in texts)
    alone = Conclusion(verdict=V.BENEFIT, lead=lead, harms=(study(comparison=high, outcome="major bleeding"),))
    assert table_of(alone)[0].cells[2] == "dabigatran v warfarin"
    assert "mg" not in lines_of(alone)[0].text
