"""How many people a study is of, as abstracts say it."""

from __future__ import annotations

import pytest
from openwork_language.people_studied import people_studied


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("In all, 1,420 adults with asthma were randomly assigned to budesonide or placebo.", 1420),
        ("Of the 312 women randomised, 290 completed the trial.", 312),
        ("We enrolled 88 patients with gout; 12 patients had a flare within 30 days.", 88),
        ("A total of 64 consecutive children underwent surgery.", 64),
        ("Infants (n = 240) received iron drops for 12 weeks.", 240),
        ("Patients received metformin (n = 51), gliclazide (n = 49) or placebo (n = 50) for a year.", 150),
        ("This cross-over study in 24 healthy volunteers compared two inhalers.", 24),
        ("Withdrawal for cough occurred in 18 patients given enalapril.", None),
        ("The drug was given for 14 days at 30 hospitals; 42% improved.", None),
        ("One hundred people were studied.", None),
    ],
)
def test_the_number_who_were_studied_is_found_and_no_other(text: str, people: int | None) -> None:
    found = people_studied(text)
    assert (found.people if found else None) == people


def test_the_place_of_the_number_is_given() -> None:
    text = "A total of 1 204 adults were screened."
    found = people_studied(text)
    assert found is not None
    assert text[found.start : found.end] == "1 204"
