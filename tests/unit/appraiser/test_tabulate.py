"""What stands together in a table, what is pooled of it, and what is not and why."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from openwork_appraiser.domain.effects import NOT_SAID, window_of
from openwork_appraiser.domain.studies import StudyInTable
from openwork_appraiser.domain.tabulate import answers_the_question, tabulate
from openwork_contracts.cells import AnalysisSet, CellInterval, ResultCell
from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate, Identifiers, Provenance, StudyDesign
from openwork_contracts.extraction import ArmCells, ExtractedResult, ResultSource
from openwork_contracts.tabulation import PooledOutcome
from openwork_effects.counts import Group
from openwork_effects.pooling import Measure, effect_of_counts, mantel_haenszel


def cell(value: float, measure: str = "count") -> ResultCell:
    return ResultCell(value=f"{value:g}", measure=measure)


def arm(name: str, events: int, n: int) -> ArmCells:
    return ArmCells(arm=name, n=cell(n), events=cell(events))


def counted(e1: int, n1: int, e2: int, n2: int, *, other: str = "placebo", **changes: object) -> ExtractedResult:
    given = {
        "outcome": "death from any cause",
        "outcome_fit": Fit.ASKED,
        "comparison_fit": Fit.ASKED,
        "people_fit": Fit.ASKED,
        "time": "28 days",
        "source": ResultSource.REGISTRY,
        "candidate_id": "pmid:1",
        "arms": (arm("dexamethasone", e1, n1), arm(other, e2, n2)),
    }
    return ExtractedResult(**(given | changes))  # type: ignore[arg-type]


def hazard(value: float, low: float, high: float, **changes: object) -> ExtractedResult:
    interval = CellInterval(low=f"{low:g}", high=f"{high:g}", level="95")
    effect = ResultCell(value=f"{value:g}", measure="HR", interval=interval, comparison=("dexamethasone", "placebo"))
    return counted(1, 2, 1, 2, **{"arms": (), "effect": effect, **changes})


SIDES = ResultCell(value="3", measure="HR", comparison=("dexamethasone", "placebo"))


def study(n: int, *results: ExtractedResult, design: StudyDesign = StudyDesign.RCT) -> StudyInTable:
    document = EvidenceCandidate(
        candidate_id=f"pmid:{n}",
        identifiers=Identifiers(pmid=str(n)),
        study_design=design,
        year=2020,
        provenance=(Provenance(source="pubmed", source_id=str(n), rank=1, retrieved_at=datetime.now(UTC)),),
    )
    return StudyInTable(f"pmid:{n}", f"Trial {n}", document, results)


def table(*studies: StudyInTable) -> tuple[PooledOutcome, ...]:
    return tabulate(studies, "dexamethasone")


def test_two_trials_are_pooled_as_the_handbook_s_fixed_effect() -> None:
    (one,) = table(study(1, counted(10, 100, 20, 100)), study(2, counted(15, 200, 25, 190)))
    effects = [
        effect_of_counts("a", Group(10, 100), Group(20, 100), Measure.RISK_RATIO),
        effect_of_counts("b", Group(15, 200), Group(25, 190), Measure.RISK_RATIO),
    ]
    wanted = mantel_haenszel(effects).estimate
    assert one.pooled is not None
    assert (one.pooled.value, one.pooled.low, one.pooled.high) == pytest.approx(
        (wanted.estimate, wanted.low, wanted.high)
    )
    assert one.model == "fixed effect, Mantel-Haenszel"
    assert one.prediction is None
    assert one.absolute is not None
    assert "per 1,000" in one.absolute


def test_what_was_compared_with_something_else_stands_apart() -> None:
    found = table(study(1, counted(1, 50, 2, 50)), study(2, counted(1, 50, 2, 50, other="hydrocortisone")))
    assert [(one.comparison, one.pooled) for one in found] == [
        ("dexamethasone versus placebo or usual care", None),
        ("dexamethasone versus hydrocortisone", None),
    ]


def test_placebo_and_usual_care_are_one_control() -> None:
    (one,) = table(study(1, counted(1, 50, 2, 50)), study(2, counted(1, 50, 2, 50, other="usual care")))
    assert one.pooled is not None


@pytest.mark.parametrize("name", ["Rofecoxib group", "the rofecoxib arm", "rofecoxib-", "rofecoxib-treated patients"])
def test_an_arm_is_what_was_given_in_it_whatever_it_is_called(name: str) -> None:
    (one,) = table(study(1, counted(10, 100, 20, 100, other="rofecoxib")), study(2, counted(5, 50, 9, 50, other=name)))
    assert one.comparison == "dexamethasone versus rofecoxib"
    assert len(one.rows) == 2


def test_another_dose_is_another_arm() -> None:
    doses = [study(n, counted(10, 100, 20, 100, other=f"rofecoxib {n}5-mg dose")) for n in (1, 2)]
    assert {one.comparison.removeprefix("dexamethasone versus ") for one in table(*doses)} == {
        "rofecoxib 15 mg",
        "rofecoxib 25 mg",
    }


def test_a_composite_is_not_its_component() -> None:
    composite = counted(9, 50, 12, 50, outcome="death or mechanical ventilation", outcome_fit=Fit.WIDER)
    found = table(study(1, counted(1, 50, 2, 50)), study(2, composite))
    assert [one.outcome for one in found] == ["death from any cause", "death or mechanical ventilation"]
    assert all(one.pooled is None for one in found)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (study(2, counted(1, 50, 2, 50, time="1 year")), "another time window: over 30 days to 1 year"),
        (
            study(2, counted(1, 50, 2, 50, analysis=AnalysisSet.PER_PROTOCOL)),
            "another analysis set: per_protocol",
        ),
        (study(2, hazard(0.8, 0.6, 1.1)), "its measure is HR, that of the others RR"),
        (study(2, counted(1, 50, 2, 50, people_fit=Fit.OTHER)), "not of the people asked about, as far as it tells"),
        (study(2, counted(1, 50, 2, 50, is_subgroup=True)), "a part of the study's people: the whole is shown"),
        (
            study(2, counted(1, 50, 2, 50), design=StudyDesign.META_ANALYSIS),
            "it holds other studies, which would count twice",
        ),
        (study(2, counted(0, 0, 0, 0, arms=(), effect=SIDES)), "no counts, means or effect"),
        (study(2, counted(0, 0, 0, 0, arms=(), effect=cell(3))), "what it was compared with was not read"),
    ],
    ids=["time", "analysis", "measure", "people", "subgroup", "synthesis", "nothing to compute", "against what"],
)
def test_what_does_not_stand_beside_the_others_is_named_with_its_reason(other: StudyInTable, why: str) -> None:
    pooled = (study(1, counted(10, 100, 20, 100)), study(3, counted(15, 200, 25, 190)))
    first = table(*pooled, other)[0]
    assert [row.study_id for row in first.rows] == ["pmid:1", "pmid:3"]
    (left,) = first.not_pooled
    assert (left.study_id, left.study) == ("pmid:2", "Trial 2")
    assert left.reason.startswith(why)


def test_what_is_not_pooled_stands_under_its_own_measure() -> None:
    """A relative risk in a row of hazard ratios would be told as one."""
    relative = hazard(0.66, 0.53, 0.81)
    relative = relative.model_copy(update={"effect": relative.effect.model_copy(update={"measure": "RR"})})
    found = table(study(1, hazard(0.66, 0.54, 0.81)), study(2, relative))
    assert [(one.measure, [row.study_id for row in one.rows]) for one in found] == [
        ("HR", ["pmid:1"]),
        ("RR", ["pmid:2"]),
    ]
    assert [left.study_id for left in found[0].not_pooled] == ["pmid:1", "pmid:2"]
    assert not found[1].not_pooled


def test_observational_studies_are_never_pooled_with_trials() -> None:
    cohorts = [study(n, counted(10 + n, 100, 20, 100), design=StudyDesign.COHORT) for n in (3, 4)]
    trials = [study(n, counted(10 + n, 100, 20, 100)) for n in (1, 2)]
    found = [one for one in table(*trials, *cohorts) if one.pooled]
    assert [{row.study_id for row in one.rows} for one in found] == [{"pmid:1", "pmid:2"}, {"pmid:3", "pmid:4"}]
    assert found[1].comparison.endswith("(observational)")


def test_a_study_counts_once_however_often_it_tells_a_result() -> None:
    twice = study(1, counted(10, 100, 20, 100), counted(10, 100, 20, 100, source=ResultSource.ABSTRACT))
    (one,) = table(twice, study(2, counted(15, 200, 25, 190)))
    assert [row.study_id for row in one.rows] == ["pmid:1", "pmid:2"]
    assert one.rows[0].result == 0


def test_where_nobody_had_the_event_the_difference_is_shown_and_no_ratio() -> None:
    (one,) = table(study(1, counted(0, 100, 0, 100)))
    assert (one.measure, one.rows[0].effect.value, one.pooled) == ("RD", 0.0, None)


def test_published_hazard_ratios_of_three_studies_have_a_prediction_interval() -> None:
    rows = [(0.74, 0.65, 0.85), (0.8, 0.7, 0.9), (0.79, 0.69, 0.9)]
    (one,) = table(*(study(n, hazard(*row)) for n, row in enumerate(rows, 1)))
    assert one.pooled is not None
    assert one.prediction is not None
    assert one.prediction.low <= one.pooled.low <= one.pooled.value <= one.pooled.high <= one.prediction.high
    assert len(one.without) == 3


@pytest.mark.parametrize(
    ("time", "window"),
    [
        ("28 days", "up to 30 days"),
        ("median 18.2 months", "over 1 year"),
        ("30 days and 1 year", "over 30 days to 1 year"),
        ("at discharge", NOT_SAID),
        (None, NOT_SAID),
    ],
)
def test_the_window_of_a_time(time: str | None, window: str) -> None:
    assert window_of(time) == window


def test_a_study_answers_only_with_numbers_of_the_asked_comparison() -> None:
    assert answers_the_question(study(1, counted(1, 2, 1, 2)))
    assert not answers_the_question(study(1, counted(1, 2, 1, 2, comparison_fit=Fit.OTHER)))
    assert not answers_the_question(study(1, counted(1, 2, 1, 2, outcome_fit=Fit.OTHER)))
    assert not answers_the_question(study(1))
