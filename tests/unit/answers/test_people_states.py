"""People under another name, or under the definition of their state: known, and told from those in another state."""

from __future__ import annotations

import pytest
from openwork_answers.people import people_fit
from openwork_contracts.conclusion import Fit
from openwork_knowledge.tables import table

from tests.unit.answers.made import question, record


@pytest.mark.parametrize(
    ("asked", "studied", "fit"),
    [
        # a definition in words
        ("resistant hypertension", "Adults whose blood pressure was uncontrolled on three antihypertensive drugs.", Fit.ASKED),
        ("treatment-resistant schizophrenia", "Patients with treatment-refractory schizophrenia.", Fit.ASKED),
        ("latex allergy", "Adults who were allergic to latex.", Fit.ASKED),
        # a figure that a state stands for
        ("morbid obesity", "Adults with a BMI of 42 or higher.", Fit.PART),
        # a kind of the state, and the state of which it is a kind
        ("preterm infants", "We enrolled extremely preterm infants.", Fit.PART),
        # nobody is in both
        ("episodic migraine", "Adults with chronic migraine.", Fit.OTHER),
        ("compensated cirrhosis", "Patients with decompensated cirrhosis.", Fit.OTHER),
        # of another disease, of carers, of who was left out
        ("resistant hypertension", "Adults with treatment-resistant schizophrenia.", Fit.NOT_TOLD),
        ("advanced dementia", "Carers of people with advanced dementia.", Fit.NOT_TOLD),
        ("latex allergy", "Adults were enrolled; a latex allergy was an exclusion criterion.", Fit.OTHER),
    ],
)  # fmt: skip
def test_a_state_is_known_by_its_names_and_its_definition(asked: str, studied: str, fit: Fit) -> None:
    read = question(f"Does pindolol reduce mortality in people with {asked}?")
    assert people_fit(read.people, record("Pindolol", studied)) is fit


@pytest.mark.parametrize(
    ("text", "people"),
    [
        # pieces that lists read apart are one state
        ("Does pindolol reduce mortality in moderate to severe psoriasis?", ("moderate to severe psoriasis",)),
        # terms that say more each by itself stay apart
        ("Does pindolol reduce mortality in hospitalised adults with influenza?", ("hospitalised", "adults", "influenza")),
    ],
)  # fmt: skip
def test_pieces_of_a_state_are_one_term_and_whole_terms_stay_apart(text: str, people: tuple[str, ...]) -> None:
    assert tuple(term.text for term in question(text).people) == people


def test_every_name_is_of_a_state_and_every_wider_state_is_there() -> None:
    states = {row[0] for row in table("people-states").rows}
    assert {name for name, _ in table("people-names").rows} == states
    assert {one for row in table("people-states").rows for one in row[1].split("; ") if one != "-"} <= states


def test_no_state_is_a_kind_of_itself() -> None:
    above = {row[0]: [one for one in row[1].split("; ") if one != "-"] for row in table("people-states").rows}

    def reaches(name: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
        return (
            seen
            if name in seen
            else frozenset().union(seen | {name}, *(reaches(o, seen | {name}) for o in above[name]))
        )

    assert not [name for name, wider in above.items() if any(name in reaches(one) for one in wider)]
