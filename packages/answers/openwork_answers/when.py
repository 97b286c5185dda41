"""When an outcome is asked about, in days, and whether a result is of that time: "deaths by day 15", "at 3 months"."""

from __future__ import annotations

import re

from openwork_contracts.conclusion import StudyResult
from openwork_language.cells.times import read_times

_SHARE = 0.1
"""By which two times may differ and be the same: 28 days and a month, 12 months and a year."""
_DAYS = re.compile(r"\s*days?$")
_HALF_A_YEAR = re.compile(r"\bhalf (?:a|an|one)[\s-]year\b", re.IGNORECASE)


def days_in(text: str) -> frozenset[float]:
    """The time points and follow-ups of a text, in days."""
    text = _HALF_A_YEAR.sub("6 months", text)
    return frozenset(float(_DAYS.sub("", time)) for _, time in read_times(text) if _DAYS.search(time))


def is_at(result: StudyResult, days: frozenset[float]) -> bool:
    """Whether a result is of one of the times; of no time none is."""
    told = days_in(f"at {result.time}") if result.time else frozenset()
    return any(abs(one - asked) <= _SHARE * asked for one in told for asked in days)
