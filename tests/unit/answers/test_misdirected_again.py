"""What two readers found misdirected later: windows of time, trials by their names, last segments, two of one kind."""

from __future__ import annotations

import pytest
from openwork_answers.degrees import with_degrees
from openwork_answers.forms import lines_of
from openwork_answers.naming import is_named
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import read_outcome
from openwork_answers.people import people_fit
from openwork_answers.reported import parted
from openwork_answers.stopping import is_to_stop
from openwork_answers.treatments import named_by
from openwork_contracts.conclusion import ConclusionVerdict, Fit
from openwork_contracts.evidence import EvidenceCandidate, Recommendation, StudyDesign
from openwork_language.asking.people import clauses
from openwork_language.mentions import idea_of

from tests.unit.answers.made import ARMS, concluded, of, question, ratio, record, result


@pytest.mark.parametrize(
    ("asked", "who", "fit"),
    [
        ("3 to 4.5 hours after stroke onset", "treated 3 to 4.5 hours after onset", Fit.ASKED),
        ("within 6 hours of stroke onset", "treated 6 to 24 hours after onset", Fit.OTHER),
        ("6 to 24 hours after stroke onset", "treated within 6 hours of onset", Fit.OTHER),
        ("within 6 hours of stroke onset", "treated within 4.5 hours of symptom onset", Fit.ASKED),
        ("within 3 hours of stroke onset", "treated within 6 hours of onset", Fit.WIDER),
    ],
)
def test_hours_from_onset_are_another_window_or_part_of_one(asked: str, who: str, fit: Fit) -> None:
    people = question(f"Does alteplase reduce death {asked}?").people
    assert people_fit(people, of("Alteplase in acute ischemic stroke", f"We enrolled people with stroke {who}.")) is fit


@pytest.mark.parametrize(("day", "fit"), [(9, Fit.OTHER), (4, Fit.WIDER)])
def test_days_of_an_illness_are_a_window(day: int, fit: Fit) -> None:
    people = question(f"Paxlovid started on day {day} of symptoms").people
    assert people_fit(people, of("Nirmatrelvir", "We enrolled adults within 5 days of symptom onset.")) is fit


def test_a_window_right_behind_a_treatment_is_who_is_meant() -> None:
    assert [t.text for t in question("alteplase beyond 4.5 hours").people] == ["beyond 4.5 hours"]
    assert question("oxygen for 6 to 12 hours in MI: death").people[0].text == "MI"


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("PTU in the first trimester: malformations?", ("malformations",)),
        ("Levothyroxine for subclinical hypothyroidism: symptom benefit?", ("symptom benefit",)),
        ("intensive glucose control in type 2 diabetes: retinopathy", ("retinopathy",)),
        ("Symptom control with budesonide-formoterol versus budesonide in mild asthma?", ("Symptom control",)),
        ("rivaroxaban for PE recurrent VTE", ("recurrent VTE",)),
        ("rivaroxaban after ACS intracranial haemorrhage", ("intracranial haemorrhage",)),
        ("aspirin in diabetic patients without CVD, bleeding", ("bleeding",)),
        ("early metformin in GDM: can she avoid insulin?", ("avoid insulin",)),
        ("apixaban in AF: evidence?", ()),
        ("fish oil: safe?", ()),
    ],
)
def test_what_is_asked_about(text: str, outcomes: tuple[str, ...]) -> None:
    assert question(text).outcome_texts == outcomes


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("DOAC in AF with moderate to severe mitral stenosis", ["AF", "moderate to severe mitral stenosis"]),
        ("Dexamethasone in TB meningitis HIV negative", ["TB meningitis", "HIV-negative"]),
        ("statins in non-dialysis CKD", ["non-dialysis", "CKD"]),
        ("Restrictive transfusion in lower GI bleeding?", ["lower GI bleeding"]),
        ("isoniazid preventive therapy pregnant HIV", ["pregnant", "HIV"]),
        ("apixaban bleeding AF peritoneal dialysis", ["AF", "peritoneal dialysis"]),
    ],
)
def test_who_is_meant(text: str, people: list[str]) -> None:
    assert [term.text for term in question(text).people] == people


def test_a_degree_behind_its_disease_stays() -> None:
    asked = question("Does tocilizumab help people with covid (mild)?")
    assert "mild" in [term.text for term in with_degrees(asked.people, asked.analysis.question)]


@pytest.mark.parametrize(
    ("text", "treatments", "comparators"),
    [
        ("Which pressor in shock gives fewer deaths, dopamine or norepinephrine?", ["dopamine"], ["norepinephrine"]),
        ("Tenecteplase 0.25 mg/kg - is mortality the same as with alteplase?", ["Tenecteplase"], ["alteplase"]),
        ("alteplase more than 4.5 hours after stroke onset", ["alteplase"], []),
        ("rivaroxaban for PICC-related arm vein thrombosis", ["rivaroxaban"], []),
    ],
)  # fmt: skip
def test_what_is_compared(text: str, treatments: list[str], comparators: list[str]) -> None:
    asked = question(text)
    assert [idea.term for idea in asked.treatments] == treatments
    assert [idea.term for idea in asked.comparators] == comparators


@pytest.mark.parametrize(
    ("asked", "side", "fit"),
    [
        ("triple therapy", "fluticasone furoate-umeclidinium-vilanterol", Fit.ASKED),
        ("dual therapy", "umeclidinium-vilanterol", Fit.ASKED),
        ("triple therapy", "umeclidinium-vilanterol", Fit.OTHER),
        ("R21/Matrix-M", "RTS,S/AS01E vaccine alone", Fit.OTHER),
    ],
)
def test_drugs_by_their_number_and_one_vaccine_of_its_class(asked: str, side: str, fit: Fit) -> None:
    assert named_by(idea_of(asked), side) is fit


@pytest.mark.parametrize(
    ("told", "asked", "fit"),
    [
        ("kidney outcomes", "acute kidney injury", Fit.OTHER),
        ("death", "dementia-free survival", Fit.PART),
        ("death, dementia or disability", "dementia-free survival", Fit.WIDER),
        ("progression-free survival", "PFS", Fit.ASKED),
        ("stroke", "stroke prevention", Fit.ASKED),
    ],
)
def test_outcomes(told: str, asked: str, fit: Fit) -> None:
    assert fit_of(read_outcome(told), read_outcome(asked)) is fit


def test_a_result_of_all_ages_is_not_of_its_title() -> None:
    assert parted("major vascular events per 1.0 mmol/L lower LDL cholesterol, all ages").people == "all ages"


def test_stopping_it() -> None:
    aspirin = (idea_of("aspirin"),)
    assert is_to_stop("78 year old on aspirin: harm from stopping it?", aspirin)
    assert not is_to_stop("does aspirin stop them dying?", aspirin)


def test_of_whom_a_source_says_that_it_tells_nothing_is_left_out() -> None:
    found = clauses("The trial aimed at 13 g/dL and does not inform the care of people on dialysis.")
    assert [(one.excluded, "dialysis" in one.text) for one in found] == [(False, False), (True, True)]


def test_some_with_a_disease_are_not_all() -> None:
    dvt = question("rivaroxaban after DVT: death").people
    both = of(
        "Rivaroxaban for pulmonary embolism", "We enrolled people with embolism with or without deep vein thrombosis."
    )
    assert people_fit(dvt, both) is Fit.WIDER


def test_a_normal_value_is_told_beside_its_measure() -> None:
    normal = question("Does icosapent ethyl reduce death in people with normal triglycerides?").people
    trial = of("Icosapent ethyl", "We enrolled people with triglycerides of 200 and a normal diet.")
    assert people_fit(normal, trial) in {Fit.OTHER, Fit.NOT_TOLD}


def of_glucose(title: str, summary: str, estimate: float, low: float, high: float, /) -> EvidenceCandidate:
    """A trial of an intensive against a standard target."""
    arms = ((f"intensive {title} (goal 6.0)", 257, 5128), (f"standard {title} (goal 7.0)", 203, 5123))
    found = (result("death from any cause", ratio(estimate, low, high), arms),)
    return record(f"Effects of intensive {title} in type 2 diabetes", summary, results=found)


def test_of_two_trials_with_one_name_the_one_of_the_measure_answers() -> None:
    glucose = of_glucose(
        "glucose lowering", "In ACCORD, people with type 2 diabetes were randomized.", 1.22, 1.01, 1.46
    )
    pressure = of_glucose("blood-pressure control", "In ACCORD BP, people were randomized.", 1.07, 0.85, 1.35)
    found = concluded("intensive glucose lowering ACCORD mortality", pressure, glucose)
    assert found.lead is not None
    assert (found.lead.n, found.verdict, found.missing) == (2, ConclusionVerdict.HARM, ())


def test_targets_of_one_measure_may_conflict() -> None:
    more = of_glucose("glucose lowering", "In ALPHA, people with type 2 diabetes were randomized.", 1.22, 1.01, 1.46)
    less = of_glucose("glucose control", "In BETA, people with type 2 diabetes were randomized.", 0.70, 0.55, 0.90)
    found = concluded("Does intensive glucose lowering change deaths in type 2 diabetes?", more, less)
    assert found.verdict is ConclusionVerdict.CONFLICTING


def test_how_long_is_answered_by_a_statement_that_tells_it() -> None:
    guideline = record(
        "A guideline on stroke",
        "It is for adults with stroke.",
        study_design=StudyDesign.GUIDELINE,
        recommendations=(
            Recommendation(text="Aspirin and clopidogrel are recommended after a transient ischemic attack."),
            Recommendation(text="After a transient ischemic attack, aspirin and clopidogrel are given for 21 days."),
        ),
    )
    found = concluded("How many days of aspirin plus clopidogrel after TIA?", guideline)
    assert [one.text[-8:] for one in found.guidelines[:1]] == ["21 days."]


def test_one_of_two_drugs_that_a_source_does_not_name_is_said() -> None:
    trial = record(
        "Examplumab in stroke: rifapentine for people with stroke",
        "We randomized people with stroke to rifapentine or placebo.",
        results=(
            result("death from any cause", ratio(0.66, 0.48, 0.91), (("rifapentine", 60, 900), ("placebo", 90, 900))),
        ),
    )
    found = concluded("Do rifapentine or moxifloxacin reduce death after stroke?", trial)
    assert found.lead is None or "moxifloxacin not told apart" in next(iter(lines_of(found))).text


def test_after_a_stroke_every_stroke_is_recurrent() -> None:
    trial = record(
        "Examplumab after stroke",
        "We randomized people with a minor stroke.",
        results=(result("stroke", ratio(0.66, 0.48, 0.91), ARMS),),
    )
    assert concluded("Does examplumab reduce recurrent stroke after minor stroke?", trial).missing == ()
    assert concluded("Does examplumab reduce recurrent stroke?", trial).missing == ()
    anybody = trial.model_copy(update={"title": "Examplumab in atrial fibrillation"})
    assert concluded("Does examplumab reduce recurrent stroke?", anybody).missing != ()


@pytest.mark.parametrize(
    ("text", "leads"),
    [
        ("Examplumab, deaths, visceral leishmaniasis?", False),  # the last of the list is who is meant
        ("Examplumab or placebo, deaths, visceral leishmaniasis?", False),
        ("Examplumab, deaths, severe malaria?", True),
        ("Does examplumab reduce death or stroke?", True),
    ],
)
def test_a_disease_in_a_list_of_which_a_source_says_nothing_is_not_answered_by_another(text: str, leads: bool) -> None:
    trial = record(
        "Examplumab in severe malaria",
        "We assigned adults with severe malaria to examplumab or placebo.",
        results=(
            result("death from any cause", ratio(0.66, 0.48, 0.91), (("examplumab", 60, 900), ("placebo", 90, 900))),
        ),
    )
    found = concluded(text, trial)
    assert (found.lead is not None) is leads
    assert leads or not found.others


def test_a_trial_is_not_named_by_the_first_part_of_another_name() -> None:
    other = record("REDUCE: 5 or 14 days of prednisone", "In the REDUCE trial, prednisone was given for 5 days.")
    assert not is_named(other, "What was the placebo in REDUCE-IT?")
    assert is_named(other, "What was given in REDUCE?")
    assert is_named(other, "REDUCE-trial doses of prednisone?")


def test_an_organ_is_nobody() -> None:
    asked = question("Septic shock: vasopressin to spare the kidneys. Does it lower mortality?")
    assert [term.text for term in asked.people] == ["Septic shock"]


@pytest.mark.parametrize(
    "text", ["Rivaroxaban in DVT without PE: recurrence?", "Acute DVT without PE, apixaban: bleeding?"]
)
def test_what_somebody_is_without_before_a_colon_is_not_who_is_meant(text: str) -> None:
    people = {term.name: term.wanted for term in question(text).people}
    assert people["Venous Thrombosis"]
    assert not people["Pulmonary Embolism"]
