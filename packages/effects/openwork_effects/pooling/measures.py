"""What is pooled: a measure, and one study's effect on the scale on which it is averaged."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from openwork_effects.checks import LARGEST_VALUE, number, of_kind, stated
from openwork_effects.counts import Group, cells_of
from openwork_effects.errors import ImpossibleNumber, MixedKinds, NoStandardError
from openwork_effects.estimates import (
    Estimate,
    HazardRatio,
    MeanDifference,
    OddsRatio,
    RateRatio,
    RiskDifference,
    RiskRatio,
    StandardisedMeanDifference,
)
from openwork_effects.means import Sample, standardised_mean_difference
from openwork_effects.standard_errors import SMALLEST_RATIO, standard_error_from_interval


class Measure(StrEnum):
    """A measure of effect. Ratios are averaged as natural logarithms."""

    RISK_RATIO = "RR"
    ODDS_RATIO = "OR"
    RISK_DIFFERENCE = "RD"
    HAZARD_RATIO = "HR"
    RATE_RATIO = "IRR"
    MEAN_DIFFERENCE = "MD"
    STANDARDISED_MEAN_DIFFERENCE = "SMD"

    @property
    def is_ratio(self) -> bool:
        """No effect at 1, averaged as a logarithm."""
        return self in _RATIOS

    @property
    def is_of_counts(self) -> bool:
        """Follows from events and people."""
        return self in (Measure.RISK_RATIO, Measure.ODDS_RATIO, Measure.RISK_DIFFERENCE)


_RATIOS = frozenset({Measure.RISK_RATIO, Measure.ODDS_RATIO, Measure.HAZARD_RATIO, Measure.RATE_RATIO})
_OF_CLASS: dict[type[Estimate], Measure] = {
    RiskRatio: Measure.RISK_RATIO,
    OddsRatio: Measure.ODDS_RATIO,
    RiskDifference: Measure.RISK_DIFFERENCE,
    HazardRatio: Measure.HAZARD_RATIO,
    RateRatio: Measure.RATE_RATIO,
    MeanDifference: Measure.MEAN_DIFFERENCE,
    StandardisedMeanDifference: Measure.STANDARDISED_MEAN_DIFFERENCE,
}


@dataclass(frozen=True, slots=True)
class StudyEffect:
    """One study's effect, first group against second, with its variance.

    Raises:
        ImpossibleNumber: a value that is not finite, a variance outside (0, 1e12], a study without a name.
    """

    study: str
    measure: Measure
    value: float
    """The natural logarithm of a ratio; a difference as it is."""
    variance: float
    table: tuple[Group, Group] | None = None
    """The counts it was made from; `None` where an effect was published and no counts."""
    corrected: bool = False
    """0.5 was added to all four cells, since one was zero; of a risk difference for its variance alone."""

    def __post_init__(self) -> None:
        stated(self.study, "the study")
        number(self.value, f"the effect of {self.study!r}")
        if not 0 < number(self.variance, f"the variance of {self.study!r}") <= LARGEST_VALUE:
            raise ImpossibleNumber(f"the variance of {self.study!r} is {self.variance!r}; it must be over 0")

    @property
    def standard_error(self) -> float:
        """On the scale of `value`."""
        return math.sqrt(self.variance)


def effect_of_counts(study: str, first: Group, second: Group, measure: Measure) -> StudyEffect:
    """A risk ratio, odds ratio or risk difference of one study.

    A zero cell adds 0.5 to all four cells of that study for a ratio. A risk difference is never corrected; where its
    variance would be zero (nobody, or everybody, had the event in each group) the variance alone is that of the
    corrected cells.

    Raises:
        RatioUndefined: a ratio of a study in which nobody, or everybody, had the event.
        MixedKinds: another measure, or no groups.
    Source: Cochrane Handbook 10.4.4 (corrections) and 6.4 (variances), DOI 10.1002/9781119536604.
    """
    if not measure.is_of_counts:
        raise MixedKinds(f"{measure} does not follow from counts; give the published effect")
    if measure is Measure.RISK_DIFFERENCE:
        return _risk_difference(study, first, second)
    (a, b), (c, d), corrected = cells_of(first, second)
    if measure is Measure.ODDS_RATIO:
        value, variance = math.log(a / b) - math.log(c / d), 1 / a + 1 / b + 1 / c + 1 / d
    else:
        value = math.log(a / (a + b)) - math.log(c / (c + d))
        variance = b / (a * (a + b)) + d / (c * (c + d))
    return StudyEffect(study, measure, value, variance, (first, second), corrected)


def _risk_difference(study: str, first: Group, second: Group) -> StudyEffect:
    of_kind(first, Group, "the first group")
    of_kind(second, Group, "the second group")
    value = float(Fraction(first.events, first.n) - Fraction(second.events, second.n))
    variance = sum(group.risk * (1 - group.risk) / group.n for group in (first, second))
    corrected = variance == 0
    if corrected:
        variance = sum(_variance_with_half(group) for group in (first, second))
    return StudyEffect(study, Measure.RISK_DIFFERENCE, value, variance, (first, second), corrected)


def _variance_with_half(group: Group) -> float:
    n = group.n + 1
    risk = (group.events + 0.5) / n
    return risk * (1 - risk) / n


def effect_of_samples(study: str, first: Sample, second: Sample, measure: Measure) -> StudyEffect:
    """A mean difference or a standardised one (Hedges' g) of one study.

    Final values and changes from baseline are never mixed in a standardised difference, and scales run the same way:
    `eligibility` asks for both.

    Raises:
        MixedKinds: another measure, or no samples.
    Source: Cochrane Handbook 6.5.1, DOI 10.1002/9781119536604.
    """
    of_kind(first, Sample, "the first group")
    of_kind(second, Sample, "the second group")
    if measure is Measure.STANDARDISED_MEAN_DIFFERENCE:
        g = standardised_mean_difference(first, second)
        return StudyEffect(study, measure, g.estimate, g.standard_error**2)
    if measure is not Measure.MEAN_DIFFERENCE:
        raise MixedKinds(f"{measure} does not follow from means; give counts or the published effect")
    variance = first.standard_error**2 + second.standard_error**2
    return StudyEffect(study, measure, first.mean - second.mean, variance)


def effect_of_estimate(study: str, estimate: Estimate) -> StudyEffect:
    """A published effect, its variance from its interval.

    Raises:
        NoStandardError: limits that are equal, a ratio or one of its limits at 0.
        MixedKinds: an effect that has no measure here, as a rate difference.
    Source: Cochrane Handbook 6.3, DOI 10.1002/9781119536604.
    """
    measure = _OF_CLASS.get(type(estimate))
    if measure is None:
        raise MixedKinds(f"{type(estimate).__name__} is not pooled; {', '.join(Measure)} are")
    if measure.is_ratio and estimate.estimate < SMALLEST_RATIO:
        raise NoStandardError(f"a ratio of {estimate.estimate:g} has no logarithm; look for counts")
    value = math.log(estimate.estimate) if measure.is_ratio else estimate.estimate
    return StudyEffect(study, measure, value, standard_error_from_interval(estimate) ** 2)


def with_design_effect(effect: StudyEffect, mean_cluster_size: float, icc: float) -> StudyEffect:
    """The effect of a cluster trial that was analysed as if people had been randomised: variance times 1 + (M-1) ICC.

    Args:
        mean_cluster_size: people a cluster, >= 1.
        icc: intracluster correlation, in [0, 1]; the caller prints where it is from.
    Returns:
        Without its counts: they are of more people than the trial has information on.
    Raises:
        ImpossibleNumber: outside these.
    Source: Cochrane Handbook 23.1.4, DOI 10.1002/9781119536604.
    """
    size = number(mean_cluster_size, "the mean size of a cluster", 1.0)
    correlation = number(icc, "the intracluster correlation", 0.0, 1.0)
    return replace(effect, variance=effect.variance * (1 + (size - 1) * correlation), table=None)
