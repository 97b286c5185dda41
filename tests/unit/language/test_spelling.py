"""Misspelt names of drugs and diseases, and words that only look like them."""

from __future__ import annotations

import pytest
from openwork_language.spelling import respelt


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("rivaroxban", "rivaroxaban"),  # a letter left out
        ("warfarine", "warfarin"),  # one put in
        ("evolucumab", "evolocumab"),  # one exchanged
        ("semagultide", "semaglutide"),  # two that changed places
        ("Sotaglifozin", "Sotagliflozin"),
        ("fibrilation", "fibrillation"),
        ("haemorrage", "haemorrhage"),
        ("pnuemonia", "pneumonia"),
    ],
)
def test_a_name_that_is_one_step_away_is_read_as_it_is_spelt(typed: str, read: str) -> None:
    text, changed = respelt(f"Does {typed} matter?")
    assert text == f"Does {read} matter?"
    assert [(one.typed, one.read) for one in changed] == [(typed, read)]


@pytest.mark.parametrize(
    "text",
    [
        "rivaroxaban in atrial fibrillation",
        "haemorrhage and hemorrhage, diarrhoea and diarrhea",
        "macrovascular and microvascular events",  # each is a word
        "intubation after incubation",
        "augmenting cephalosporins in vasodilatory shock",
        "hypertensive, diabetic and thrombotic patients",
        "statin",  # too short
        "DAPAGLIFOZIN-CKD",  # names of trials are names
        "a new drug called brodatuximone",
        "brolucizumab and bevacizumab",
    ],
)
def test_words_that_are_no_misspelt_names_stay(text: str) -> None:
    assert respelt(text) == (text, ())


def test_a_word_that_somebody_else_knows_as_a_name_stays() -> None:
    assert respelt("rivaroxban", {"rivaroxban"}) == ("rivaroxban", ())
