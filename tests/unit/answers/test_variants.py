"""Two ways of giving one treatment are two sides, as two drugs are."""

from __future__ import annotations

import pytest
from openwork_answers.sides import Sides, sides_of
from openwork_answers.variants import contrast_of, order_of
from openwork_contracts.conclusion import Fit
from openwork_language.mentions import idea_of

from tests.unit.answers.made import question

DOXY = (idea_of("doxycycline"),)


@pytest.mark.parametrize(
    ("text", "tested", "other"),
    [
        ("Does doxycycline for 10 days work as well as 21 days in early Lyme disease?", "10 days", "21 days"),
        ("Is seven days of doxycycline as effective as fourteen?", "seven days", "fourteen days"),
        ("Is seven days of doxycycline as effective as fourteen days in cellulitis?", "seven days", "fourteen days"),
        ("10- versus 20-day doxycycline for Lyme disease", "10 days", "20-day"),
        ("Five or ten days of doxycycline for acne: relapse?", "Five days", "ten days"),
        ("doxycycline 100 mg vs 200 mg in malaria prevention", "100 mg", "200 mg"),
        (
            "Is doxycycline for five to ten days, rather than for 21 days, enough in Lyme disease?",
            "ten days",
            "21 days",
        ),
        ("Is stopping doxycycline after 3 days as good as 8 days in cellulitis?", "3 days", "8 days"),
        ("Is stopping doxycycline at 5 days non-inferior to 10 days in cellulitis?", "5 days", "10 days"),
        # times at which one looks, ages and other people's figures are no ways of giving it
        ("Does doxycycline lower 30-day mortality or 90-day mortality in pneumonia?", None, None),
        ("Does doxycycline reduce relapse at 3 or 6 months?", None, None),
        ("Is doxycycline better than placebo after 5 days, and within 2 weeks?", None, None),
        ("Does doxycycline prevent malaria over 12 weeks?", None, None),
    ],
)
def test_two_durations_or_doses_that_are_set_against_each_other_are_two_ways(
    text: str, tested: str | None, other: str | None
) -> None:
    found = contrast_of(text, DOXY, ())
    assert (found and found.tested.term, found and found.other.term) == (tested, other)


def test_another_drug_on_the_other_side_is_no_way_of_giving_the_first() -> None:
    assert contrast_of("doxycycline for 10 days or amoxicillin for 21 days", DOXY, (idea_of("amoxicillin"),)) is None


@pytest.mark.parametrize(
    ("asked", "sides", "fit"),
    [
        ("Does doxycycline for 10 days work as well as 20 days in Lyme disease?",
         ("doxycycline for 10 days", "doxycycline for 20 days"), Sides(Fit.ASKED)),
        ("Does doxycycline for 10 days work as well as 20 days in Lyme disease?",
         ("doxycycline for 20 days", "doxycycline for 10 days"), Sides(Fit.ASKED, turned=True)),
        ("Does doxycycline for 10 days work as well as 20 days in Lyme disease?",
         ("doxycycline for 10 days", "placebo"), Sides(Fit.OTHER)),
        ("Does doxycycline for 10 days work as well as 20 days in Lyme disease?",
         ("doxycycline for 10 days", "doxycycline for 14 days"), Sides(Fit.OTHER)),
        ("Does doxycycline for 10 days work as well as 20 days in Lyme disease?",
         ("amoxicillin for 10 days", "amoxicillin for 20 days"), Sides(Fit.OTHER)),
        ("Is rituximab for 4 months as good as rituximab for 8 months in vasculitis?",
         ("rituximab, 16 weeks", "rituximab, 35 weeks"), Sides(Fit.ASKED)),
        ("Restrictive or liberal transfusion in trauma: death?",
         ("restrictive transfusion (haemoglobin below 7 g/dL)", "liberal transfusion (haemoglobin below 10 g/dL)"),
         Sides(Fit.ASKED)),
        ("Restrictive or liberal transfusion in trauma: death?", ("restrictive transfusion", "placebo"),
         Sides(Fit.OTHER)),
        ("Early versus late hip arthroplasty after fracture: death?",
         ("delayed hip arthroplasty", "early hip arthroplasty"), Sides(Fit.ASKED, turned=True)),
        ("Low-dose versus high-dose vitamin D in older adults: falls?",
         ("vitamin D 4000 IU daily", "vitamin D 200 IU daily"), Sides(Fit.OTHER)),
        ("Low-dose versus high-dose furosemide in heart failure: death?",
         ("furosemide 80 mg daily", "furosemide 40 mg daily"), Sides(Fit.ASKED, turned=True)),
    ],
)  # fmt: skip
def test_a_result_is_of_two_ways_where_each_side_has_one(asked: str, sides: tuple[str, str], fit: Sides) -> None:
    read = question(asked)
    assert read.contrast is not None
    assert sides_of(read, sides, " v ".join(sides)) == fit


def test_words_that_both_sides_have_tell_nothing() -> None:
    found = contrast_of("culprit-only angioplasty or multivessel angioplasty", (idea_of("angioplasty"),),
                        (idea_of("angioplasty"),))  # fmt: skip
    assert found is not None
    assert order_of(found, ("angioplasty of the culprit lesion only", "immediate multivessel angioplasty")) is False
    assert order_of(found, ("angioplasty", "angioplasty with stent")) is None
