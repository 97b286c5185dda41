"""The asked outcome, time, way and people exactly: what is near to them answers another question."""

from __future__ import annotations

import pytest
from openwork_answers.asked import readings_of
from openwork_contracts.conclusion import ConclusionVerdict, Fit

from tests.unit.answers.made import asked, concluded, question, ratio, record, result


def trial(*results, of="type 2 diabetes"):  # type: ignore[no-untyped-def]
    """A trial whose title names its arms."""
    title = f"{' versus '.join(arm.arm for arm in results[0].arms)} in {of}"
    return record(title, f"We assigned 900 adults with {of}.", results=results)


ARMS = (("semaglutide", 40, 450), ("placebo", 60, 450))


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Does semaglutide reduce death from cardiovascular causes in obesity?", "death from cardiovascular causes"),
        ("Does semaglutide reduce noncardiovascular death in obesity?", "noncardiovascular death"),
        ("Does dextran reduce requirement for rescue colloid in dengue?", "requirement for rescue colloid"),
        ("Semaglutide in type 2 diabetes: fewer strokes at one year?", "strokes"),
        ("Is semaglutide better than placebo for hepatotoxicity in type 2 diabetes?", "hepatotoxicity"),
        ("Labour, drug A vs B: severe neonatal complications?", "severe neonatal complications"),
    ],
)
def test_an_outcome_is_read_with_what_it_is_of(text: str, outcome: str) -> None:
    assert outcome in question(text).outcome_texts


def test_a_death_of_one_cause_is_not_answered_by_deaths_of_any() -> None:
    results = (
        result("death from any cause", ratio(0.70, 0.60, 0.80), ARMS),
        result("noncardiovascular death", ratio(0.95, 0.70, 1.30), ARMS),
    )
    found = concluded("Does semaglutide reduce noncardiovascular death in type 2 diabetes?", trial(*results))
    assert found.lead is not None
    assert found.lead.outcome == "noncardiovascular death"


def test_a_result_of_the_asked_time_leads() -> None:
    late = result("death", ratio(0.90, 0.70, 1.10), ARMS).model_copy(update={"time_point": "29 days"})
    early = result("death", ratio(0.55, 0.36, 0.83), ARMS).model_copy(update={"time_point": "15 days"})
    for text, estimate in (("by day 15", 0.55), ("at 29 days", 0.90)):
        found = concluded(f"Does semaglutide reduce death {text} in type 2 diabetes?", trial(late, early))
        assert found.lead is not None
        assert found.lead.effect is not None
        assert found.lead.effect.estimate == estimate


def test_one_event_leads_before_a_composite_that_has_its_word() -> None:
    both = result("insulin initiation or fasting glucose of 5.1 or more (composite)", ratio(0.89, 0.78, 1.02), ARMS)
    alone = result("insulin initiation", ratio(0.75, 0.62, 0.91), ARMS)
    found = concluded("Semaglutide in type 2 diabetes: fewer needing insulin?", trial(both, alone))
    assert found.lead is not None
    assert found.lead.outcome == "insulin initiation"


def test_giving_a_drug_tells_nothing_of_stopping_it() -> None:
    given = result("stroke", ratio(0.70, 0.60, 0.80), (("aspirin", 40, 450), ("no aspirin", 60, 450)))
    stopped = result(
        "stroke",
        ratio(1.40, 1.10, 1.80),
        (("discontinuation of aspirin", 60, 450), ("continuation of aspirin", 40, 450)),
    )
    text = "Does stopping aspirin increase stroke in type 2 diabetes?"
    assert concluded(text, trial(given)).lead is None
    found = concluded(text, trial(stopped))
    assert found.lead is not None
    assert found.verdict is ConclusionVerdict.HARM


@pytest.mark.parametrize(
    "text",
    [
        "Do more people stop aspirin than placebo because of side effects?",
        "Do more patients relapse if we stop antibiotics at day 8 instead of day 15?",
        "Does aspirin stop strokes in type 2 diabetes?",
    ],
)
def test_who_counts_those_who_stop_or_asks_how_long_does_not_ask_about_stopping(text: str) -> None:
    assert not question(text).stops


def test_a_drug_in_both_arms_is_not_what_is_compared() -> None:
    arms = (("clopidogrel and aspirin", 40, 450), ("aspirin", 60, 450))
    both = result("stroke", ratio(0.70, 0.60, 0.80), arms)
    assert concluded("Does aspirin reduce stroke in type 2 diabetes?", trial(both)).lead is None


def test_what_stands_before_a_known_drug_is_part_of_the_treatment() -> None:
    alone = result("death", ratio(0.70, 0.60, 0.80), (("alteplase", 40, 450), ("placebo", 60, 450)))
    text = "Does minimally invasive evacuation with alteplase reduce death in type 2 diabetes?"
    assert concluded(text, trial(alone)).lead is None
    assert question("What is the risk of hepatotoxicity with alteplase in stroke?").heads == frozenset()
    assert question("Does treatment with alteplase reduce death in stroke?").heads == frozenset()


def test_the_way_before_a_treatment_tells_the_arms_apart() -> None:
    arms = (("restrictive transfusion", 40, 450), ("liberal transfusion", 60, 450))
    found = concluded(
        "Does restrictive transfusion reduce death in type 2 diabetes?",
        trial(result("death", ratio(0.70, 0.60, 0.80), arms)),
    )
    assert found.lead is not None
    assert found.lead.comparison_fit is Fit.ASKED


def test_a_fixed_combination_is_an_arm_that_gives_its_drugs_under_other_names() -> None:
    arms = (
        ("albuterol 180 micrograms plus budesonide 160 micrograms", 40, 450),
        ("albuterol 180 micrograms", 60, 450),
    )
    found = concluded(
        "In asthma, does salbutamol-budesonide reduce severe exacerbations compared with salbutamol?",
        trial(result("severe asthma exacerbations", ratio(0.74, 0.62, 0.89), arms), of="asthma"),
    )
    assert found.lead is not None
    assert found.lead.comparison_fit is Fit.ASKED


def test_details_of_one_person_are_told_apart_and_a_disease_by_its_name_is_not() -> None:
    own = trial(result("stroke", ratio(0.61, 0.38, 0.99), ARMS))
    told = "A 64-year-old man with type 2 diabetes, HbA1c 8.9%, on metformin, no previous stroke. "
    found = concluded(f"{told}Would semaglutide lower his risk of stroke?", own)
    assert found.lead is not None
    assert "HbA1c 8.9%" in found.people_wider
    other = "A 64-year-old man with type 2 diabetes and lupus nephritis. Would semaglutide lower his risk of stroke?"
    assert concluded(other, own).lead is None


@pytest.mark.parametrize("figure", ["eGFR 12", "LVEF 25%"])
def test_a_failing_kidney_or_heart_is_no_detail(figure: str) -> None:
    text = f"A 64-year-old man with type 2 diabetes and {figure}. Would semaglutide lower his risk of stroke?"
    assert concluded(text, trial(result("stroke", ratio(0.61, 0.38, 0.99), ARMS))).lead is None


def test_grades_of_harm_are_no_stage_of_people() -> None:
    read = question("Does rifampin reduce adverse events of grade 3 to 5 in latent tuberculosis?")
    assert [term.text for term in read.people] == ["latent tuberculosis"]


def test_a_reading_in_the_other_role_keeps_what_the_first_left_unread() -> None:
    own = trial(result("hypothyroid symptoms", ratio(0.90, 0.70, 1.20), ARMS), of="hypothyroidism")
    assert concluded("Hypothyroidism, semaglutide vs placebo: left ventricular ejection fraction?", own).lead is None
    analysis, strategy = asked("Hypothyroidism, semaglutide vs placebo: left ventricular ejection fraction?")
    assert next(readings_of(analysis, strategy)).outcome_texts == ("left ventricular ejection fraction",)


def test_sooner_is_neither_more_nor_less() -> None:
    """Of an event a higher hazard, of a time fewer days: no plain yes or no."""
    own = trial(result("clinical stability", ratio(1.33, 1.15, 1.50, "HR"), ARMS))
    text = "Do adults with type 2 diabetes become clinically stable sooner with semaglutide?"
    found = concluded(text, own)
    assert found.lead is not None
    assert found.asked.direction is None


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Early IV semaglutide in acute MI: cardiogenic shock vs placebo?", "cardiogenic shock"),
        ("Semaglutide in type 2 diabetes - stroke?", "stroke"),
    ],
)
def test_what_a_last_segment_begins_with_is_asked_about(text: str, outcome: str) -> None:
    read = question(text)
    assert read.outcome_texts == (outcome,)
    assert outcome not in [term.text for term in read.people]


def test_a_trial_of_people_on_dialysis_alone_leads_only_for_them() -> None:
    arms = (("apixaban", 40, 450), ("warfarin", 60, 450))
    all_of_them = trial(result("major bleeding", ratio(0.69, 0.60, 0.80), arms), of="atrial fibrillation")
    some = trial(result("bleeding", ratio(1.20, 0.63, 2.30), arms), of="atrial fibrillation on hemodialysis")
    for text, estimate in (
        ("Do people with atrial fibrillation bleed less on apixaban than on warfarin?", 0.69),
        ("Do people with atrial fibrillation on hemodialysis bleed less on apixaban than on warfarin?", 1.20),
    ):
        found = concluded(text, some, all_of_them)
        assert found.lead is not None
        assert found.lead.effect is not None
        assert found.lead.effect.estimate == estimate


@pytest.mark.parametrize(
    ("text", "outcomes", "people"),
    [
        ("Does metoprolol keep people from dying of a stroke?", ("dying of a stroke",), ()),
        ("Metoprolol in COPD: are fewer people killed by a heart attack?", ("killed by a heart attack",), ("COPD",)),
        ("Metoprolol in COPD: haemorrhages needing admission", ("haemorrhages needing admission",), ("COPD",)),
        ("Bleeding requiring transfusion with metoprolol in COPD?", ("Bleeding requiring transfusion",), ("COPD",)),
        ("Does metoprolol keep people out of A&E in COPD?", ("keep people out of A&E",), ("COPD",)),
        # who needs something is another patient
        ("COPD patients needing oxygen: does metoprolol reduce death?", ("death",), ("COPD", "needing oxygen")),
        ("Does metoprolol reduce relapse for every 1 mmol/L in COPD?", ("relapse",), ("COPD",)),
    ],
)
def test_an_event_is_asked_about_with_what_caused_it_and_what_it_led_to(
    text: str, outcomes: tuple[str, ...], people: tuple[str, ...]
) -> None:
    read = question(text)
    assert read.outcome_texts == outcomes
    assert tuple(term.text for term in read.people) == people


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("In dialysis patients, does apixaban reduce stroke?", ["dialysis"]),
        ("Does apixaban reduce stroke in dialysis patients?", ["dialysis"]),
        ("In statin users, does aspirin reduce stroke?", ["statin"]),
        ("In asthma patients, does tiotropium reduce exacerbations?", ["asthma"]),
        ("dialysis patients with AF: apixaban or warfarin, fewer strokes?", ["dialysis", "AF"]),
        ("dialysis pt w AF - apixaban or warfarin, which for fewer strokes", ["dialysis", "AF"]),
        ("Is giving septic patients vitamin C useless for mortality?", ["septic patients"]),
        ("Does randomising critically ill patients to vasopressin reduce deaths?", ["critically ill"]),
        ("In bleeding patients, does tranexamic acid lower mortality?", ["bleeding"]),
        ("Should bleeding patients get tranexamic acid to lower mortality?", ["bleeding"]),
        ("I usually tell people with AF that apixaban is safer. Does it cause more gut bleeding?", ["AF"]),
        ("Portal vein thrombosis: fewer recurrences with apixaban?", ["Portal vein thrombosis"]),
        ("Patients with portal vein thrombosis: fewer recurrences with apixaban?", ["portal vein thrombosis"]),
    ],
)
def test_people_who_stand_before_the_treatment_are_read_as_those_behind_it(text: str, who: list[str]) -> None:
    """What people are on, right before the word for them, is theirs wherever the treatment stands."""
    assert [term.text for term in question(text).people] == who


@pytest.mark.parametrize(
    "text",
    [
        "Is hearing loss less common in children with bronchiectasis given azithromycin?",
        "What happens to hearing loss when children with bronchiectasis take azithromycin?",
        "Do children with bronchiectasis benefit from azithromycin in terms of hearing loss?",
        "Children with bronchiectasis treated with azithromycin: is hearing loss less frequent?",
    ],
)
def test_what_is_said_to_be_commoner_or_to_happen_is_what_is_asked_about(text: str) -> None:
    read = question(text)
    assert read.outcome_texts == ("hearing loss",)
    assert "bronchiectasis" in [term.text for term in read.people]


@pytest.mark.parametrize(
    "text",
    [
        "What is the effect of intensive blood pressure lowering on dementia in adults with type 2 diabetes?",
        "How much does intensive blood pressure lowering lower the risk of dementia in type 2 diabetes?",
    ],
)
def test_lowering_a_measure_is_a_treatment_whatever_verb_asks(text: str) -> None:
    read = question(text)
    assert read.target is not None
    assert read.outcome_texts == ("dementia",)


def test_who_benefits_from_something_is_who_is_meant() -> None:
    read = question("Do patients with tuberculous meningitis benefit from dexamethasone in terms of survival?")
    assert [term.text for term in read.people] == ["tuberculous meningitis"]
    assert read.outcome_texts == ("survival",)


def test_the_other_drug_of_fewer_cases_of_something_is_a_comparator() -> None:
    text = "Does ticagrelor lead to fewer cases of major bleeding than clopidogrel in acute coronary syndrome?"
    read = question(text)
    assert [one.term for one in (*read.treatments, *read.comparators)] == ["ticagrelor", "clopidogrel"]
    assert read.outcome_texts == ("major bleeding",)
