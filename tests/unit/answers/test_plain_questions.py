"""Plain clinical questions of one line: what is asked about, who is meant, and what is set against what."""

from __future__ import annotations

import pytest
from openwork_answers.outcomes import NEAR
from openwork_answers.people_alike import told_apart
from openwork_answers.sides import sides_of
from openwork_contracts.conclusion import Fit
from openwork_contracts.question import PopulationKind

from tests.unit.answers.made import concluded, question, ratio, record, result


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Does early goal-directed therapy in septic shock lead to more red cell transfusions than usual care?",
         "red cell transfusions"),
        ("Does early goal-directed therapy need more vasopressors than usual care in septic shock?", "vasopressors"),
        ("Does darbepoetin make patients with CKD and anaemia feel less tired?", "feel less tired"),
        ("Gestational diabetes: does metformin mean fewer babies weighing over 4 kg?", "babies weighing over 4 kg"),
        ("In ACS, how much more non-CABG major bleeding is there with ticagrelor than with clopidogrel?",
         "non-CABG major bleeding"),
    ],
)  # fmt: skip
def test_what_is_counted_is_asked_about(text: str, outcome: str) -> None:
    assert question(text).outcome_texts == (outcome,)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("No cath lab within reach: does streptokinase reduce death in acute myocardial infarction?",
         {"acute myocardial infarction"}),
        ("Does darbepoetin make patients with CKD and anaemia feel less tired?", {"CKD", "anaemia"}),
        ("Do diabetics live longer on metformin?", {"diabetics"}),
        ("Should asthmatics take tiotropium to prevent exacerbations?", {"asthmatics"}),
        ("How much weight do newly diagnosed type 2 diabetics gain on insulin?", {"newly diagnosed type 2 diabetes"}),
        ("Is stillbirth more likely after artesunate than after quinine in pregnant women?", {"pregnant women"}),
        ("Does rifapentine cause more rashes than 9 months of isoniazid for latent TB?", {"latent TB"}),
    ],
)  # fmt: skip
def test_who_is_meant(text: str, people: set[str]) -> None:
    assert {term.text for term in question(text).people} == people


@pytest.mark.parametrize(
    ("text", "measure", "value"),
    [
        ("Does oxygen reduce mortality in MI patients whose saturation is 84% on arrival?", "oxygen saturation", 84),
        ("Does aspirin reduce death in septic patients whose ammonia is 90?", "ammonia", 90),
        ("Does aspirin reduce death in MI patients whose fibrinogen was 5 g/L?", "fibrinogen", 5),
        ("Does IV iron reduce death in CKD with a transferrin saturation of 15%?", "transferrin saturation", 15),
    ],
)  # fmt: skip
def test_a_figure_of_somebody_stays_with_its_measure(text: str, measure: str, value: float) -> None:
    figures = [term for term in question(text).people if term.kind is PopulationKind.MEASURE]
    assert [(term.measure, term.low, term.high) for term in figures] == [(measure, value, value)]


def test_a_trial_of_well_oxygenated_people_tells_nothing_of_those_who_are_not() -> None:
    trial = record(
        "Oxygen therapy in suspected acute myocardial infarction",
        "In patients with acute myocardial infarction and an oxygen saturation of 90% or higher, death from any cause "
        "did not differ between oxygen and ambient air.",
        results=(
            result(
                "death from any cause", ratio(0.97, 0.79, 1.21), (("oxygen", 166, 3311), ("ambient air", 168, 3318))
            ),
        ),
    )
    asked = "Does oxygen reduce mortality in acute MI patients whose saturation is {}?"
    assert concluded(asked.format("96%"), trial).lead is not None
    assert concluded(asked.format("84%"), trial).lead is None


def test_a_figure_of_a_measure_that_no_list_has_is_never_passed_over() -> None:
    trial = record(
        "Apixaban versus warfarin in patients with atrial fibrillation",
        "Patients with atrial fibrillation received apixaban or warfarin.",
        results=(result("stroke", ratio(0.79, 0.66, 0.95), (("apixaban", 199, 9120), ("warfarin", 250, 9081))),),
    )
    asked = "In AF patients{}, does apixaban prevent stroke better than warfarin?"
    assert concluded(asked.format(""), trial).lead is not None
    assert concluded(asked.format(" whose ammonia is 90"), trial).lead is None


def test_a_relative_is_no_measure() -> None:
    assert all(t.measure != "mother" for t in question("Does ticagrelor help in ACS whose mother was 60?").people)


def test_one_added_to_the_other_says_neither_yes_nor_no_to_one_against_the_other() -> None:
    asked = question("Is clopidogrel better than aspirin after TIA?")
    assert sides_of(asked, ("clopidogrel and aspirin", "aspirin"), "Clopidogrel with aspirin").fit is Fit.WIDER
    assert sides_of(asked, ("clopidogrel", "aspirin"), "Clopidogrel or aspirin").fit is Fit.ASKED
    both = question("Are clopidogrel plus aspirin better than aspirin after TIA?")
    assert sides_of(both, ("clopidogrel and aspirin", "aspirin"), "Clopidogrel with aspirin").fit is Fit.ASKED


def test_doses_that_are_alternatives_stand_together_against_placebo() -> None:
    read = question("Does semaglutide 0.5 mg or 1 mg once weekly reduce stroke compared with placebo?")
    assert read.contrast is None
    assert question("Semaglutide 0.5 mg or 1 mg once weekly for weight loss?").contrast is not None


@pytest.mark.parametrize(
    ("text", "treatment", "comparator"),
    [
        ("Does insulin icodec lower HbA1c as much as insulin glargine in type 2 diabetes?", "insulin icodec",
         "insulin glargine"),
        ("Does apixaban prevent as many strokes as warfarin in AF?", "apixaban", "warfarin"),
        ("Does letrozole work as quickly as anastrozole in breast cancer?", "letrozole", "anastrozole"),
    ],
)  # fmt: skip
def test_as_much_as_sets_one_against_the_other(text: str, treatment: str, comparator: str) -> None:
    read = question(text)
    assert [idea.term for idea in read.treatments] == [treatment]
    assert [idea.term for idea in read.comparators] == [comparator]


def test_what_no_list_has_is_what_gives_fewer_of_something() -> None:
    read = question("In Graves' disease, does block-and-replace give fewer relapses than carbimazole alone?")
    assert [idea.term for idea in read.treatments] == ["block-and-replace"]


def test_on_top_of_something_is_not_in_place_of_it() -> None:
    asked = question(
        "Does RTS,S vaccine on top of seasonal malaria chemoprevention cut deaths compared with chemoprevention alone?"
    )
    arms = (
        "Vaccination against malaria; RTS,S vaccine alone; vaccine plus chemoprevention; seasonal chemoprevention alone"
    )
    together = sides_of(asked, ("vaccine plus chemoprevention", "seasonal chemoprevention alone"), arms)
    instead = sides_of(asked, ("RTS,S vaccine alone", "seasonal chemoprevention alone"), arms)
    assert together.fit in NEAR
    assert instead.fit is Fit.OTHER


def test_a_part_of_the_people_is_told_by_what_sets_a_term_apart_from_its_disease() -> None:
    (term,) = question("Is ticagrelor better than clopidogrel in non-ST-elevation ACS?").people
    assert told_apart(term, "people without ST-segment elevation")
    assert not told_apart(term, "people with ST-segment elevation")
    assert not told_apart(term, "people with diabetes")


def test_no_other_reading_answers_that_has_no_word_for_an_outcome_asked_about() -> None:
    """Chronic kidney disease may be who is meant or what is asked about; tiredness is asked about all the same."""
    trial = record(
        "A trial of darbepoetin alfa in type 2 diabetes and chronic kidney disease",
        "Patients with diabetes, chronic kidney disease and anaemia received darbepoetin alfa or placebo.",
        results=(
            result(
                "death or end-stage renal disease",
                ratio(1.06, 0.95, 1.19),
                (("darbepoetin alfa", 652, 2012), ("placebo", 618, 2026)),
            ),
        ),
    )
    asked = "Does darbepoetin make patients with type 2 diabetes, CKD and anaemia less breathless?"
    assert concluded(asked, trial).lead is None
