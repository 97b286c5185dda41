"""Which rows of the leading work are shown, and which leads: parts of its people, its drugs, mothers and children."""

from __future__ import annotations

import pytest
from openwork_answers.outcomes import NEAR
from openwork_answers.people import people_fit
from openwork_contracts.conclusion import ConclusionVerdict, Fit
from openwork_contracts.evidence import EvidenceCandidate

from tests.unit.answers.made import concluded, question, ratio, record, result

ARMS = (("ticagrelor", 60, 900), ("clopidogrel", 90, 900))
ACS = record(
    "Ticagrelor versus clopidogrel in acute coronary syndromes",
    "We assigned people with acute coronary syndromes, with or without ST-segment elevation, to ticagrelor or "
    "clopidogrel.",
    results=(
        result("stroke", ratio(0.66, 0.48, 0.91), ARMS),
        result("stroke, in people without ST-segment elevation", ratio(0.9, 0.6, 1.35)),
        result("stroke, in people treated within 12 hours", ratio(0.7, 0.5, 0.98)),
        result("stroke, in women", ratio(0.8, 0.6, 1.07)),
    ),
)
STEROIDS = record(
    "Systemic corticosteroids in critically ill patients with pneumonia: meta-analysis",
    "We pooled trials of systemic corticosteroids against placebo in critically ill adults with pneumonia.",
    results=(
        result("death", ratio(0.7, 0.5, 0.9), (("systemic corticosteroids", 40, 400), ("placebo", 57, 400))),
        result("death, in hydrocortisone (3 trials)", ratio(0.8, 0.5, 1.3)),
    ),
)
MAGNESIUM = record(
    "Magnesium sulfate for women with pre-eclampsia",
    "We assigned women with pre-eclampsia to magnesium sulfate or placebo.",
    results=(
        result("death of the baby", ratio(1.02, 0.92, 1.14), (("magnesium sulfate", 50, 400), ("placebo", 49, 400))),
        result("maternal death", ratio(0.55, 0.26, 1.14), (("magnesium sulfate", 5, 400), ("placebo", 9, 400))),
    ),
)


def test_the_part_of_the_people_that_is_named_leads_and_the_whole_stands_beside_it() -> None:
    found = concluded("In non-ST-elevation ACS, does ticagrelor reduce stroke compared with clopidogrel?", ACS)
    assert found.lead is not None
    assert (found.lead.people, found.lead.people_fit) == ("people without ST-segment elevation", Fit.ASKED)
    assert found.lead.comparison == ("ticagrelor", "clopidogrel")  # those of the whole: its own row names none
    assert [r.people for r in found.others] == [None]


def test_a_row_whose_words_are_asked_for_is_shown_and_no_other() -> None:
    text = (
        "Does ticagrelor reduce stroke compared with clopidogrel in acute coronary syndromes treated within 12 hours?"
    )
    found = concluded(text, ACS)
    assert {r.people for r in (found.lead, *found.others) if r is not None} == {None, "people treated within 12 hours"}


VACCINE = record(
    "Example vaccine in children",
    "We assigned children aged 4 to 16 years to a dengue vaccine or placebo.",
    results=(
        result("dengue", ratio(0.27, 0.2, 0.4), (("dengue vaccine", 60, 900), ("placebo", 90, 900))),
        result("dengue, in children aged 4 to 5 years", ratio(0.8, 0.4, 1.5)),
    ),
)


def test_a_part_of_which_more_is_said_than_was_asked_does_not_lead() -> None:
    found = concluded("Does the dengue vaccine prevent dengue in children?", VACCINE)
    assert found.lead is not None
    assert found.lead.people is None


def test_nothing_is_added_where_no_row_has_a_word_more_of_the_question() -> None:
    found = concluded("Does ticagrelor reduce stroke compared with clopidogrel in acute coronary syndromes?", ACS)
    assert found.lead is not None
    assert (found.lead.people, found.others) == (None, ())


def test_a_part_that_is_told_by_its_drug_is_the_comparison_of_that_drug() -> None:
    found = concluded("Does hydrocortisone reduce death in critically ill adults with pneumonia?", STEROIDS)
    assert found.lead is not None
    assert (found.lead.comparison, found.lead.people) == (("hydrocortisone (3 trials)", "placebo"), None)
    whole = concluded("Do corticosteroids reduce death in critically ill adults with pneumonia?", STEROIDS)
    assert whole.lead is not None
    assert whole.lead.comparison == ("systemic corticosteroids", "placebo")


def test_a_trial_of_the_drug_comes_before_its_part_of_a_synthesis() -> None:
    arms = (("hydrocortisone", 30, 400), ("placebo", 45, 400))
    trial = record(
        "Hydrocortisone in critically ill adults with pneumonia",
        "We assigned critically ill adults with pneumonia to hydrocortisone or placebo.",
        results=(result("death", ratio(0.6, 0.4, 0.9), arms),),
    )
    found = concluded("Does hydrocortisone reduce death in critically ill adults with pneumonia?", STEROIDS, trial)
    assert found.lead is not None
    assert found.lead.comparison == ("hydrocortisone", "placebo")


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ("non-hospitalised covid", "Corticosteroids in critically ill patients with COVID-19"),
        ("valvular AF", "Rivaroxaban in patients with non-valvular atrial fibrillation"),
    ],
)
def test_of_others_nothing_is_concluded(asked: str, title: str) -> None:
    people = question(f"Does prednisone reduce death in {asked}?").people
    assert people_fit(people, record(title, "We assigned people to one of two groups.")) is Fit.OTHER


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Do fewer mothers with pre-eclampsia die on magnesium sulfate?", "maternal death"),
        ("Pre-eclampsia: do fewer babies die when their mothers get magnesium sulfate?", "death of the baby"),
    ],
)
def test_whose_death_is_asked_about(text: str, outcome: str) -> None:
    found = concluded(text, MAGNESIUM)
    assert found.lead is not None
    assert (found.lead.outcome, found.missing) == (outcome, ())


def _of(population: str, title: str = "Example trial of beta-blockers") -> EvidenceCandidate:
    return record(title, f"We assigned people with {population} to metoprolol or to no beta-blocker.")


@pytest.mark.parametrize(
    ("asked", "population", "near"),
    [
        ("normal EF", "a recent myocardial infarction and a mildly reduced ejection fraction", False),
        ("preserved EF", "a recent myocardial infarction and a mildly reduced ejection fraction", False),
        ("mildly reduced EF", "a recent myocardial infarction and a mildly reduced ejection fraction", True),
        ("normal EF", "a recent myocardial infarction and a preserved ejection fraction", True),
    ],
)
def test_a_normal_ejection_fraction_is_no_mildly_reduced_one(asked: str, population: str, *, near: bool) -> None:
    people = question(f"Do beta-blockers reduce death after MI with a {asked}?").people
    assert any("EF" in term.text for term in people)  # "reduced" is no verb there, and ends nothing
    assert (people_fit(people, _of(population, f"Beta-blockers in {population}")) in NEAR) is near


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Does dapagliflozin reduce death in HFrEF patients, diabetic or not?", ("HFrEF",)),
        ("Does dapagliflozin reduce death in heart failure with or without diabetes?", ("heart failure",)),
        ("Does metformin reduce death in gestational diabetes or not?", ("gestational diabetes",)),
        ("Does empagliflozin help HFrEF with or without diabetes?", ("HFrEF",)),
        ("Do heart failure patients live longer on empagliflozin?", ("heart failure",)),
        ("In AF, is apixaban safer than warfarin for intracranial bleeding?", ("AF",)),
        ("Does aspirin protect people with diabetes from getting cancer?", ("diabetes",)),
        ("Does rivaroxaban reduce recurrence in oncology patients with VTE?", ("oncology patients", "VTE")),
        ("Does dapagliflozin lower death in AF and a reduced eGFR?", ("AF", "reduced eGFR")),
    ],
)
def test_of_whom_the_question_is(text: str, people: tuple[str, ...]) -> None:
    assert question(text).people_texts == people


def test_a_figure_of_a_measure_that_restricts_nobody_is_a_detail() -> None:
    text = "In someone with angina and a cholesterol of 6.5, does simvastatin cut death?"
    assert {t.text: t.is_detail for t in question(text).people} == {"angina": False, "cholesterol of 6.5": True}


COUNTS = (("Wolbachia releases", 6, 900), ("no releases", 40, 900))
PLACE = record(
    "Wolbachia deployments for dengue",
    "We randomized areas to releases of mosquitoes with Wolbachia or to no releases, and counted dengue. "
    "Releases went on for a year; the city had paid for the mosquitoes.",
    results=(result("hospitalization for dengue", ratio(0.14, 0.06, 0.34), COUNTS),),
)


def test_a_study_that_tells_every_word_answers_and_says_what_is_not_told_apart() -> None:
    found = concluded("Do releases of Wolbachia mosquitoes in a city keep people out of hospital with dengue?", PLACE)
    assert (found.verdict, found.people_wider) == (ConclusionVerdict.BENEFIT, ("city",))
    other = concluded("Do releases of Wolbachia mosquitoes in a desert keep people out of hospital with dengue?", PLACE)
    assert other.lead is None
