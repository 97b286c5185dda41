"""Dates as sources print them: whole, in part, as a season, as a range, or not a date at all."""

from __future__ import annotations

import re
from dataclasses import dataclass

from openwork_knowledge.patterns import any_of
from openwork_knowledge.tables import table

EARLIEST_YEAR = 1600
"""No periodical is older than the Philosophical Transactions (1665); anything earlier is a misprint."""
LATEST_YEAR = 2100

_MONTHS = {name: int(number) for number, name in table("months").rows}
# HL7's TS as in SPL: 20260525, also with a time and a zone.
_COMPACT = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?:\d{2,6}(?:\.\d+)?(?:[+-]\d{4})?)?(?!\d)")
_ISO = re.compile(r"(?<!\d)(\d{4})\s*[-/.]\s*(\d{1,2})(?!\d)(?:\s*[-/.]\s*(\d{1,2})(?!\d))?")
_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_MONTH_NAME = re.compile(rf"\b({any_of(_MONTHS)})\b", re.IGNORECASE)
_DAY = re.compile(r"(?<![\d-])(\d{1,2})(?:st|nd|rd|th)?(?!\d)(?!-\d)")


@dataclass(frozen=True, slots=True, order=True)
class PartialDate:
    """A date as far as it is known: `month` and `day` are 0 where the source does not say."""

    year: int
    month: int = 0
    day: int = 0

    def isoformat(self) -> str:
        """`2019`, `2019-04` or `2019-04-30`."""
        parts = [f"{self.year:04d}"] + [f"{part:02d}" for part in (self.month, self.day) if part]
        return "-".join(parts)


def parse_year(text: str | int | None) -> int | None:
    """The (first) year that a text names, or `None`.

    Knows "2019 Apr-Jun", "Winter 1998", "1998 Dec-1999 Jan" (1998), "May 25, 2026", "2006-11", "20060131",
    "2011/09/01/". A number outside 1600-2100 is not a year ("in press", "n.d.", "1111").
    """
    date = parse_date(text)
    return date.year if date else None


def parse_date(text: str | int | None) -> PartialDate | None:
    """The (first) date that a text names, as far as it names it; of a range, its beginning.

    "2019 Apr-Jun" is 2019-04, "Winter 1998" is 1998, "May 25, 2026" is 2026-05-25. An impossible month or day is
    taken as not said, since the year beside it is usually right.
    """
    if text is None:
        return None
    words = str(text)
    for pattern in (_COMPACT, _ISO):
        if (match := pattern.search(words)) and _is_year(int(match[1])) and 1 <= int(match[2]) <= 12:
            return _checked(int(match[1]), int(match[2]), int(match[3] or 0))
    year = next((y for m in _YEAR.finditer(words) if _is_year(y := int(m[1]))), None)
    if year is None:
        return None
    named = _MONTH_NAME.search(words)
    if not named:
        return PartialDate(year)
    month = _MONTHS[named[1].lower()]
    return _checked(year, month, _day_beside(words, named))


def _day_beside(words: str, month: re.Match[str]) -> int:
    """The day next to a month's name: "25 May 2026", "May 25, 2026", "2019 Apr 30"; not the end of a range."""
    after = words[month.end() :].lstrip(" .,")
    before = words[: month.start()].rstrip(" .,")
    if match := _DAY.match(after):
        return int(match[1])
    if (match := re.search(r"(?<![\d-])(\d{1,2})(?:st|nd|rd|th)?$", before)) is not None:
        return int(match[1])
    return 0


def _is_year(number: int) -> bool:
    return EARLIEST_YEAR <= number <= LATEST_YEAR


def _checked(year: int, month: int, day: int) -> PartialDate:
    return PartialDate(year, month, day if 1 <= day <= 31 else 0)
