"""Random-effects models: DerSimonian-Laird and REML, with Wald's or Hartung and Knapp's interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

from openwork_effects.checks import level_of_confidence
from openwork_effects.distributions import rising_root, t_for
from openwork_effects.pooling.measures import StudyEffect
from openwork_effects.pooling.pooled import Model, Pooled, heterogeneity, limits, one_measure, shares

_GRID = 400
"""Points at which the restricted likelihood is looked at before the best is refined; it may have two peaks."""


def dersimonian_laird(studies: Sequence[StudyEffect], level: float = 0.95) -> Pooled:
    """Random effects with the moment estimator of tau squared and a normal interval: for comparison beside REML.

    Raises:
        NothingToPool: fewer than two studies, or of two measures.
        ImpossibleInterval: the level, in [0.5, 0.9999].
    Source: DerSimonian and Laird 1986, DOI 10.1016/0197-2456(86)90046-2.
    """
    one_measure(studies)
    return _pooled(studies, moment_tau2(studies), Model.DERSIMONIAN_LAIRD, level_of_confidence(level))


def reml(studies: Sequence[StudyEffect], level: float = 0.95, *, hartung_knapp: bool = True) -> Pooled:
    """Random effects with the restricted maximum likelihood estimator of tau squared.

    Args:
        hartung_knapp: t interval with k - 1 degrees of freedom and Hartung and Knapp's variance, which is not let
            under the usual one: else like effects of few studies give an interval that is narrower than a fixed one.
    Returns:
        With a prediction interval from three studies on: t with k - 2 degrees of freedom, tau squared plus the
        variance of the mean.
    Raises:
        NothingToPool: fewer than two studies, or of two measures.
        ImpossibleInterval: the level, in [0.5, 0.9999].
    Source: Viechtbauer 2005, DOI 10.3102/10769986030003261 (REML); Hartung and Knapp 2001, DOI 10.1002/sim.791; the
        floor: Roever 2015, DOI 10.1186/s12874-015-0091-1; prediction: Higgins 2009, DOI
        10.1111/j.1467-985X.2008.00552.x.
    """
    one_measure(studies)
    model = Model.REML_HARTUNG_KNAPP if hartung_knapp else Model.REML
    return _pooled(studies, reml_tau2(studies), model, level_of_confidence(level))


def moment_tau2(studies: Sequence[StudyEffect]) -> float:
    """DerSimonian and Laird's tau squared, at least 0."""
    weights = [1 / study.variance for study in studies]
    total = math.fsum(weights)
    mean = _mean(studies, weights)
    q = math.fsum(w * (study.value - mean) ** 2 for w, study in zip(weights, studies, strict=True))
    scale = total - math.fsum(w * w for w in weights) / total
    return max(0.0, (q - (len(studies) - 1)) / scale) if scale > 0 else 0.0


def reml_tau2(studies: Sequence[StudyEffect]) -> float:
    """Where the restricted likelihood of tau squared is greatest, at least 0.

    It is looked at on a grid, since it may have two peaks, then its derivative is halved to where it is zero.
    """
    spread = max(study.value for study in studies) - min(study.value for study in studies)
    smallest = min(study.variance for study in studies)
    highest = spread**2 + max(study.variance for study in studies)
    lowest = min(smallest, highest) * 1e-6
    step = (math.log(highest) - math.log(lowest)) / (_GRID - 1)
    grid = [0.0, *(math.exp(math.log(lowest) + step * i) for i in range(_GRID))]
    points = [(study.value, study.variance) for study in studies]
    best = max(range(len(grid)), key=lambda i: _restricted_likelihood(points, grid[i]))
    low, high = grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)]
    if best == 0 and _slope(studies, 0.0) <= 0:
        return 0.0
    return rising_root(lambda tau2: -_slope(studies, tau2), low, high)


def _restricted_likelihood(points: Sequence[tuple[float, float]], tau2: float) -> float:
    """Of the value and variance of each study; asked hundreds of times of the same ones."""
    variances = [variance + tau2 for _, variance in points]
    weights = [1 / variance for variance in variances]
    total = math.fsum(weights)
    mean = math.fsum([w * value for w, (value, _) in zip(weights, points, strict=True)]) / total
    squares = math.fsum([w * (value - mean) ** 2 for w, (value, _) in zip(weights, points, strict=True)])
    return -0.5 * (math.fsum(map(math.log, variances)) + math.log(total) + squares)


def _slope(studies: Sequence[StudyEffect], tau2: float) -> float:
    """Twice the derivative of the restricted likelihood."""
    weights = [1 / (study.variance + tau2) for study in studies]
    total, squared = math.fsum(weights), math.fsum(w * w for w in weights)
    mean = _mean(studies, weights)
    fit = math.fsum(w * w * (study.value - mean) ** 2 for w, study in zip(weights, studies, strict=True))
    return fit - total + squared / total


def _mean(studies: Sequence[StudyEffect], weights: Sequence[float]) -> float:
    return math.fsum(w * study.value for w, study in zip(weights, studies, strict=True)) / math.fsum(weights)


def _pooled(studies: Sequence[StudyEffect], tau2: float, model: Model, level: float) -> Pooled:
    weights = [1 / (study.variance + tau2) for study in studies]
    total, k = math.fsum(weights), len(studies)
    value = _mean(studies, weights)
    variance = 1 / total
    degrees = None
    if model is Model.REML_HARTUNG_KNAPP:
        spread = math.fsum(w * (study.value - value) ** 2 for w, study in zip(weights, studies, strict=True))
        variance, degrees = max(variance, spread / ((k - 1) * total)), k - 1
    error = math.sqrt(variance)
    low, high = limits(value, error, level, degrees)
    fixed = _mean(studies, [1 / study.variance for study in studies])
    prediction = None
    if k >= 3:
        reach = t_for(level, k - 2) * math.sqrt(tau2 + variance)
        prediction = value - reach, value + reach
    measure = studies[0].measure
    found = heterogeneity(studies, fixed, tau2)
    return Pooled(measure, model, value, error, low, high, level, shares(studies, weights), found, degrees, prediction)
