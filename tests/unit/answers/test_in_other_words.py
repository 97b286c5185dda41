"""One thing under several names: outcomes, arms, people, and what a question sets a treatment against."""

from __future__ import annotations

import pytest
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import NEAR, read_outcome
from openwork_answers.people import people_fit
from openwork_answers.table import table_of
from openwork_answers.treatments import named_by
from openwork_contracts.conclusion import ConclusionVerdict, Fit
from openwork_contracts.evidence import AbstractPart
from openwork_language.mentions import idea_of

from tests.unit.answers.made import concluded, question, ratio, record, result


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("in-hospital death from any cause", "dying before discharge"),
        ("death in intensive care", "ICU mortality"),
        ("functional independence (modified Rankin score 0 to 2)", "being able to look after oneself"),
        ("clinically relevant nonmajor bleeding", "minor but medically important bleeding"),
        ("permanent discontinuation because of an adverse event", "stopping treatment because of side effects"),
        ("adverse events of grade 3 or higher", "severe toxicity"),
        ("serum potassium above 5.5 mmol/l", "K+ >5.5 mmol/L"),
        ("miscarriage", "spontaneous abortion"),
        ("ischemic stroke", "ischaemic CVA"),
        ("COPD exacerbations", "exacerbations"),
    ],
)
def test_an_outcome_by_another_name(told: str, asked: str) -> None:
    assert fit_of(read_outcome(told), read_outcome(asked)) in NEAR


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("hemorrhagic stroke", "ischaemic CVA"),
        ("severe asthma exacerbations", "SAEs"),
        ("hospitalized dengue", "virologically confirmed dengue"),
        ("major bleeding", "minor but medically important bleeding"),
        ("nonfatal myocardial infarction", "deadly heart attacks"),
    ],
)
def test_another_outcome_stays_another(told: str, asked: str) -> None:
    assert fit_of(read_outcome(told), read_outcome(asked)) not in {Fit.ASKED, Fit.PART}


@pytest.mark.parametrize(
    ("asked", "arm", "fit"),
    [
        ("Advair", "salmeterol-fluticasone 50/500 micrograms twice daily", Fit.ASKED),
        ("budesonide", "budesonide-formoterol as needed", Fit.OTHER),
        ("fluticasone furoate-vilanterol", "fluticasone furoate-umeclidinium-vilanterol", Fit.WIDER),
        ("fluticasone furoate-vilanterol", "umeclidinium-vilanterol", Fit.OTHER),
        ("systemic steroids", "corticosteroids", Fit.WIDER),
    ],
)
def test_an_arm_by_its_parts_and_its_class(asked: str, arm: str, fit: Fit) -> None:
    assert named_by(idea_of(asked), arm) is fit


@pytest.mark.parametrize(
    ("text", "population", "fits"),
    [
        ("Does hydrocortisone help ICU patients with septic shock?", "adults with septic shock", NEAR),
        ("Does spironolactone help people with ESKD?", "people on maintenance hemodialysis", NEAR),
        ("Does metformin help people with type 2 diabetes in the ICU?", "adults with type 2 diabetes", ()),
        ("Does tocilizumab help people with covid (mild)?", "adults with severe COVID-19", ()),
        ("Does metformin help in gestational diabetes or not?", "adults with type 2 diabetes", ()),
        ("Does tafenoquine help children with vivax malaria?", "people aged 16 years or older with vivax malaria", ()),
        ("Does dapagliflozin help diabetic people with heart failure?", "people with heart failure", ()),
        ("Does apixaban help people with a fresh clot in the leg or lung?", "people with venous thromboembolism", NEAR),
    ],
)  # fmt: skip
def test_people_in_other_words(text: str, population: str, fits: tuple[Fit, ...]) -> None:
    document = record("A trial", abstract=(AbstractPart(label="Population", text=population),))
    fit = people_fit(question(text).people, document)
    assert (fit in fits) if fits else (fit not in NEAR)


@pytest.mark.parametrize(
    "control", ["no corticosteroids", "withholding corticosteroids", "dummy pills", "no steroids (placebo)"]
)
def test_without_it_is_a_comparator_and_nobodys_state(control: str) -> None:
    arms = (("prednisolone", 90, 700), ("placebo", 110, 700))
    document = record(
        "Prednisolone in tuberculous pericarditis", results=(result("death", ratio(0.8, 0.6, 1.1), arms),)
    )
    lead = concluded(
        f"Does prednisolone reduce death compared with {control} in tuberculous pericarditis?", document
    ).lead
    assert lead is not None
    assert lead.comparison == ("prednisolone", "placebo")


def test_a_description_has_the_results_of_its_works_in_the_table() -> None:
    arms = (("nifedipine", 249, 298), ("methyldopa", 230, 301))
    document = record("Nifedipine or methyldopa in pregnancy", results=(result("blood pressure control", None, arms),))
    found = concluded("Does nifedipine affect blood pressure control compared with methyldopa in pregnancy?", document)
    assert found.lead is not None
    other = found.lead.model_copy(update={"outcome_fit": Fit.OTHER})
    told = found.model_copy(
        update={
            "verdict": ConclusionVerdict.DESCRIPTION,
            "lead": None,
            "others": (),
            "nearest": (other,),
            "about": (1,),
        }
    )
    assert [row.n for row in table_of(told)] == [1]
    assert not table_of(told.model_copy(update={"about": ()}))
