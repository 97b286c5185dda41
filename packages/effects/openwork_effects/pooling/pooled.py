"""A pooled effect: what every model gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from openwork_effects.counts import Group
from openwork_effects.distributions import chi_squared_tail, normal_for, t_for
from openwork_effects.errors import NothingToPool
from openwork_effects.estimates import (
    Basis,
    Estimate,
    HazardRatio,
    MeanDifference,
    OddsRatio,
    RateRatio,
    Ratio,
    RiskDifference,
    RiskRatio,
    StandardisedMeanDifference,
)
from openwork_effects.pooling.measures import Measure, StudyEffect

LARGEST_LOG = 200.0
"""A logarithm of a ratio beyond it is no finding; it keeps the ratio within a float."""


_RATIOS: dict[Measure, type[Ratio]] = {
    Measure.RISK_RATIO: RiskRatio,
    Measure.ODDS_RATIO: OddsRatio,
    Measure.HAZARD_RATIO: HazardRatio,
    Measure.RATE_RATIO: RateRatio,
}


class Model(StrEnum):
    """How studies were pooled, in the words that are printed."""

    INVERSE_VARIANCE = "fixed effect, inverse variance"
    MANTEL_HAENSZEL = "fixed effect, Mantel-Haenszel"
    PETO = "fixed effect, Peto"
    DERSIMONIAN_LAIRD = "random effects, DerSimonian-Laird"
    REML = "random effects, REML"
    REML_HARTUNG_KNAPP = "random effects, REML, Hartung-Knapp"


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """How far studies differ beyond chance."""

    q: float
    """Cochran's Q, weights 1/variance, about the pooled effect; of random effects about the fixed one."""
    degrees_of_freedom: int
    p_value: float
    i2: float
    """(Q - df) / Q, at least 0, in [0, 1). Source: Higgins 2003, DOI 10.1136/bmj.327.7414.557."""
    tau2: float | None = None
    """Between-study variance on the scale of the values; `None` = the model has none."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """One study in a pooled effect."""

    effect: StudyEffect
    weight: float
    """Share of all weight, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """The pooled effect of two or more studies, on the scale on which they were averaged."""

    measure: Measure
    model: Model
    value: float
    """The logarithm of a ratio; a difference as it is. So are the limits."""
    standard_error: float
    low: float
    high: float
    level: float
    studies: tuple[Weighted, ...]
    heterogeneity: Heterogeneity
    degrees_of_freedom: int | None = None
    """Of the t quantile of the interval; `None` = normal."""
    prediction: tuple[float, float] | None = None
    """Where the effect of a new study would lie; `None` for fixed effects and under 3 studies."""

    @property
    def estimate(self) -> Estimate:
        """The effect with its interval as it is read: a ratio, or a difference in its unit."""
        return as_estimate(self.measure, self.value, self.low, self.high, self.level, self.standard_error)

    @property
    def prediction_read(self) -> tuple[float, float] | None:
        """The prediction interval as it is read."""
        if self.prediction is None or not self.measure.is_ratio:
            return self.prediction
        low, high = (math.exp(max(-LARGEST_LOG, min(LARGEST_LOG, limit))) for limit in self.prediction)
        return low, high


def as_estimate(measure: Measure, value: float, low: float, high: float, level: float, error: float) -> Estimate:
    """Value and limits of the averaging scale as an effect of its class.

    Raises:
        NothingToPool: a logarithm beyond 200: no ratio that anybody could read.
    """
    if measure.is_ratio:
        if max(abs(low), abs(high)) > LARGEST_LOG:
            raise NothingToPool(f"{measure} from exp({low:g}) to exp({high:g}): print the studies, each by itself")
        value, low, high = math.exp(value), math.exp(low), math.exp(high)
    if measure is Measure.RISK_DIFFERENCE:
        low, high = max(-1.0, low), min(1.0, high)
        return RiskDifference(value, min(low, value), max(high, value), level, Basis.CRUDE_COUNTS)
    if measure is Measure.MEAN_DIFFERENCE:
        return MeanDifference(value, low, high, level, standard_error=error, degrees_of_freedom=math.inf)
    if measure is Measure.STANDARDISED_MEAN_DIFFERENCE:
        return StandardisedMeanDifference(value, low, high, level, standard_error=error)
    return _RATIOS[measure](value, low, high, level)


def limits(value: float, error: float, level: float, degrees_of_freedom: int | None = None) -> tuple[float, float]:
    """value -+ quantile x standard error; normal, or t where degrees of freedom are given."""
    quantile = normal_for(level) if degrees_of_freedom is None else t_for(level, degrees_of_freedom)
    return value - quantile * error, value + quantile * error


def heterogeneity(studies: Sequence[StudyEffect], centre: float, tau2: float | None = None) -> Heterogeneity:
    """Cochran's Q about `centre`, weights 1/variance."""
    q = math.fsum((study.value - centre) ** 2 / study.variance for study in studies)
    return heterogeneity_of_q(q, len(studies) - 1, tau2)


def heterogeneity_of_q(q: float, degrees_of_freedom: int, tau2: float | None = None) -> Heterogeneity:
    """From a Q that a model has its own way to."""
    p = chi_squared_tail(q, degrees_of_freedom) if degrees_of_freedom else 1.0
    i2 = max(0.0, (q - degrees_of_freedom) / q) if q > 0 else 0.0
    return Heterogeneity(q, degrees_of_freedom, p, i2, tau2)


def shares(studies: Sequence[StudyEffect], weights: Sequence[float]) -> tuple[Weighted, ...]:
    """Each study with its share of all weight."""
    total = math.fsum(weights)
    return tuple(Weighted(study, weight / total) for study, weight in zip(studies, weights, strict=True))


def counts_of(study: StudyEffect) -> tuple[Group, Group]:
    """First and second group.

    Raises:
        NothingToPool: its effect was published without counts.
    """
    if study.table is None:
        raise NothingToPool(f"{study.study!r} has no counts; inverse variance and Egger's test need none")
    return study.table


def one_measure(studies: Sequence[StudyEffect]) -> Measure:
    """The measure of all of them.

    Raises:
        NothingToPool: fewer than two, two of one name, or more than one measure.
    """
    if len(studies) < 2:
        raise NothingToPool(f"{len(studies)} studies: two are needed; print what there is, by itself")
    measures = {study.measure for study in studies}
    if len(measures) > 1:
        raise NothingToPool(f"{', '.join(sorted(measures))} do not mix; pool those of one measure")
    names = [study.study for study in studies]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise NothingToPool(f"{twice[0]!r} stands there twice: one study counts once; combine its arms or reports")
    return measures.pop()
