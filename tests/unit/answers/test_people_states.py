"""People under another name, or under the definition of their state: known, and told from those in another state."""

from __future__ import annotations

import pytest
from openwork_answers.people import people_fit
from openwork_contracts.conclusion import Fit
from openwork_knowledge.tables import table

from tests.unit.answers.made import question, record

UNCONTROLLED = "Adults whose blood pressure was uncontrolled on three antihypertensive drugs."


@pytest.mark.parametrize(
    ("asked", "studied", "fit"),
    [
        # a definition in words
        ("resistant hypertension", UNCONTROLLED, Fit.ASKED),
        ("treatment-resistant schizophrenia", "Patients with treatment-refractory schizophrenia.", Fit.ASKED),
        ("latex allergy", "Adults who were allergic to latex.", Fit.ASKED),
        ("pneumonia that has stabilized", "Adults with pneumonia who were clinically stable after 3 days.", Fit.ASKED),
        # a figure that a state stands for
        ("morbid obesity", "Adults with a BMI of 40 or higher.", Fit.ASKED),
        # of another disease, of who was left out
        ("resistant hypertension", "Adults with treatment-resistant schizophrenia.", Fit.NOT_TOLD),
        ("latex allergy", "Adults were enrolled; a latex allergy was an exclusion criterion.", Fit.OTHER),
    ],
)
def test_a_state_is_known_by_its_names_and_its_definition(asked: str, studied: str, fit: Fit) -> None:
    read = question(f"Does pindolol reduce mortality in people with {asked}?")
    assert people_fit(read.people, record("Pindolol", studied)) is fit


@pytest.mark.parametrize(
    ("asked", "title", "fit"),
    [
        ("episodic migraine", "Pindolol in chronic migraine", Fit.OTHER),
        ("episodic migraine", "Pindolol in migraine", Fit.WIDER),
        ("compensated cirrhosis", "Pindolol in decompensated cirrhosis", Fit.OTHER),
    ],
)
def test_who_is_in_a_state_is_in_none_that_excludes_it(asked: str, title: str, fit: Fit) -> None:
    read = question(f"Does pindolol reduce mortality in {asked}?")
    assert people_fit(read.people, record(title, "We enrolled adults.")) is fit


@pytest.mark.parametrize(
    ("text", "people"),
    [
        # pieces that lists read apart are one state
        ("Does pindolol reduce mortality in moderate to severe psoriasis?", ("moderate to severe psoriasis",)),
        # terms of which each is known by itself stay apart
        ("Does pindolol reduce mortality in hospitalised adults with flu?", ("hospitalised", "adults", "flu")),
        # an absence is no state
        ("Does pindolol reduce mortality in gout without tophi?", ("gout",)),
    ],
)
def test_pieces_of_a_state_are_one_term_and_whole_terms_stay_apart(text: str, people: tuple[str, ...]) -> None:
    assert {term.text for term in question(text).people if term.wanted} == set(people)


@pytest.mark.parametrize("told", ["Kidney transplant recipient", "Bone marrow transplant recipient"])
def test_a_state_that_makes_another_patient_is_no_detail(told: str) -> None:
    terms = question(f"{told}, opioid withdrawal. Does lofexidine reduce insomnia?").people
    assert [term.is_detail for term in terms if told.split()[-2] in term.text] == [False]


def test_every_name_is_of_a_state_and_every_wider_state_is_there() -> None:
    states = {row[0] for row in table("people-states").rows}
    assert {name for name, _ in table("people-names").rows} == states
    assert {one for row in table("people-states").rows for one in row[1].split("; ") if one != "-"} <= states


def test_no_state_is_a_kind_of_itself() -> None:
    above = {row[0]: {one for one in row[1].split("; ") if one != "-"} for row in table("people-states").rows}
    for name, wider in above.items():
        seen: set[str] = set()
        left = set(wider)
        while left:
            seen |= left
            left = set().union(*(above[one] for one in left)) - seen
        assert name not in seen, name


@pytest.mark.parametrize("said", ["who are not candidates for warfarin", "unsuitable for vitamin K antagonists"])
@pytest.mark.parametrize(
    ("studied", "fit"),
    [
        ("5599 patients with AF for whom vitamin K antagonist therapy was unsuitable got apixaban.", Fit.ASKED),
        ("5599 patients with AF got apixaban.", Fit.NOT_TOLD),
    ],
)
def test_who_can_not_have_a_drug_is_known_under_another_name(said: str, studied: str, fit: Fit) -> None:
    asked = question(f"In AF {said}, does apixaban cause more bleeding than aspirin?")
    terms = tuple(term for term in asked.people if not term.wanted)
    assert people_fit(terms, record("Apixaban in AF", studied)) is fit
