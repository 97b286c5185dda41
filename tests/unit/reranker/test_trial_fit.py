"""The guard against trials that are cited for what they did not test."""

from __future__ import annotations

import pytest
from openwork_contracts.evidence import AbstractPart, EvidenceCandidate, StudyDesign
from openwork_contracts.question import Intent, Pico
from openwork_reranker.domain.trial_fit import trial_fit
from reranker_examples import analysis, candidate

GOAL_DIRECTED = candidate(
    "egdt",
    "Goal-directed resuscitation for patients with early septic shock",
    AbstractPart(label="BACKGROUND", text="Early goal-directed therapy (EGDT) has been endorsed in guidelines."),
    AbstractPart(label="METHODS", text="We randomly assigned patients with septic shock to EGDT or usual care."),
    AbstractPart(label="RESULTS", text="Patients in the EGDT group were more likely to receive vasopressor infusions."),
)
ANTICOAGULANT = candidate(
    "doac",
    "Apixaban versus warfarin in patients with atrial fibrillation",
    AbstractPart(label="METHODS", text="We randomly assigned patients to apixaban or warfarin."),
)
VASOPRESSORS = "Which vasopressor is preferred as first-line therapy in septic shock?"


def test_goal_directed_therapy_says_nothing_about_the_choice_of_vasopressor() -> None:
    """The drug occurs among the results only: it was given, not tested."""
    fit = trial_fit(analysis(VASOPRESSORS), GOAL_DIRECTED)
    assert fit.misfit
    assert "vasopressor" in (fit.message or "")


def test_trial_fits_the_question_it_was_made_for() -> None:
    asked = analysis("Does EGDT help in sepsis?", pico=Pico(intervention=("early goal-directed therapy",)))
    assert not trial_fit(asked, GOAL_DIRECTED).misfit


@pytest.mark.parametrize(
    "question",
    [
        "Does apixaban prevent stroke?",
        "Are direct oral anticoagulants safe in atrial fibrillation?",
        "Is Eliquis effective in AFib?",
        "What is the prognosis of atrial fibrillation?",
    ],
)
def test_drug_its_class_and_its_brand_all_fit(question: str) -> None:
    assert not trial_fit(analysis(question), ANTICOAGULANT).misfit


def test_trial_of_another_drug_is_marked() -> None:
    fit = trial_fit(analysis("Is dabigatran safe in atrial fibrillation?"), ANTICOAGULANT)
    assert fit.misfit
    assert fit.message == "tested apixaban and warfarin; the question is about dabigatran"


def test_trial_of_one_of_two_compared_drugs_is_called_indirect() -> None:
    asked = analysis("Is apixaban safer than rivaroxaban?", Intent.COMPARATIVE_ANALYSIS)
    fit = trial_fit(asked, ANTICOAGULANT)
    assert not fit.misfit
    assert "not rivaroxaban" in (fit.message or "")


def test_measured_drug_is_not_an_asked_one() -> None:
    """Morphine as rescue medication is an outcome of a nerve-block trial."""
    asked = analysis("Does a nerve block reduce morphine use?", pico=Pico(outcome=("morphine use",)))
    trial = candidate(
        "x", "Femoral nerve block after surgery", "We randomly assigned patients to a femoral nerve block or sham."
    )
    assert not trial_fit(asked, trial).misfit


@pytest.mark.parametrize(
    "other",
    [
        GOAL_DIRECTED.model_copy(update={"study_design": StudyDesign.COHORT}),
        candidate("x", "A trial", "Nothing is said of groups."),
    ],
)
def test_what_is_no_trial_or_does_not_say_what_it_tested_is_not_marked(other: EvidenceCandidate) -> None:
    assert not trial_fit(analysis(VASOPRESSORS), other).misfit


def test_arms_of_a_registration_count() -> None:
    trial = candidate("x", "Shock study", design=StudyDesign.TRIAL_REGISTRATION, arms=("Norepinephrine", "Dopamine"))
    assert not trial_fit(analysis(VASOPRESSORS), trial).misfit
    assert trial_fit(analysis("Do statins help in septic shock?"), trial).misfit
