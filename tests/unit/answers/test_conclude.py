"""Which result answers a question, and what stands beside it: small hand-made works, questions as they are read."""

from __future__ import annotations

import pytest
from openwork_answers.forms import lines_of
from openwork_answers.table import table_of
from openwork_contracts.conclusion import ConclusionVerdict, Fit
from openwork_contracts.evidence import (
    ArmResult,
    EffectEstimate,
    EvidenceCandidate,
    EvidenceStatus,
    Identifiers,
    OutcomeResult,
    Recommendation,
    StudyDesign,
)

from tests.unit.answers.made import (
    ARISTOTLE,
    DAPA_HF,
    EMPEROR_PRESERVED,
    SIX_S,
    concluded,
    question,
    ratio,
    record,
    result,
)

V = ConclusionVerdict
STROKE = "Does apixaban prevent stroke in people with atrial fibrillation?"
LOWER, HIGHER, NONE = ratio(0.60, 0.45, 0.80), ratio(1.50, 1.15, 1.95), ratio(0.98, 0.90, 1.07)


def broken(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(strict=True, reason=reason)


def trial(
    name: str, *results: OutcomeResult, drug: str = "apixaban", pmid: str = "10000002", **changes: object
) -> EvidenceCandidate:
    """An invented trial against placebo in atrial fibrillation."""
    return record(
        f"{name}: {drug} or placebo in patients with atrial fibrillation",
        f"We compared {drug} with placebo in patients with atrial fibrillation.",
        results=results,
        identifiers=Identifiers(pmid=pmid),
        **changes,
    )


def of(
    outcome: str, effect: EffectEstimate, first: int, second: int, n: int = 1000, drug: str = "apixaban"
) -> OutcomeResult:
    return result(outcome, effect, ((drug, first, n), ("placebo", second, n)))


BENEFIT = trial("Example A", of("stroke", LOWER, 60, 100), pmid="10000003")
HARM = trial("Example B", of("stroke", HIGHER, 120, 80), pmid="10000004")
NO_DIFFERENCE = trial("Example N", of("stroke", NONE, 100, 102), pmid="10000005", year=2021)
TOGETHER = trial("Example D", of("stroke", LOWER, 60, 100, drug="apixaban plus aspirin"), drug="apixaban plus aspirin")
CLASS = trial(
    "Example E",
    of("stroke", LOWER, 60, 100, drug="direct oral anticoagulant"),
    drug="direct oral anticoagulants",
    pmid="10000006",
)
IN_DIABETES = result(
    "stroke, with diabetes at baseline", ratio(0.5, 0.3, 0.8), (("apixaban", 20, 300), ("placebo", 45, 300))
)


# The asked outcome leads its composite


@pytest.mark.parametrize(
    ("asked", "work", "verdict", "composite"),
    [
        (
            "Does dapagliflozin reduce death in people with heart failure?",
            DAPA_HF,
            V.BENEFIT,
            "worsening heart failure or cardiovascular death",
        ),
        (
            "Does empagliflozin reduce mortality in people with heart failure with preserved ejection fraction?",
            EMPEROR_PRESERVED,
            V.LITTLE_OR_NO_DIFFERENCE,
            "cardiovascular death or hospitalisation for heart failure",
        ),
    ],
)
def test_the_asked_outcome_leads_and_the_composite_stands_beside_it(
    asked: str, work: EvidenceCandidate, verdict: ConclusionVerdict, composite: str
) -> None:
    found = concluded(asked, work)
    assert found.lead is not None
    assert (found.lead.outcome, found.lead.outcome_fit) == ("death from any cause", Fit.ASKED)
    assert found.verdict is verdict
    assert [(o.outcome, o.outcome_fit, len(o.components)) for o in found.others] == [(composite, Fit.WIDER, 2)]


def test_where_only_the_composite_was_reported_it_is_said_that_the_outcome_alone_was_not() -> None:
    found = concluded("Does dapagliflozin reduce cardiovascular death in people with heart failure?", DAPA_HF)
    assert found.lead is not None
    assert found.lead.outcome_fit is Fit.WIDER
    assert found.missing == ("result for cardiovascular death alone",)


@pytest.mark.parametrize(
    ("asked", "outcomes", "people"),
    [
        ("Does dapagliflozin reduce death in heart failure?", ["death"], ["heart failure"]),
        ("Does aspirin reduce stroke in diabetes?", ["stroke"], ["diabetes"]),
        ("Does apixaban reduce the risk of stroke in atrial fibrillation?", ["stroke"], ["atrial fibrillation"]),
        ("Does hydroxyethyl starch increase death in severe sepsis?", ["death"], ["severe sepsis"]),
    ],
)
def test_the_disease_behind_in_is_who_is_meant(asked: str, outcomes: list[str], people: list[str]) -> None:
    read = question(asked)
    assert ([o.text for o in read.outcomes], [p.text for p in read.people]) == (outcomes, people)


# A part of the people, and the whole


def test_the_whole_leads_where_the_whole_was_asked_about() -> None:
    found = concluded(STROKE, trial("Example S", of("stroke", ratio(0.79, 0.66, 0.95), 100, 140), IN_DIABETES))
    assert found.lead is not None
    assert (found.lead.is_subgroup, found.lead.arms[0].events) == (False, 100)


def test_the_asked_part_leads_where_it_was_reported() -> None:
    asked = "Does apixaban prevent stroke in people with atrial fibrillation and diabetes?"
    found = concluded(asked, trial("Example S", of("stroke", ratio(0.79, 0.66, 0.95), 100, 140), IN_DIABETES))
    assert found.lead is not None
    assert (found.lead.is_subgroup, found.lead.people) == (True, "with diabetes at baseline")
    assert set(found.people_told) == {"atrial fibrillation", "diabetes"}


def test_a_part_of_the_people_has_the_whole_beside_it() -> None:
    asked = "Does apixaban prevent stroke in people with atrial fibrillation and diabetes?"
    found = concluded(asked, trial("Example S", of("stroke", ratio(0.79, 0.66, 0.95), 100, 140), IN_DIABETES))
    assert [o.arms[0].events for o in found.others] == [100]


def test_a_part_of_the_people_is_not_the_whole_though_nothing_else_was_reported() -> None:
    found = concluded(STROKE, trial("Example T", IN_DIABETES))
    assert found.lead is not None
    assert found.lead.people_fit is Fit.PART


@pytest.mark.parametrize(
    ("effect", "told"),
    [(ratio(1.19, 0.92, 1.55), ["with no diabetes at baseline"]), (ratio(0.70, 0.50, 0.98), [])],
)
def test_a_subgroup_that_does_not_point_the_same_way_stands_beside_the_whole(
    effect: EffectEstimate, told: list[str]
) -> None:
    apart = result("stroke, with no diabetes at baseline", effect, (("apixaban", 40, 700), ("placebo", 33, 700)))
    found = concluded(STROKE, trial("Example U", of("stroke", LOWER, 60, 100), apart))
    assert found.lead is not None
    assert not found.lead.is_subgroup
    assert [other.people for other in found.others] == told
    assert any(line.text.startswith("By subgroup: ") for line in lines_of(found)) is bool(told)


# What the lead's own source tells besides


def test_the_table_tells_the_other_doses_and_times_of_the_asked_outcome() -> None:
    low = result("stroke", ratio(0.85, 0.7, 1.02), (("apixaban 2.5 mg", 110, 1000), ("placebo", 140, 1000)))
    later = result("stroke", ratio(0.9, 0.8, 1.0), (("apixaban", 160, 1000), ("placebo", 180, 1000)), time="5 years")
    unlabelled = of("stroke", ratio(0.7, 0.5, 0.9), 71, 100)  # nothing says what sets it apart from the first
    other = of("major bleeding", HIGHER, 120, 80)
    lead = result("stroke", LOWER, (("apixaban 5 mg", 60, 1000), ("placebo", 100, 1000)), time="2 years")
    low = low.model_copy(update={"time_point": "2 years"})
    found = concluded(STROKE, trial("Example W", lead, low, later, unlabelled, other))
    assert found.lead is not None
    assert {o.outcome for o in found.others} == {"stroke"}
    assert {o.arms[0].events for o in (found.lead, *found.others)} == {60, 110, 160}
    (row,) = table_of(found)
    assert all(figures in row.cells[3] for figures in ("0.85 (0.70 to 1.02)", "0.90 (0.80 to 1.00)"))


def test_a_row_of_another_source_is_of_all_its_people_where_it_tells_them() -> None:
    part = result("stroke, with diabetes at baseline", LOWER, (("apixaban", 30, 500), ("placebo", 50, 500)))
    whole = result("stroke", None, (("apixaban", 90, 1000), ("placebo", 120, 1000)))
    synthesis = trial("Example X", of("stroke", LOWER, 400, 500), study_design=StudyDesign.META_ANALYSIS, year=2023)
    found = concluded(STROKE, synthesis, trial("Example Y", part, whole))
    assert [(o.n, o.people) for o in found.others] == [(2, None)]


def test_a_result_without_a_figure_answers_nothing() -> None:
    bare = OutcomeResult(outcome="stroke", arms=(ArmResult(arm="apixaban", n=1000), ArmResult(arm="placebo", n=1000)))
    assert concluded(STROKE, trial("Example Z", bare)).lead is None


# Conflicts


@pytest.mark.parametrize("other", [HARM, NO_DIFFERENCE])
def test_two_results_of_one_question_that_oppose_each_other_conflict(other: EvidenceCandidate) -> None:
    found = concluded(STROKE, BENEFIT, other)
    assert found.verdict is V.CONFLICTING
    assert found.lead is not None
    assert {found.lead.n, *(r.n for r in found.conflicts)} == {1, 2}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(trial("Example F", of("stroke", ratio(0.85, 0.60, 1.20), 85, 100)), id="intervals that overlap"),
        pytest.param(trial("Example G", of("major bleeding", HIGHER, 120, 80)), id="another outcome"),
        pytest.param(trial("Example I", IN_DIABETES), id="a part of the people"),
        pytest.param(
            trial("Example C", of("stroke", HIGHER, 120, 80), study_design=StudyDesign.COHORT), id="observational"
        ),
        pytest.param(trial("Example O", of("stroke or death", HIGHER, 120, 80)), id="composite"),
        pytest.param(
            trial("Example P", of("stroke", HIGHER, 120, 80, drug="rivaroxaban"), drug="rivaroxaban"), id="another drug"
        ),
    ],
)
def test_what_is_another_question_or_weaker_evidence_is_no_conflict(other: EvidenceCandidate) -> None:
    found = concluded(STROKE, BENEFIT, other)
    assert (found.verdict, found.conflicts) == (V.BENEFIT, ())


def test_beside_a_synthesis_the_older_trial_is_no_conflict() -> None:
    synthesis = trial(
        "Example M", of("stroke", ratio(0.8, 0.7, 0.9), 400, 500), study_design=StudyDesign.META_ANALYSIS, year=2023
    )
    found = concluded(STROKE, synthesis, HARM)
    assert found.lead is not None
    assert (found.lead.n, found.verdict, [o.n for o in found.others]) == (1, V.BENEFIT, [2])


@broken("people and events are those of the lead alone, and are said to be those of all sources")
def test_people_and_events_are_those_of_the_sources_that_are_counted() -> None:
    found = concluded(STROKE, BENEFIT, HARM)
    assert (found.n_studies, found.n_people, found.n_events) == (2, 4000, 360)


# Combinations and classes


@pytest.mark.parametrize("other", [TOGETHER, CLASS])
def test_the_drug_itself_leads_a_combination_or_its_class(other: EvidenceCandidate) -> None:
    found = concluded(STROKE, other, BENEFIT)
    assert found.lead is not None
    assert (found.lead.n, found.lead.comparison_fit) == (2, Fit.ASKED)


@pytest.mark.parametrize("work", [TOGETHER, CLASS])
def test_a_combination_or_a_class_is_told_as_wider_than_the_drug(work: EvidenceCandidate) -> None:
    found = concluded(STROKE, work)
    assert found.lead is None or found.lead.comparison_fit is Fit.WIDER


@pytest.mark.parametrize("work", [TOGETHER, CLASS])
def test_a_combination_or_a_class_says_neither_yes_nor_no_of_the_drug(work: EvidenceCandidate) -> None:
    first = lines_of(concluded(STROKE, work))[0].text
    assert not first.startswith(("Yes", "No"))


def test_a_combination_is_not_counted_among_the_sources_of_the_comparison() -> None:
    assert concluded(STROKE, TOGETHER, BENEFIT).n_studies == 1


def test_a_drug_is_a_part_of_the_class_that_was_asked_about() -> None:
    found = concluded("Do direct oral anticoagulants prevent stroke in people with atrial fibrillation?", BENEFIT)
    assert found.lead is not None
    assert found.lead.comparison_fit is Fit.PART


def test_another_drug_of_the_class_is_no_answer() -> None:
    found = concluded("Does rivaroxaban prevent stroke in people with atrial fibrillation?", BENEFIT)
    assert (found.lead, found.verdict) == (None, V.NOT_FOUND)


# What may not be used, and what is missing


@pytest.mark.parametrize(
    "changes",
    [
        {"status": EvidenceStatus.RETRACTED},
        {"status": EvidenceStatus.WITHDRAWN},
        {"identifiers": Identifiers()},
    ],
)
def test_what_is_retracted_or_cannot_be_found_again_answers_nothing(changes: dict[str, object]) -> None:
    found = concluded(STROKE, BENEFIT.model_copy(update=changes))
    assert (found.verdict, found.lead, found.about) == (V.NOT_FOUND, None, ())
    assert 1 not in found.sources


def test_a_correction_or_a_concern_leaves_the_work_in() -> None:
    for status in (EvidenceStatus.CORRECTED, EvidenceStatus.CONCERN):
        assert concluded(STROKE, BENEFIT.model_copy(update={"status": status})).verdict is V.BENEFIT


@pytest.mark.parametrize("people", ["pregnant women", "children"])
def test_people_of_whom_nothing_was_found_are_named(people: str) -> None:
    found = concluded(f"Does apixaban prevent stroke in {people} with atrial fibrillation?", BENEFIT)
    assert (found.verdict, found.lead) == (V.NOT_FOUND, None)
    assert found.missing == (f"evidence on apixaban in {people}",)


def test_a_missing_head_to_head_trial_is_named() -> None:
    asked = "Does apixaban prevent stroke better than rivaroxaban in people with atrial fibrillation?"
    rivaroxaban = trial(
        "Example R", of("stroke", LOWER, 60, 100, drug="rivaroxaban"), drug="rivaroxaban", pmid="10000008"
    )
    found = concluded(asked, BENEFIT, rivaroxaban)
    assert (found.verdict, found.lead) == (V.TOO_LITTLE, None)
    assert found.missing == ("direct comparison of apixaban and rivaroxaban in atrial fibrillation",)
    assert {r.n for r in found.others} == {1, 2}


def test_an_outcome_that_nobody_reported_is_named() -> None:
    found = concluded("Does apixaban prevent dementia in people with atrial fibrillation?", BENEFIT)
    assert found.lead is None
    assert found.missing == ("result of apixaban for dementia",)


def test_without_any_work_nothing_was_found() -> None:
    found = concluded(STROKE)
    assert (found.verdict, found.lead, found.newest_year, found.sources) == (V.NOT_FOUND, None, None, frozenset())


# Harms


def test_a_safety_question_is_answered_by_harms_not_by_benefits() -> None:
    work = trial("Example H", of("stroke", LOWER, 60, 100), of("major bleeding", ratio(1.4, 1.1, 1.8), 90, 60))
    found = concluded("Is apixaban safe in people with atrial fibrillation?", work)
    assert found.lead is not None
    assert (found.lead.outcome, found.verdict) == ("major bleeding", V.HARM)


def test_a_harm_stands_beside_the_benefit() -> None:
    work = trial("Example H", of("stroke", LOWER, 60, 100), of("major bleeding", ratio(1.4, 1.1, 1.8), 90, 60))
    found = concluded(STROKE, work)
    assert found.lead is not None
    assert (found.lead.outcome, [h.outcome for h in found.harms]) == ("stroke", ["major bleeding"])


def test_more_of_the_asked_event_is_harm() -> None:
    found = concluded("Does hydroxyethyl starch lower mortality in people with severe sepsis?", SIX_S)
    assert found.verdict is V.HARM
    assert lines_of(found)[0].text.startswith("No, harm, in severe sepsis: ")


def test_harms_that_lead_are_not_said_to_be_unreported() -> None:
    found = concluded("Does apixaban cause less major bleeding than warfarin in people with atrial fibrillation?",
                      ARISTOTLE)  # fmt: skip
    assert found.lead is not None
    assert found.lead.outcome == "major bleeding"
    assert not any("Harms: not reported" in line.text for line in lines_of(found))


# Guidelines


def guideline(text: str, abstract: str = "Recommendations on apixaban in patients with atrial fibrillation.",
              year: int = 2023, pmid: str = "10000009", **changes: object) -> EvidenceCandidate:  # fmt: skip
    return record(
        "Example guideline for the management of atrial fibrillation",
        abstract,
        study_design=StudyDesign.GUIDELINE,
        year=year,
        identifiers=Identifiers(pmid=pmid),
        collective_author="Example Society",
        recommendations=(Recommendation(text=text, class_of_recommendation="1", level_of_evidence="A"),),
        **changes,
    )


RECOMMENDED = guideline("In people with atrial fibrillation, apixaban is recommended to prevent stroke.")
GUIDANCE = "What do guidelines recommend about apixaban in people with atrial fibrillation?"


def test_a_question_for_guidance_is_answered_by_guidelines_with_their_grades() -> None:
    found = concluded(GUIDANCE, RECOMMENDED, BENEFIT)
    assert found.verdict is V.RECOMMENDATION
    (one,) = found.guidelines
    assert (one.n, one.body, one.year) == (1, "Example Society", 2023)
    assert (one.class_of_recommendation, one.level_of_evidence) == ("1", "A")


def test_results_decide_a_question_of_effect_and_guidelines_stand_beside_them() -> None:
    found = concluded(STROKE, RECOMMENDED, BENEFIT)
    assert (found.verdict, [g.n for g in found.guidelines]) == (V.BENEFIT, [1])


def test_the_newest_guideline_stands_first_and_other_treatments_stand_out() -> None:
    older = guideline("Apixaban may be considered in people with atrial fibrillation.", year=2016, pmid="10000010")
    other = guideline("Digoxin may be considered in people with atrial fibrillation.", pmid="10000011")
    found = concluded(GUIDANCE, older, other, RECOMMENDED)
    assert [(g.n, g.year) for g in found.guidelines] == [(3, 2023), (1, 2016)]


def test_a_withdrawn_guideline_recommends_nothing() -> None:
    found = concluded(GUIDANCE, RECOMMENDED.model_copy(update={"status": EvidenceStatus.WITHDRAWN}))
    assert found.guidelines == ()


def test_a_guideline_is_about_the_drug_that_it_recommends_though_its_summary_does_not_name_it() -> None:
    text = "In people with atrial fibrillation, apixaban is recommended to prevent stroke."
    found = concluded(
        GUIDANCE, guideline(text, "Recommendations on anticoagulation in patients with atrial fibrillation.")
    )
    assert len(found.guidelines) == 1


# Always


def test_the_same_evidence_gives_the_same_object_and_numbers_follow_the_order_of_the_works() -> None:
    assert concluded(STROKE, BENEFIT, HARM) == concluded(STROKE, BENEFIT, HARM)
    swapped = concluded(STROKE, HARM, BENEFIT)
    assert swapped.verdict is V.CONFLICTING
    assert swapped.sources == {1, 2}


def test_a_disease_that_the_search_asks_for_and_no_term_of_the_people_holds_stays_required() -> None:
    """What only a phrase of time holds judges nobody: adults after infarction are no children with a tumour."""
    text = "Is an ECG needed before propranolol treatment of infantile haemangioma?"
    adults = record("Propranolol after myocardial infarction", "Adults took propranolol or placebo.", results=(
        result("death from any cause", ratio(0.9, 0.8, 1.1), (("propranolol", 90, 900), ("placebo", 100, 900))),
    ))  # fmt: skip
    assert concluded(text, adults).lead is None


def test_of_two_wider_results_the_one_told_apart_by_a_bound_that_holds_the_asked_figure_leads() -> None:
    text = "Does dexamethasone lower mortality in meningitis with a CRP of 290 mg/L?"
    parts = record("Dexamethasone in meningitis", "Patients with meningitis and a CRP above 50 mg/L.", results=(
        result(
            "death in patients with C-reactive protein above 200 mg/L", ratio(0.5, 0.3, 0.8),
            (("dexamethasone", 20, 200), ("placebo", 40, 200)),
        ),
    ))  # fmt: skip
    whole = record("Dexamethasone against placebo in meningitis", "Patients with a CRP above 50 mg/L.", results=(
        result("death", ratio(0.9, 0.7, 1.2), (("dexamethasone", 90, 900), ("placebo", 100, 900))),
    ))  # fmt: skip
    lead = concluded(text, parts, whole).lead
    assert lead is not None
    assert lead.n == 1


# Several asked outcomes


def test_each_asked_outcome_has_its_result_in_front() -> None:
    found = concluded("Apixaban versus warfarin in atrial fibrillation: stroke and major bleeding?", ARISTOTLE)
    first = " ".join(line.text for line in lines_of(found))
    assert "stroke or systemic embolism was less frequent" in first.casefold()
    assert "major bleeding was less frequent" in first.casefold()
    assert found.n_studies == 1
    assert "Harms: not reported" not in first


def test_an_asked_outcome_without_a_result_is_named_as_missing() -> None:
    found = concluded("Apixaban versus placebo in atrial fibrillation: stroke and hip fracture?", BENEFIT)
    assert "Of hip fracture no result was found beside it." in [line.text for line in lines_of(found)]


def test_the_second_outcome_is_of_the_arms_that_lead() -> None:
    two = (of("stroke", LOWER, 60, 100), of("major bleeding", HIGHER, 120, 80))
    both = trial("Example Q", *two, pmid="10000010", year=2023)
    other = trial("Example P", of("major bleeding", NONE, 50, 51, 900), pmid="10000009", year=2020)
    found = concluded("Apixaban versus placebo in atrial fibrillation: stroke and major bleeding?", other, both)
    assert found.lead is not None
    assert {(r.n, r.outcome) for r in (found.lead, found.others[0])} == {(2, "stroke"), (2, "major bleeding")}


def test_against_another_drug_no_result_conflicts_with_one_against_a_control() -> None:
    two = (("apixaban", 100, 1000), ("edoxaban", 102, 1000))
    beside = trial("Example V", result("stroke", ratio(0.98, 0.90, 1.07), two), pmid="10000011", year=2010)
    found = concluded(STROKE, BENEFIT, beside)
    assert (found.verdict, found.conflicts) == (V.BENEFIT, ())
    same = trial("Example W", of("stroke", ratio(1.02, 0.90, 1.15), 100, 98), pmid="10000012", year=2010)
    assert concluded(STROKE, BENEFIT, same).verdict is V.CONFLICTING


def test_a_composite_that_holds_every_event_asked_about_leads_before_one_kind_of_it() -> None:
    """And a result of the event itself before both."""
    arms = (("dapagliflozin", 90, 1000), ("placebo", 120, 1000))
    few = (("dapagliflozin", 9, 1000), ("placebo", 18, 1000))
    title = "Dapagliflozin in patients with heart failure"
    text = "We randomly assigned patients with heart failure to dapagliflozin or placebo."
    kind = result("hemorrhagic stroke", ratio(0.5, 0.2, 1.1), few)
    composite = result("stroke or systemic embolism", ratio(0.75, 0.6, 0.95), arms)
    event = result("stroke", ratio(0.8, 0.6, 1.0), arms)
    asked = "Does dapagliflozin reduce stroke in heart failure?"
    for results, leads in (((kind, composite), composite), ((kind, composite, event), event), ((kind,), kind)):
        found = concluded(asked, record(title, text, results=results))
        assert found.lead is not None
        assert found.lead.outcome == leads.outcome
