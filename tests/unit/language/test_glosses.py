"""A bracket that says a treatment once more is left out; one that says something else stays."""

from __future__ import annotations

import pytest
from openwork_language.asking.glosses import without_glosses
from openwork_language.shorthand import spelt_out


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Does DAPT (clopidogrel plus aspirin) reduce stroke?", "Does clopidogrel plus aspirin reduce stroke?"),
        ("Does dabigatran (Pradaxa) reduce stroke?", "Does dabigatran reduce stroke?"),
        ("Does aspirin help compared with no aspirin (placebo)?", "Does aspirin help compared with no aspirin?"),
        ("Does thrombolysis with alteplase help?", "Does alteplase help?"),
        ("Does warfarin (INR 2-3) help?", "Does warfarin (INR 2-3) help?"),
        ("Does aspirin (plus clopidogrel) help?", "Does aspirin (plus clopidogrel) help?"),
        ("Do statins (high-intensity) help?", "Do statins (high-intensity) help?"),
        ("Does it help in AF (atrial fibrillation)?", "Does it help in AF (atrial fibrillation)?"),
    ],
)
def test_brackets_and_procedures_by_their_drug(typed: str, read: str) -> None:
    assert without_glosses(typed) == read


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Are five days of antibiotics enough?", "Are 5 days of antibiotics enough?"),
        ("Is a seven-day course enough?", "Is a 7-day course enough?"),
        ("Is FEV1 better at three months?", "Is FEV1 better at three months?"),
        ("Does aspirin help compared with withholding aspirin?", "Does aspirin help compared with no aspirin?"),
        ("Does withholding aspirin help?", "Does withholding aspirin help?"),
    ],
)
def test_durations_in_words_and_what_is_not_given(typed: str, read: str) -> None:
    assert spelt_out(typed)[0] == read
