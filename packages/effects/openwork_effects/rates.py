"""Events per person-time. A kind of its own: no proportion, no Newcombe interval, no number needed to treat."""

from __future__ import annotations

import math
from dataclasses import dataclass

from openwork_effects.checks import LARGEST_VALUE, level_of_confidence, number, of_kind, whole_number
from openwork_effects.distributions import normal_for, poisson_limits
from openwork_effects.errors import RatioUndefined
from openwork_effects.estimates import RateDifference, RateRatio

SHORTEST_PERSON_YEARS = 1e-3
"""A third of a day of one person; less is a unit that was misread."""


@dataclass(frozen=True, slots=True)
class PersonTime:
    """Events of one arm, first or recurrent, and the person-years in which they were counted.

    Raises:
        ImpossibleCounts: a negative or broken number of events.
        ImpossibleNumber: person-years outside [0.001, 1e12].
    """

    events: int
    person_years: float

    def __post_init__(self) -> None:
        whole_number(self.events, "events")
        number(self.person_years, "person-years", SHORTEST_PERSON_YEARS, LARGEST_VALUE)


@dataclass(frozen=True, slots=True)
class Rate:
    """Events per person-year with limits; 0.0169 is 1.69 % per year, and no risk."""

    rate: float
    low: float
    high: float
    level: float

    @property
    def per_1000_person_years(self) -> tuple[float, float, float]:
        """Rate, low and high, in events per 1,000 person-years."""
        return 1000 * self.rate, 1000 * self.low, 1000 * self.high


def rate(group: PersonTime, level: float = 0.95) -> Rate:
    """Events over person-years, with the exact Poisson interval.

    Args:
        level: of the interval, in [0.5, 0.9999].
    Raises:
        MixedKinds: not `PersonTime`.
        ImpossibleInterval: the level.
    Source: Garwood 1936, DOI 10.1093/biomet/28.3-4.437. Recurrent events of one person are no Poisson count: the
        interval is then too narrow.
    """
    of_kind(group, PersonTime, "the group")
    low, high = poisson_limits(group.events, level_of_confidence(level))
    years = group.person_years
    return Rate(group.events / years, low / years, high / years, float(level))


def rate_difference(first: PersonTime, second: PersonTime, level: float = 0.95) -> RateDifference:
    """Rate of the first minus rate of the second, per person-year; limits by square-and-add of the exact ones.

    As Newcombe's interval does for risks, it holds where a count is small or zero; for large counts it is the usual
    normal interval.

    Raises:
        MixedKinds: a group that is not `PersonTime`.
        ImpossibleInterval: the level, in [0.5, 0.9999].
    Source: Zou and Donner 2008, DOI 10.1002/sim.3095, from the limits of `rate`.
    """
    a, b = rate(first, level), rate(second, level)
    estimate = a.rate - b.rate
    low = estimate - math.hypot(a.rate - a.low, b.high - b.rate)
    high = estimate + math.hypot(a.high - a.rate, b.rate - b.low)
    return RateDifference(estimate, low, high, float(level))


def rate_ratio(first: PersonTime, second: PersonTime, level: float = 0.95) -> RateRatio:
    """Rate of the first over rate of the second, with the Wald interval of its logarithm.

    0.5 is added to both counts where one of them is zero, else to none; the result says so.

    Raises:
        RatioUndefined: no events in either group.
        MixedKinds: a group that is not `PersonTime`.
        ImpossibleInterval: the level, in [0.5, 0.9999].
    Source: Cochrane Handbook 6.7, DOI 10.1002/9781119536604: the variance of a log rate ratio is 1/E1 + 1/E2.
    """
    of_kind(first, PersonTime, "the first group")
    of_kind(second, PersonTime, "the second group")
    if first.events + second.events == 0:
        raise RatioUndefined("no events in either group: there is no ratio; print the counts and the rate difference")
    corrected = 0 in (first.events, second.events)
    a, b = (g.events + (0.5 if corrected else 0.0) for g in (first, second))
    spread = normal_for(level_of_confidence(level)) * math.sqrt(1 / a + 1 / b)
    ratio = (a / first.person_years) / (b / second.person_years)
    return RateRatio(ratio, ratio * math.exp(-spread), ratio * math.exp(spread), float(level), corrected)
