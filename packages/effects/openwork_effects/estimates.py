"""An effect with its interval. A class per measure, so that a rate is never taken for a risk.

Every effect is first group against second: treatment minus control, or treatment over control.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from openwork_effects.checks import level_of_confidence, number
from openwork_effects.errors import ImpossibleInterval

_FARTHEST = 1e100
"""Beyond what counts can give, and within a float: an open interval has no limit to print."""


class Event(StrEnum):
    """Whether the event is wanted. Decided from the outcome by the caller, never here.

    Where it is not known, a caller asks for both and prints both, without a word of benefit.
    """

    GOOD = "good"
    """Remission, cure, survival: more of it is a benefit."""
    BAD = "bad"
    """Death, relapse, bleeding: less of it is a benefit."""


class Side(StrEnum):
    """Where an interval lies beside no effect."""

    LOWER = "lower"
    """Wholly under no effect: less in the first group."""
    HIGHER = "higher"
    INCLUDES_NO_EFFECT = "includes_no_effect"
    """No effect lies within the limits, or is one of them: a printed 1.00 may be 1.004."""


class Basis(StrEnum):
    """Where a risk difference comes from; it is printed with it."""

    CRUDE_COUNTS = "crude_counts"
    """Events and people of the arms at the trial's follow-up, nothing adjusted, nobody censored."""
    STATED_BASELINE = "stated_baseline"
    """A relative effect applied to a baseline risk that the caller stated."""
    PUBLISHED = "published"
    """As the source prints it."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What all effects have; made as one of its subclasses.

    Raises:
        ImpossibleNumber: a value that is not finite or outside the measure's range.
        ImpossibleInterval: not low <= estimate <= high, or a level outside [0.5, 0.9999].
    """

    estimate: float
    low: float
    high: float
    level: float = 0.95
    """Of the interval, as a fraction; printed where it is not 0.95."""

    no_effect: ClassVar[float] = 0.0
    lowest: ClassVar[float] = -math.inf
    highest: ClassVar[float] = math.inf

    def __post_init__(self) -> None:
        least, most = max(self.lowest, -_FARTHEST), min(self.highest, _FARTHEST)
        for what in ("estimate", "low", "high"):
            number(getattr(self, what), f"{what} of the {type(self).__name__}", least, most)
        level_of_confidence(self.level)
        if not self.low <= self.estimate <= self.high:
            raise ImpossibleInterval(
                f"{type(self).__name__} {self.estimate:g} ({self.low:g} to {self.high:g}): the estimate must lie "
                "between its limits; read the interval again (a minus sign or another row?)"
            )

    @property
    def side(self) -> Side:
        """Where the interval lies; a limit that equals no effect does not exclude it."""
        if self.high < self.no_effect:
            return Side.LOWER
        return Side.HIGHER if self.low > self.no_effect else Side.INCLUDES_NO_EFFECT


@dataclass(frozen=True, slots=True)
class Ratio(Estimate):
    """A ratio, no effect at 1. Limits may be printed as 0.00; they have then no logarithm."""

    no_effect: ClassVar[float] = 1.0
    lowest: ClassVar[float] = 0.0


@dataclass(frozen=True, slots=True)
class RiskRatio(Ratio):
    """Risk over risk."""

    corrected: bool = False
    """0.5 was added to all four cells, since one was zero."""


@dataclass(frozen=True, slots=True)
class OddsRatio(Ratio):
    """Odds over odds."""

    corrected: bool = False
    """0.5 was added to all four cells, since one was zero."""


@dataclass(frozen=True, slots=True)
class HazardRatio(Ratio):
    """Hazard over hazard, as published: it does not follow from counts."""


@dataclass(frozen=True, slots=True)
class RateRatio(Ratio):
    """Rate over rate, both per person-time."""

    corrected: bool = False
    """0.5 was added to both counts, since one was zero."""


@dataclass(frozen=True, slots=True)
class Difference(Estimate):
    """A difference, no effect at 0, in the unit of its outcome."""


@dataclass(frozen=True, slots=True)
class RiskDifference(Difference):
    """Risk minus risk, a fraction in [-1, 1]: -0.022 is 22 fewer per 1,000."""

    basis: Basis = Basis.PUBLISHED

    lowest: ClassVar[float] = -1.0
    highest: ClassVar[float] = 1.0


@dataclass(frozen=True, slots=True)
class RateDifference(Difference):
    """Rate minus rate, in events per person-year. No risk difference: no number needed to treat follows."""

    @property
    def per_1000_person_years(self) -> tuple[float, float, float]:
        """Estimate, low and high, in events per 1,000 person-years."""
        return 1000 * self.estimate, 1000 * self.low, 1000 * self.high


@dataclass(frozen=True, slots=True)
class MeanDifference(Difference):
    """Mean minus mean, in the unit of the outcome. Which direction is better is the instrument's matter."""

    standard_error: float = field(kw_only=True)
    degrees_of_freedom: float = field(kw_only=True)
    """Welch's; not a whole number."""


@dataclass(frozen=True, slots=True)
class StandardisedMeanDifference(Difference):
    """Hedges' g, in pooled standard deviations."""

    standard_error: float = field(kw_only=True)
