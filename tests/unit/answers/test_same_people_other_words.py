"""Who is meant and what is asked about: opposites, species, ages, tracings, grades, and names of one thing."""

from __future__ import annotations

import pytest
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import read_outcome
from openwork_answers.people import people_fit
from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import AbstractPart

from tests.unit.answers.made import concluded, question, ratio, record, result


@pytest.mark.parametrize(
    ("text", "title", "population", "fit"),
    [
        ("Are 7 days of antibiotics as good as 14 in febrile UTI?", "7 vs 14 days of antibiotics in UTI",
         "afebrile men with urinary tract infection", Fit.OTHER),
        ("Are 7 days of antibiotics as good as 14 in uncomplicated UTI?", "7 vs 14 days of antibiotics in UTI",
         "women with uncomplicated urinary tract infection", Fit.ASKED),
        ("Does primaquine prevent relapse in Plasmodium ovale malaria?", "Tafenoquine in vivax malaria",
         "people with Plasmodium vivax malaria", Fit.OTHER),
        ("Does primaquine prevent relapse in P. vivax malaria?", "Tafenoquine in vivax malaria",
         "people with Plasmodium vivax malaria", Fit.ASKED),
        ("Does the dengue vaccine prevent dengue in people over 65?", "A dengue vaccine in children and adults",
         "The trial enrolled 16,235 healthy people aged 2 to 59 years.", Fit.OTHER),
        ("Does PCV13 prevent pneumonia in older adults?", "Conjugate vaccine against pneumonia in adults",
         "The trial randomized 84,496 adults aged 65 years or older.", Fit.ASKED),
        ("Does azithromycin reduce exacerbations in COPD patients who still smoke?", "Azithromycin in COPD",
         "current smokers with COPD", Fit.ASKED),
    ],
)  # fmt: skip
def test_people(text: str, title: str, population: str, fit: Fit) -> None:
    document = record(title, abstract=(AbstractPart(label="Population", text=population),))
    terms = [t for t in question(text).people if "7 days" not in t.text]
    assert people_fit(terms, document) is fit


@pytest.mark.parametrize(
    ("told", "asked", "fit"),
    [
        ("Graves' ophthalmopathy", "thyroid eye disease", Fit.ASKED),
        ("severe ophthalmopathy", "thyroid eye disease", Fit.PART),
        ("virologically confirmed dengue", "hospitalized dengue", Fit.OTHER),
        ("severe asthma exacerbations", "severe attacks of mild asthma", Fit.ASKED),
        ("severe asthma exacerbations", "asthma attacks", Fit.PART),
        ("nonfatal reinfarction", "nonfatal recurrent myocardial infarction", Fit.ASKED),
    ],
)
def test_names_of_one_outcome(told: str, asked: str, fit: Fit) -> None:
    assert fit_of(read_outcome(told), read_outcome(asked)) is fit


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("Is apixaban as good as warfarin at stopping another clot?", ("another clot",)),
        ("Is tafenoquine as good as primaquine for stopping recurrences of P. vivax malaria?",
         ("recurrences",)),
        ("By how much does simvastatin bring LDL down in coronary heart disease?", ("LDL",)),
        ("Is formoterol better than terbutaline at preventing severe exacerbations of mild asthma?",
         ("severe exacerbations of asthma",)),
        ("Are patients given steroids for pneumonia more likely to be readmitted?", ("readmitted",)),
        ("In people with DVT or PE, is major bleeding less common with dabigatran than with warfarin?",
         ("major bleeding",)),
        ("Patient with a previous stroke: risk of further stroke on prasugrel versus clopidogrel?", ("stroke",)),
    ],
)  # fmt: skip
def test_outcomes(text: str, outcomes: tuple[str, ...]) -> None:
    assert question(text).outcome_texts == outcomes


def test_at_discharge_is_a_time() -> None:
    assert "discharge" not in question("Artesunate v quinine: are seizures at discharge more common?").outcome_texts


def test_what_is_beside_a_treatment_may_have_an_adjective() -> None:
    read = question("Does alirocumab added to a high-intensity statin reduce death after an ACS?")
    assert [idea.term for idea in read.treatments] == ["alirocumab"]
    assert [idea.term for idea in read.background] == ["statin"]


@pytest.mark.parametrize(
    ("text", "treatment"),
    [
        ("How effective is TAK-003 in children aged 4 to 5?", "TAK-003"),
        ("Does TAK-003 work in dengue-naive children?", "TAK-003"),
        ("What is the efficacy of TAK-003 in dengue-naive children?", "TAK-003"),
    ],
)
def test_what_no_list_knows_is_what_is_said_to_work(text: str, treatment: str) -> None:
    assert [idea.term for idea in question(text).treatments] == [treatment]


@pytest.mark.parametrize(
    ("text", "nobody"),
    [
        ("NSTEMI with grade 3 adverse events on ticagrelor: fewer deaths?", "grade 3"),
        ("Are serious (grade 3 or worse) side effects more common with rifapentine than with isoniazid?", "grade 3"),
        ("Is bleeding during rivaroxaban for deep vein thrombosis commoner than with warfarin?", "during rivaroxaban"),
    ],
)
def test_nobody(text: str, nobody: str) -> None:
    assert nobody not in [term.text for term in question(text).people]


def test_an_event_without_its_disease_is_of_the_titles() -> None:
    document = record(
        "Tiotropium in chronic obstructive pulmonary disease",
        "In this trial, 600 people with COPD received tiotropium or placebo.",
        results=(result("exacerbations", ratio(0.86, 0.8, 0.93), (("tiotropium", 90, 300), ("placebo", 110, 300))),),
    )
    lead = concluded("Does tiotropium reduce COPD exacerbations compared with placebo?", document).lead
    assert lead is not None
    assert lead.outcome_fit is Fit.ASKED
