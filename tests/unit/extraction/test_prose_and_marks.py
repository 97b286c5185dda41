"""Results out of sentences and registries, and the marks of what does not fit."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from openwork_contracts.cells import CellInterval, CellPlace, ResultCell
from openwork_contracts.evidence import ArmResult, EffectEstimate, EvidenceRecord, Measured, OutcomeResult, TextOrigin
from openwork_extraction.checks import checked, sizes_fit
from openwork_extraction.computed import count_from_percent
from openwork_extraction.extract import extract
from openwork_extraction.results import ArmNumbers, MarkKind, Source, StudyResult
from openwork_extraction.study import Asked, StudyText

from tests.unit.extraction.papers import paper, table

NAUSEA = Asked("zotaprine", "placebo", "nausea")


def cell(measure: str, value: str, **more: CellInterval | str) -> ResultCell:
    """A cell with a place."""
    return ResultCell(measure=measure, value=value, place=CellPlace(table="Table 1", row=measure), **more)  # type: ignore[arg-type]


def test_a_sentence_gives_both_arms_with_its_span() -> None:
    text = "Nausea occurred in 12 of 100 patients (12%) with zotaprine and in 20 of 101 patients (19.8%) with placebo."

    result = extract(paper(results=text), NAUSEA).first

    assert result is not None
    assert result.is_counted
    assert result.source is Source.PROSE
    assert [(arm.events.value, arm.n.value) for arm in result.arms if arm.events and arm.n] == [
        ("12", "100"),
        ("20", "101"),
    ]
    place = result.arms[0].events.place if result.arms[0].events else None
    assert place is not None
    assert place.start is not None
    assert place.end is not None
    assert text[place.start : place.end].startswith("12 of 100")


def test_a_sentence_that_names_the_comparator_first_keeps_its_numbers_with_it() -> None:
    text = "Nausea was seen in 20 of 101 patients given placebo and in 12 of 100 patients given zotaprine."

    result = extract(paper(results=text), NAUSEA).first

    assert result is not None
    assert [arm.events.value for arm in result.arms if arm.events] == ["12", "20"]


@pytest.mark.parametrize(
    "text",
    [
        "Nausea occurred in 12 of 100 patients and in 20 of 101 patients.",
        "Vomiting occurred in 12 of 100 patients with zotaprine and 20 of 101 patients with placebo.",
        "At baseline nausea was present in 12 of 100 patients with zotaprine and 20 of 101 patients with placebo.",
        "Nausea occurred in 12 of 100 patients with zotaprine, 15 of 99 with metoprine and 20 of 101 with placebo.",
    ],
    ids=["no arms", "another outcome", "the start", "three arms"],
)
def test_a_sentence_that_leaves_arm_outcome_or_time_open_gives_nothing(text: str) -> None:
    found = extract(paper(results=text), NAUSEA).first

    assert found is None or not found.is_complete


def test_the_introduction_and_the_discussion_are_of_other_studies() -> None:
    text = "Nausea occurred in 12 of 100 patients with zotaprine and in 20 of 101 patients with placebo."
    study = paper(results=text)
    elsewhere = replace(study, sections=(study.sections[0].model_copy(update={"path": ("Discussion",)}),))

    assert extract(elsewhere, NAUSEA).first is None


def test_abstract_and_registry_that_say_otherwise_are_marked_and_kept() -> None:
    rows = table("Outcome | Zotaprine (n = 100) | Placebo (n = 101)", "Nausea, n (%) | 12 (12.0) | 20 (19.8)")
    told = "Nausea occurred in 13 of 100 patients with zotaprine and in 20 of 101 patients with placebo."
    registered = OutcomeResult(
        outcome="Nausea",
        arms=(ArmResult(arm="Zotaprine", n=100, events=12), ArmResult(arm="Placebo", n=101, events=25)),
        effect=EffectEstimate(measure="RR", estimate=0.48, ci_low=0.25, ci_high=0.93),
    )
    study = replace(paper(rows, abstract=told), registered=(registered,))

    results = extract(study, NAUSEA).results

    marks = {result.source: [mark.kind for mark in result.marks] for result in results}
    assert marks[Source.TABLE] == []
    assert MarkKind.ABSTRACT in marks[Source.ABSTRACT]
    assert MarkKind.REGISTRY in marks[Source.REGISTRY]


def test_an_effect_in_the_abstract_is_read_with_interval_and_measure() -> None:
    text = "Nausea was less frequent with zotaprine than with placebo (HR 0.61; 95% CI, 0.42 to 0.88; P=0.008)."

    result = extract(paper(abstract=text), NAUSEA).first

    assert result is not None
    assert result.effect is not None
    assert result.effect.interval is not None
    assert (result.effect.measure, result.effect.value, result.effect.interval.high) == ("HR", "0.61", "0.88")
    assert result.marks == ()


def arms(events: str, n: str, percent: str) -> StudyResult:
    """A result with one arm's counts."""
    arm = ArmNumbers("zotaprine", n=cell("n", n), events=cell("count", events), percent=cell("percent", percent))
    return StudyResult(Source.TABLE, "nausea", intervention=arm)


def test_percentages_that_are_not_of_the_arm_are_marked() -> None:
    assert checked(arms("12", "100", "12.0")).marks == ()
    assert [mark.kind for mark in checked(arms("12", "90", "12.0")).marks] == [MarkKind.PERCENT]


@pytest.mark.parametrize(
    ("value", "low", "high", "p", "kind"),
    [
        ("0.61", "0.42", "0.88", "0.008", None),
        ("0.91", "0.42", "0.88", "0.008", MarkKind.INTERVAL),
        ("0.80", "0.42", "0.88", "0.008", MarkKind.ASYMMETRIC),
        ("0.61", "0.42", "0.88", "0.30", MarkKind.P_VALUE),
        ("0.83", "0.63", "1.10", "<0.001", MarkKind.P_VALUE),
    ],
)
def test_effects_that_do_not_fit_themselves_are_marked(
    value: str, low: str, high: str, p: str, kind: MarkKind | None
) -> None:
    effect = cell("HR", value, interval=CellInterval(low=low, high=high, level="95"), p_value=p)

    marks = checked(StudyResult(Source.ABSTRACT, "nausea", effect=effect)).marks

    assert [mark.kind for mark in marks] == ([] if kind is None else [kind])


def test_an_adjusted_p_value_may_differ_from_the_interval() -> None:
    effect = cell("HR", "0.61", interval=CellInterval(low="0.42", high="0.88", level="95"), p_value="0.30")

    assert checked(StudyResult(Source.ABSTRACT, "nausea", effect=effect, adjusted=True)).marks == ()


def test_arms_larger_than_the_study_are_marked() -> None:
    both = replace(arms("12", "100", "12.0"), comparator=ArmNumbers("placebo", n=cell("n", "120")))

    assert [mark.kind for mark in sizes_fit(both, 200).marks] == [MarkKind.ARM_SIZES]
    assert sizes_fit(both, 220).marks == ()


def test_a_count_is_computed_from_a_percentage_only_where_one_number_fits() -> None:
    exact = count_from_percent(cell("percent", "38.5"), cell("n", "26"))
    many = count_from_percent(cell("percent", "38"), cell("n", "2600"))

    assert exact is not None
    assert (exact.value, exact.total) == ("10", "26")
    assert exact.computed is not None
    assert len(exact.computed_from) == 2
    assert Decimal(exact.value) / 26 * 100 == pytest.approx(Decimal("38.5"), abs=Decimal("0.05"))
    assert many is None


def test_a_record_of_a_registry_and_its_full_text_become_one_study() -> None:
    record = EvidenceRecord(
        source="clinicaltrials",
        source_id="NCT01234567",
        text_origin=TextOrigin.REGISTRY,
        title="Zotaprine against placebo",
        results=(
            OutcomeResult(
                outcome="Nausea",
                time_point="12 weeks",
                arms=(ArmResult(arm="Zotaprine", n=100, events=12), ArmResult(arm="Placebo", n=101, events=20)),
            ),
        ),
        retrieved_at=datetime(2026, 11, 26, tzinfo=UTC),
    )

    result = extract(StudyText.of(record), NAUSEA).first

    assert result is not None
    assert result.source is Source.REGISTRY
    assert result.time == "12 weeks"
    assert [arm.events.value for arm in result.arms if arm.events] == ["12", "20"]
    assert result.arms[0].events is not None
    assert result.arms[0].events.text_origin is TextOrigin.REGISTRY


def test_a_measured_result_of_a_registry_has_mean_and_deviation() -> None:
    registered = OutcomeResult(
        outcome="Pain score",
        arms=tuple(
            ArmResult(
                arm=name, n=n, measured=Measured(value=mean, kind="Mean", dispersion="Standard Deviation", spread=1.5)
            )
            for name, n, mean in (("Placebo", 41, 5.5), ("Zotaprine", 40, 3.25))
        ),
    )

    result = extract(replace(paper(), registered=(registered,)), Asked("zotaprine", "placebo", "pain score")).first

    assert result is not None
    assert [(a.mean.value, a.deviation.value, a.n.value) for a in result.arms if a.mean and a.deviation and a.n] == [
        ("3.25", "1.5", "40"),
        ("5.5", "1.5", "41"),
    ]


def test_arms_that_exceed_the_people_of_the_study_are_marked_where_they_are_read() -> None:
    rows = table("Outcome | Zotaprine (n = 100) | Placebo (n = 101)", "Nausea, n (%) | 12 (12.0) | 20 (19.8)")

    few = extract(paper(rows, results="A total of 180 patients were enrolled."), NAUSEA).first
    enough = extract(paper(rows, results="A total of 201 patients were enrolled."), NAUSEA).first

    assert few is not None
    assert [mark.kind for mark in few.marks] == [MarkKind.ARM_SIZES]
    assert enough is not None
    assert enough.marks == ()
