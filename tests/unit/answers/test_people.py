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
