"""Citation marks: `[1]`, `[1][3]`, `[1, 3]`, `[1-3]`; parsed once, with their places.

`[95% CI 0.66-0.95]`, `[sic]`, `[2019]`, markdown links `[1](https://...)` and the range in "median 12 [8-15]" are no
marks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBERS = r"\^?\d{1,3}(?:\s*(?:[-–—,;]|,?\s*and\s)\s*\^?\d{1,3})*"
_MARK = re.compile(rf"\[\s*({_NUMBERS})\s*\](?![(:])")
_RANGE = re.compile(r"(\d+)\s*[-–—]\s*(\d+)|(\d+)")
_BETWEEN_MARKS = re.compile(r"[ \t]*[,;]?[ \t]*")
# "median 12 [8-15]": a range in brackets after a statistic is its spread, not three works.
_STATISTIC = re.compile(r"(?:\bmedian|\bmean|\bIQR|\brange|\bCI)\b[^.\[]{0,40}\d[^\[\]]{0,12}$", re.IGNORECASE)
# The widest range `[a-b]` that is read as a run of works; a wider one is something else.
_WIDEST_RUN = 50


@dataclass(frozen=True, slots=True)
class CitationMark:
    """One run of adjacent marks. `numbers` are unique, in order of appearance."""

    numbers: tuple[int, ...]
    start: int
    end: int


def parse_citations(text: str) -> tuple[CitationMark, ...]:
    """All marks of a text; adjacent brackets are one mark, so `[1][3]` equals `[1, 3]`."""
    marks: list[CitationMark] = []
    for match in _MARK.finditer(text):
        numbers = _expand(match.group(1))
        if numbers is None or (
            re.search(r"[-–—]", match.group(1)) and _STATISTIC.search(text, max(0, match.start() - 60), match.start())
        ):
            continue
        if marks and _BETWEEN_MARKS.fullmatch(text, marks[-1].end, match.start()):
            joined = tuple(dict.fromkeys(marks[-1].numbers + numbers))
            marks[-1] = CitationMark(joined, marks[-1].start, match.end())
        else:
            marks.append(CitationMark(numbers, match.start(), match.end()))
    return tuple(marks)


def cited_numbers(text: str) -> tuple[int, ...]:
    """The numbers cited anywhere in a text, each once, in order of appearance."""
    return tuple(dict.fromkeys(n for mark in parse_citations(text) for n in mark.numbers))


def strip_citations(text: str) -> str:
    """The text without its marks, and without the gap a mark leaves before punctuation."""
    pieces: list[str] = []
    position = 0
    for mark in parse_citations(text):
        before = text[position : mark.start]
        after = text[mark.end : mark.end + 1]
        pieces.append(before.rstrip(" \t") if not after or not after.isalnum() else before)
        position = mark.end
    pieces.append(text[position:])
    return "".join(pieces).strip()


def _expand(body: str) -> tuple[int, ...] | None:
    """The numbers inside one pair of brackets, or None where it is no list of works."""
    numbers: list[int] = []
    for match in _RANGE.finditer(body):
        if match.group(3):
            numbers.append(int(match.group(3)))
            continue
        low, high = int(match.group(1)), int(match.group(2))
        if low >= high or high - low > _WIDEST_RUN:
            return None
        numbers.extend(range(low, high + 1))
    return tuple(dict.fromkeys(numbers))
