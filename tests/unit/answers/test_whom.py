"""Of whom an answer is: degrees of a disease, prevention, two names side by side, and whom a title names."""

from __future__ import annotations

import pytest
from openwork_answers.forms import lines_of
from openwork_answers.people import people_fit
from openwork_answers.source_people import people_of_title
from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate

from tests.unit.answers.made import ARMS, concluded, of, question, ratio, result


@pytest.mark.parametrize(
    ("asked", "title", "who", "fit"),
    [
        ("severe asthma", "Dupilumab in asthma", "We enrolled people with mild asthma.", Fit.OTHER),
        ("mild asthma", "Dupilumab in asthma", "We enrolled people with moderate-to-severe asthma.", Fit.OTHER),
        ("moderate asthma", "Dupilumab in asthma", "We enrolled people with moderate-to-severe asthma.", Fit.ASKED),
        ("severe Graves' orbitopathy", "Selenium in mild Graves' orbitopathy", "We enrolled adults.", Fit.OTHER),
        ("acute heart failure", "Dapagliflozin in heart failure", "We enrolled people with heart failure.", Fit.WIDER),
        ("wake-up stroke", "Alteplase in acute ischemic stroke", "We enrolled people within 3 hours.", Fit.WIDER),
        ("massive pulmonary embolism", "Rivaroxaban for pulmonary embolism", "We enrolled adults.", Fit.WIDER),
        ("low cardiovascular risk", "Liraglutide", "We enrolled people at high cardiovascular risk.", Fit.OTHER),
        ("lean type 2 diabetes", "Metformin", "We enrolled overweight people with type 2 diabetes.", Fit.OTHER),
        ("NYHA class IV heart failure", "Eplerenone",
         "We enrolled people with New York Heart Association class II heart failure.", Fit.OTHER),
        ("type 1 diabetic nephropathy", "Losartan in nephropathy due to type 2 diabetes", "Adults.", Fit.OTHER),
    ],
)  # fmt: skip
def test_how_bad_or_how_old_a_disease_is_tells_who_is_meant(asked: str, title: str, who: str, fit: Fit) -> None:
    people = question(f"Does losartan reduce death in people with {asked}?").people
    assert people_fit(people, of(title, who)) is fit


@pytest.mark.parametrize(
    ("asked", "title", "fit"),
    [
        ("primary prevention", "Statins in patients with cardiovascular disease", Fit.OTHER),
        ("primary prevention", "Statins after myocardial infarction", Fit.OTHER),
        ("primary prevention", "Aspirin for the primary prevention of cardiovascular disease", Fit.ASKED),
        ("secondary prevention", "Aspirin for the primary prevention of cardiovascular disease", Fit.OTHER),
        ("secondary prevention", "Colchicine in patients with chronic coronary disease", Fit.PART),
        ("secondary prevention", "Aspirin in the primary and secondary prevention of vascular disease", Fit.ASKED),
    ],
)
def test_primary_and_secondary_prevention_are_of_different_people(asked: str, title: str, fit: Fit) -> None:
    people = question(f"Does aspirin reduce death in {asked}?").people
    assert [term.text for term in people] == [asked]
    assert people_fit(people, of(title, "We randomized adults.")) is fit


def test_what_else_is_prevented_says_nothing_of_cardiovascular_disease() -> None:
    assert not question("Does apixaban reduce death as secondary prevention of venous thromboembolism?").people


@pytest.mark.parametrize(
    ("asked", "names", "outcomes"),
    [
        ("Does warfarin prevent stroke in dialysis AF?", ["dialysis", "AF"], ("stroke",)),
        ("Does apixaban lower bleeding in CKD AF?", ["CKD", "AF"], ("bleeding",)),
        ("Does dexamethasone reduce death in tuberculous meningitis?", ["tuberculous meningitis"], ("death",)),
    ],
)
def test_two_names_side_by_side_are_both_who_is_meant(asked: str, names: list[str], outcomes: tuple[str, ...]) -> None:
    read = question(asked)
    assert ([term.text for term in read.people], read.outcome_texts) == (names, outcomes)


def test_a_place_of_care_is_not_told_by_its_words_apart() -> None:
    trial = of(
        "Dexamethasone in Covid-19", "The primary outcome was compared with usual care in patients with Covid-19."
    )
    asked = question("Does dexamethasone help patients in primary care?").people
    assert people_fit(asked, trial) is Fit.NOT_TOLD


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("Apixaban for Patients With Atrial Fibrillation on Hemodialysis: A Randomized Controlled Trial",
         "patients with atrial fibrillation on hemodialysis"),
        ("Empagliflozin after Acute Myocardial Infarction", "after acute myocardial infarction"),
        ("Canagliflozin and Cardiovascular and Renal Events in Type 2 Diabetes", "type 2 diabetes"),
        ("Corticosteroids for managing tuberculous meningitis", "tuberculous meningitis"),
        ("Selenium and the Course of Mild Graves' Orbitopathy in Children with Graves' Disease",
         "children with Graves' disease"),
        ("Metoprolol for the Prevention of Acute Exacerbations of COPD", None),
        ("Levofloxacin for the Prevention of Multidrug-Resistant Tuberculosis in Vietnam", None),
        ("Effect of fish oil on atrial fibrillation in randomized controlled trials of cardiovascular outcomes", None),
    ],
)  # fmt: skip
def test_whom_a_title_names(title: str, told: str | None) -> None:
    assert people_of_title(of(title, "We randomized adults.")) == told


def first_line(text: str, *trials: EvidenceCandidate) -> str:
    return lines_of(concluded(text, *trials))[0].text


def test_who_asks_of_nobody_is_told_of_whom_the_result_is() -> None:
    trial = of("Examplumab after Acute Myocardial Infarction", "We randomized adults to examplumab or placebo.")
    assert first_line("Does examplumab reduce death?", trial).startswith("Yes, after acute myocardial infarction:")


def test_what_all_people_of_a_source_have_is_said_though_nobody_asked() -> None:
    trial = of(
        "Apixaban for patients with atrial fibrillation on hemodialysis",
        "We randomized people with atrial fibrillation on hemodialysis to apixaban or placebo.",
    )
    trial = trial.model_copy(
        update={"results": (result("death from any cause", ratio(0.66, 0.48, 0.91), (("apixaban", 60, 900), ARMS[1])),)}
    )
    line = first_line("Does apixaban reduce death in atrial fibrillation?", trial)
    assert line.startswith("Found in these people (atrial fibrillation; on dialysis):")  # no yes: of a part of them
