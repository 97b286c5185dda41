"""Which numbers of a sentence are a result of two arms, and whose people they can be of."""

from __future__ import annotations

from openwork_extraction.extract import extract
from openwork_extraction.results import StudyResult
from openwork_extraction.study import Asked, StudyText

from tests.unit.extraction.papers import paper, table

_SIZES = table("| Amlor (n = 31) | Bisol (n = 30) | Placebo (n = 29)", "Women, n (%) | 15 (48) | 16 (53) | 14 (48)")
_METHODS = "Values are means ± SD."


def _first(study: StudyText, asked: Asked) -> StudyResult | None:
    return extract(study, asked).first


def _said(sentence: str) -> StudyText:
    return paper(_SIZES, results=sentence, methods=_METHODS)


def test_numbers_of_a_list_belong_to_the_names_of_a_list_of_the_same_length() -> None:
    """Three arms in one sentence: the two that are asked are taken, wherever they stand in it."""
    study = _said("Latency was 4.1 ± 1.0, 3.9 ± 2.0 and 3.0 ± 1.5 s in Amlor, Bisol and placebo, respectively.")
    for asked, wanted in (
        (Asked("Amlor", "placebo", "latency"), ["4.1", "3.0"]),
        (Asked("Bisol", "placebo", "latency"), ["3.9", "3.0"]),
        (Asked("Amlor", "Bisol", "latency"), ["4.1", "3.9"]),
    ):
        first = _first(study, asked)
        assert first is not None
        assert [arm.mean.value for arm in first.arms if arm.mean] == wanted


def test_numbers_of_a_list_of_times_are_of_no_pair() -> None:
    """Four times of one arm and four of the other: no two neighbours are a result."""
    study = _said(
        "Pain with Amlor at 6, 12 and 18 h was 6.4 ± 0.9, 3.4 ± 0.8 and 1.9 ± 1.1, and with placebo "
        "6.6 ± 0.8, 3.5 ± 0.9 and 2.1 ± 1.0, respectively."
    )
    assert _first(study, Asked("Amlor", "placebo", "pain")) is None


def test_numbers_of_two_units_are_no_pair() -> None:
    """An error in percent and a level are not compared."""
    study = _said("Glucose was 78.1 ± 6.7 mg/dL with Amlor; the error of glucose was 16.7 ± 11.0 % with placebo.")
    assert _first(study, Asked("Amlor", "placebo", "glucose")) is None


def test_what_stands_beyond_a_turn_is_of_something_else() -> None:
    """The asked outcome did not differ; the numbers are of the exception."""
    study = _said(
        "The incidence of nausea did not differ, except for the incidence of shivering with Amlor, 16.1 % of patients, "
        "and with placebo, 3.4 %."
    )
    assert _first(study, Asked("Amlor", "placebo", "nausea")) is None


def test_percentages_give_counts_only_where_they_prove_their_people() -> None:
    """72.6 % is a whole number of 62 and of hardly any other; 70 % is one of most."""
    sizes = table("| Drug (n = 62) | Placebo (n = 62)", "Women, n (%) | 31 (50.0) | 30 (48.4)")
    asked = Asked("drug", "placebo", "hypoxia")
    proven = paper(
        sizes, results="The incidence of hypoxia was 54.8 % in the drug group and 72.6 % in the placebo group."
    )
    first = _first(proven, asked)
    assert first is not None
    assert [arm.events.value for arm in first.arms if arm.events] == ["34", "45"]
    found = extract(
        paper(sizes, results="The incidence of hypoxia was 55 % in the drug group and 73 % in the placebo group."),
        asked,
    )
    assert found.first is None
    assert any("other people" in why for why in found.refused)


def test_a_sentence_about_a_part_of_the_people_is_not_of_all() -> None:
    """The means are of 18 and 12 people, and the arms have 31 and 29."""
    study = _said("The 18 hungry subjects of Amlor had a latency of 4.1 ± 1.0 and the 12 with placebo 3.0 ± 1.5.")
    assert _first(study, Asked("Amlor", "placebo", "latency")) is None


def test_a_sentence_that_is_not_given_still_contradicts_another() -> None:
    """Two sentences with other numbers: that one of them is in doubt does not make the other one sure."""
    study = paper(
        table("| Drug (n = 40) | Placebo (n = 37)", "Women, n (%) | 20 (50) | 18 (49)"),
        results="Cure occurred in 28/40 (70%) of the drug group and in 20/37 (54%) of the placebo group. "
        "The incidence of cure was 80 % in the drug group and 59 % in the placebo group.",
    )
    assert _first(study, Asked("drug", "placebo", "cure")) is None
