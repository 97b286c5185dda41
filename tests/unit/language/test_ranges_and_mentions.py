"""Who is meant: figures of age, kidney function and ejection fraction; and whether a text speaks of a thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_language.mentions import idea_of, speaks_of
from openwork_language.ranges import AGE, EJECTION, KIDNEY, Interval, agreement, ranges_in


@pytest.mark.parametrize(
    ("text", "measure", "interval"),
    [
        ("CKD with eGFR 30-50", KIDNEY, (30, 50)),
        ("an estimated GFR of 50 mL/min or less", KIDNEY, (0, 50)),
        ("a creatinine clearance below 25 mL/min", KIDNEY, (0, 25)),
        ("chronic kidney disease stage 3b", KIDNEY, (30, 44)),
        ("people on hemodialysis", KIDNEY, (0, 14)),
        ("adults over 75", AGE, (75, 120)),
        ("adults aged 40 to 75 years", AGE, (40, 75)),
        ("people aged 80 years or older", AGE, (80, 120)),
        ("an ejection fraction above 40%", EJECTION, (40, 100)),
        ("heart failure with preserved ejection fraction", EJECTION, (50, 100)),
    ],
)
def test_intervals_are_read_as_sources_print_them(text: str, measure: str, interval: Interval) -> None:
    assert ranges_in(text) == {measure: [interval]}


@pytest.mark.parametrize(
    "text", ["lowered by 50% or more in 30 to 50 patients", "not on dialysis", "HR 0.79", "stage III colon cancer", ""]
)
def test_other_figures_are_no_intervals_of_people(text: str) -> None:
    assert ranges_in(text) == {}


@pytest.mark.parametrize(
    ("asked", "told", "agrees"),
    [
        ("eGFR 30-50", "estimated GFR of 50 mL/min or less", 1.0),
        ("eGFR 30-50", "chronic kidney disease stage 4", -1.0),
        ("eGFR 30-50", "chronic kidney disease", 0.0),
        ("adults over 75", "adults aged 40 to 75 years", -1.0),
        ("no figure asked", "stage 4", 0.0),
    ],
)
def test_agreement_tells_the_people_asked_about_from_others(asked: str, told: str, agrees: float) -> None:
    assert agreement(ranges_in(asked), ranges_in(told)) == agrees


@given(st.text())
def test_any_text_gives_intervals_in_order(text: str) -> None:
    assert all(low <= high for intervals in ranges_in(text).values() for low, high in intervals)


@pytest.mark.parametrize(
    ("term", "text", "speaks"),
    [
        ("SGLT2 inhibitors", "Empagliflozin lowered hospitalization.", True),
        ("empagliflozin", "Dapagliflozin lowered hospitalization.", False),
        ("major bleeding", "Major hemorrhage was rare.", True),
        ("older adults", "Trials in the elderly.", True),
        ("apixaban", "Rivaroxaban was given.", False),
    ],
)
def test_a_thing_is_spoken_of_under_any_of_its_names(term: str, text: str, speaks: bool) -> None:
    assert speaks_of(text, idea_of(term)) is speaks


def test_a_short_form_takes_the_meaning_of_its_synonyms() -> None:
    idea = idea_of("AF", ("Atrial Fibrillation",))
    assert speaks_of("Stroke in nonvalvular atrial fibrillation.", idea)


@pytest.mark.parametrize(
    ("asked", "text", "is_it"),
    [
        ("R21 vaccine", "R21/Matrix-M vaccine", True),
        ("R21 vaccine", "RTS,S/AS01 vaccine", False),
        ("RTS,S vaccine", "the RTS,S/AS01 vaccine", True),
        ("RTS,S/AS01 vaccine", "RTS,S vaccine", True),
        ("RTS,S vaccine", "R21/Matrix-M vaccine", False),
        ("MVA85A vaccine", "BCG vaccine", False),
        ("M72/AS01E vaccine", "M72/AS01E vaccine", True),
        ("M72/AS01E vaccine", "MVA85A vaccine", False),
        ("COVID-19 vaccine", "two doses of COVID-19 vaccine", True),
        ("SGLT2 inhibitors", "dapagliflozin", True),
        ("vitamin B12", "cyanocobalamin", True),
    ],
)
def test_a_code_before_a_noun_makes_it_another_thing(asked: str, text: str, is_it: bool) -> None:
    """R21 is no RTS,S, though both are vaccines; a name that the lexicon has is no code."""
    assert speaks_of(text, idea_of(asked)) is is_it
