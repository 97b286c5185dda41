"""The two sides of a comparison, in whatever words a sentence compares them."""

from __future__ import annotations

import pytest
from openwork_language.cells.cell import ACTIVE, AFTER, BEFORE, CONTROL, WITH, WITHOUT
from openwork_language.cells.contrasts import arms_of, find_contrasts, phase_of, role_of


@pytest.mark.parametrize(
    "text",
    [
        "Mortality was lower with apixaban than with warfarin.",
        "Bleeding occurred less often in patients receiving apixaban than in those receiving warfarin.",
        "We compared mortality between apixaban and warfarin in adults.",
        "Apixaban versus warfarin lowered mortality.",
        "Apixaban lowered mortality compared with warfarin.",
        "Apixaban reduced bleeding relative to warfarin.",
        "Compared with warfarin, apixaban reduced bleeding.",
        "Mortality was 3% in the apixaban and warfarin groups.",
        "Patients were given apixaban rather than warfarin.",
    ],
)
def test_the_tested_side_comes_first(text: str) -> None:
    contrasts = find_contrasts(text)
    assert len(contrasts) == 1, contrasts
    first, second = contrasts[0].sides
    assert "apixaban" in first
    assert "warfarin" not in first
    assert "warfarin" in second
    assert "apixaban" not in second


@pytest.mark.parametrize(
    "text",
    [
        "Mortality rose from 12% to 15%.",
        "The concentration was 28.7 pg/mL versus 4.5 pg/mL.",
        "Apixaban lowered mortality.",
        "Death occurred in 12% versus 15%.",
        "More than 20 patients had died.",
    ],
)
def test_figures_are_no_sides(text: str) -> None:
    assert find_contrasts(text) == ()


def test_a_side_ends_with_its_phrase() -> None:
    contrast = find_contrasts("Mortality was lower with apixaban than with warfarin, but bleeding was not.")[0]
    assert (contrast.first, contrast.second) == ("apixaban", "warfarin")


def test_a_comparison_stands_where_the_text_has_it() -> None:
    text = "Over two years, mortality was lower with apixaban than with warfarin."
    contrast = find_contrasts(text)[0]
    assert text[contrast.start : contrast.end].startswith("apixaban")
    assert text[contrast.start : contrast.end].endswith("warfarin")


@pytest.mark.parametrize(
    "words",
    ["placebo", "usual care", "the control group", "sham acupuncture", "untreated patients", "conventional therapy"],
)
def test_a_control_is_known_whatever_it_is_called(words: str) -> None:
    assert role_of(words) == CONTROL


@pytest.mark.parametrize("words", ["the intervention group", "the experimental arm", "treated patients"])
def test_what_is_tested_is_known_whatever_it_is_called(words: str) -> None:
    assert role_of(words) == ACTIVE


def test_a_drug_by_name_has_no_role_of_its_own() -> None:
    assert role_of("apixaban") == ""


def test_beside_a_control_the_other_side_is_what_is_tested() -> None:
    first, second = arms_of("colchicine", "placebo")
    assert ACTIVE in first
    assert CONTROL in second


def test_beside_an_intervention_group_the_other_side_is_the_control() -> None:
    first, second = arms_of("women at home", "the intervention group")
    assert CONTROL in first
    assert ACTIVE in second


def test_two_drugs_have_no_roles() -> None:
    assert not frozenset().union(*arms_of("apixaban", "warfarin")) & {ACTIVE, CONTROL}


def test_words_that_both_sides_share_tell_nothing() -> None:
    assert arms_of("aspirin plus clopidogrel", "aspirin plus ticagrelor") == ({"clopidogrel"}, {"ticagrelor"})


@pytest.mark.parametrize(
    ("one", "other", "marks"),
    [
        ("women with diabetes", "women without diabetes", (WITH, WITHOUT)),
        ("before training", "after training", (BEFORE, AFTER)),
        ("20 mg of drug", "40 mg of drug", ("#20", "#40")),
    ],
)
def test_sides_with_the_same_words_are_told_apart_by_what_differs(one: str, other: str, marks: tuple[str, str]) -> None:
    first, second = arms_of(one, other)
    assert marks[0] in first
    assert marks[1] in second
    assert not {*marks} & first & second


@pytest.mark.parametrize(
    ("words", "phase"),
    [
        ("before the intervention", BEFORE),
        ("baseline", BEFORE),
        ("the pre-treatment period", BEFORE),
        ("after the programme", AFTER),
        ("post-treatment values", AFTER),
        ("the apixaban group", ""),
    ],
)
def test_before_and_after_are_read_as_phases(words: str, phase: str) -> None:
    assert phase_of(words) == phase
