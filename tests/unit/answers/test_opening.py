"""Words before the asking that no list knows: they say who is meant."""

from __future__ import annotations

import pytest
from openwork_answers.naming import is_named
from openwork_answers.opening import opening_people

from tests.unit.answers.made import asked, question, record


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Moyamoya with seizures - does aspirin lower strokes?", ["Moyamoya"]),
        ("Brugada, 40, off work: does quinidine lower deaths?", ["Brugada"]),
        ("Ward round: does aspirin lower strokes?", []),
        ("ED: does adrenaline lower deaths?", []),
        ("Atrial fibrillation: does apixaban lower strokes?", []),
        ("Does apixaban lower strokes?", []),
    ],
)
def test_the_head_of_an_opening_that_nothing_knows_is_who_is_meant(text: str, people: list[str]) -> None:
    analysis, _ = asked(text)
    assert [term.text for term in opening_people(analysis, analysis.pico.people)] == people


@pytest.mark.parametrize("who", ["traveller", "vegan", "firefighter"])
def test_pregnant_is_somebody_whatever_word_stands_behind(who: str) -> None:
    assert "pregnant" in [term.text for term in question(f"Can a pregnant {who} have ibuprofen?").people]


def test_a_vaccine_by_a_code_is_what_is_asked_about_and_its_disease_is_nobody() -> None:
    read = question("Does the XK-77 cholera jab lower deaths?")
    assert [idea.term for idea in read.treatments] == ["XK-77 cholera vaccine"]
    assert not read.people


def test_what_is_given_is_no_trial_though_a_trial_begins_with_its_letters() -> None:
    trial = record("Example", "In QUIRK-RESCUE, deaths were fewer.")
    assert is_named(trial, "What did QUIRK-RESCUE show?")
    assert is_named(trial, "In QUIRK, were deaths fewer?")
    assert not is_named(trial, "Does a QUIRK lower deaths?")
