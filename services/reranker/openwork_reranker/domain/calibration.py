"""From which score on a text goes on: chosen on labelled pairs, reported on others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from statistics import fmean

KEEP = 0.95
"""Share of the relevant texts that a minimum score keeps. The ranking cuts further; what is dropped here is lost."""
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """A question and a text, what the scorer said and what people said."""

    question: str
    score: float
    """In [0, 1]."""
    relevant: bool


@dataclass(frozen=True, slots=True)
class Passing:
    """What passes a minimum score."""

    minimum: float
    relevant: int
    """Pairs that people called relevant."""
    irrelevant: int
    kept: int
    """Relevant pairs that pass."""
    let_through: int
    """Irrelevant pairs that pass."""

    @property
    def recall(self) -> float | None:
        """Share of the relevant that passes, rightly; `None` = there are none."""
        return self.kept / self.relevant if self.relevant else None

    @property
    def wrongly(self) -> float | None:
        """Share of the irrelevant that passes, wrongly; `None` = there are none."""
        return self.let_through / self.irrelevant if self.irrelevant else None

    @property
    def precision(self) -> float | None:
        """Share of what passes that is relevant; `None` = nothing passes."""
        passing = self.kept + self.let_through
        return self.kept / passing if passing else None


def passing(pairs: Iterable[ScoredPair], minimum: float) -> Passing:
    """Counts of what passes: scores at least as high."""
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for pair in pairs:
        counts[pair.relevant, pair.score >= minimum] += 1
    return Passing(
        minimum,
        relevant=counts[True, True] + counts[True, False],
        irrelevant=counts[False, True] + counts[False, False],
        kept=counts[True, True],
        let_through=counts[False, True],
    )


def halves(pairs: Sequence[ScoredPair]) -> tuple[list[ScoredPair], list[ScoredPair]]:
    """Pairs to choose on and pairs to report on: every other question, all of a question's pairs on one side."""
    place = {question: n for n, question in enumerate(dict.fromkeys(pair.question for pair in pairs))}
    return (
        [pair for pair in pairs if place[pair.question] % 2 == 0],
        [pair for pair in pairs if place[pair.question] % 2 == 1],
    )


def choose_minimum(sets: Mapping[str, Sequence[ScoredPair]], keep: float = KEEP) -> float:
    """The greatest minimum with which the sets keep, on average, such a share of their relevant texts.

    Each set weighs the same, whatever its size. Rounded down, so that it keeps no less.

    Args:
        sets: pairs by the name of their set; those without a relevant pair say nothing.
        keep: in (0, 1].
    Returns:
        In [0, 1], three digits; 0 when there is no relevant pair.
    """
    relevant = [sorted(p.score for p in pairs if p.relevant) for pairs in sets.values()]
    relevant = [scores for scores in relevant if scores]
    best = 0.0
    for minimum in sorted({score for scores in relevant for score in scores}):
        if fmean(_share_from(scores, minimum) for scores in relevant) < keep:
            break
        best = minimum
    return round_down(best)


def _share_from(ascending: Sequence[float], minimum: float) -> float:
    below = sum(score < minimum for score in ascending)
    return (len(ascending) - below) / len(ascending)


_LEAST = 1e-290
"""Under it the unit of the last digit is no float any more."""


def round_down(value: float, digits: int = _DIGITS) -> float:
    """To so many significant digits, never up; 0 stays 0, and what a float can hardly hold is 0."""
    if value < _LEAST:
        return 0.0
    unit = 10.0 ** (floor(log10(value)) - digits + 1)
    return min(value, floor(value / unit) * unit)  # a product may lie above what it was made from
