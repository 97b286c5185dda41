"""The checks that every function of this package makes of what it is given."""

from __future__ import annotations

import math

from openwork_effects.errors import ImpossibleCounts, ImpossibleInterval, ImpossibleNumber, MixedKinds

MOST_PEOPLE = 10**10
"""More than there are people: a larger count is a misread number. It also keeps every square within a float."""
LARGEST_VALUE = 1e12
"""Largest mean, deviation or person-time; copies of a virus per millilitre stay under it."""
LOWEST_LEVEL, HIGHEST_LEVEL = 0.5, 0.9999


def whole_number(value: object, what: str, lowest: int = 0) -> int:
    """`value` as it is, an int in [lowest, 10**10].

    Raises:
        ImpossibleCounts: anything else; True and 5.0 are no counts either.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise ImpossibleCounts(f"{what} is {value!r}; a count is a whole number (int), so read the cell again")
    if not lowest <= value <= MOST_PEOPLE:
        raise ImpossibleCounts(f"{what} is {value}; it must lie in [{lowest}, {MOST_PEOPLE}], so read the cell again")
    return value


def number(value: object, what: str, low: float = -LARGEST_VALUE, high: float = LARGEST_VALUE) -> float:
    """`value` as a float in [low, high].

    Raises:
        ImpossibleNumber: not a number, not finite, or outside.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ImpossibleNumber(f"{what} is {value!r}; give a number")
    if not low <= value <= high:  # NaN compares false
        raise ImpossibleNumber(f"{what} is {value!r}; it must lie in [{low:g}, {high:g}], so read the number again")
    return float(value)


def level_of_confidence(level: object) -> float:
    """`level` as a fraction in [0.5, 0.9999].

    Raises:
        ImpossibleInterval: anything else, as 95.
    """
    if isinstance(level, bool) or not isinstance(level, int | float) or not LOWEST_LEVEL <= level <= HIGHEST_LEVEL:
        raise ImpossibleInterval(f"the level is {level!r}; it is a fraction, 0.95 for 95 %, in [0.5, 0.9999]")
    return float(level)


def of_kind(value: object, kind: type | tuple[type, ...], what: str) -> None:
    """Nothing, where `value` is of `kind`.

    Raises:
        MixedKinds: it is something else: types are checked at run time too, since figures come from text.
    """
    if not isinstance(value, kind):
        wanted = " or ".join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))
        raise MixedKinds(f"{what} is a {type(value).__name__}; {wanted} is needed, and the two do not mix")


def stated(value: object, what: str) -> str:
    """`value`, a text that says something.

    Raises:
        ImpossibleNumber: empty or no text.
    """
    if not isinstance(value, str) or not value.strip():
        raise ImpossibleNumber(f"{what} is {value!r}; say it in words, since it is printed with the result")
    return value


def same_level(first: float, second: float) -> None:
    """Nothing, where both intervals have one level.

    Raises:
        ImpossibleInterval: a 90 % interval beside a 95 % one.
    """
    if not math.isclose(first, second, abs_tol=1e-9):
        raise ImpossibleInterval(f"intervals of {first:g} and {second:g} do not compare; use one level for both")
