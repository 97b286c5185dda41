"""Fixed-effect models: inverse variance, Mantel-Haenszel, Peto."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from openwork_effects.checks import level_of_confidence
from openwork_effects.counts import Group
from openwork_effects.errors import NothingToPool, RatioUndefined
from openwork_effects.pooling.measures import Measure, StudyEffect
from openwork_effects.pooling.pooled import (
    Model,
    Pooled,
    counts_of,
    heterogeneity,
    heterogeneity_of_q,
    limits,
    one_measure,
    shares,
)


def inverse_variance(studies: Sequence[StudyEffect], level: float = 0.95) -> Pooled:
    """The mean of the effects, each weighed by 1/variance, with a normal interval.

    Raises:
        NothingToPool: fewer than two studies, or of two measures.
        ImpossibleInterval: the level, in [0.5, 0.9999].
    Source: Cochrane Handbook 10.3.2, DOI 10.1002/9781119536604.
    """
    measure, level = one_measure(studies), level_of_confidence(level)
    weights = [1 / study.variance for study in studies]
    total = math.fsum(weights)
    value = math.fsum(w * study.value for w, study in zip(weights, studies, strict=True)) / total
    error = math.sqrt(1 / total)
    low, high = limits(value, error, level)
    found = heterogeneity(studies, value)
    return Pooled(measure, Model.INVERSE_VARIANCE, value, error, low, high, level, shares(studies, weights), found)


@dataclass(frozen=True, slots=True)
class _Cells:
    """a, b: first group with and without the event; c, d: second."""

    a: int
    b: int
    c: int
    d: int

    @property
    def n1(self) -> int:
        return self.a + self.b

    @property
    def n2(self) -> int:
        return self.c + self.d

    @property
    def n(self) -> int:
        return self.a + self.b + self.c + self.d


def mantel_haenszel(studies: Sequence[StudyEffect], level: float = 0.95) -> Pooled:
    """The Mantel-Haenszel risk ratio, odds ratio or risk difference of counts, nothing added to any cell.

    Q is about this effect, with the variances of the single studies.

    Raises:
        NothingToPool: fewer than two studies, of two measures, or without counts.
        RatioUndefined: nobody had the event in one of the groups over all studies.
        ImpossibleInterval: the level, in [0.5, 0.9999].
    Source: Mantel and Haenszel 1959, DOI 10.1093/jnci/22.4.719; variances of the risk ratio and the risk difference:
        Greenland and Robins 1985, DOI 10.2307/2530643; of the odds ratio: Robins, Breslow and Greenland 1986, DOI
        10.2307/2531052.
    """
    measure, level = one_measure(studies), level_of_confidence(level)
    if not measure.is_of_counts:
        raise NothingToPool(f"{measure} has no counts; pool it by inverse variance")
    cells = [_cells(study) for study in studies]
    value, variance, weights = _MADE[measure](cells)
    error = math.sqrt(variance)
    low, high = limits(value, error, level)
    found = heterogeneity(studies, value)
    return Pooled(measure, Model.MANTEL_HAENSZEL, value, error, low, high, level, shares(studies, weights), found)


def _cells(study: StudyEffect) -> _Cells:
    first, second = counts_of(study)
    return _Cells(first.events, first.n - first.events, second.events, second.n - second.events)


_Made = tuple[float, float, list[float]]


def _risk_ratio(cells: Sequence[_Cells]) -> _Made:
    first = math.fsum(x.a * x.n2 / x.n for x in cells)
    weights = [x.c * x.n1 / x.n for x in cells]
    second = math.fsum(weights)
    _both(first, second)
    spread = math.fsum((x.n1 * x.n2 * (x.a + x.c) - x.a * x.c * x.n) / x.n**2 for x in cells)
    return math.log(first / second), spread / (first * second), weights


def _odds_ratio(cells: Sequence[_Cells]) -> _Made:
    weights = [x.b * x.c / x.n for x in cells]
    first, second = math.fsum(x.a * x.d / x.n for x in cells), math.fsum(weights)
    _both(first, second)
    for_first = math.fsum((x.a + x.d) * x.a * x.d / x.n**2 for x in cells)
    mixed = math.fsum(((x.a + x.d) * x.b * x.c + (x.b + x.c) * x.a * x.d) / x.n**2 for x in cells)
    for_second = math.fsum((x.b + x.c) * x.b * x.c / x.n**2 for x in cells)
    variance = for_first / (2 * first**2) + mixed / (2 * first * second) + for_second / (2 * second**2)
    return math.log(first / second), variance, weights


def _risk_difference(cells: Sequence[_Cells]) -> _Made:
    weights = [x.n1 * x.n2 / x.n for x in cells]
    total = math.fsum(weights)
    value = math.fsum((x.a * x.n2 - x.c * x.n1) / x.n for x in cells) / total
    spread = math.fsum((x.a * x.b * x.n2**3 + x.c * x.d * x.n1**3) / (x.n1 * x.n2 * x.n**2) for x in cells)
    if spread == 0:
        raise RatioUndefined("nobody, or everybody, had the event in every group: print the counts")
    return value, spread / total**2, weights


_MADE: dict[Measure, Callable[[Sequence[_Cells]], _Made]] = {
    Measure.RISK_RATIO: _risk_ratio,
    Measure.ODDS_RATIO: _odds_ratio,
    Measure.RISK_DIFFERENCE: _risk_difference,
}


def _both(first: float, second: float) -> None:
    if first == 0 or second == 0:
        raise RatioUndefined("no events in one of the groups over all studies: print counts and risk difference")


def peto(studies: Sequence[StudyEffect], level: float = 0.95) -> Pooled:
    """Peto's odds ratio of counts: the sum of observed minus expected events over the sum of their variances.

    For rare events, groups of like size and a modest effect only: `headline` asks for these.

    Raises:
        NothingToPool: fewer than two studies, another measure than the odds ratio, or no counts.
        RatioUndefined: nobody, or everybody, had the event in every study.
        ImpossibleInterval: the level, in [0.5, 0.9999].
    Source: Yusuf 1985, DOI 10.1016/S0033-0620(85)80003-7; Cochrane Handbook 10.4.2, DOI 10.1002/9781119536604.
    """
    measure, level = one_measure(studies), level_of_confidence(level)
    if measure is not Measure.ODDS_RATIO:
        raise NothingToPool(f"Peto's method gives an odds ratio, no {measure}")
    pairs = [observed_minus_expected(*counts_of(study)) for study in studies]
    total = math.fsum(variance for _, variance in pairs)
    if total == 0:
        raise RatioUndefined("nobody, or everybody, had the event in every study: print the counts")
    over = math.fsum(difference for difference, _ in pairs)
    value, error = over / total, math.sqrt(1 / total)
    low, high = limits(value, error, level)
    q = math.fsum(difference**2 / variance for difference, variance in pairs if variance) - over**2 / total
    found = heterogeneity_of_q(max(0.0, q), sum(variance > 0 for _, variance in pairs) - 1)
    weights = [variance for _, variance in pairs]
    return Pooled(measure, Model.PETO, value, error, low, high, level, shares(studies, weights), found)


def observed_minus_expected(first: Group, second: Group) -> tuple[float, float]:
    """O - E of the first group and its hypergeometric variance.

    Source: Yusuf 1985, DOI 10.1016/S0033-0620(85)80003-7.
    """
    n, events = first.n + second.n, first.events + second.events
    expected = first.n * events / n
    variance = first.n * second.n * events * (n - events) / (n**2 * (n - 1))
    return first.events - expected, variance
