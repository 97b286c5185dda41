"""Numbers of sentences whose people stand elsewhere: whether they can be of these people at all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_extraction.printed import number
from openwork_extraction.results import ArmNumbers, Source, StudyResult

_PEOPLE_TOLD = re.compile(
    r"(?<![\d.])(?P<n>\d[\d,]*)\s+(?:[a-z-]+\s+){0,3}?(?:patients|participants|subjects|women|men|children|infants|volunteers|individuals)\b"
)
MOST_CHANCE = 0.1
"""Chance by which two percentages are whole numbers of people that they are not of."""


def doubt(result: StudyResult) -> str | None:
    """Why a complete result of a sentence may be of other people than its arms; `None` = nothing says so."""
    if result.source not in (Source.PROSE, Source.ABSTRACT) or len(result.arms) < 2:
        return None
    is_worked_out = any(arm.events is not None and arm.events.computed for arm in result.arms)
    if is_worked_out and not _proves_people(result.arms):
        return f"its percentages may be of other people than the arms have: {result.outcome[:80]!r}"
    if (is_worked_out or not result.is_counted) and _tells_other_people(result.outcome, result.arms):
        return f"it tells of other people than the arms have: {result.outcome[:80]!r}"
    return None


def _tells_other_people(text: str, arms: Sequence[ArmNumbers]) -> bool:
    """Whether a sentence tells of other people than the arms have: "the 18 hungry patients of the treated group"."""
    sizes = [int(number(arm.n.value)) for arm in arms if arm.n is not None]
    told = {int(match["n"].replace(",", "")) for match in _PEOPLE_TOLD.finditer(text)}
    return len(sizes) == len(arms) and bool(told - {*sizes, sum(sizes)})


def _proves_people(arms: Sequence[ArmNumbers]) -> bool:
    """Whether percentages that are whole numbers of the arms' people can hardly be so by chance.

    72.6 % and 54.8 % are whole numbers of 62, as one of 16 numbers with a decimal is; 70 % and 68 % are of 37 and 40,
    as more than a third of all percentages are: these may be of others, or means.
    """
    chance = 1.0
    for arm in arms:
        if arm.n is None or arm.percent is None:
            return False
        digits = len(arm.percent.value.partition(".")[2])
        chance *= min(1.0, (int(number(arm.n.value)) + 1) / (100 * 10**digits + 1))
    return chance <= MOST_CHANCE
