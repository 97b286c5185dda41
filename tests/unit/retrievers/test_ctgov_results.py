"""Registered trials and their posted results: every number under its own arm."""

from __future__ import annotations

import json

import pytest
import source_answers as answers
from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import EvidenceRecord, OutcomeResult
from openwork_retrievers.adapters.ctgov.arms import best_match
from openwork_retrievers.adapters.ctgov.studies import parse_studies
from source_fakes import NOW

ARMS = {
    "armGroups": [
        {"label": "1 Placebo", "type": "PLACEBO_COMPARATOR", "interventionNames": ["Drug: Placebo"]},
        {"label": "2. Examplol", "type": "EXPERIMENTAL", "description": "10 mg daily"},
    ]
}
GROUPS = [{"id": "OG000", "title": "Placebo"}, {"id": "OG001", "title": "Examplol"}]
DENOMS = [
    {"units": "Participants", "counts": [{"groupId": "OG000", "value": "100"}, {"groupId": "OG001", "value": "98"}]}
]


def values(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"groupId": group, "value": value} for group, value in pairs]


def outcome(**fields: object) -> dict[str, object]:
    cells = values(("OG000", "30"), ("OG001", "12"))
    return {
        "type": "PRIMARY",
        "title": "Stroke",
        "timeFrame": "1 year",
        "paramType": "COUNT_OF_PARTICIPANTS",
        "unitOfMeasure": "Participants",
        "groups": GROUPS,
        "denoms": DENOMS,
        "classes": [{"categories": [{"measurements": cells}]}],
    } | fields


def record(*outcomes: dict[str, object], **results: object) -> EvidenceRecord:
    section = {"outcomeMeasuresModule": {"outcomeMeasures": list(outcomes)}} | results
    body = answers.study(armsInterventionsModule=ARMS, resultsSection=section)
    return parse_studies("clinicaltrials", json.dumps(body).encode(), NOW)[0][0]


def arms(result: OutcomeResult) -> list[tuple[str, int | None, int | None]]:
    return [(arm.arm, arm.n, arm.events) for arm in result.arms]


def test_arms_are_matched_by_title_and_the_experimental_one_comes_first() -> None:
    found = record(outcome())
    assert [arm.name for arm in found.arms] == ["2. Examplol", "1 Placebo"]
    assert arms(found.results[0]) == [("2. Examplol", 98, 12), ("1 Placebo", 100, 30)]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Patients Who Received Repaglinide", "2. Repaglinide"),
        ("Placebo qw", None),
        ("Total", None),
        ("Remdesivir 10 days", None),
    ],
)
def test_a_title_that_fits_no_arm_is_put_under_none(title: str, name: str | None) -> None:
    assert best_match(title, ("2. Repaglinide", "1. Glipizide", "3. Metformin")) == name


def test_two_arms_that_fit_equally_well_take_no_result() -> None:
    assert best_match("Examplol", ("Examplol low", "Examplol high")) is None


def test_placebo_registered_as_experimental_is_still_the_control() -> None:
    arm_groups = {
        "armGroups": [{"label": "Placebo qw", "type": "EXPERIMENTAL"}, {"label": "Examplol qw", "type": "EXPERIMENTAL"}]
    }
    body = json.dumps(answers.study(armsInterventionsModule=arm_groups)).encode()
    assert [arm.name for arm in parse_studies("clinicaltrials", body, NOW)[0][0].arms] == ["Examplol qw", "Placebo qw"]


def test_each_class_is_a_result_of_its_own_with_its_own_denominators() -> None:
    classes = [
        {"title": "Month 6", "categories": [{"measurements": values(("OG000", "10"), ("OG001", "5"))}]},
        {
            "title": "Month 12",
            "categories": [{"measurements": values(("OG000", "20"), ("OG001", "9"))}],
            "denoms": [
                {
                    "units": "Participants",
                    "counts": [{"groupId": "OG000", "value": "80"}, {"groupId": "OG001", "value": "70"}],
                }
            ],
        },
    ]
    results = record(outcome(classes=classes)).results
    assert [result.outcome for result in results] == ["Stroke: Month 6", "Stroke: Month 12"]
    assert arms(results[0]) == [("2. Examplol", 98, 5), ("1 Placebo", 100, 10)]
    assert arms(results[1]) == [("2. Examplol", 70, 9), ("1 Placebo", 80, 20)]


@pytest.mark.parametrize(
    ("kind", "unit", "events"),
    [
        ("COUNT_OF_PARTICIPANTS", "Participants", 12),
        ("NUMBER", "participants", 12),
        ("NUMBER", "Percentage of participants", None),
        ("NUMBER", "percent of patients", None),
        ("NUMBER", "strokes", None),
        ("MEAN", "Participants", None),
    ],
)
def test_only_counts_of_people_are_events(kind: str, unit: str, events: int | None) -> None:
    result = record(outcome(paramType=kind, unitOfMeasure=unit)).results[0]
    assert result.arms[0].events == events


def test_more_events_than_people_are_not_people() -> None:
    classes = [{"categories": [{"measurements": values(("OG000", "130"), ("OG001", "12"))}]}]
    assert arms(record(outcome(classes=classes)).results[0])[1] == ("1 Placebo", 100, None)


def test_missing_value_says_why_and_is_no_number() -> None:
    cell = {"groupId": "OG001", "value": "NA", "comment": "Not estimable"}
    found = record(outcome(classes=[{"categories": [{"measurements": [cell]}]}]))
    assert found.results[0].arms[0].events is None
    assert "2. Examplol: not available (Not estimable)" in found.abstract[-1].text


def test_effect_keeps_its_level_and_its_p_value_as_printed() -> None:
    analysis = {
        "groupIds": ["OG000", "OG001"],
        "paramType": "Hazard Ratio (HR)",
        "paramValue": "0.62",
        "ciPctValue": "90",
        "ciLowerLimit": "0.5",
        "ciUpperLimit": "0.8",
        "pValue": "<0.001",
        "statisticalMethod": "Log Rank",
    }
    found = record(outcome(analyses=[analysis]))
    effect = found.results[0].effect
    assert effect is not None
    assert (effect.measure, effect.estimate, effect.ci_level, effect.p_value) == ("HR", 0.62, 0.9, "<0.001")
    assert "Hazard Ratio (HR) 0.62 (90% CI 0.5 to 0.8), P <0.001 (Log Rank)" in found.abstract[-1].text


@pytest.mark.parametrize(
    ("kind", "value", "measure"),
    [
        ("Chi-squared test statistic", "8.6", None),
        ("Risk Difference (RD)", "-0.12", "RD"),
        ("Percentage Difference", "34.0", "Percentage Difference"),
        ("Risk Difference (RD)", "12.5", "Risk Difference (RD)"),
        ("Odds Ratio (OR)", "NA", None),
    ],
)
def test_test_statistics_and_missing_values_are_no_effects(kind: str, value: str, measure: str | None) -> None:
    """And percentage points are not passed off as the fraction that RD stands for."""
    result = record(outcome(analyses=[{"paramType": kind, "paramValue": value, "pValue": "0.01"}])).results[0]
    assert (result.effect.measure if result.effect else None) == measure


def test_effect_of_one_of_several_rows_stands_by_itself() -> None:
    classes = [{"title": t, "categories": [{"measurements": values(("OG000", "1"), ("OG001", "2"))}]} for t in "AB"]
    analysis = {"groupIds": ["OG000", "OG001"], "paramType": "Odds Ratio (OR)", "paramValue": "0.5"}
    results = record(outcome(classes=classes, analyses=[analysis])).results
    assert [result.effect is not None for result in results] == [False, False, True]


def test_outcome_posted_without_data_is_told_and_gives_no_result() -> None:
    found = record(outcome(classes=[]))
    assert found.results == ()
    assert "No data posted." in found.abstract[-1].text


def test_deaths_and_serious_events_are_results_and_old_records_have_no_deaths() -> None:
    groups = [
        {"id": "EG000", "title": "Placebo", "seriousNumAffected": 9, "seriousNumAtRisk": 100},
        {"id": "EG001", "title": "Examplol", "seriousNumAffected": 4, "seriousNumAtRisk": 98},
    ]
    found = record(adverseEventsModule={"timeFrame": "1 year", "eventGroups": groups})
    assert [result.outcome for result in found.results] == ["Serious adverse events"]
    assert arms(found.results[0]) == [("2. Examplol", 98, 4), ("1 Placebo", 100, 9)]


def test_planned_enrolment_is_no_sample_and_background_reading_no_result() -> None:
    body = answers.study(
        designModule={"studyType": "OBSERVATIONAL", "enrollmentInfo": {"count": 50, "type": "ESTIMATED"}},
        referencesModule={"references": [{"pmid": "1", "type": "BACKGROUND"}, {"pmid": "2", "type": "RESULT"}]},
        statusModule={"overallStatus": "RECRUITING", "startDateStruct": {"date": "2006-11"}},
    )
    found = parse_studies("clinicaltrials", json.dumps(body).encode(), NOW)[0][0]
    assert found.sample_size is None
    assert [(link.kind, link.pmid) for link in found.links] == [("reported_in", "2")]
    assert found.year == 2006


def test_retired_v1_format_is_named_as_such() -> None:
    with pytest.raises(SourceChanged, match="v1"):
        parse_studies("clinicaltrials", b'{"FullStudiesResponse": {"APIVrs": "1.01.05"}}', NOW)


def named_groups(*titles: str) -> list[dict[str, str]]:
    return [{"id": f"OG{place:03}", "title": title} for place, title in enumerate(titles)]


def test_two_groups_never_stand_under_one_arm() -> None:
    """The subgroups of an arm share its words: a result under the arm's name would be the whole arm's."""
    groups = named_groups("Placebo", "Examplol, women", "Examplol, men")
    cells = values(("OG000", "30"), ("OG001", "5"), ("OG002", "7"))
    found = record(outcome(groups=groups, denoms=[], classes=[{"categories": [{"measurements": cells}]}])).results[0]
    assert arms(found) == [("1 Placebo", None, 30), ("Examplol, women", None, 5), ("Examplol, men", None, 7)]


def test_of_two_groups_that_name_an_arm_the_one_that_fits_better_is_it() -> None:
    groups = named_groups("Placebo", "Examplol", "Examplol, after rescue with others")
    cells = values(("OG000", "30"), ("OG001", "5"), ("OG002", "7"))
    found = record(outcome(groups=groups, denoms=[], classes=[{"categories": [{"measurements": cells}]}])).results[0]
    assert [arm.arm for arm in found.arms] == ["2. Examplol", "1 Placebo", "Examplol, after rescue with others"]


def test_groups_of_the_same_title_are_told_apart() -> None:
    groups = named_groups("Cohort", "Cohort")
    cells = values(("OG000", "30"), ("OG001", "5"))
    found = record(outcome(groups=groups, denoms=[], classes=[{"categories": [{"measurements": cells}]}])).results[0]
    assert [arm.arm for arm in found.arms] == ["Cohort (OG000)", "Cohort (OG001)"]


def test_arms_take_the_size_of_one_group_each() -> None:
    flow = {
        "groups": [{"id": "FG0", "title": "Examplol, part A"}, {"id": "FG1", "title": "Examplol, part B"}],
        "periods": [{"milestones": [{"type": "STARTED", "achievements": [
            {"groupId": "FG0", "numSubjects": "40"}, {"groupId": "FG1", "numSubjects": "50"}]}]}],
    }  # fmt: skip
    found = record(outcome(), participantFlowModule=flow)
    assert [arm.n for arm in found.arms] == [None, None]


MEASURED = {
    "paramType": "LEAST_SQUARES_MEAN",
    "dispersionType": "Standard Error",
    "unitOfMeasure": "mm Hg",
    "classes": [{"categories": [{"measurements": [
        {"groupId": "OG000", "value": "-1.5", "spread": "0.4"},
        {"groupId": "OG001", "value": "-9.25", "spread": "0.5"}]}]}],
}  # fmt: skip


def test_a_measured_outcome_keeps_value_unit_and_dispersion_of_each_arm() -> None:
    (result,) = record(outcome(**MEASURED)).results
    assert [(a.events, a.measured.value, a.measured.spread) for a in result.arms if a.measured] == [
        (None, -9.25, 0.5),
        (None, -1.5, 0.4),
    ]
    assert result.arms[0].measured is not None
    assert (result.arms[0].measured.kind, result.arms[0].measured.unit) == ("least squares mean", "mm Hg")
    assert result.arms[0].measured.dispersion == "SE"


def test_an_interval_of_an_arm_is_two_numbers_and_a_missing_one_is_none() -> None:
    cells = [
        {"groupId": "OG000", "value": "10.0", "lowerLimit": "9.0", "upperLimit": "11.0"},
        {"groupId": "OG001", "value": "15.0", "lowerLimit": "13.0", "upperLimit": "NA"},
    ]
    fields = {"paramType": "MEDIAN", "dispersionType": "95% Confidence Interval", "unitOfMeasure": "days"}
    (result,) = record(outcome(classes=[{"categories": [{"measurements": cells}]}], **fields)).results
    found = [a.measured for a in result.arms if a.measured]
    assert [(m.low, m.high, m.dispersion) for m in found] == [(13.0, None, "95% CI"), (9.0, 11.0, "95% CI")]


def test_a_count_of_people_is_no_measured_value() -> None:
    assert [arm.measured for arm in record(outcome()).results[0].arms] == [None, None]


@pytest.mark.parametrize(
    ("kind", "tested", "margin"),
    [
        ("NON_INFERIORITY", "non-inferiority", "The margin was 1.38"),
        ("SUPERIORITY", "superiority", None),
        ("SUPERIORITY_OR_OTHER_LEGACY", None, None),
        ("EQUIVALENCE", "equivalence", "The margin was 1.38"),
    ],
)
def test_what_an_analysis_tested_and_its_margin_are_kept(kind: str, tested: str | None, margin: str | None) -> None:
    analysis = {
        "groupIds": ["OG000", "OG001"],
        "paramType": "Hazard Ratio (HR)",
        "paramValue": "0.88",
        "nonInferiorityType": kind,
        "nonInferiorityComment": "The margin was 1.38",
    }
    found = record(outcome(analyses=[analysis]))
    effect = found.results[0].effect
    assert effect is not None
    assert (effect.tested, effect.margin) == (tested, margin)
    assert ("margin: The margin was 1.38" in found.abstract[-1].text) is (margin is not None)


def event(term: str, *affected: tuple[str, int | None], at_risk: int = 100) -> dict[str, object]:
    stats = [{"groupId": group, "numAffected": n, "numAtRisk": at_risk} for group, n in affected]
    return {"term": term, "stats": [{k: v for k, v in one.items() if v is not None} for one in stats]}


EVENT_GROUPS = [{"id": "EG0", "title": "Placebo"}, {"id": "EG1", "title": "Examplol"}]


def harms(**module: object) -> EvidenceRecord:
    return record(outcome(), adverseEventsModule={"eventGroups": EVENT_GROUPS, "timeFrame": "2 years"} | module)


def test_single_adverse_events_are_people_per_arm() -> None:
    found = harms(
        seriousEvents=[event("Pneumonia", ("EG0", 3), ("EG1", 8))],
        otherEvents=[event("Nausea", ("EG0", 5), ("EG1", 21)), event("Rash", ("EG0", 0), ("EG1", 0))],
    )
    told = {result.outcome: (arms(result), result.time_point) for result in found.results[1:]}
    assert told == {
        "Pneumonia (serious adverse event)": ([("2. Examplol", 100, 8), ("1 Placebo", 100, 3)], "2 years"),
        "Nausea (other adverse event)": ([("2. Examplol", 100, 21), ("1 Placebo", 100, 5)], "2 years"),
    }
    assert "Pneumonia (serious adverse event) - 2. Examplol: 8 of 100 participants; 1 Placebo: 3 of 100" in (
        found.abstract[-1].text
    )


def test_events_without_people_are_not_counted_as_people() -> None:
    """Older registrations give how often a term was reported, and not in how many."""
    found = harms(otherEvents=[event("Nausea", ("EG0", None), ("EG1", None)), event("Fall", ("EG0", 120), ("EG1", 2))])
    (fall,) = found.results[1:]
    assert arms(fall) == [("2. Examplol", 100, 2)]


def test_the_events_that_befell_most_people_are_kept_and_the_others_are_counted() -> None:
    found = harms(otherEvents=[event(f"Term {n}", ("EG0", 1), ("EG1", n)) for n in range(1, 51)])
    kept = [result.outcome for result in found.results[1:]]
    assert kept == [f"Term {n} (other adverse event)" for n in range(50, 30, -1)]
    assert "30 other adverse events that befell fewer people are not listed here." in found.abstract[-1].text


def test_the_caveats_of_a_registration_are_read() -> None:
    words = "Stopped early for futility; n \\> 50 only."
    found = record(outcome(), moreInfoModule={"limitationsAndCaveats": {"description": words}})
    assert (found.abstract[-1].label, found.abstract[-1].text) == (
        "Limitations and caveats",
        "Stopped early for futility; n > 50 only.",
    )
