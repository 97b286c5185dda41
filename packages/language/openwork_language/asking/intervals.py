"""How two intervals of one measure relate: the people asked about and the people of a text."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from math import inf

from openwork_language.ranges import AGE, ranges_in

Bounds = tuple[float | None, float | None]
_NEARLY = 0.05
"""Part of a bound by which two of them may differ and be called the same: "over 75" and "aged 74 or older"."""


class Relation(StrEnum):
    """Of the interval told to the one asked; values are those of `Told`."""

    SAME = "same"
    WIDER = "wider"
    PART = "part"
    OTHER = "other"


def of_intervals(asked: Bounds, told: Bounds) -> Relation:
    """How the interval of a text relates to the one asked about; `None` in a bound is no bound.

    >>> of_intervals((82, 82), (75, None)), of_intervals((None, 17), (18, None))
    (<Relation.WIDER: 'wider'>, <Relation.OTHER: 'other'>)
    """
    if _near(asked[0] or 0.0, told[0] or 0.0) and _near(asked[1], told[1]):
        return Relation.SAME
    low, high = asked[0] or 0.0, inf if asked[1] is None else asked[1]
    least, most = told[0] or 0.0, inf if told[1] is None else told[1]
    if least <= low and high <= most:
        return Relation.WIDER
    if low <= least and most <= high:
        return Relation.PART
    return Relation.OTHER if most <= low or high <= least else Relation.WIDER  # some of them, and others besides


def _near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _NEARLY * max(abs(one), abs(other))


def of_ranges(asked: str, told: str) -> Iterator[Relation]:
    """The same for kidney function and ejection fraction, which words and stages stand for too (`ranges.tsv`)."""
    wanted = ranges_in(asked)
    known = ranges_in(told) if wanted else {}
    for measure, intervals in wanted.items():
        for interval in intervals if measure != AGE else ():
            yield from (of_intervals(interval, other) for other in known.get(measure, ()))
