"""What is told in other forms of words is read as what it is: adjectives, participles, whose disease, which way."""

from __future__ import annotations

import pytest
from openwork_answers.outcomes import read_outcome
from openwork_answers.sides import Sides, sides_of
from openwork_answers.treatments import without_dose
from openwork_contracts.conclusion import Fit
from openwork_language.asking.people import Told, told_of

from tests.unit.answers.made import question


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("her risk of an eclamptic seizure", "eclampsia"),
        ("asthmatic attacks", "asthma"),
        ("the chance of being intubated", "ventilation"),
        ("how many get transfused", "blood transfusion"),
    ],
)
def test_an_event_in_another_form_of_its_name_is_that_event(text: str, name: str) -> None:
    assert name in {thing.name for atom in read_outcome(text).atoms for thing in atom.things}


@pytest.mark.parametrize("text", ["academic attacks", "complicated course", "a repeated dose", "epidemic episodes"])
def test_a_word_with_such_an_end_that_names_nothing_stays_a_word(text: str) -> None:
    assert not any(atom.things for atom in read_outcome(text).atoms)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("A man of 60 came in with a relapse of his asthma. Does prednisolone prevent admission?", "Asthma"),
        ("She cannot take aspirin, so for her migraine it is propranolol. Fewer attacks?", "Migraine Disorders"),
        ("Is tenecteplase given 2 to 4 hours after the onset of a stroke safe?", "Stroke"),
        ("Does colchicine within 30 days of diagnosis of pericarditis lower recurrence?", "Pericarditis"),
    ],
)
def test_who_has_a_disease_is_told_with_whose_and_since_when(text: str, name: str) -> None:
    assert name in {term.name for term in question(text).people}


@pytest.mark.parametrize(
    ("text", "tested", "other"),
    [
        ("In cystitis if I stop nitrofurantoin after three days instead of seven, more relapses?", "three", "seven"),
        ("Cellulitis: flucloxacillin 5 days or 10, more recurrence?", "5 days", "10 days"),
        ("In otitis, amoxicillin for five days rather than ten: is treatment failure likelier?", "five", "ten"),
    ],
)
def test_two_durations_with_one_unit_are_two_ways(text: str, tested: str, other: str) -> None:
    found = question(text).contrast
    assert found is not None
    assert found.tested.term.startswith(tested)
    assert found.other.term.startswith(other)


@pytest.mark.parametrize(
    "text",
    [
        "Is aspirin safe 5 days or more after surgery?",
        "Does aspirin after 30 days lower death in stroke?",
        "Does aspirin lower death at 30 days or 90 in stroke?",
        "Does doxycycline reduce relapse at 30 days or 90?",
    ],
)
def test_one_duration_is_no_two_ways(text: str) -> None:
    assert question(text).contrast is None


def test_a_way_in_words_is_named_as_it_was_asked() -> None:
    found = question(
        "Is early hip arthroplasty with drainage better than late hip arthroplasty with drainage after fracture?"
    )
    assert found.contrast is not None
    assert found.contrast.tested.term == "early hip arthroplasty with drainage"
    assert found.contrast.other.term == "late hip arthroplasty with drainage"


def test_restrictive_or_liberal_stands_for_the_thing_behind_the_second() -> None:
    read = question("restrictive vs liberal fluids in pancreatitis: death?")
    assert sides_of(read, ("restrictive fluid resuscitation", "liberal fluid resuscitation"), "") == Sides(Fit.ASKED)
    assert sides_of(read, ("liberal fluids", "restrictive fluids"), "") == Sides(Fit.ASKED, turned=True)


@pytest.mark.parametrize(
    "text",
    [
        "In septic shock, does aiming for a MAP around 80 instead of 65 cause more atrial fibrillation?",
        "After stroke, a systolic pressure of 160 rather than 140: more bleeding?",
    ],
)
def test_a_figure_to_aim_at_is_the_target_and_tells_no_people(text: str) -> None:
    target = question(text).target
    assert target is not None
    assert target.tested
    assert target.compared


@pytest.mark.parametrize(
    ("text", "treatment", "comparator"),
    [
        ("Sprained ankle: warm water soaks vs tight bandaging, shorter stay?", "warm water soaks", "tight bandaging"),
        ("icosapent ethyl 4 g vs mineral oil new AF", "icosapent", "mineral oil"),
        ("In gout, would colchicine rather than naproxen change his chance of diarrhoea?", "colchicine", "naproxen"),
    ],
)
def test_the_sides_of_a_comparison_end_where_the_outcome_begins(text: str, treatment: str, comparator: str) -> None:
    read = question(text)
    assert any(treatment in idea.term for idea in read.treatments)
    assert [idea.term for idea in read.comparators if comparator in idea.term]
    assert not any("AF" in idea.term or "chance" in idea.term for idea in read.comparators)


def test_who_does_not_have_yet_what_is_to_be_prevented_is_not_told_apart() -> None:
    read = question("Adult with dengue, not bleeding. Do platelet transfusions prevent bleeding?")
    assert [term.text for term in read.people] == ["Adult", "dengue"]
    kept = question("Adult with dengue, not bleeding. Do platelet transfusions lower mortality?")
    assert "bleeding" in [term.text for term in kept.people if not term.wanted]


@pytest.mark.parametrize("state", ["Triple-vaccinated", "Fully vaccinated", "Vaccinated and boosted"])
def test_who_has_been_vaccinated_is_told_apart(state: str) -> None:
    read = question(f"{state} man of 45 with Covid since yesterday. Will molnupiravir lower his risk of death?")
    assert any(state in term.text for term in read.people)


def test_who_is_to_stay_out_of_hospital_is_not_in_a_place_of_that_name() -> None:
    kept = question("COPD at home. Does azithromycin keep her out of hospital?")
    assert "out of hospital" not in [term.text for term in kept.people]
    arrest = question("Does adrenaline improve survival in out-of-hospital cardiac arrest?")
    assert [term.text for term in arrest.people] == ["out-of-hospital cardiac arrest"]


def test_whose_guideline_is_asked_for_leaves_no_word_unread() -> None:
    read = question("A 66-year-old asks about aspirin. What does the US Preventive Services Task Force say?")
    assert read.asks_for_guideline
    assert read.unread == ()


def test_an_outcome_that_somebody_is_likely_to_have_is_the_outcome() -> None:
    assert "relapse" in question("In Crohn disease on azathioprine, is she more likely to relapse?").outcome_texts


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Does dapagliflozin reduce heart failure in people without heart failure?", "without heart failure"),
        ("Does dabigatran prevent stroke in patients with no previous stroke?", "no previous stroke"),
        ("Does ticagrelor reduce bleeding in patients receiving platelets?", "receiving platelets"),
    ],
)
def test_who_had_something_or_never_had_it_stays_told_apart(text: str, term: str) -> None:
    assert any(term.split()[-1] in person.text for person in question(text).people)


@pytest.mark.parametrize(
    "text",
    [
        "Does dexamethasone reduce mortality at 28 days rather than 90?",
        "Does tamoxifen reduce recurrence after 5 years versus 10?",
        "Does pneumococcal vaccine prevent pneumonia in children aged 2 years rather than five?",
        "Does progesterone prevent preterm birth before 34 weeks or 37?",
    ],
)
def test_two_times_of_looking_or_two_ages_are_no_ways(text: str) -> None:
    assert question(text).contrast is None


@pytest.mark.parametrize("text", ["hypoglycaemic seizures", "hyponatraemic convulsions", "alcoholic fits"])
def test_seizures_stay_seizures_whatever_causes_them(text: str) -> None:
    names = {thing.name for atom in read_outcome(text).atoms for thing in atom.things}
    assert not names & {"hypoglycemia", "hyponatremia", "alcoholism"}


def test_who_is_ventilated_is_no_outcome() -> None:
    read = read_outcome("death in intubated patients")
    assert {thing.name for atom in read.atoms for thing in atom.things} == {"death"}


@pytest.mark.parametrize(
    ("text", "treatments"),
    [
        ("Does idarucizumab stop the dabigatran bleeding?", ["idarucizumab"]),
        ("Does giving red cells reduce death in anaemia?", ["giving red cells"]),
        ("Is boosted darunavir better than dolutegravir for HIV?", ["darunavir"]),
    ],
)
def test_what_is_asked_about_is_the_one_thing_that_is_given(text: str, treatments: list[str]) -> None:
    read = question(text)
    assert [idea.term for idea in read.treatments] == treatments
    assert "boosted" not in [term.text for term in read.people]


def test_who_is_likely_to_have_something_is_not_asked_about_it() -> None:
    assert "fall" not in question("In patients likely to fall, is apixaban better than warfarin?").outcome_texts


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Portal vein thrombosis: does rivaroxaban prevent recurrence?", "Portal vein thrombosis"),
        ("Splanchnic vein thrombosis, edoxaban vs warfarin: recurrent VTE?", "Splanchnic vein thrombosis"),
    ],
)
def test_a_kind_of_disease_that_a_question_opens_with_is_who_is_meant(text: str, people: str) -> None:
    read = question(text)
    assert people in [term.text for term in read.people]
    assert "thrombosis" not in read.outcome_texts


def test_an_outcome_that_a_question_opens_with_stays_the_outcome() -> None:
    assert question("Major bleeding: apixaban or warfarin?").people == ()


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("darbepoetin in haemodialysis: mortality?", ["haemodialysis"]),
        ("Is heparin safe in cardiopulmonary bypass?", ["cardiopulmonary bypass"]),
        ("Does tranexamic acid in knee replacement reduce transfusion?", ["knee replacement"]),
        ("cefazolin in hernia repair", ["hernia repair"]),
    ],
)
def test_what_is_done_where_something_else_is_given_tells_of_whom(text: str, people: list[str]) -> None:
    read = question(text)
    assert [term.text for term in read.people] == people
    assert not set(people) & {*read.outcome_texts, *(idea.term for idea in read.treatments)}


@pytest.mark.parametrize(
    "text",
    [
        "Is there a reduction in mechanical ventilation with dexmedetomidine?",
        "Does levosimendan increase success in cardioversion?",
        "Which has fewer deaths in haemodialysis versus peritoneal dialysis?",
        "Is stroke less common in TAVI than in SAVR?",
        "Mortality in haemodialysis and peritoneal dialysis?",
        "Is there value in vertebroplasty?",
    ],
)
def test_what_is_counted_or_compared_tells_of_nobody(text: str) -> None:
    assert question(text).people == ()


@pytest.mark.parametrize(
    ("text", "treatment"),
    [
        ("Is there mortality benefit in thrombolysis for pulmonary embolism?", "thrombolysis"),
        ("Does participation in cardiac rehabilitation reduce mortality after MI?", "cardiac rehabilitation"),
    ],
)
def test_what_a_benefit_is_in_is_what_is_done(text: str, treatment: str) -> None:
    assert [idea.term for idea in question(text).treatments] == [treatment]


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("Ramipril or amlodipine in diabetes - any difference in stroke?", ("stroke",)),
        ("Prasugrel or clopidogrel after PCI, is there a difference in MI or stroke?", ("MI or stroke",)),
        ("Enalapril or nifedipine in hypertension: any difference in fracture / death?", ("fracture / death",)),
    ],
)
def test_the_event_that_a_difference_is_in_is_the_outcome(text: str, outcomes: tuple[str, ...]) -> None:
    assert question(text).outcome_texts == outcomes


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Apixaban or warfarin: any difference in patients with cancer?", "cancer"),
        ("Any difference in obese patients: apixaban vs warfarin for major bleeding?", "obese"),
        ("Is there a difference in CKD between apixaban and warfarin for major bleeding?", "CKD"),
        ("Any difference in stroke survivors between citalopram and sertraline?", "stroke"),
    ],
)
def test_a_difference_in_people_is_in_them(text: str, people: str) -> None:
    assert any(people in term.text for term in question(text).people)


@pytest.mark.parametrize(
    ("text", "tested", "other"),
    [
        (
            "Aggressive high-dose vs cautious low-dose furosemide in heart failure: kidney injury?",
            "Aggressive",
            "cautious",
        ),
        ("Early restrictive vs late liberal oxygen after cardiac arrest: death?", "Early restrictive", "late liberal"),
    ],
)
def test_a_way_in_two_words_before_versus_is_no_treatment(text: str, tested: str, other: str) -> None:
    read = question(text)
    assert read.contrast is not None
    assert read.contrast.tested.term.startswith(tested)
    assert read.contrast.other.term.startswith(other)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rifampin-susceptible tuberculosis", Told.SAME),
        ("rifampicin-sensitive tuberculosis", Told.SAME),
        ("rifampicin-resistant tuberculosis", Told.OTHER),
        ("isoniazid-susceptible, rifampin-resistant tuberculosis", Told.OTHER),
        ("isoniazid-susceptible tuberculosis treated with rifampin", Told.NOT_TOLD),
    ],
)
def test_how_a_germ_stands_to_a_drug_is_told_under_every_name_of_that_drug(text: str, told: Told) -> None:
    read = question("Does linezolid shorten treatment of rifampicin-susceptible tuberculosis?")
    assert "rifampicin" not in {idea.term for idea in read.treatments}
    (term,) = [term for term in read.people if "susceptible" in term.text]
    assert told_of(term, text) is told


def test_a_dose_within_a_name_makes_it_no_other_drug() -> None:
    triple, dual = "budesonide 160 micrograms-glycopyrrolate-formoterol", "glycopyrrolate-formoterol"
    read = question("COPD: budesonide/glycopyrronium/formoterol vs glycopyrrolate-formoterol, deaths?")
    assert sides_of(read, (triple, dual), "") == Sides(Fit.ASKED)


@pytest.mark.parametrize(
    ("text", "treatments", "background"),
    [
        ("Asthma on budesonide: montelukast or tiotropium for exacerbations?", ["montelukast"], ["budesonide"]),
        ("RA on methotrexate, still active; add baricitinib?", ["baricitinib"], ["methotrexate"]),
        ("Migraine on propranolol - topiramate or candesartan - fewer attacks?", ["topiramate"], ["propranolol"]),
        ("NICE on apixaban: first line over warfarin?", ["apixaban"], []),
        ("Start on apixaban - or warfarin?", ["apixaban", "warfarin"], []),
        ("Effect of amiodarone on warfarin: INR?", ["amiodarone"], []),
    ],
)
def test_what_somebody_is_on_before_a_colon_is_there_already(
    text: str, treatments: list[str], background: list[str]
) -> None:
    read = question(text)
    assert [idea.term for idea in read.treatments] == treatments
    assert [idea.term for idea in read.background] == background


@pytest.mark.parametrize("text", ["LDL cholesterol of 190 mg/dL", "ferritin of 300 mcg/litre", "5 mg/kg of infliximab"])
def test_an_amount_per_something_stays(text: str) -> None:
    assert without_dose(text) == text
