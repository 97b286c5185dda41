"""Words that ask for recent evidence, and the year they ask from."""

from __future__ import annotations

import re

from openwork_query.domain.thresholds import THRESHOLDS

_NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "fifteen": 15, "twenty": 20,
}  # fmt: skip
_LATEST = re.compile(
    (
        r"\b(?:latest|newest|most recent|recent(?:ly)?|current(?:ly)?|up[- ]to[- ]date|updated|"
        r"new evidence|emerging|state of the art|nowadays|today)\b"
    ),
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"\b(?:since|after|from|published (?:since|after|in)|onwards? from|later than)\s+(?:the year\s+)?((?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_LAST_YEARS = re.compile(
    r"\b(?:in|within|over|during|from)?\s*(?:the\s+)?(?:last|past|previous|recent)\s+(\d{1,2}|"
    + "|".join(_NUMBER_WORDS)
    + r")\s+years?\b"
    r"|\b(?:the\s+)?(?:last|past)\s+(decade|year)\b|\b(this year)\b",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\b(?:between|from)\s+((?:19|20)\d\d)\s+(?:and|to|until)\s+((?:19|20)\d\d)\b", re.IGNORECASE)
_YEAR = re.compile(
    (
        r"(?<![\w.,/-])((?:19|20)\d\d)(?=\s+(?:\w+\s+){0,3}(?:guideline|recommendation|update|"
        r"evidence|trial|stud|criteria|standard|review|statement|consensus))"
    ),
    re.IGNORECASE,
)
_IN_YEAR = re.compile(r"\b(?:in|of|as of)\s+((?:19|20)\d\d)\b", re.IGNORECASE)


def temporal_markers(question: str, *, current_year: int) -> tuple[tuple[str, ...], int | None]:
    """The words that ask for recent evidence, as written, and the first year asked for (`None` = any).

    "since 2020" and "2023 guidelines" give that year, "the last 5 years" counts back from `current_year`, "latest"
    means `THRESHOLDS.recent_years`. A year in the future or before 1950 is no request.
    """
    found: list[tuple[int, str]] = []
    years: list[int] = []

    def note(match: re.Match[str], year: int | None) -> None:
        found.append((match.start(), match[0].strip()))
        if year is not None and 1950 <= year <= current_year:
            years.append(year)

    for pattern in (_RANGE, _SINCE, _YEAR, _IN_YEAR):
        for match in pattern.finditer(question):
            if not any(start <= match.start() < start + len(text) for start, text in found):
                note(match, int(match[1]))
    for match in _LAST_YEARS.finditer(question):
        span = (match[1] or match[2] or "year").lower()
        back = {"decade": 10, "year": 1}.get(span) or _NUMBER_WORDS.get(span) or int(span if span.isdigit() else 1)
        note(match, current_year - (0 if match[3] else back))
    for match in _LATEST.finditer(question):
        if not any(start <= match.start() < start + len(text) for start, text in found):
            note(match, None if years else current_year - THRESHOLDS.recent_years)
    markers = tuple(dict.fromkeys(text for _, text in sorted(found)))
    return markers, max(years) if years else None
