"""What a reader of 220 plain questions found answered about something else: the words around a treatment and whom."""

from __future__ import annotations

import pytest
from openwork_answers.forms import lines_of
from openwork_answers.how_given import changes_untold, schedules_untold
from openwork_answers.likeliest import likeliest_reading
from openwork_answers.outcomes import NEAR
from openwork_answers.people import people_fit
from openwork_answers.studied import n_studied
from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, Fit
from openwork_contracts.evidence import EffectEstimate, EvidenceCandidate, Recommendation, StudyDesign, TrialArm
from openwork_language.asking.people import Told, told_of

from tests.unit.answers.made import concluded, of, question, ratio, record, result
from tests.unit.answers.test_likely import pack

ARMS = (("examplivir", 60, 900), ("placebo", 90, 900))


def first_line(found: Conclusion) -> str:
    return next((line.text for line in lines_of(found)), "")


# Another treatment


def test_no_row_answers_of_whose_treatment_the_question_has_no_word() -> None:
    other = record(
        "Early noradrenaline in septic shock",
        "We assigned adults with septic shock to early noradrenaline or placebo.",
        results=(
            result(
                "death from any cause",
                ratio(0.71, 0.44, 1.13),
                (("early noradrenaline", 24, 155), ("placebo", 34, 155)),
            ),
        ),
    )
    for text in ("Does prone positioning reduce mortality in ARDS?", "Does cooling reduce deaths in septic shock?"):
        assert likeliest_reading(pack(text, other)) is None, text
        assert concluded(text, other).lead is None, text


def test_a_result_without_arms_of_a_source_that_had_no_control_is_not_against_placebo() -> None:
    arms = (TrialArm(name="examplivir 60 mg"), TrialArm(name="examplivir 30 mg"), TrialArm(name="warfarin"))
    source = record(
        "Examplivir versus warfarin in atrial fibrillation",
        "We assigned adults with atrial fibrillation to examplivir 60 mg, examplivir 30 mg or warfarin.",
        arms=arms,
        results=(result("ischemic stroke", ratio(1.0, 0.83, 1.19)),),
    )
    against = concluded("How does examplivir compare with placebo for stroke in atrial fibrillation?", source)
    assert against.lead is None
    assert concluded("Does examplivir reduce stroke in atrial fibrillation?", source).lead is not None


def test_a_statement_on_one_of_two_that_are_compared_is_no_comparison() -> None:
    guideline = record(
        "2021 guideline on venous thromboembolism",
        "The guideline recommends edoxaban or apixaban over warfarin in venous thromboembolism.",
        study_design=StudyDesign.GUIDELINE,
        recommendations=(
            Recommendation(
                text="The guideline recommends edoxaban or apixaban over warfarin in venous thromboembolism."
            ),
        ),
    )
    assert concluded("Is edoxaban better than dalteparin in venous thromboembolism?", guideline).guidelines == ()
    assert concluded("Is edoxaban better than warfarin in venous thromboembolism?", guideline).guidelines
    assert concluded("Is edoxaban recommended over dalteparin in venous thromboembolism?", guideline).guidelines


# How it is given


@pytest.mark.parametrize(
    ("text", "told", "untold"),
    [
        ("Does weekly dosing of apixaban prevent stroke?", "apixaban 5 mg twice daily", ("weekly",)),
        ("Does once-weekly semaglutide lower weight?", "semaglutide given once weekly", ()),
        ("Does alternate day oral iron raise ferritin?", "oral iron every other day", ()),
        ("Does alternate-day prednisone reduce relapses?", "prednisone daily", ("alternate-day",)),
        ("Do bedtime statins lower LDL?", "a statin at night", ()),
        ("Do bedtime statins lower LDL?", "a statin", ("bedtime",)),
        ("Does azithromycin as a single dose cure trachoma?", "a single dose of azithromycin", ()),
        ("Does azithromycin as a single dose cure trachoma?", "azithromycin for three days", ("a single dose",)),
        ("Does one month of isoniazid prevent tuberculosis?", "isoniazid for 9 months", ("one month",)),
        ("Does one month of isoniazid prevent tuberculosis?", "isoniazid for 4 weeks", ()),
        ("Does a 5-day course of amoxicillin cure pneumonia?", "amoxicillin for five days", ()),
        ("Does a 5-day course of amoxicillin cure pneumonia?", "amoxicillin for 10 days", ("5-day",)),
        ("Does apixaban for AF prevent weekly seizures?", "apixaban", ()),  # of what is counted
        ("Is prednisone 5 days as good as 14 days in COPD?", "prednisone for 5 days", ()),  # two that are set apart
    ],
)
def test_how_often_and_how_long_it_is_given_has_to_be_told(text: str, told: str, untold: tuple[str, ...]) -> None:
    assert schedules_untold(question(text), told) == untold


def test_a_rhythm_that_is_not_told_is_said_and_gets_no_yes() -> None:
    source = record(
        "Examplivir in community-acquired pneumonia",
        "We assigned adults with community-acquired pneumonia to examplivir twice daily or placebo.",
        results=(result("death from any cause", ratio(0.66, 0.48, 0.91), ARMS),),
    )
    text = "Does {}examplivir reduce death in community-acquired pneumonia?"
    assert first_line(concluded(text.format(""), source)).startswith("Yes, in community-acquired pneumonia: ")
    weekly = first_line(concluded(text.format("weekly "), source))
    assert weekly.startswith("Found in community-acquired pneumonia (weekly not told apart): ")


def test_a_duration_is_not_enough_because_it_is_better_than_placebo() -> None:
    text = "Is {}amoxicillin {}in children with pneumonia?"
    source = record(
        "Amoxicillin in children with pneumonia",
        "We assigned children with pneumonia to amoxicillin for 3 days or placebo.",
        results=(
            result(
                "treatment failure", ratio(0.54, 0.4, 0.7), (("amoxicillin for 3 days", 50, 900), ("placebo", 90, 900))
            ),
        ),
    )
    assert concluded(text.format("3 days of ", "enough "), source).lead is None
    assert concluded(text.format("", "better than placebo "), source).lead is not None


def test_a_fixed_combination_that_is_compared_with_is_all_of_it() -> None:
    source = record(
        "Albuterol plus budesonide in asthma",
        "We assigned adults with asthma to albuterol or albuterol plus budesonide.",
        results=(
            result(
                "severe exacerbation",
                ratio(1.35, 1.1, 1.6),
                (("albuterol", 90, 900), ("albuterol plus budesonide", 60, 900)),
            ),
        ),
    )
    assert concluded("Is albuterol worse than budesonide-formoterol in asthma?", source).lead is None
    assert concluded("Is albuterol worse than budesonide in asthma?", source).lead is not None


# Whom


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kidney disease stage 4 or 5 not on dialysis", Told.OTHER),
        ("stage 5 chronic kidney disease who were not receiving dialysis", Told.OTHER),
        ("end-stage kidney disease on dialysis", Told.SAME),
    ],
)
def test_a_stage_says_nothing_of_who_is_said_not_to_be_on_dialysis(text: str, told: Told) -> None:
    (term,) = question("Does rivaroxaban raise bleeding in people on hemodialysis?").people
    assert told_of(term, f"In people with {text}, bleeding was more frequent.") is told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("We enrolled 7,731 contacts; about 2% had HIV infection.", Told.NOT_TOLD),
        ("83% had HIV infection", Told.WIDER),
        ("few of them had HIV infection", Told.WIDER),
        ("half of the participants had HIV infection", Told.WIDER),
        ("98% had HIV infection", Told.SAME),
        ("20% of people with HIV infection had tuberculosis", Told.SAME),
        ("All had HIV infection", Told.SAME),
    ],
)
def test_what_a_share_of_them_had_not_all_had(text: str, told: Told) -> None:
    (term,) = question("Does isoniazid prevent tuberculosis in people with HIV?").people
    assert told_of(term, text) in {told, Told.WIDER if told is Told.NOT_TOLD else told}


def test_a_kind_of_resistant_disease_is_apart_from_the_susceptible_one() -> None:
    people = question("Does bedaquiline reduce deaths in MDR TB?").people
    assert people_fit(people, of("Short treatment of rifampicin-susceptible tuberculosis", "")) is Fit.OTHER
    assert people_fit(people, of("Short treatment of rifampicin-resistant tuberculosis", "")) in NEAR


def test_who_is_told_apart_comes_before_a_part_of_wider_people() -> None:
    women = record(
        "Aspirin in women",
        "We assigned women aged 45 years or older to aspirin or placebo.",
        year=2021,
        results=(result("stroke", ratio(0.8, 0.7, 0.95), (("aspirin", 60, 900), ("placebo", 90, 900))),),
    )
    elderly = record(
        "Aspirin in the elderly",
        "We assigned people aged 70 years or older to aspirin or placebo.",
        results=(result("stroke", ratio(0.9, 0.7, 1.1), (("aspirin", 80, 900), ("placebo", 90, 900))),),
    )
    found = concluded("Should adults over 70 take aspirin to prevent stroke?", women, elderly)
    assert found.lead is not None
    assert found.lead.n == 2
    assert found.people_wider == ()


def test_a_name_stands_in_a_treatment_as_a_word_alone() -> None:
    for text, name in (
        ("Does aiming for an HbA1c under 6% reduce MI in type 2 diabetes?", "myocardial infarction"),
        ("Does penicillin reduce PE?", "pulmonary embolism"),
    ):
        asked = question(text)
        assert not any(name in idea.names for idea in asked.treatments), text
    assert question("Does aiming for an HbA1c under 6% reduce MI in type 2 diabetes?").target is not None


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Does BP treatment over 80 reduce stroke?", ["over 80"]),
        ("Does anticoagulation past 90 prevent stroke in AF?", ["past 90", "AF"]),
        ("Does statin therapy over 75 reduce death?", ["over 75"]),
        ("Does treating hypertension over 80 reduce stroke?", ["hypertension", "over 80"]),
        ("Does treatment over 60 days help?", []),
        ("Does spironolactone help resistant hypertension?", []),
        ("Omalizumab in asthma symptom-free days", ["asthma"]),
        ("Metformin in gestational diabetes large for gestational age", ["gestational diabetes"]),
        ("Dapagliflozin in CKD patients", ["CKD"]),
    ],
)
def test_who_is_meant(text: str, people: list[str]) -> None:
    assert [term.text for term in question(text).people] == people


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Omalizumab in asthma symptom-free days", "symptom-free days"),
        ("Finerenone for CKD potassium levels", "potassium levels"),
        ("Teprotumumab for thyroid eye disease proptosis response", "proptosis response"),
        ("Metformin in gestational diabetes large for gestational age", "large for gestational age"),
    ],
)
def test_what_is_measured_stands_right_behind_whom(text: str, outcome: str) -> None:
    assert question(text).outcome_texts == (outcome,)


def test_what_is_compared_with_ends_before_whom() -> None:
    assert [c.term for c in question("watchful repair vs mesh hernia").comparators] == ["mesh"]


def test_a_pressure_without_a_figure_is_lowered_by_any_drug_for_it() -> None:
    source = record(
        "Indapamide for high blood pressure in people over 80",
        "We assigned people aged 80 years or older to indapamide or placebo.",
        results=(result("stroke", ratio(0.7, 0.49, 0.99), (("indapamide", 51, 1900), ("placebo", 69, 1900))),),
    )
    for text in ("Does BP treatment over 80 reduce stroke?", "Does lowering BP in people over 80 reduce stroke?"):
        assert concluded(text, source).lead is not None, text
    assert concluded("Does a systolic target below 120 reduce stroke in people over 80?", source).lead is None


# Beside it


def test_what_is_worse_in_a_part_of_a_source_is_no_harm_of_all_of_it() -> None:
    source = record(
        "Examplivir after stroke",
        "We assigned people after a stroke to examplivir or placebo.",
        results=(
            result("stroke or death", ratio(0.66, 0.48, 0.91), ARMS),
            result("dependence, people with a hemorrhagic stroke at entry", ratio(3.2, 1.01, 10.4)),
            result("bleeding in infants", ratio(1.4, 1.1, 1.9)),
        ),
    )
    found = concluded("Does examplivir reduce stroke or death after stroke?", source)
    assert [harm.people for harm in found.harms] == ["infants"]
    (line,) = (line.text for line in lines_of(found) if line.text.startswith("Harm: "))
    assert line.startswith("Harm: bleeding in infants with examplivir v placebo: ") or "in infants" in line


def test_a_harm_asked_about_is_not_told_again_in_a_sentence() -> None:
    source = record(
        "Examplivir in COPD",
        "We assigned adults with COPD to examplivir or placebo. Hearing loss was found in 25% on examplivir and 19% on "
        "placebo, more often with examplivir.",
        results=(
            result("exacerbation of COPD", ratio(0.73, 0.6, 0.9), ARMS),
            result("hearing loss", ratio(1.3, 1.04, 1.61, "RR"), (("examplivir", 142, 570), ("placebo", 110, 572))),
        ),
    )
    found = concluded("Does examplivir prevent exacerbations in COPD and does it cause hearing loss?", source)
    assert [line.text.count("earing loss") for line in lines_of(found)].count(1) == 1


def sentences(found: Conclusion) -> str:
    return " ".join(one.text for one in found.sentences_beside)


def test_no_sentence_of_other_people_or_another_drug_stands_beside() -> None:
    source = record(
        "Examplivir in COVID-19",
        "We assigned adults with COVID-19 to examplivir or placebo. In 3,883 patients receiving oxygen, death was "
        "23.3% with examplivir and 26.2% with placebo.",
        results=(
            result("death from any cause, patients not receiving oxygen", ratio(1.19, 0.92, 1.55)),
            result("death from any cause, patients receiving oxygen", ratio(0.82, 0.72, 0.94)),
        ),
    )
    found = concluded("Does examplivir reduce death in COVID-19 patients not receiving oxygen?", source)
    assert "3,883" not in sentences(found) + first_line(found)


def words_alone(text: str, *documents: EvidenceCandidate) -> Conclusion:
    found = concluded(text, *documents)
    assert found.verdict is ConclusionVerdict.DESCRIPTION
    return found


def test_what_is_answered_in_words_opens_with_the_outcome_that_is_asked_about() -> None:
    source = record(
        "Chlorthalidone in hypertension",
        "We assigned adults with hypertension to chlorthalidone or placebo. Kidney failure occurred in 17 of 900 "
        "people on chlorthalidone (1.9%) and 16 of 900 on placebo (1.8%). Chlorthalidone caused more syncope.",
    )
    found = words_alone("Does chlorthalidone cause syncope in hypertension?", source)
    assert "Kidney failure" not in sentences(found)


# What a second reading found


@pytest.mark.parametrize(
    ("text", "outcomes", "people"),
    [
        ("vasopressin vs noradrenaline septic shock kidney failure", ("kidney failure",), ["septic shock"]),
        ("apixaban vs warfarin in AF stroke and bleeding", ("stroke", "bleeding"), ["AF"]),
        ("PTU vs methimazole in early pregnancy birth defects", ("birth defects",), ["early pregnancy"]),
        ("rivaroxaban cancer VTE", (), ["cancer", "VTE"]),
        (
            "Aspirin in diabetes primary prevention: major bleeding",
            ("major bleeding",),
            ["diabetes", "primary prevention"],
        ),
        ("aspirin plus clopidogrel 21 days after stroke: bleeding?", ("bleeding",), ["after stroke"]),
        ("IV iron in heart failure, ferric carboxymaltose", (), ["heart failure"]),
    ],
)
def test_what_a_note_asks_about_and_whom(text: str, outcomes: tuple[str, ...], people: list[str]) -> None:
    asked = question(text)
    assert asked.outcome_texts == outcomes
    assert [term.text for term in asked.people] == people


def test_two_doses_before_the_drug_are_two_ways_of_giving_it() -> None:
    asked = question("10 mg vs 40 mg prednisone for COPD exacerbation")
    assert [idea.term for idea in asked.treatments] == ["prednisone"]
    assert asked.contrast is not None


def test_a_dose_with_a_zero_behind_is_the_same_dose() -> None:
    source = record(
        "Semaglutide in chronic kidney disease",
        "We assigned adults with chronic kidney disease to semaglutide 1.0 mg or placebo.",
        results=(result("death", ratio(0.8, 0.67, 0.95), (("semaglutide 1.0 mg", 60, 900), ("placebo", 90, 900))),),
    )
    assert concluded("Does semaglutide 1 mg reduce death in chronic kidney disease?", source).lead is not None
    assert concluded("Does semaglutide 2 mg reduce death in chronic kidney disease?", source).lead is None


@pytest.mark.parametrize("change", ["restarting", "switching to", "resuming"])
def test_what_is_done_with_a_drug_that_is_there_is_no_giving_of_it(change: str) -> None:
    source = record(
        "Warfarin in atrial fibrillation",
        "We assigned adults with atrial fibrillation to warfarin or placebo.",
        results=(result("stroke", ratio(0.5, 0.3, 0.8), (("warfarin", 60, 900), ("placebo", 90, 900))),),
    )
    assert concluded(f"Does {change} warfarin reduce stroke in atrial fibrillation?", source).lead is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("We enrolled people with septic shock in 21 hospitals.", Told.SAME),
        ("people with septic shock in 5 countries", Told.SAME),
        ("Septic shock occurred in 5% of them.", Told.NOT_TOLD),
        ("septic shock in 5% and 6%", Told.NOT_TOLD),
    ],
)
def test_an_event_that_is_counted_is_of_nobody_who_had_it(text: str, told: Told) -> None:
    (term,) = question("Does hydrocortisone reduce death in septic shock?").people
    assert told_of(term, text) is told


def test_who_asks_whether_it_doubles_a_risk_asks_of_giving_it() -> None:
    assert changes_untold(question("Does rivaroxaban double the risk of gastrointestinal bleeding in AF?"), "") == ()
    assert changes_untold(question("Does doubling the inhaled steroid prevent an asthma attack?"), "") == ("doubling",)


def test_contacts_are_nobody_who_has_it() -> None:
    people = question("Does moxifloxacin prevent tuberculosis in MDR TB contacts?").people
    assert people_fit(people, of("Moxifloxacin for drug-sensitive tuberculosis", "")) not in NEAR
    assert people_fit(people, of("Levofloxacin in contacts of MDR tuberculosis", "")) in NEAR


def test_a_class_of_heart_failure_is_told_by_no_ejection_fraction_alone() -> None:
    people = question("Do beta-blockers help in HFpEF?").people
    after = of(
        "Beta-blockers after infarction with preserved ejection fraction", "People with heart failure were excluded."
    )
    assert people_fit(people, after) not in NEAR
    assert people_fit(people, of("Beta-blockers in heart failure with preserved ejection fraction", "")) is Fit.ASKED


def test_figures_of_a_part_are_never_those_of_the_whole() -> None:
    source = record(
        "Early or late start of dialysis",
        "We assigned adults with advanced kidney disease to an early start of dialysis or a late start of dialysis. "
        "In people planned for peritoneal dialysis, death from any cause occurred in 102 of 233 people with "
        "an early start "
        "of dialysis and 96 of 233 people with a late start of dialysis (HR 1.04, 95% CI 0.79 to 1.37).",
        arms=(TrialArm(name="early start of dialysis"), TrialArm(name="late start of dialysis")),
        results=(result("death from any cause", ratio(1.04, 0.83, 1.3)),),
    )
    text = "Does an early start of dialysis reduce death in advanced kidney disease?"
    whole, part = pack(text, source).results[1]
    assert whole.people is None
    assert all(arm.events is None and arm.n is None for arm in whole.arms)
    assert (part.people, part.is_subgroup) == ("people planned for peritoneal dialysis", True)
    assert part.arms[0].events == 102


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("Example randomized 18,201 people with atrial fibrillation.", 18201),
        ("The review covered 13 trials with 127,477 participants.", 127477),
        ("Example included 67 studies of adults.", None),
        ("Example assigned 519 women to one and 511 to the other arm and included 987 women.", 987),
        ("Example enrolled adults for 24 months.", None),
    ],
)
def test_how_many_people_a_source_studied(text: str, n: int | None) -> None:
    assert n_studied(record("Example", text)) == n


@pytest.mark.parametrize(
    ("effect", "label"),
    [
        (ratio(1.5, 1.1, 2.0), "Harm: "),
        (ratio(1.1, 0.7, 1.7), "Of harms: "),
        (ratio(1.0, 0.9, 1.1), "Of harms: "),
        (ratio(0.6, 0.4, 0.8), "Harm, less frequent: "),
    ],
)
def test_a_harm_that_is_no_more_frequent_is_told_as_that(effect: EffectEstimate, label: str) -> None:
    source = record(
        "Examplivir in COPD",
        "We assigned adults with COPD to examplivir or placebo.",
        results=(
            result("death from any cause", ratio(0.73, 0.6, 0.84), ARMS),
            result("major bleeding", effect),
        ),
    )
    lines = [line.text for line in lines_of(concluded("Does examplivir reduce death in COPD?", source))]
    assert any(line.startswith(f"{label}major bleeding") for line in lines), lines


def test_two_that_are_given_together_are_said_together() -> None:
    asked = "Is thrombectomy alone as good as alteplase plus thrombectomy?"
    source = record("Thrombectomy in stroke", "We assigned people to thrombectomy or usual care.", results=())
    missing = " ".join(concluded(asked, source).missing)
    assert "alteplase or thrombectomy" not in missing


def test_a_drug_that_lowers_pressure_for_something_else_answers_no_question_of_pressure() -> None:
    source = record(
        "Propranolol in cirrhosis",
        "We assigned people with cirrhosis to propranolol or placebo.",
        results=(result("death", ratio(0.7, 0.49, 0.99), (("propranolol", 51, 900), ("placebo", 69, 900))),),
    )
    assert concluded("Does intensive blood pressure lowering reduce death in cirrhosis?", source).lead is None


@pytest.mark.parametrize(
    "text",
    [
        "We enrolled people treated with 300 mg aspirin daily patients or placebo.",
        "Of 12,345 patients with stroke screened, 400 were randomised.",
        "We ran a trial of 120 men and 130 women.",
        "The trial was done in 1997 in patients with stroke.",
    ],
)
def test_a_dose_a_year_the_screened_and_a_half_are_not_how_many_were_studied(text: str) -> None:
    assert n_studied(record("Aspirin after stroke", text)) is None


@pytest.mark.parametrize(
    ("asked", "given"), [("vitamin C 1 g", "vitamin C 1000 mg"), ("vitamin C 100 mg", "vitamin C 75-100 mg")]
)
def test_the_same_dose_in_another_unit_or_within_a_range_is_no_other_dose(asked: str, given: str) -> None:
    source = record(
        "Vitamin C in sepsis",
        "We assigned people with sepsis to vitamin C or placebo.",
        results=(result("death", ratio(0.7, 0.49, 0.99), ((given, 51, 900), ("placebo", 69, 900))),),
    )
    assert concluded(f"Does {asked} reduce death in sepsis?", source).lead is not None
