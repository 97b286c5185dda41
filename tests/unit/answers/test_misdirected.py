"""Answers that a reader found to be of another outcome, comparison or trial than the one asked about."""

from __future__ import annotations

import pytest
from openwork_answers.forms import lines_of
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import OF_IT, read_outcome
from openwork_answers.stopping import is_to_go_without, is_to_stop
from openwork_answers.told import told_results
from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate, StudyDesign
from openwork_language.mentions import idea_of, speaks_of
from openwork_language.terms import find_terms

from tests.unit.answers.made import ARISTOTLE, concluded, passages, question, ratio, record, result

STROKE = "stroke or systemic embolism"


def of_two(first: str, second: str, title: str = "", /, **changes: object) -> EvidenceCandidate:
    """A trial of two arms in atrial fibrillation."""
    return record(
        title or f"{first} versus {second} in patients with atrial fibrillation",
        "We randomized patients with atrial fibrillation.",
        results=(result(STROKE, ratio(0.66, 0.48, 0.91), ((first, 60, 900), (second, 90, 900))),),
        **changes,
    )


@pytest.mark.parametrize("told", ["diabetes-related death", "any diabetes-related endpoint"])
def test_an_event_of_those_who_have_a_disease_is_not_getting_it(told: str) -> None:
    assert fit_of(read_outcome(told), read_outcome("diabetes")) is Fit.OTHER


@pytest.mark.parametrize("told", ["new-onset diabetes", "physician-reported diabetes"])
def test_the_disease_itself_is(told: str) -> None:
    assert fit_of(read_outcome(told), read_outcome("diabetes")) in OF_IT


def test_a_disease_that_people_have_already_is_not_told_to_be_prevented() -> None:
    guideline = record(
        "Management of type 2 diabetes: a guideline",
        "Metformin is the first-line treatment for type 2 diabetes.",
        study_design=StudyDesign.GUIDELINE,
    )
    found = concluded("Does metformin prevent diabetes?", guideline)
    assert (found.lead, found.about) == (None, ())


@pytest.mark.parametrize("term", ["stopping", "stopping treatment", "discontinuation", "without it", "without"])
def test_going_without_is_a_control(term: str) -> None:
    assert is_to_go_without(term)


@pytest.mark.parametrize("term", ["warfarin", "stopping aspirin", "without anticoagulation and aspirin"])
def test_another_drug_is_none(term: str) -> None:
    assert not is_to_go_without(term)


@pytest.mark.parametrize(("than", "control"), [("stopping anticoagulation", True), ("warfarin", False)])
def test_to_stop_the_class_of_a_drug_is_to_go_without_it(than: str, *, control: bool) -> None:
    read = question(f"Does extended apixaban prevent stroke in atrial fibrillation compared with {than}?")
    assert (read.control_asked, not read.comparators) == (control, control)


def test_against_stopping_a_trial_against_placebo_leads() -> None:
    found = concluded(
        "Does extended apixaban prevent stroke in atrial fibrillation compared with stopping?",
        of_two("apixaban", "placebo"),
        ARISTOTLE,
    )
    assert found.lead is not None
    assert found.lead.comparison == ("apixaban", "placebo")


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        ("Is it safe to stop a beta-blocker one year after infarction?", True),
        ("Stop the beta-blocker at day 8 or day 14?", False),
        ("Do heart attacks increase if a beta-blocker is stopped after 3 months?", True),
    ],
)
def test_stopping_since_an_event_is_asked_about(text: str, *, stops: bool) -> None:
    assert is_to_stop(text, [idea_of("beta-blocker")]) is stops


def test_nothing_in_its_place_comes_before_another_drug() -> None:
    against_drug = of_two("apixaban", "rivaroxaban")
    found = concluded(
        "Does apixaban reduce stroke in atrial fibrillation?", against_drug, of_two("apixaban", "placebo")
    )
    assert found.lead is not None
    assert found.lead.comparison == ("apixaban", "placebo")


def test_who_asks_for_pooled_trials_is_told_the_synthesis() -> None:
    pooled = of_two("apixaban", "placebo", "Apixaban in atrial fibrillation: a meta-analysis").model_copy(
        update={"study_design": StudyDesign.META_ANALYSIS, "year": 2012}
    )
    trial = of_two("apixaban", "placebo")
    found = concluded("In the pooled trials, does apixaban reduce stroke in atrial fibrillation?", trial, pooled)
    assert found.lead is not None
    assert found.lead.n == 2


def test_placebo_added_to_a_drug_tells_nothing_of_the_drug() -> None:
    trial = of_two("clopidogrel added to aspirin", "placebo added to aspirin")
    assert concluded("Does aspirin reduce stroke in atrial fibrillation?", trial).lead is None


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Does low-dose edoxaban reduce stroke?", False),
        ("Does high-dose edoxaban reduce stroke?", True),
        ("Does edoxaban 30 mg reduce stroke?", False),
        ("Does edoxaban 60 mg reduce stroke?", True),
        ("Does edoxaban reduce stroke?", True),
    ],
)
def test_another_dose_is_another_thing(text: str, *, answers: bool) -> None:
    found = concluded(text, of_two("edoxaban 60 mg (high dose)", "placebo"))
    assert (found.lead is not None) is answers


def test_a_drug_alone_is_not_its_combination() -> None:
    trial = of_two("aspirin plus clopidogrel", "placebo")
    assert concluded("Does clopidogrel alone reduce stroke in atrial fibrillation?", trial).lead is None


def test_a_comparison_that_was_made_is_not_said_to_be_missing() -> None:
    trial = of_two("apixaban", "rivaroxaban")
    others = [
        record(
            f"{drug} in patients with atrial fibrillation",
            "We randomized patients with atrial fibrillation.",
            results=(result("major bleeding", ratio(0.8, 0.6, 0.95), ((drug, 60, 900), ("placebo", 90, 900))),),
        )
        for drug in ("apixaban", "rivaroxaban")
    ]
    found = concluded("Apixaban or rivaroxaban in atrial fibrillation: major bleeding?", trial, *others)
    assert found.missing == (
        "result for major bleeding in a direct comparison of Apixaban and rivaroxaban in atrial fibrillation",
    )


def test_figures_of_another_trial_are_not_told_under_the_records_name() -> None:
    trial = record(
        "Teprotumumab for thyroid eye disease",
        "In a later placebo-controlled trial, hearing impairment occurred in 22% of people on teprotumumab and 10% of "
        "people on placebo.",
    )
    assert list(told_results(1, trial, passages([trial]))) == []


def test_a_society_is_no_aspirin() -> None:
    text = "The 2022 AHA/ASA guideline recommends compression from the day of admission."
    assert not speaks_of(text, question("Is aspirin safe?").treatments[0])
    assert [term.name for term in find_terms("ASA or aspirin after AHA/ASA guidance on stroke")] == [
        "aspirin",
        "aspirin",
        "Stroke",
    ]


def test_a_part_that_was_asked_for_is_not_said_to_be_missing() -> None:
    mothers = record(
        "Magnesium sulfate for women with pre-eclampsia",
        "We assigned women with pre-eclampsia to magnesium sulfate or placebo.",
        results=(
            result("maternal death", ratio(0.55, 0.26, 1.14), (("magnesium sulfate", 5, 400), ("placebo", 9, 400))),
        ),
    )
    lines = lines_of(concluded("Do fewer mothers with pre-eclampsia die on magnesium sulfate?", mothers))
    assert not any("no result was found beside it" in line.text for line in lines)
