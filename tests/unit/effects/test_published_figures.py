"""Figures that papers and handbooks print, within their printed digits."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
from openwork_effects import (
    BaselineRisk,
    Event,
    Group,
    HazardRatio,
    NumberNeeded,
    NumberNeededThroughInfinity,
    OddsRatio,
    PersonTime,
    RatioUndefined,
    RiskDifference,
    RiskRatio,
    Sample,
    absolute_from_hazard_ratio,
    absolute_from_odds_ratio,
    absolute_from_risk_ratio,
    deviation_from_difference,
    mean_difference,
    number_needed,
    odds_ratio,
    per_thousand,
    rate,
    rate_ratio,
    risk_difference,
    risk_ratio,
    standard_error_from_interval,
    standard_error_of_difference_from_p,
)

TRIALS = [  # name, events and people of both arms, per 1,000, number needed
    ("DAPA-HF, death", (276, 2373, 329, 2371), "22 fewer per 1,000 (3 to 41)", "NNTB 45 (25 to 289)"),
    ("DAPA-HF, primary", (386, 2373, 502, 2371), "49 fewer per 1,000 (27 to 71)", "NNTB 21 (15 to 38)"),
    (
        "EMPEROR-Preserved, death",
        (422, 2997, 427, 2991),
        "2 fewer per 1,000 (20 fewer to 16 more)",
        "NNTB 51 to infinity to NNTH 64",
    ),
    ("6S, death at 90 days", (201, 398, 172, 400), "75 more per 1,000 (6 to 143)", "NNTH 14 (7 to 173)"),
]


@pytest.mark.parametrize(("name", "table", "thousand", "needed"), TRIALS)
def test_trials_of_the_example_answers_give_their_figures(
    name: str, table: tuple[int, int, int, int], thousand: str, needed: str
) -> None:
    a, n, c, m = table
    difference = risk_difference(Group(a, n), Group(c, m))
    assert per_thousand(difference).in_words == thousand, name
    assert number_needed(difference, Event.BAD).in_words == needed, name


def test_6s_prints_the_risk_ratio_of_its_paper() -> None:
    """RR 1.17 (1.01 to 1.36)."""
    ratio = risk_ratio(Group(201, 398), Group(172, 400))
    assert [round(v, 2) for v in (ratio.estimate, ratio.low, ratio.high)] == [1.17, 1.01, 1.36]


NEWCOMBE_METHOD_10 = [  # Newcombe 1998, Table II
    ((56, 70, 48, 80), (0.0524, 0.3339)),
    ((9, 10, 3, 10), (0.1705, 0.8090)),
    ((6, 7, 2, 7), (0.0582, 0.8062)),
    ((5, 56, 0, 29), (-0.0381, 0.1926)),
    ((0, 10, 0, 20), (-0.1611, 0.2775)),
    ((0, 10, 0, 10), (-0.2775, 0.2775)),
    ((10, 10, 0, 20), (0.6791, 1.0)),
    ((10, 10, 0, 10), (0.6075, 1.0)),
]


@pytest.mark.parametrize(("table", "limits"), NEWCOMBE_METHOD_10)
def test_newcombes_own_examples_give_his_limits(table: tuple[int, int, int, int], limits: tuple[float, float]) -> None:
    a, n, c, m = table
    difference = risk_difference(Group(a, n), Group(c, m))
    assert (round(difference.low, 4), round(difference.high, 4)) == limits


def test_altmans_interval_from_harm_to_benefit_passes_through_infinity() -> None:
    """A reduction of 10 % (-5 % to 25 %): NNTB 4 to infinity to NNTH 20 (DOI 10.1136/bmj.317.7168.1309)."""
    needed = number_needed(RiskDifference(-0.10, -0.25, 0.05), Event.BAD)
    assert needed == NumberNeededThroughInfinity(benefit=4, harm=20, level=0.95)


@pytest.mark.parametrize(("difference", "number"), [(-0.12, 9), (-0.22, 5), (-0.05, 20), (-0.2, 5), (-1 / 3, 3)])
def test_numbers_needed_are_rounded_up_and_whole_ones_stay(difference: float, number: int) -> None:
    """-0.12 gives 9 and -0.22 gives 5 in the Cochrane Handbook (5.1, 12.5.4.1)."""
    needed = number_needed(RiskDifference(difference, difference - 0.01, difference + 0.01), Event.BAD)
    assert isinstance(needed, NumberNeeded)
    assert needed.number == number


def test_relative_effects_at_a_baseline_of_30_percent_are_those_of_the_cochrane_handbook() -> None:
    """RR 0.92: 24 fewer, NNT 42 (5.1, 12.5.4.2). OR 0.73: 62 fewer, NNT 17 (12.5.4.3)."""
    baseline = BaselineRisk(0.3, "assumed", "as in the review")
    for effect, fewer, number in (
        (absolute_from_risk_ratio(RiskRatio(0.92, 0.9, 0.94), baseline), -24, 42),
        (absolute_from_odds_ratio(OddsRatio(0.73, 0.7, 0.76), baseline), -62, 17),
    ):
        needed = number_needed(effect.difference, Event.BAD)
        assert isinstance(needed, NumberNeeded)
        assert (per_thousand(effect.difference).estimate, needed.number) == (fewer, number)


def test_a_hazard_ratio_of_one_half_at_a_risk_of_one_half() -> None:
    """1 - sqrt(1/2): survival of 0.5 becomes its root."""
    effect = absolute_from_hazard_ratio(HazardRatio(0.5, 0.25, 1.0), BaselineRisk(0.5, "control arm", "5 years"))
    assert effect.risk == pytest.approx(1 - 0.5**0.5)
    assert effect.difference.high == 0


def test_standard_errors_are_those_of_the_handbooks_examples() -> None:
    """MD 3.8, P = 0.008, 25 and 22 people: t 2.78, SE 1.37, SD 4.69 (Cochrane Handbook 6.5.2.3)."""
    error = standard_error_of_difference_from_p(3.8, 0.008, degrees_of_freedom=45)
    assert round(3.8 / error, 2) == 2.78
    assert round(error, 2) == 1.37
    assert round(deviation_from_difference(1.37, 25, 22), 2) == 4.69


def test_rely_rates_per_year_give_its_published_relative_risk() -> None:
    """RE-LY: stroke or systemic embolism 182 (1.53 %/year) and 199 events (1.69 %/year): 0.91 (0.74 to 1.11)."""
    dabigatran, warfarin = PersonTime(182, 182 / 0.0153), PersonTime(199, 199 / 0.0169)
    ratio = rate_ratio(dabigatran, warfarin)
    assert [round(v, 2) for v in (ratio.estimate, ratio.low, ratio.high)] == [0.91, 0.74, 1.11]
    assert round(rate(warfarin).per_1000_person_years[0], 1) == 16.9


@pytest.mark.data
def test_revman_gives_the_same_odds_ratios_and_standard_errors(data_dir: Path) -> None:
    """Per-study rows of a RevMan export (Fleiss 1993), eight printed digits."""
    rows = [row for row in revman(data_dir) if float(row["Mean 1"]) == 0]
    assert len(rows) == 7
    for row in rows:
        first = Group(int(row["Events 1"]), int(row["Total 1"]))
        ratio = odds_ratio(first, Group(int(row["Events 2"]), int(row["Total 2"])))
        shown = [float(row[k]) for k in ("Effect Estimate", "CI Start", "CI End", "SE")]
        ours = [ratio.estimate, ratio.low, ratio.high, standard_error_from_interval(ratio)]
        assert ours == pytest.approx(shown, rel=2e-7), row["Name"]


@pytest.mark.data
def test_revman_gives_the_same_mean_differences_and_standard_errors(data_dir: Path) -> None:
    """Its interval is normal, ours Welch's t: never narrower."""
    rows = [row for row in revman(data_dir) if float(row["Mean 1"])]
    assert len(rows) == 5
    for row in rows:
        first, second = (Sample(float(row[f"Mean {i}"]), float(row[f"SD {i}"]), int(row[f"Total {i}"])) for i in (1, 2))
        difference = mean_difference(first, second)
        ours = [difference.estimate, difference.standard_error]
        assert ours == pytest.approx([float(row["Effect Estimate"]), float(row["SE"])], rel=2e-7), row["Name"]
        assert difference.high > float(row["CI End"])


def revman(data_dir: Path) -> list[dict[str, str]]:
    """Per-study rows: those with a standard error."""
    with (data_dir / "benchmarks/meta-analysis/Fleiss1993_RevMan.csv").open(encoding="utf-8-sig") as file:
        return [row for row in csv.DictReader(file) if row["Effect Estimate"] and row["SE"]]


@pytest.mark.data
def test_cochrane_prints_the_same_risk_ratios_for_remdesivir(data_dir: Path) -> None:
    rows = json.loads((data_dir / "benchmarks/rct-extraction/cochrane_remdesivir_case_study.json").read_text("utf-8"))
    for row in rows:
        first = Group(row["intervention_events"], row["intervention_group_size"])
        ratio = risk_ratio(first, Group(row["comparator_events"], row["comparator_group_size"]))
        shown = [row["risk_ratio"], *json.loads(row["risk_ratio_ci"])]
        assert [round(v, 2) for v in (ratio.estimate, ratio.low, ratio.high)] == shown, row["study"]


@pytest.mark.data
def test_every_trial_with_counts_gives_a_difference_and_a_number_needed_that_agree(data_dir: Path) -> None:
    """Human-extracted counts of real trials: the reading of zero is the same in both, and no table is refused."""
    rows = json.loads(gzip.decompress((data_dir / "benchmarks/rct-extraction/annotated_rct.json.gz").read_bytes()))
    keys = ("intervention_events", "intervention_group_size", "comparator_events", "comparator_group_size")
    tables = [[int(row[k]) for k in keys] for row in rows if all(str(row[k]).isdigit() for k in keys)]
    assert len(tables) >= 60
    one_number = 0
    for a, n, c, m in tables:
        difference = risk_difference(Group(a, n), Group(c, m))
        single = isinstance(number_needed(difference, Event.BAD), NumberNeeded)
        assert single is not (difference.low <= 0 <= difference.high)
        one_number += single
    assert 0 < one_number < len(tables)


@pytest.mark.data
def test_trials_without_a_death_in_either_arm_have_no_ratio(data_dir: Path) -> None:
    """Hydroxychloroquine trials (Axfors 2021), many of them double-zero."""
    with (data_dir / "benchmarks/meta-analysis/axfors2021.csv").open(encoding="utf-8") as file:
        rows = [{k: int(v) for k, v in r.items() if "arm" in k} for r in csv.DictReader(file)]
    double_zero = 0
    for row in rows:
        groups = (
            Group(row["hcq_arm_event"], row["hcq_arm_total"]),
            Group(row["control_arm_event"], row["control_arm_total"]),
        )
        if groups[0].events == groups[1].events == 0:
            double_zero += 1
            with pytest.raises(RatioUndefined):
                odds_ratio(*groups)
        else:
            assert odds_ratio(*groups).corrected is (0 in (groups[0].events, groups[1].events))
    assert double_zero >= 5


def test_a_sample_is_the_same_from_deviation_standard_error_and_interval() -> None:
    sample = Sample(12.0, 4.0, 16)
    assert Sample.from_standard_error(12.0, 1.0, 16) == sample
    half = 2.1314495  # t for 15 degrees of freedom
    again = Sample.from_interval(12.0, 12 - half, 12 + half, 16)
    assert again.standard_deviation == pytest.approx(4.0, rel=1e-7)
