"""Every pooled figure is what metafor gives (values: `scripts/build_pooling_oracle.R`).

Closed forms agree within 1e-9; what is iterated (REML and what follows from it) within 1e-6, wanted was 1e-4.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from openwork_effects import Group
from openwork_effects.distributions import t_for
from openwork_effects.pooling import (
    Measure,
    Pooled,
    StudyEffect,
    dersimonian_laird,
    effect_of_counts,
    egger,
    harbord,
    inverse_variance,
    mantel_haenszel,
    peters,
    peto,
    reml,
)

ORACLE: dict[str, Any] = json.loads((Path(__file__).parent / "pooling_oracle.json").read_text("utf-8"))
COUNTS = [pytest.param(row, id=str(i)) for i, row in enumerate(ORACLE["counts"])]
EFFECTS = [pytest.param(row, id=str(i)) for i, row in enumerate(ORACLE["effects"])]


def same(ours: Sequence[float], theirs: Sequence[float | None], rel: float = 1e-9) -> None:
    known = [(a, b) for a, b in zip(ours, theirs, strict=True) if b is not None]
    assert [a for a, _ in known] == pytest.approx([b for _, b in known], rel=rel, abs=rel)


def line(pooled: Pooled) -> tuple[float, float, float, float]:
    return pooled.value, pooled.standard_error, pooled.low, pooled.high


def as_metafor(studies: Sequence[StudyEffect], row: dict[str, Any]) -> None:
    """All models of one set, beside metafor's."""
    fixed = inverse_variance(studies)
    same((*line(fixed), fixed.heterogeneity.q, fixed.heterogeneity.p_value), row["fixed"])
    moment = dersimonian_laird(studies)
    assert moment.heterogeneity.tau2 is not None
    same((*line(moment), moment.heterogeneity.tau2), row["dl"])
    wald = reml(studies, hartung_knapp=False)
    assert wald.heterogeneity.tau2 is not None
    same((*line(wald), wald.heterogeneity.tau2), row["reml"], 1e-6)
    floored = reml(studies)
    value, error, *_ = row["hartung_knapp"]
    if error > row["reml"][1]:
        same(line(floored), row["hartung_knapp"], 1e-6)
    else:
        # Hartung and Knapp's error is under the usual one, which ours takes, with t and k - 1 degrees of freedom.
        reach = t_for(0.95, len(studies) - 1) * row["reml"][1]
        same(line(floored), (value, row["reml"][1], value - reach, value + reach), 1e-6)
    if "prediction" in row:
        assert wald.prediction is not None
        same(wald.prediction, row["prediction"], 1e-6)
    if "egger" in row:
        found = egger(studies)
        same((found.bias, found.standard_error, found.p_value), row["egger"], 1e-8)


def of_counts(row: dict[str, Any], measure: Measure) -> list[StudyEffect]:
    return [
        effect_of_counts(f"study {i}", Group(a, n), Group(c, m), measure)
        for i, (a, n, c, m) in enumerate(row["tables"])
        if measure is Measure.RISK_DIFFERENCE or 0 < a + c < n + m
    ]


@pytest.mark.parametrize("row", EFFECTS)
def test_published_effects_pool_as_in_metafor(row: dict[str, Any]) -> None:
    pairs = zip(row["yi"], row["vi"], strict=True)
    as_metafor([StudyEffect(f"study {i}", Measure.MEAN_DIFFERENCE, y, v) for i, (y, v) in enumerate(pairs)], row)


@pytest.mark.parametrize("measure", [Measure.RISK_RATIO, Measure.ODDS_RATIO, Measure.RISK_DIFFERENCE])
@pytest.mark.parametrize("row", COUNTS)
def test_counts_pool_as_in_metafor(row: dict[str, Any], measure: Measure) -> None:
    if measure in row:
        as_metafor(of_counts(row, measure), row[measure])


@pytest.mark.parametrize("measure", [Measure.RISK_RATIO, Measure.ODDS_RATIO])
@pytest.mark.parametrize("row", COUNTS)
def test_mantel_haenszel_of_ratios_is_metafors(row: dict[str, Any], measure: Measure) -> None:
    pooled = mantel_haenszel(of_counts(row, measure))
    same((*line(pooled), pooled.heterogeneity.q), row[f"MH_{measure}"])


@pytest.mark.parametrize("row", COUNTS)
def test_mantel_haenszel_of_the_risk_difference_has_metafors_value(row: dict[str, Any]) -> None:
    """Its variance is Greenland and Robins', as Review Manager prints it; metafor's is that of Sato."""
    same((mantel_haenszel(of_counts(row, Measure.RISK_DIFFERENCE)).value,), (row["MH_RD_value"],))


@pytest.mark.parametrize("row", COUNTS)
def test_peto_is_metafors(row: dict[str, Any]) -> None:
    pooled = peto(of_counts(row, Measure.ODDS_RATIO))
    same((*line(pooled), pooled.heterogeneity.q), row["peto"])


@pytest.mark.parametrize("row", [row for row in COUNTS if len(row.values[0]["tables"]) >= 10])  # type: ignore[index,call-overload]
def test_harbord_and_peters_are_the_regressions_of_r(row: dict[str, Any]) -> None:
    studies = of_counts(row, Measure.ODDS_RATIO)
    if len(studies) < len(row["tables"]):
        pytest.skip("a study without events, of which R makes a line of its own")
    for found, theirs in ((harbord(studies), row["harbord"]), (peters(studies), row["peters"])):
        same((found.bias, found.standard_error, found.p_value), theirs, 1e-8)
        assert math.isfinite(found.bias)
