"""A result as it is found in one sentence, and what its readers share: sides, subject, time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from openwork_contracts.evidence import EffectEstimate
from openwork_language.cells.times import read_times
from openwork_language.quantities.quantity import Quantity

from openwork_answers.arms import arms_of, sides_near
from openwork_answers.excluded import is_share
from openwork_answers.figures import in_order
from openwork_answers.reported import Arm

_PRINTED_TIME = re.compile(
    r"(?:day|week|month|year)s?\s+\d+|\d+(?:\.\d+)?[- ](?:minute|hour|day|week|month|year)s?", re.IGNORECASE
)
_COUNTED_FROM = re.compile(
    r"\s+(?:(?:of|after|from|since)\s+(?:the\s+)?(?:\w+\s+)?(?:onset|symptoms?|infection|exposure|birth|surgery|diagnosis)\b"
    r"|(?:before|prior|earlier|previously|old|of\s+age)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """A result of one sentence."""

    outcome: str
    comparison: tuple[str, ...]
    arms: tuple[Arm, ...]
    effect: EffectEstimate | None
    time: str | None
    people: str | None = None
    """Whom it is of, where the sentence says so beside it."""


def bracket_of(sentence: str, q: Quantity) -> int:
    """Where the bracket opens that a figure stands in; 0 = in none."""
    opening = max(sentence.rfind("(", 0, q.start), sentence.rfind("[", 0, q.start))
    return opening + 1 if opening >= 0 and not re.search(r"[)\]]", sentence[opening : q.start]) else 0


def sides_and_arms(
    sentence: str, start: int, at: int, figures: Sequence[Quantity]
) -> tuple[tuple[str, str] | None, tuple[Arm, ...]]:
    """The two sides and, where figures stand for them, the arms in their order."""
    figures = [q for q in figures if is_share(sentence, q)]
    arms = arms_of(sentence, figures)
    if len(arms) == 2 and all(arm.name for arm in arms) and arms[0].name.casefold() != arms[1].name.casefold():
        return (arms[0].name, arms[1].name), arms
    sides = sides_near(sentence, at, at)
    if sides is None:
        return None, ()
    if len(arms) != 2 or any(arm.name for arm in arms):
        return sides, ()  # one is called by a name that the other has not: whose they are is not known
    if not in_order(sentence[figures[0].end : figures[-1].start], sentence[figures[-1].end :]):
        return sides, ()
    return sides, (replace(arms[0], name=sides[0]), replace(arms[1], name=sides[1]))


def is_a_side(outcome: str, sides: Sequence[str] | None) -> bool:
    """An outcome that is one of the arms, or holds one, is none."""
    said = outcome.casefold()
    return any(side.casefold() in said or said in side.casefold() for side in sides or ())


def subject_of(clause: str) -> str:
    """What stands before the first verb."""
    bare = re.sub(
        r"^(?:(?:in|at|after|over|by|during|within|among|with)\s[^,]{2,120},\s+)+",
        "",
        clause.strip(),
        flags=re.IGNORECASE,
    )
    match = re.search(r"\s(?:was|were|is|are|had|has|have|occurred|reduced|increased|decreased|showed|did)\b", bare)
    return bare[: match.start()] if match else bare


_CLAUSE = re.compile(
    r"\b(?:did\s+not|does\s+not|were|was|differed|occurred|lowered|reduced|raised|increased)\b[^.;()]*,\s+"
    r"(?:and|while|whereas|but)\s+(?=[^,;()]*\b(?:occurred|was|were|developed|happened)\b)",
    re.IGNORECASE,
)


def own_clause(sentence: str, start: int, end: int) -> int:
    """Where the clause begins that figures end: "bleeding did not differ, and [thrombosis occurred in] 1%"."""
    before = _CLAUSE.search(sentence, start, end)
    return before.end() if before else start


def closing(sentence: str, end: int) -> int:
    match = re.compile(r"[^()]*?[)\]]+[,;]?").match(sentence, end)
    return match.end() if match else end


def time_in(sentence: str) -> str | None:
    """The first time point, as it is printed; not from when on people were treated: "within 3 days of onset"."""
    return next((time for _, time in _times(sentence)), None)


def times_in(sentence: str) -> list[str]:
    """All time points, as they are printed."""
    return [time for _, time in _times(sentence)]


def time_near(sentence: str, at: int) -> str | None:
    """Of several time points the last one before a place, else the first."""
    before = [time for place, time in _times(sentence) if place < at]
    return before[-1] if before else time_in(sentence)


def _times(sentence: str) -> Iterator[tuple[int, str]]:
    for place, _ in read_times(sentence):
        match = _PRINTED_TIME.match(sentence, place)
        if match and not _COUNTED_FROM.match(sentence, match.end()):
            yield place, match[0]
