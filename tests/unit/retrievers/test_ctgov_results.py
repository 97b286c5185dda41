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
