"""What is told of somebody before the question is who is meant; a form of a disease that is counted is the outcome."""

from __future__ import annotations

import pytest
from openwork_answers.people import people_fit
from openwork_contracts.conclusion import Fit

from tests.unit.answers.made import question, record


@pytest.mark.parametrize(
    ("text", "people", "outcomes"),
    [
        ("He had gout last year. Does allopurinol prevent another attack?", ["gout"], ["another attack"]),
        (
            "Her pulmonary embolism was last month. Does rivaroxaban prevent recurrent pulmonary embolism?",
            ["pulmonary embolism"],
            ["recurrent pulmonary embolism"],
        ),
        ("Such patients are at risk of stroke. Does apixaban lower mortality?", [], ["mortality"]),
        (
            "One of my gout patients gets diarrhoea since we changed colchicine. Does colchicine cause diarrhoea?",
            ["gout"],
            ["diarrhoea"],
        ),
        ("We worry about pancreatitis. Does semaglutide cause pancreatitis?", [], ["pancreatitis"]),
    ],
)
def test_a_disease_that_an_earlier_sentence_tells_as_past_is_had_and_one_that_is_feared_is_not(
    text: str, people: list[str], outcomes: list[str]
) -> None:
    read = question(text)
    assert [term.text for term in read.people] == people
    assert [outcome for outcome in read.outcome_texts if outcome in outcomes] == outcomes


@pytest.mark.parametrize(
    ("text", "people", "outcome"),
    [
        ("Does dapsone prevent severe malaria?", [], "severe malaria"),
        ("Efficacy of nirsevimab against hospitalised bronchiolitis?", [], "hospitalised bronchiolitis"),
        ("Does oseltamivir lower mortality in hospitalised influenza?", ["hospitalised", "influenza"], "mortality"),
        ("Does artesunate lower mortality in severe malaria?", ["severe malaria"], "mortality"),
    ],
)
def test_a_form_of_a_disease_behind_what_counts_it_is_the_outcome(text: str, people: list[str], outcome: str) -> None:
    read = question(text)
    assert [term.text for term in read.people] == people
    assert outcome in read.outcome_texts


@pytest.mark.parametrize(
    ("text", "treatments", "people"),
    [
        ("She had a hip replacement last week. Does apixaban prevent DVT?", ["apixaban"], ["hip replacement"]),
        ("A kidney transplant last year. Does valsartan lower mortality?", ["valsartan"], ["kidney transplant"]),
        ("Does a hip replacement reduce pain?", ["hip replacement"], []),
    ],
)
def test_what_was_done_to_somebody_before_is_who_is_meant_and_not_what_is_asked_about(
    text: str, treatments: list[str], people: list[str]
) -> None:
    read = question(text)
    assert [idea.term for idea in read.treatments] == treatments
    assert [term.text for term in read.people if term.name is not None] == people


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("32-year-old, father had an MI at 45. Does aspirin prevent the same?", ["32-year-old", "father had an MI"]),
        ("His mother has diabetes. Does metformin lower mortality?", ["His mother has diabetes"]),
        ("Her brother died of a stroke. Do statins lower mortality?", ["Her brother died of a stroke"]),
    ],
)
def test_what_a_relative_had_nobody_else_has(text: str, people: list[str]) -> None:
    read = question(text)
    assert [term.text for term in read.people] == people
    assert not any(term.name for term in read.people)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Metformin for gestational diabetes: complications in mother and child?", ["gestational diabetes", "mother"]),
        ("Does budesonide lower mortality in children with asthma?", ["children", "asthma"]),
    ],
)
def test_the_child_of_a_mother_who_is_treated_is_nobody_who_is_treated(text: str, people: list[str]) -> None:
    assert [term.text for term in question(text).people] == people


def test_what_somebody_has_not_had_is_absent_in_short_forms_too() -> None:
    read = question("He hasn't had a stroke and isn't bleeding. Does aspirin lower mortality?")
    assert {term.name: term.wanted for term in read.people if term.name} == {"Stroke": False, "Hemorrhage": False}


def test_a_disease_at_the_end_of_a_list_of_events_is_one_of_them() -> None:
    read = question("Prasugrel or ticagrelor in ACS: which has fewer deaths, infarctions and strokes?")
    assert "strokes" in read.outcome_texts
    assert [term.text for term in read.people] == ["ACS"]


def test_women_at_risk_of_a_disease_are_who_is_meant() -> None:
    read = question("Does vitamin C in women at high risk of pre-eclampsia lower birth weight?")
    assert [term.name for term in read.people if term.name] == ["Pre-Eclampsia"]


def test_three_events_in_a_list_are_one_composite_and_two_that_and_joins_are_two_outcomes() -> None:
    listed = question("Does atorvastatin in diabetes mean fewer cardiac deaths, MIs and strokes?")
    assert [len(outcome.atoms) for outcome in listed.outcomes] == [3]
    assert question("Does apixaban reduce stroke and death in AF?").outcome_texts == ("stroke", "death")


def test_what_is_aimed_at_and_what_may_come_are_nobody_who_is_meant() -> None:
    read = question("Tight glucose control (A1c 6.5 or less) in T2DM: less nephropathy?")
    assert [term.text for term in read.people] == ["T2DM"]
    assert read.outcome_texts == ("nephropathy",)
    read = question("Infertility, levothyroxine before conception, chance of becoming pregnant")
    assert "chance of becoming" not in [term.text for term in read.people]
    assert read.outcome_texts == ("becoming pregnant",)


def test_a_mother_who_is_treated_has_her_own_disease() -> None:
    read = question("Mother had gestational diabetes. Does metformin beat insulin for neonatal hypoglycaemia?")
    assert [term.name for term in read.people if term.name] == ["Diabetes, Gestational"]


def test_children_with_a_disease_of_their_own_are_meant_though_a_mother_is_named() -> None:
    read = question("The child's mother had malaria. Does artesunate beat quinine for death in children?")
    assert "children" in [term.text for term in read.people]


def test_a_study_of_people_with_a_disease_is_none_of_their_relatives() -> None:
    read = question("Father had a stroke at 60. Does atorvastatin lower mortality?")
    work = record("Atorvastatin in men and women after a stroke", "We studied men and women with a stroke.")
    assert people_fit(read.people, work) not in {Fit.ASKED, Fit.PART, Fit.WIDER}


def test_a_scan_or_a_transfusion_that_somebody_had_makes_nobody_another_patient() -> None:
    read = question("She had a CT scan yesterday. Does alteplase lower mortality in stroke?")
    assert [term.text for term in read.people] == ["stroke"]


def test_only_what_trials_count_as_one_is_a_composite_of_a_list_with_and() -> None:
    read = question("Does rosuvastatin lower admissions, amputations and strokes in diabetes?")
    assert "strokes" in read.outcome_texts
