"""Whose numbers are whose in a sentence that names the arms apart from the numbers.

"X was lower with A than with B (1.2 ± 0.3 vs 1.4 ± 0.2)": the arms in their order, and the word for the direction has
to fit the numbers where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from openwork_language.cells.cell import CONTROL

from openwork_extraction.arms import AskedArms
from openwork_extraction.names import Names, arm_words, total
from openwork_extraction.printed import number

COMPARED = re.compile(
    r"\s*[,;]?\s*(?:mm\s?Hg|[a-zA-Zμ°/%]{1,8}(?:/[a-zA-Z]{1,4})?)?\s*[,;]?\s*(?:versus|vs?\.?|compared\s+(?:with|to)|and|against|/)\s*(?:to\s+)?",
    re.IGNORECASE,
)
"""Between two numbers that are compared, and no arm is named."""
_LOWER = re.compile(
    r"\b(?:lower(?:ed)?|less|fewer|smaller|shorter|decreas\w+|reduc\w+|lesser|slower|declin\w+)\b", re.IGNORECASE
)
_HIGHER = re.compile(
    r"\b(?:higher|raised|more|greater|larger|longer|increas\w+|improv\w+|faster|better|elevated)\b", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z][\w+/-]*")
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_AGAINST = re.compile(r"\b(?:compar\w+|than|versus|vs|and|relative\s+to|whereas|or)\b", re.IGNORECASE)
_PARTS = re.compile(r"[,;]?\s*\b(?:while|whereas|but|and)\b|;", re.IGNORECASE)
"""Between two parts of a sentence that tell of one arm each."""
LEAST_NAMED = 0.6
"""Weight of the words by which an arm is named."""


class Numbers(Protocol):
    """A number of a sentence with its parts as printed."""

    @property
    def value(self) -> str:
        """The mean, the percentage or the count."""


def order_compared(
    text: str,
    span: tuple[int, int],
    pair: Sequence[Numbers],
    arms: AskedArms,
    names: Names,
    beside: tuple[int, int] | None,
) -> tuple[int, int] | None:
    """Which of two compared numbers is the intervention's and which the comparator's; `None` where nothing says it.

    Args:
        span: where the two numbers begin and end.
        beside: what the words beside the numbers say; the order in which the sentence names the arms must not
            contradict it, nor the word for the direction.
    """
    before, behind = text[: span[0]], text[span[1] :]
    found = _named_in_order(before, arms, names)
    if found is None and _RESPECTIVELY.search(behind):
        found = _named_in_order(behind, arms, names)
    if found is None and beside is None:
        found = _one_named(before, arms, names)
    if found is not None and beside is not None and found != beside:
        return None
    found = found or beside
    return found if found is not None and _fits_direction(before, pair) else None


def _own(arms: AskedArms) -> tuple[frozenset[str], frozenset[str]]:
    first, second = arms.intervention - arms.comparator, arms.comparator - arms.intervention
    return frozenset(w for w in first if w[0] != "@"), frozenset(w for w in second if w[0] != "@" or w == CONTROL)


def _places(text: str, side: int, arms: AskedArms, names: Names) -> list[int]:
    """Where words stand that are one arm's alone, or its short form."""
    own, short = _own(arms)[side], arms.short_forms
    return [
        m.start()
        for m in _WORD.finditer(text)
        if m[0].lower() in short[side]
        or (m[0].lower() not in short[1 - side] and _weight(m[0], own, names) >= LEAST_NAMED)
    ]


def _weight(word: str, own: frozenset[str], names: Names) -> float:
    return total(arm_words(names, word) & own)


def order_by_part(text: str, pair: Sequence[tuple[int, int]], arms: AskedArms, names: Names) -> tuple[int, int] | None:
    """Of two numbers in two parts of a sentence, each part of one arm: "A fell (-1.2 ± 0.3), while 0.4 ± 0.2 with B".

    Args:
        pair: where each number begins and ends.
    """
    joints = list(_PARTS.finditer(text, pair[0][1], pair[1][0]))
    if len(joints) != 1:
        return None
    named = []
    for part in (text[: joints[0].start()], text[joints[0].end() :]):
        sides = [side for side in (0, 1) if _places(part, side, arms, names)]
        if len(sides) != 1:
            return None
        named.append(sides[0])
    return (0, 1) if named == [0, 1] else (1, 0) if named == [1, 0] else None


def _named_in_order(text: str, arms: AskedArms, names: Names) -> tuple[int, int] | None:
    places = [_places(text, side, arms, names) for side in (0, 1)]
    if not all(places):
        return None
    order = (0, 1) if places[0][0] < places[1][0] else (1, 0)
    last, then = places[order[0]][-1], places[order[1]][0]
    # Each arm is named in one stretch, and the two stand against each other: "with A than with B".
    return order if last < then and _AGAINST.search(text, last, then) else None


def _one_named(text: str, arms: AskedArms, names: Names) -> tuple[int, int] | None:
    """Only one arm is named and a direction told: "lower in the A group (1.2 vs 1.4)"."""
    named = [bool(_places(text, side, arms, names)) for side in (0, 1)]
    if named.count(True) != 1 or bool(_LOWER.search(text)) == bool(_HIGHER.search(text)):
        return None
    return (0, 1) if named[0] else (1, 0)


def _fits_direction(text: str, pair: Sequence[Numbers]) -> bool:
    """Whether the word for a direction, if there is one alone, fits the numbers as they stand."""
    lower, higher = bool(_LOWER.search(text)), bool(_HIGHER.search(text))
    if lower == higher:
        return True
    first, second = (number(one.value) for one in pair)
    return first <= second if lower else first >= second
