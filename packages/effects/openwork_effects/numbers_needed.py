"""An absolute difference in the words of a ward: per 1,000 people, number needed to treat, person-years per event."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from openwork_effects.checks import of_kind
from openwork_effects.estimates import Difference, Event, RateDifference, RiskDifference, Side

_NO_DIFFERENCE = 1e-12
"""A limit nearer to 0 is 0: one in a million million is less than counts can show."""
_ROUNDING = 1e-12
"""1 / 0.05 must be 20 and not 21: what floats add is less than this, what counts add is more."""
_MOST_DECIMALS = 3


class To(StrEnum):
    """What one more person treated comes to."""

    BENEFIT = "benefit"
    HARM = "harm"


@dataclass(frozen=True, slots=True)
class _Needed:
    """One side: the whole interval is benefit, or harm. All numbers rounded up; low <= number <= high."""

    to: To
    number: int
    low: int
    high: int
    level: float

    names: ClassVar[tuple[str, str]] = ("", "")

    @property
    def in_words(self) -> str:
        """As "NNTB 45 (25 to 289)"."""
        name = self.names[0] if self.to is To.BENEFIT else self.names[1]
        return f"{name} {self.number:,} ({self.low:,} to {self.high:,})"


@dataclass(frozen=True, slots=True)
class _ThroughInfinity:
    """The interval includes no difference: there is no single number, only how far it reaches on either side."""

    benefit: int | None
    """`None`: the interval reaches no benefit."""
    harm: int | None
    level: float

    names: ClassVar[tuple[str, str]] = ("", "")

    @property
    def in_words(self) -> str:
        """As "NNTB 51 to infinity to NNTH 64"; a side that is not reached is left out."""
        parts = [] if self.benefit is None else [f"{self.names[0]} {self.benefit:,}"]
        parts.append("infinity")
        return " to ".join(parts if self.harm is None else [*parts, f"{self.names[1]} {self.harm:,}"])


@dataclass(frozen=True, slots=True)
class NumberNeeded(_Needed):
    """People to treat for one more to benefit (NNTB) or to be harmed (NNTH), at the follow-up of the difference."""

    names: ClassVar[tuple[str, str]] = ("NNTB", "NNTH")


@dataclass(frozen=True, slots=True)
class NumberNeededThroughInfinity(_ThroughInfinity):
    """No single number, since the difference may be none: NNTB x to infinity to NNTH y."""

    names: ClassVar[tuple[str, str]] = ("NNTB", "NNTH")


@dataclass(frozen=True, slots=True)
class PersonYearsPerEvent(_Needed):
    """Person-years of treatment for one event's benefit or harm. No number of people: nobody is followed for a year."""

    names: ClassVar[tuple[str, str]] = ("person-years per event of benefit", "person-years per event of harm")


@dataclass(frozen=True, slots=True)
class PersonYearsThroughInfinity(_ThroughInfinity):
    """No single number, since the difference of rates may be none."""

    names: ClassVar[tuple[str, str]] = ("person-years per event of benefit", "person-years per event of harm")


@dataclass(frozen=True, slots=True)
class PerThousand:
    """A risk difference per 1,000 people; positive is more in the first group. Rounded to `decimals`."""

    estimate: float
    low: float
    high: float
    decimals: int
    level: float

    @property
    def in_words(self) -> str:
        """As "22 fewer per 1,000 (3 to 41)", or "2 fewer per 1,000 (20 fewer to 16 more)"."""
        first = f"{self._amount(self.estimate)}{_direction(self.estimate)} per 1,000"
        if self.low < 0 < self.high:
            return f"{first} ({self._amount(self.low)} fewer to {self._amount(self.high)} more)"
        near, far = sorted((self.low, self.high), key=abs)
        side = "" if _direction(far) == _direction(self.estimate) else _direction(far)
        return f"{first} ({self._amount(near)} to {self._amount(far)}{side})"

    def _amount(self, value: float) -> str:
        return f"{abs(value):,.{self.decimals}f}"


def per_thousand(difference: RiskDifference) -> PerThousand:
    """A risk difference per 1,000 people.

    Whole numbers, halves away from zero; decimals (three at most) only where rounding would take away what the
    interval says: a limit that is not zero would become it though the interval excludes it, or all three would.

    Raises:
        MixedKinds: not a `RiskDifference`.
    """
    of_kind(difference, RiskDifference, "the difference")
    values = [1000 * value for value in (difference.estimate, difference.low, difference.high)]
    excludes = difference.side is not Side.INCLUDES_NO_EFFECT
    for decimals in range(_MOST_DECIMALS + 1):
        estimate, low, high = (_rounded(value, decimals) for value in values)
        if (low and high) if excludes else (estimate or low or high):
            break
    return PerThousand(estimate, low, high, decimals, difference.level)


def number_needed(difference: RiskDifference, event: Event) -> NumberNeeded | NumberNeededThroughInfinity:
    """People to treat for one more benefit or harm, from the limits of a risk difference, rounded up.

    Args:
        difference: first minus second; which follow-up, and whether from crude counts, is printed with the number.
        event: whether it is wanted. Not known: call with both, print both, say no word of benefit.
    Returns:
        One side, or through infinity where the interval includes no difference: then no single number is printed.
    Raises:
        MixedKinds: anything else, as a difference of rates.
    Source: Altman 1998, DOI 10.1136/bmj.317.7168.1309; rounding: Cochrane Handbook 15.4, DOI 10.1002/9781119536604.
    """
    of_kind(difference, RiskDifference, "the difference")
    of_kind(event, Event, "the event")
    sides = _sides(difference, event)
    if isinstance(sides, tuple):
        return NumberNeededThroughInfinity(*sides, difference.level)
    return NumberNeeded(sides, *_inverted(difference), difference.level)


def person_years_per_event(
    difference: RateDifference, event: Event
) -> PersonYearsPerEvent | PersonYearsThroughInfinity:
    """Person-years of treatment for one event's benefit or harm, from the limits of a rate difference, rounded up.

    Args:
        difference: in events per person-year.
        event: whether it is wanted; as in `number_needed`.
    Raises:
        MixedKinds: anything else, as a difference of risks.
    """
    of_kind(difference, RateDifference, "the difference")
    of_kind(event, Event, "the event")
    sides = _sides(difference, event)
    if isinstance(sides, tuple):
        return PersonYearsThroughInfinity(*sides, difference.level)
    return PersonYearsPerEvent(sides, *_inverted(difference), difference.level)


def _sides(difference: Difference, event: Event) -> To | tuple[int | None, int | None]:
    """The one side on which the interval lies, or how far it reaches to benefit and to harm."""
    lower_is, higher_is = (To.BENEFIT, To.HARM) if event is Event.BAD else (To.HARM, To.BENEFIT)
    if difference.high < -_NO_DIFFERENCE:
        return lower_is
    if difference.low > _NO_DIFFERENCE:
        return higher_is
    less = _one_in(difference.low) if difference.low < -_NO_DIFFERENCE else None
    more = _one_in(difference.high) if difference.high > _NO_DIFFERENCE else None
    return (less, more) if lower_is is To.BENEFIT else (more, less)


def _inverted(difference: Difference) -> tuple[int, int, int]:
    """Number, low and high of an interval on one side: the larger difference gives the smaller number."""
    low, high = sorted((_one_in(difference.low), _one_in(difference.high)))
    return _one_in(difference.estimate), low, high


def _one_in(value: float) -> int:
    """1 / |value|, rounded up."""
    exact = 1 / abs(value)
    return max(1, math.ceil(exact * (1 - _ROUNDING)))


def _rounded(value: float, decimals: int) -> float:
    """Halves away from zero, so that swapped arms print the same figure."""
    scale = 10**decimals
    size = math.floor(abs(value) * scale * (1 + _ROUNDING) + 0.5) / scale
    return math.copysign(size, value) if size else 0.0


def _direction(value: float) -> str:
    return " fewer" if value < 0 else " more" if value > 0 else ""
