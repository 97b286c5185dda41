"""Which of the treatments of a question are asked about, and which people have already."""

from __future__ import annotations

import pytest

from tests.unit.answers.made import question


@pytest.mark.parametrize(
    ("text", "asked", "beside", "instead"),
    [
        ("He is 70, on simvastatin. Is it worth adding ezetimibe to prevent stroke?",
         ["ezetimibe"], ["simvastatin"], []),
        ("Man on dialysis and furosemide. Does apixaban prevent stroke?",
         ["apixaban"], ["furosemide"], []),
        ("AF patient takes rivaroxaban. Would she bleed less on apixaban?", ["apixaban"], [], ["rivaroxaban"]),
        ("My patient bleeds since I switched him from warfarin to dabigatran. Is bleeding more common on it?",
         ["dabigatran"], [], ["warfarin"]),
        ("Shock, already on a lot of noradrenaline, thinking of vasopressin. Does it save lives?",
         ["vasopressin"], ["noradrenaline"], []),
        ("icosapent ethyl cardiovascular death high triglycerides on statin", ["icosapent ethyl"], ["statin"], []),
        ("In diabetes with an ACE inhibitor or ARB on board, does canagliflozin prevent kidney failure?",
         ["canagliflozin"], [], []),
        # a colon or a dash begins the asking, and what somebody is on before it is there already
        ("Heart failure on high-dose furosemide: does spironolactone prevent death?",
         ["spironolactone"], ["furosemide"], []),
        ("Type 2 diabetes on metformin - would liraglutide plus dapagliflozin prevent stroke?",
         ["liraglutide", "dapagliflozin"], ["metformin"], []),
        ("Spironolactone in heart failure: does it prevent death?", ["Spironolactone"], [], []),
        ("Rivaroxaban for cancer thrombosis: is dalteparin better?", ["Rivaroxaban", "dalteparin"], [], []),
        # a comparison is no telling and asking
        ("Edoxaban 60 mg, AF. Cardiovascular mortality relative to warfarin?", ["Edoxaban"], [], ["warfarin"]),
        ("AF, bleeds on apixaban than on warfarin?", ["apixaban"], [], ["warfarin"]),
        ("Does aspirin plus clopidogrel prevent stroke?", ["aspirin", "clopidogrel"], [], []),
    ],
)  # fmt: skip
def test_what_is_told_of_somebody_is_there_already(
    text: str, asked: list[str], beside: list[str], instead: list[str]
) -> None:
    read = question(text)
    assert [idea.term for idea in read.treatments] == asked
    assert [idea.term for idea in read.background] == beside
    assert [idea.term for idea in read.comparators] == instead


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Does remdesivir stop Covid-19 patients from progressing to mechanical ventilation?",
         "mechanical ventilation"),
        ("tocilizumab covid-19 need for haemodialysis", "haemodialysis"),
        ("empagliflozin heart failure CV death or HF hospitalisation", "CV death or HF hospitalisation"),
        ("Systolic under 130 after a lacunar infarct on MRI: is he less likely to have a brain haemorrhage?",
         "brain haemorrhage"),
    ],
)  # fmt: skip
def test_what_is_to_be_spared_is_the_outcome_and_no_treatment(text: str, outcome: str) -> None:
    read = question(text)
    assert outcome in read.outcome_texts
    assert not any(outcome in idea.term for idea in read.treatments)


def test_who_tells_of_a_drug_and_asks_about_a_target_asks_about_the_target() -> None:
    read = question("On noradrenaline in our unit. Can I accept a MAP of 60 to 65 without harming his survival?")
    assert read.treatments == ()
    assert read.target is not None
    assert read.target.tested == {("low", 60.0), ("high", 65.0)}


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("She has had muscle pain on three different statins. Would bempedoic acid prevent a stroke?",
         [("muscle pain on three different statins", False)]),
        ("She cannot take statins because of aching muscles. Would bempedoic acid prevent a stroke?",
         [("cannot take statins", False)]),
        ("NYHA III, does not have diabetes. Does dapagliflozin prevent death?",
         [("NYHA III", True), ("does not have diabetes", False)]),
        ("EF of 30%, doing all right on a lot of tablets. Does dapagliflozin prevent death?", [("EF of 30%", True)]),
    ],
)  # fmt: skip
def test_who_is_meant_without_what_says_nothing(text: str, people: list[tuple[str, bool]]) -> None:
    assert [(term.text, term.wanted) for term in question(text).people] == people


@pytest.mark.parametrize("text", ["spironolactone HFpEF mortality", "spironolactone mortality HFpEF"])
def test_the_disease_beside_mortality_is_who_dies(text: str) -> None:
    read = question(text)
    assert [term.text for term in read.people] == ["HFpEF"]
    assert read.outcome_texts == ("mortality",)


def test_patients_on_dialysis_are_who_is_meant_and_dialysis_is_not_what_is_asked_about() -> None:
    read = question("Which systolic target gives the lowest mortality in patients on haemodialysis?")
    assert read.treatments == ()
    assert "haemodialysis" in " ".join(term.text for term in read.people)


def test_a_bound_of_a_measure_is_a_target_where_nothing_is_given() -> None:
    read = question("lacunar stroke SBP <130 recurrent stroke")
    assert read.target is not None
    assert read.target.tested == {("high", 130.0)}


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Do AF patients prescribed apixaban have fewer strokes than those prescribed rivaroxaban?", "strokes"),
        ("Does rosuvastatin increase the risk of being diagnosed with diabetes?", "diabetes"),
        ("My patient has heart failure. Will dapagliflozin make a heart failure admission less likely?",
         "admission"),
        ("canagliflozin amputation risk", "amputation"),
    ],
)  # fmt: skip
def test_what_may_happen_is_the_outcome(text: str, outcome: str) -> None:
    assert outcome in " ".join(question(text).outcome_texts)


@pytest.mark.parametrize(
    ("text", "treated"),
    [
        ("She is 84 and has hypertension. Will she live longer if I treat it?", True),
        ("Is treating hypertension in the over-80s worth it for strokes?", True),
        ("My 84-year-old has a systolic of 175. Will she live longer if I treat it?", False),
    ],
)
def test_treatment_as_such_is_of_a_disease_that_is_told(text: str, treated: bool) -> None:
    assert question(text).treated is treated
