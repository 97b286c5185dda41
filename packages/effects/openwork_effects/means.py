"""Two groups and a measured outcome: mean difference and standardised mean difference.

Final values or changes from baseline, not one of each; scales that run the same way: the caller sees to both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

from openwork_effects.checks import LARGEST_VALUE, level_of_confidence, number, of_kind, whole_number
from openwork_effects.distributions import normal_for, t_for
from openwork_effects.errors import ImpossibleInterval, ImpossibleNumber
from openwork_effects.estimates import MeanDifference, StandardisedMeanDifference

SMALLEST_DEVIATION = 1e-9


@dataclass(frozen=True, slots=True)
class Sample:
    """Mean and standard deviation of a measured outcome in one arm, in one unit.

    Raises:
        ImpossibleCounts: fewer than 2 people.
        ImpossibleNumber: not finite; a deviation under 1e-9: a column of zeros is no deviation.
    """

    mean: float
    standard_deviation: float
    n: int

    def __post_init__(self) -> None:
        whole_number(self.n, "n", lowest=2)
        number(self.mean, "the mean")
        number(self.standard_deviation, "the standard deviation", SMALLEST_DEVIATION)

    @property
    def standard_error(self) -> float:
        """Of the mean, in its unit."""
        return self.standard_deviation / math.sqrt(self.n)

    @classmethod
    def from_standard_error(cls, mean: float, standard_error: float, n: int) -> Self:
        """A sample of which the standard error of the mean is printed: SD = SE x sqrt(n).

        Raises:
            as `Sample`.
        Source: Cochrane Handbook 6.5.2.2, DOI 10.1002/9781119536604.
        """
        whole_number(n, "n", lowest=2)
        return cls(mean, number(standard_error, "the standard error", 0.0) * math.sqrt(n), n)

    @classmethod
    def from_interval(cls, mean: float, low: float, high: float, n: int, level: float = 0.95) -> Self:
        """A sample of which the interval of the mean is printed: SD = sqrt(n) x width / (2 t), with n - 1 for t.

        Raises:
            ImpossibleInterval: not low <= mean <= high, low = high, or the level.
            and as `Sample`.
        Source: Cochrane Handbook 6.5.2.2, DOI 10.1002/9781119536604.
        """
        whole_number(n, "n", lowest=2)
        values = (number(v, f"{what} of the mean") for v, what in ((low, "low"), (mean, "value"), (high, "high")))
        low, mean, high = values
        if not low <= mean <= high or low == high:
            raise ImpossibleInterval(f"mean {mean:g} ({low:g} to {high:g}): read the interval again")
        half_width = (high - low) / 2
        return cls.from_standard_error(mean, half_width / t_for(level_of_confidence(level), n - 1), n)


def mean_difference(first: Sample, second: Sample, level: float = 0.95) -> MeanDifference:
    """Mean of the first minus mean of the second, with Welch's t interval.

    Review software prints the normal interval of the same standard error (Cochrane Handbook 6.5.1); for 100 people an
    arm they differ by 1 %.

    Returns:
        In the unit of the outcome.
    Raises:
        MixedKinds: a group that is not a `Sample`.
        ImpossibleInterval: the level, in [0.5, 0.9999].
    Source: Welch 1947, DOI 10.1093/biomet/34.1-2.28.
    """
    of_kind(first, Sample, "the first group")
    of_kind(second, Sample, "the second group")
    a, b = first.standard_error**2, second.standard_error**2
    degrees_of_freedom = (a + b) ** 2 / (a**2 / (first.n - 1) + b**2 / (second.n - 1))
    error = math.sqrt(a + b)
    spread = error * t_for(level_of_confidence(level), degrees_of_freedom)
    estimate = first.mean - second.mean
    return MeanDifference(
        estimate,
        estimate - spread,
        estimate + spread,
        float(level),
        standard_error=error,
        degrees_of_freedom=degrees_of_freedom,
    )


def standardised_mean_difference(first: Sample, second: Sample, level: float = 0.95) -> StandardisedMeanDifference:
    """Hedges' g: the mean difference in pooled standard deviations, times J = 1 - 3 / (4 N - 9).

    Its variance is N / (n1 n2) + g^2 / (2 (N - 3.94)), its interval normal.

    Raises:
        MixedKinds: a group that is not a `Sample`.
        ImpossibleInterval: the level, in [0.5, 0.9999].
        ImpossibleNumber: over a million deviations apart: a unit or a standard error was misread.
    Source: Hedges 1981, DOI 10.3102/10769986006002107; Cochrane Handbook 6.5.1.2, DOI 10.1002/9781119536604.
    """
    of_kind(first, Sample, "the first group")
    of_kind(second, Sample, "the second group")
    n = first.n + second.n
    squares = (first.n - 1) * first.standard_deviation**2 + (second.n - 1) * second.standard_deviation**2
    g = (first.mean - second.mean) / math.sqrt(squares / (n - 2)) * (1 - 3 / (4 * n - 9))
    if abs(g) > 1e6:
        raise ImpossibleNumber(f"a standardised difference of {g:g}: read means, units and deviations again")
    error = math.sqrt(n / (first.n * second.n) + g * g / (2 * (n - 3.94)))
    spread = error * normal_for(level_of_confidence(level))
    return StandardisedMeanDifference(g, g - spread, g + spread, float(level), standard_error=error)


def deviation_from_difference(standard_error: float, n_first: int, n_second: int) -> float:
    """The standard deviation within the groups, taken as equal, from the standard error of a mean difference.

    SD = SE / sqrt(1/n1 + 1/n2), for both arms of a trial that prints only the difference.

    Raises:
        ImpossibleCounts: a group of fewer than 2 people.
        ImpossibleNumber: a standard error outside (0, 1e12].
    Source: Cochrane Handbook 6.5.2.3, DOI 10.1002/9781119536604.
    """
    error = number(standard_error, "the standard error", 1e-12, LARGEST_VALUE)
    first, second = whole_number(n_first, "n", lowest=2), whole_number(n_second, "n", lowest=2)
    return error / math.sqrt(1 / first + 1 / second)
