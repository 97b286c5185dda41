"""Whom a source studied, held against whom the question is about."""

from __future__ import annotations

import pytest
from openwork_answers.people import people_fit
from openwork_contracts.conclusion import Fit

from tests.unit.answers.made import question, record

AF = "We enrolled adults with atrial fibrillation."


@pytest.mark.parametrize(
    ("asked", "studied", "fit"),
    [
        # a name with a word before it is a kind
        ("with atrial fibrillation", AF, Fit.ASKED),
        ("with postoperative atrial fibrillation", AF, Fit.WIDER),
        ("with postoperative atrial fibrillation", "Adults with postoperative atrial fibrillation.", Fit.ASKED),
        ("with portal vein thrombosis", "We enrolled patients with thrombosis.", Fit.WIDER),
        ("with portal vein thrombosis", "We enrolled patients with venous thromboembolism.", Fit.NOT_TOLD),
        ("with bleeding trauma", "We enrolled patients with intracerebral haemorrhage.", Fit.NOT_TOLD),
        ("with bleeding trauma", "We enrolled trauma patients with bleeding.", Fit.ASKED),
        ("with portal vein thrombosis", "We enrolled patients with portal vein thrombosis.", Fit.ASKED),
        ("with known atrial fibrillation", AF, Fit.ASKED),
        # absence goes on through a list
        ("with dementia", "We enrolled people without cardiovascular disease, dementia or disability.", Fit.OTHER),
        ("with a mechanical valve", "We enrolled people without mitral stenosis or a mechanical valve.", Fit.OTHER),
        ("with dementia", "We enrolled people without disability, with dementia or depression.", Fit.ASKED),
        # intervals
        ("under 40", "We enrolled people aged 35 to 70 years.", Fit.WIDER),
        ("under 40", "We enrolled people aged 50 to 70 years.", Fit.OTHER),
        ("under 40", "We enrolled people aged 20 to 30 years.", Fit.PART),
        ("aged 60", "We enrolled people aged 35 to 70 years.", Fit.WIDER),
        # past ninety nothing is known from those over seventy-five
        ("aged 92", "We enrolled people aged 75 years or older.", Fit.NOT_TOLD),
        ("aged 92", "We enrolled people with gout.", Fit.NOT_TOLD),
        ("aged 92", "We enrolled people aged 80 years or older.", Fit.WIDER),
        ("aged 86", "We enrolled people aged 75 years or older.", Fit.WIDER),
        # teenagers are no adults
        ("who are teenagers", "We enrolled adults with gout.", Fit.NOT_TOLD),
        ("who are teenagers", "We enrolled people aged 12 years or older.", Fit.WIDER),
        ("with Child-Pugh B cirrhosis", "We enrolled children with gout.", Fit.NOT_TOLD),
        # a dose for some of them is not who they were
        (
            "with a creatinine clearance of 30 to 49",
            "Adults with gout took 20 mg once daily (15 mg when creatinine clearance was 30 to 49 mL/min).",
            Fit.NOT_TOLD,
        ),
        ("with a creatinine clearance of 30 to 49", "Adults with creatinine clearance of 30 to 49 mL/min.", Fit.ASKED),
        # parts of those studied
        ("with cardiogenic shock", "We enrolled patients with shock, of whom 280 had cardiogenic shock.", Fit.WIDER),
        ("after cardiac surgery", "We enrolled patients with shock, partly after cardiac surgery.", Fit.WIDER),
        # people who are in no study that does not name them
        ("who are pregnant", "We enrolled women with atrial fibrillation.", Fit.NOT_TOLD),
        ("who are pregnant", "We enrolled pregnant women.", Fit.ASKED),
        ("in athletes", AF, Fit.NOT_TOLD),
        ("in women", AF, Fit.WIDER),
    ],
)  # fmt: skip
def test_how_the_people_of_a_source_stand_to_those_asked_about(asked: str, studied: str, fit: Fit) -> None:
    read = question(f"Does apixaban prevent stroke in {asked.removeprefix('in ')}?" if asked.startswith("in ")
                    else f"Does apixaban prevent stroke in people {asked}?")  # fmt: skip
    assert read.people, asked
    assert people_fit(read.people, record("Apixaban or warfarin", studied)) is fit


@pytest.mark.parametrize(
    ("asked", "studied", "fit"),
    [
        ("household contacts of people with influenza", "Household contacts of index cases with influenza.", Fit.ASKED),
        ("household contacts of people with influenza", "We enrolled patients with influenza.", Fit.NOT_TOLD),
        ("people with influenza", "Household contacts of index cases with influenza.", Fit.NOT_TOLD),
        ("people with influenza", "Patients with influenza and their household contacts.", Fit.ASKED),
        ("people exposed to measles", "Susceptible contacts of children with measles.", Fit.ASKED),
        ("people exposed to measles", "Vaccine after measles, in household contacts.", Fit.ASKED),
        ("children with measles", "Susceptible contacts of children with measles.", Fit.NOT_TOLD),
        ("carers of people with dementia", "Caregivers of patients with dementia.", Fit.ASKED),
        ("people with dementia", "Caregivers of patients with dementia.", Fit.NOT_TOLD),
        ("carers of people with dementia", "First-degree relatives of patients with dementia.", Fit.NOT_TOLD),
        ("infants born to mothers with syphilis", "Infants of women with syphilis.", Fit.ASKED),
        ("infants with syphilis", "Infants of women with syphilis.", Fit.NOT_TOLD),
        (
            "people with tuberculosis",
            "Contacts exposed to multidrug- or rifampicin-resistant tuberculosis.",
            Fit.NOT_TOLD,
        ),
        ("relatives of patients with melanoma", "Siblings of people with melanoma.", Fit.ASKED),
    ],
)
def test_who_is_told_by_the_disease_of_another_has_it_neither_in_a_question_nor_in_a_source(
    asked: str, studied: str, fit: Fit
) -> None:
    read = question(f"Does oseltamivir lower mortality in {asked}?")
    named = tuple(term for term in read.people if term.measure is None)
    assert people_fit(named, record("Example", studied)) is fit


@pytest.mark.parametrize(
    ("asked", "studied", "fit"),
    [
        ("hypothyroidism", "Adults with subclinical hypothyroidism.", Fit.OTHER),
        ("subclinical hypothyroidism", "Adults with subclinical hypothyroidism.", Fit.ASKED),
        ("subclinical hypothyroidism", "Adults with overt hypothyroidism.", Fit.OTHER),
        ("syphilis", "Adults with latent syphilis, and adults with early syphilis.", Fit.ASKED),
        ("eclampsia", "Women with impending eclampsia.", Fit.OTHER),
        ("heart failure", "Adults with chronic heart failure.", Fit.ASKED),
    ],
)
def test_a_disease_that_is_latent_or_subclinical_is_of_other_people(asked: str, studied: str, fit: Fit) -> None:
    read = question(f"Does penicillin lower mortality in {asked}?")
    assert people_fit(read.people, record("Example", studied)) is fit


@pytest.mark.parametrize(
    ("asked", "own", "fit"),
    [
        # a label of a part of a source's people has no word for people in it
        ("patients on mechanical ventilation", "invasive mechanical ventilation at entry", Fit.ASKED),
        ("patients on mechanical ventilation", "no mechanical ventilation at entry", Fit.OTHER),
        ("people with no oxygen requirement", "no respiratory support", Fit.ASKED),
        ("people with no oxygen requirement", "oxygen therapy at entry", Fit.OTHER),
        ("current smokers", "smoking at baseline", Fit.ASKED),
        # a sentence of an abstract that counts it says nothing of people
        ("patients on mechanical ventilation", "Death or mechanical ventilation was less frequent.", Fit.NOT_TOLD),
        # who never had an infection
        ("people who have never had hepatitis B", "hepatitis B-seronegative", Fit.ASKED),
        ("people who have never had hepatitis B", "hepatitis B seropositive", Fit.OTHER),
        ("people who have never had hepatitis B", "seronegative for malaria", Fit.NOT_TOLD),
    ],
)
def test_a_label_of_people_is_of_people_whatever_stands_before_it(asked: str, own: str, fit: Fit) -> None:
    read = question(f"Does tenofovir lower mortality in {asked}?")
    assert people_fit(read.people, record("Example trial", "We enrolled adults."), own) is fit


@pytest.mark.parametrize(
    ("asked", "studied", "fit"),
    [
        # all kinds of cancer are taken together, and told apart by no trial that says cancer alone
        ("with ovarian cancer", "We enrolled patients with active cancer.", Fit.WIDER),
        ("with brain metastases", "We enrolled patients with active cancer.", Fit.NOT_TOLD),
        ("with leukaemia", "We enrolled patients with active cancer.", Fit.NOT_TOLD),
        ("with ovarian cancer", "The outcomes were bleeding and cancer.", Fit.NOT_TOLD),
        ("with ovarian cancer", "We enrolled patients with lung cancer.", Fit.OTHER),
        ("with pyelonephritis", "We enrolled patients with infections.", Fit.NOT_TOLD),
        # a form of a drug is in no arm that goes without it
        ("taking low-dose aspirin", "Bleeding was more frequent with aspirin than without aspirin.", Fit.NOT_TOLD),
        # a drug's class in those studied
        ("taking clopidogrel", "We enrolled people taking antiplatelet therapy.", Fit.WIDER),
        ("taking clopidogrel", "Antiplatelet therapy was compared.", Fit.NOT_TOLD),
        ("taking clopidogrel", "We enrolled people taking anticoagulants.", Fit.NOT_TOLD),
    ],
)
def test_wider_people_are_those_of_all_kinds_of_cancer_and_of_a_drugs_class(asked: str, studied: str, fit: Fit) -> None:
    read = question(f"Does aprotinin lower mortality in people {asked}?")
    assert read.people, asked
    assert people_fit(read.people, record("Aprotinin", studied)) is fit


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Does oxytocin reduce bleeding in women on the labour ward?", ["women"]),
        ("Does early rehabilitation lower mortality in patients on a stroke unit with pneumonia?", ["pneumonia"]),
        ("Does carvedilol reduce admissions for decompensation in heart failure?", ["heart failure"]),
        ("Does home oxygen help people with COPD for longer?", ["COPD"]),
    ],
)
def test_a_ward_the_reason_of_an_admission_and_for_longer_are_nobody(text: str, people: list[str]) -> None:
    told = [term.text for term in question(text).people]
    assert set(people) <= set(told)
    assert not {"on the labour ward", "decompensation", "longer"} & set(told)
