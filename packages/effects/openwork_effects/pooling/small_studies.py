"""Whether small studies give other effects than large ones: a sign of missing studies, and of other things too.

From ten studies on; with fewer the tests find next to nothing (Sterne 2011, DOI 10.1136/bmj.d4002).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from openwork_effects.distributions import t_tail
from openwork_effects.errors import NothingToPool
from openwork_effects.pooling.fixed import observed_minus_expected
from openwork_effects.pooling.measures import Measure, StudyEffect, effect_of_counts
from openwork_effects.pooling.pooled import counts_of, one_measure

LEAST_STUDIES = 10


class SmallStudyTest(StrEnum):
    """By the name under which it is printed."""

    EGGER = "Egger"
    HARBORD = "Harbord"
    PETERS = "Peters"


@dataclass(frozen=True, slots=True)
class SmallStudyEffect:
    """What a test found."""

    test: SmallStudyTest
    bias: float
    """Egger, Harbord: the intercept of the regression, in standard errors. Peters: its slope on 1/people."""
    standard_error: float
    degrees_of_freedom: int
    p_value: float
    """Two-sided. 0.1 is the usual line, since the tests are weak."""


def small_study_effect(studies: Sequence[StudyEffect]) -> SmallStudyEffect:
    """The test that fits the measure: Egger of means and published effects; of counts Harbord (OR), Peters (RR).

    Egger's is not used for ratios of counts: effect and standard error hang together there.

    Raises:
        NothingToPool: fewer than ten studies, a risk difference, or all studies of one size.
    Source: Cochrane Handbook 13.3.5.4, DOI 10.1002/9781119536604.
    """
    measure = one_measure(studies)
    if len(studies) < LEAST_STUDIES:
        raise NothingToPool(f"{len(studies)} studies: tests for small-study effects need {LEAST_STUDIES}")
    if measure is Measure.RISK_DIFFERENCE:
        raise NothingToPool("no test for small-study effects is made for risk differences; use a ratio")
    if not measure.is_of_counts or any(study.table is None for study in studies):
        return egger(studies)
    return harbord(studies) if measure is Measure.ODDS_RATIO else peters(studies)


def egger(studies: Sequence[StudyEffect]) -> SmallStudyEffect:
    """Effects regressed on their standard errors, weights 1/variance: the slope, which is Egger's intercept.

    Raises:
        NothingToPool: standard errors that are all equal.
    Source: Egger 1997, DOI 10.1136/bmj.315.7109.629.
    """
    errors = [study.standard_error for study in studies]
    weights = [1 / study.variance for study in studies]
    return _slope(SmallStudyTest.EGGER, errors, [study.value for study in studies], weights)


def harbord(studies: Sequence[StudyEffect]) -> SmallStudyEffect:
    """Z/V regressed on 1/sqrt(V), weights V, of counts: Z is observed minus expected events, V its variance.

    Studies in which nobody, or everybody, had the event have no V and are left out.

    Raises:
        NothingToPool: studies without counts, or all of one size.
    Source: Harbord 2006, DOI 10.1002/sim.2380.
    """
    pairs = [observed_minus_expected(*counts_of(study)) for study in studies]
    pairs = [(z, v) for z, v in pairs if v > 0]
    inverse = [1 / math.sqrt(v) for _, v in pairs]
    return _slope(SmallStudyTest.HARBORD, inverse, [z / v for z, v in pairs], [v for _, v in pairs])


def peters(studies: Sequence[StudyEffect]) -> SmallStudyEffect:
    """Log odds ratios regressed on 1/people, weights events x others / people, of counts.

    Studies in which nobody, or everybody, had the event are left out.

    Raises:
        NothingToPool: studies without counts, or all of one size.
    Source: Peters 2006, DOI 10.1001/jama.295.6.676.
    """
    size, value, weights = [], [], []
    for study in studies:
        first, second = counts_of(study)
        n, events = first.n + second.n, first.events + second.events
        if 0 < events < n:
            size.append(1 / n)
            value.append(effect_of_counts(study.study, first, second, Measure.ODDS_RATIO).value)
            weights.append(events * (n - events) / n)
    return _slope(SmallStudyTest.PETERS, size, value, weights)


def _slope(test: SmallStudyTest, x: Sequence[float], y: Sequence[float], weights: Sequence[float]) -> SmallStudyEffect:
    """The slope of a weighted least-squares line, with the residual variance estimated."""
    total = math.fsum(weights)
    mean_x = math.fsum(w * v for w, v in zip(weights, x, strict=True)) / total
    mean_y = math.fsum(w * v for w, v in zip(weights, y, strict=True)) / total
    spread = math.fsum(w * (v - mean_x) ** 2 for w, v in zip(weights, x, strict=True))
    degrees = len(x) - 2
    if degrees < 1 or spread <= 1e-12 * total * mean_x**2:
        raise NothingToPool(f"{test}'s test needs studies of different size")
    slope = math.fsum(w * (v - mean_x) * (u - mean_y) for w, v, u in zip(weights, x, y, strict=True)) / spread
    left = math.fsum(w * (u - mean_y - slope * (v - mean_x)) ** 2 for w, v, u in zip(weights, x, y, strict=True))
    error = math.sqrt(left / degrees / spread)
    p = t_tail(slope / error, degrees) if error > 0 else (1.0 if slope == 0 else 0.0)
    return SmallStudyEffect(test, slope, error, degrees, p)
