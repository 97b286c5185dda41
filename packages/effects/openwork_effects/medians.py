"""A mean and a deviation out of a median with quartiles or a range, where the data are not skewed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from openwork_effects.checks import number, of_kind, whole_number
from openwork_effects.distributions import upper_normal
from openwork_effects.errors import ImpossibleInterval, ImpossibleNumber, SkewedData
from openwork_effects.means import SMALLEST_DEVIATION, Sample

LEAST_PEOPLE = 5
"""Under it the critical values of the test mean nothing."""


@dataclass(frozen=True, slots=True)
class FiveNumbers:
    """A median with its quartiles, its range, or both, of n people.

    Raises:
        ImpossibleNumber: one quartile or one end of the range alone, or neither; not finite.
        ImpossibleInterval: not in rising order, or no width.
        ImpossibleCounts: fewer than 5 people.
    """

    median: float
    n: int
    q1: float | None = None
    q3: float | None = None
    minimum: float | None = None
    maximum: float | None = None

    def __post_init__(self) -> None:
        whole_number(self.n, "n", lowest=LEAST_PEOPLE)
        given = [self.minimum, self.q1, self.median, self.q3, self.maximum]
        known = [number(value, "the median, a quartile or an end of the range") for value in given if value is not None]
        if (self.q1 is None) != (self.q3 is None) or (self.minimum is None) != (self.maximum is None):
            raise ImpossibleNumber("one quartile or one end of the range alone says no width; read the other too")
        if len(known) == 1:
            raise ImpossibleNumber("a median alone says no width; read quartiles or the range too")
        if known != sorted(known) or any(high - low < SMALLEST_DEVIATION for low, high in self._widths()):
            raise ImpossibleInterval(f"{known}: minimum, quartiles and maximum must rise; read the cell again")

    def _widths(self) -> list[tuple[float, float]]:
        pairs = ((self.q1, self.q3), (self.minimum, self.maximum))
        return [(low, high) for low, high in pairs if low is not None and high is not None]


@dataclass(frozen=True, slots=True)
class EstimatedSample:
    """Mean and deviation that no source printed; it is marked so wherever it is shown."""

    sample: Sample
    skewness: float
    """The test's statistic, in [0, ...)."""
    critical: float
    """What the statistic stayed under, at the level 0.05."""


def sample_from_median(numbers: FiveNumbers) -> EstimatedSample:
    """Mean and standard deviation by Wan, only where Shi's test does not find the data skewed.

    Returns:
        In the unit of the median.
    Raises:
        MixedKinds: no `FiveNumbers`.
        SkewedData: the test finds them skewed at 0.05: the median stands for itself.
    Source: Wan 2014, DOI 10.1186/1471-2288-14-135; Shi 2023, DOI 10.1177/09622802231172043.
    """
    of_kind(numbers, FiveNumbers, "the numbers")
    statistic, critical = _skewness(numbers)
    if statistic >= critical:
        raise SkewedData(
            f"median {numbers.median:g} of {numbers.n}: skewed ({statistic:.3f}, from {critical:.3f} on); print the "
            "median with its quartiles, and pool it with none"
        )
    mean, deviation = _mean_and_deviation(numbers)
    return EstimatedSample(Sample(mean, deviation, numbers.n), statistic, critical)


def _skewness(x: FiveNumbers) -> tuple[float, float]:
    """Statistic and critical value at 0.05, by what is known."""
    n = x.n
    of_range = _off_centre(x.minimum, x.median, x.maximum)
    of_quartiles = _off_centre(x.q1, x.median, x.q3)
    if of_quartiles is None:
        return of_range or 0.0, 1 / math.log(n + 9) + 2.5 / (n + 1)
    if of_range is None:
        return of_quartiles, 2.65 / math.sqrt(n) - 6 / n**2
    weighed = 2.65 * math.log(0.6 * n) / math.sqrt(n) * of_range
    return max(weighed, of_quartiles), 3 / math.sqrt(n) - 40 / n**3


def _off_centre(low: float | None, median: float, high: float | None) -> float | None:
    """How far the median lies from the middle, in half widths."""
    return None if low is None or high is None else abs(low + high - 2 * median) / (high - low)


def _mean_and_deviation(x: FiveNumbers) -> tuple[float, float]:
    a, q1, m, q3, b = x.minimum, x.q1, x.median, x.q3, x.maximum
    xi = 2 * upper_normal(1 - (x.n - 0.375) / (x.n + 0.25))
    eta = 2 * upper_normal(1 - (0.75 * x.n - 0.125) / (x.n + 0.25))
    if q1 is None or q3 is None:
        assert a is not None  # `FiveNumbers` has one pair at least
        assert b is not None
        return (a + 2 * m + b) / 4, (b - a) / xi
    if a is None or b is None:
        return (q1 + m + q3) / 3, (q3 - q1) / eta
    return (a + 2 * q1 + 2 * m + 2 * q3 + b) / 8, ((b - a) / xi + (q3 - q1) / eta) / 2
