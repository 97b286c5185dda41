"""The shares of a sentence that can be an arm's, each with its place, and which of them are told in one bracket."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from openwork_knowledge.notation import group
from openwork_language.quantities.quantity import Quantity, QuantityKind

from openwork_answers.arms import same_fact
from openwork_answers.excluded import is_share
from openwork_answers.reported import Arm

_K = QuantityKind
_FLAGS = re.IGNORECASE
_NAME_BESIDE = re.compile(r"(?:\s[A-Za-z][\w-]*(?=\s*(?:[,;)\]]|(?:and|or|vs|versus)\b)))?")
_LEAST_OF_AN_ARM = 5
"""Percent."""
_CHANGED_TO = re.compile(r"\bfrom\s+[\d.]+\s?%?\s*(?:\([^()]*\)\s*)?(?:to\s+)?$", _FLAGS)
"""Before and after in one arm."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of an arm with its place; the arm's name is still to be found."""

    arm: Arm
    start: int
    end: int
    quantity: Quantity


def shares_in(sentence: str, quantities: Sequence[Quantity]) -> list[Share]:
    found: list[Share] = []
    for q in quantities:
        if q.kind not in {_K.FRACTION, _K.PERCENT} or q.operator != "=" or _CHANGED_TO.search(sentence[: q.start]):
            continue
        if not is_share(sentence, q) and not (opening_of(sentence, q.start) and is_share(_apart(sentence, q), q)):
            continue
        if found and (joined := same_fact(found[-1].arm, q, sentence[found[-1].end : q.start])):
            found[-1] = replace(found[-1], arm=joined, end=q.end)
            continue
        counted = q.kind is _K.FRACTION and q.total is not None
        arm = Arm("", int(q.total or 0), int(q.value)) if counted else Arm("", percent=str(q.value))
        found.append(Share(arm, q.start, q.end, q))
    return found


def with_shares_first(sentence: str) -> str:
    """ "40 people (42%) with A" of "40 people with A (42%)": what is counted stands with its share."""
    return _ARM_BETWEEN.sub(r"\g<counted> (\g<share>) \g<by>", sentence)


_ARM_BETWEEN = re.compile(
    rf"(?P<counted>(?<![\d.,])\d[\d,]*\s+{group('arm-words', 'people')})\s+"
    r"(?P<by>(?:with|on|given|in|receiving|after|assigned\s+to)\s+[^,;()%\d]{3,60}?)\s+\((?P<share>\d+(?:\.\d+)?\s?%)\)",
    _FLAGS,
)


def in_one_bracket(sentence: str, shares: Sequence[Share]) -> list[list[Share]]:
    """The figures of each bracket that has several."""
    return [told for told in told_together(sentence, shares) if told and opening_of(sentence, told[0].start)]


def _apart(sentence: str, q: Quantity) -> str:
    """The sentence with a drug beside a figure of one in ten or more taken for its arm, where it stands in a bracket.

    "(60% A, 38% B)" are shares; the strength of what is given is told outside of brackets, and is small.
    """
    if q.value < _LEAST_OF_AN_ARM:
        return sentence
    start, end = opening_of(sentence, q.start), q.end + len(_NAME_BESIDE.match(sentence[q.end :])[0])  # type: ignore[index]
    return f"{' ' * start}{re.sub('[A-Za-z]', ' ', sentence[start : q.start])}{sentence[q.start : q.end]}" + (
        re.sub("[A-Za-z]", " ", sentence[q.end : end]) + sentence[end:]
    )


def told_together(sentence: str, shares: Sequence[Share]) -> Iterator[list[Share]]:
    """Those of one bracket, and those outside of such brackets."""
    places = [opening_of(sentence, share.start) for share in shares]
    several = {place for place in places if place and places.count(place) > 1}
    for place in sorted(several):
        yield [share for share, own in zip(shares, places, strict=True) if own == place]
    yield [share for share, own in zip(shares, places, strict=True) if own not in several]


def opening_of(sentence: str, at: int) -> int:
    """Behind which bracket, the outermost, a place stands; 0 = in none."""
    opened: list[int] = []
    for match in re.finditer(r"[()\[\]]", sentence[:at]):
        if match[0] in "([":
            opened.append(match.end())
        elif opened:
            opened.pop()
    return opened[0] if opened else 0
