"""Every closed form is what statsmodels and SciPy give, within 1e-9 (values: `scripts/build_effects_oracle.py`)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from openwork_effects import (
    Group,
    PersonTime,
    Sample,
    mean_difference,
    odds_ratio,
    rate,
    rate_difference,
    rate_ratio,
    risk,
    risk_difference,
    risk_ratio,
    standardised_mean_difference,
)
from openwork_effects.distributions import poisson_limits, upper_t

ORACLE: dict[str, Any] = json.loads((Path(__file__).parent / "oracle.json").read_text("utf-8"))


def same(ours: tuple[float, ...], theirs: list[float]) -> None:
    assert ours == pytest.approx(tuple(theirs), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("row", ORACLE["two_by_two"], ids=lambda row: str(row["table"]))
def test_two_by_two_tables_give_the_risks_differences_and_ratios_of_statsmodels(row: dict[str, Any]) -> None:
    a, n, c, m = row["table"]
    first, second, level = Group(a, n), Group(c, m), row["level"]
    wilson, difference = risk(first, level), risk_difference(first, second, level)
    same((wilson.low, wilson.high), row["risk"])
    same((difference.low, difference.high), row["risk_difference"])
    assert difference.estimate == pytest.approx(a / n - c / m, abs=1e-15)
    if "risk_ratio" in row:
        for made, expected in ((risk_ratio, "risk_ratio"), (odds_ratio, "odds_ratio")):
            ratio = made(first, second, level)
            same((ratio.estimate, ratio.low, ratio.high), row[expected])


@pytest.mark.parametrize("row", ORACLE["person_time"], ids=lambda row: str(row["times"]))
def test_rates_have_the_exact_limits_of_statsmodels(row: dict[str, Any]) -> None:
    a, t, c, u = row["times"]
    first, second, level = PersonTime(a, t), PersonTime(c, u), row["level"]
    one = rate(first, level)
    same((one.low, one.high), row["rate"])
    difference = rate_difference(first, second, level)
    if row["rate_difference"] is not None:
        same((difference.low, difference.high), row["rate_difference"])
    assert difference.estimate == pytest.approx(a / t - c / u)
    if "rate_ratio" in row:
        ratio = rate_ratio(first, second, level)
        same((ratio.low, ratio.high), row["rate_ratio"])


@pytest.mark.parametrize("row", ORACLE["means"])
def test_means_have_the_welch_interval_and_the_hedges_g_of_statsmodels(row: dict[str, Any]) -> None:
    first, second = (Sample(*values) for values in row["samples"])
    difference = mean_difference(first, second, row["level"])
    same((difference.low, difference.high), row["mean_difference"])
    g = standardised_mean_difference(first, second, row["level"])
    same((g.estimate, g.standard_error**2), row["smd"])


def test_quantiles_are_those_of_scipy() -> None:
    for tail, degrees_of_freedom, expected in ORACLE["t"]:
        assert upper_t(tail, degrees_of_freedom) == pytest.approx(expected, rel=1e-9), (tail, degrees_of_freedom)
    for events, level, low, high in ORACLE["poisson"]:
        assert poisson_limits(events, level) == pytest.approx((low, high), rel=1e-9), (events, level)


def test_the_oracle_covers_zero_cells_and_every_level() -> None:
    tables = [row["table"] for row in ORACLE["two_by_two"]]
    assert any(a == 0 or c == 0 for a, _, c, _ in tables)
    assert any(a == n or c == m for a, n, c, m in tables)
    assert {row["level"] for row in ORACLE["two_by_two"]} == {0.9, 0.95, 0.99}
    assert all(math.isfinite(v) for row in ORACLE["means"] for v in row["smd"])
