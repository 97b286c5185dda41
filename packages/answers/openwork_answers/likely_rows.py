"""How likely each row of the evidence is the one that a question asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openwork_contracts.conclusion import Fit, StudyResult
from openwork_contracts.ranking import RankedPassage
from openwork_language.searching.information import information

from openwork_answers.asked import Question
from openwork_answers.asked_words import figures_of
from openwork_answers.closest_works import Held, Work, share_of
from openwork_answers.likelihood import Features, probabilities
from openwork_answers.outcome_fits import closeness
from openwork_answers.outcomes import read_outcome
from openwork_answers.source_words import words_of

WEIGHTS: Features = {
    "outcome": 4.58,
    "outcome_behind": 3.03,
    "outcome_other": -1.81,
    "comparison_asked": 1.96,
    "comparison_other": -1.40,
    "people_asked": 1.36,
    "people_other": -3.60,
    "people_not_told": -2.73,
    "words": 6.01,
    "work_words": 3.48,
    "figures": 1.98,
    "figures_untold": -0.68,
    "place": 1.17,
    "effect": 0.82,
}
"""Of each feature (`features_of`), as `python -m tests.eval.answers.weights` prints them."""
UNRANKED = 99
"""Place of a work of which no passage was chosen."""


@dataclass(frozen=True, slots=True)
class Likely:
    """A row, and how likely it is the one that is asked for."""

    result: StudyResult
    probability: float
    """In [0, 1]; of all rows of a question together 1."""


def likely_rows(held: Held, works: Sequence[Work], passages: Sequence[RankedPassage]) -> tuple[Likely, ...]:
    """All rows with figures, the likeliest first.

    Args:
        passages: the ranked passages, the best first.
    """
    rows = features_of(held, works, passages)
    chances = probabilities([features for _, features in rows], WEIGHTS)
    found = (Likely(result, chance) for (result, _), chance in zip(rows, chances, strict=True))
    return tuple(sorted(found, key=lambda one: -one.probability))


def row_key(result: StudyResult) -> tuple[object, ...]:
    """What makes two rows one, however they stand to a question."""
    return result.n, result.outcome, result.people, result.comparison, result.time, result.effect, result.arms


def places_in(passages: Sequence[RankedPassage]) -> Mapping[int, int]:
    """The place of each work among the passages, from 0."""
    return {passage.n: place for place, passage in reversed(list(enumerate(passages)))}


def features_of(
    held: Held, works: Sequence[Work], passages: Sequence[RankedPassage]
) -> list[tuple[StudyResult, Features]]:
    """Each row with figures, and what it shares with the question.

    `outcome`: how near its outcome comes to an asked one, in [0, 1] (`outcome_fits.closeness`); `outcome_behind`: how
    far that lies behind the nearest row of its work. `words`, `work_words`: the share of the question's telling words,
    weighted by how much they tell, that the row has, and that its work tells. `figures`: how many of the question's
    figures the row has; `figures_untold`: how many its work has not. `place`: minus the logarithm of the place of its
    work among the passages. `effect`: whether an effect is reported. The rest: what was read of its fit.
    """
    places = places_in(passages)
    return [row for work in works if work.rows for row in _of_work(held, work, places.get(work.n, UNRANKED))]


def _of_work(held: Held, work: Work, place: int) -> list[tuple[StudyResult, Features]]:
    asked = figures_of(held.question.analysis.question)
    share, _ = share_of(held, work, work.results)
    untold = len(asked - figures_of(work.text))
    near = [_nearness(r, held.question) for r in work.rows]
    arms = " ; ".join(dict.fromkeys(side for r in work.rows for side in r.comparison))
    told = [_row_text(r, arms) for r in work.rows]
    return [
        (
            r,
            {
                "outcome": nearness,
                "outcome_behind": nearness - max(near),
                "outcome_other": float(r.outcome_fit is Fit.OTHER),
                "comparison_asked": float(r.comparison_fit is Fit.ASKED),
                "comparison_other": float(r.comparison_fit is Fit.OTHER),
                "people_asked": float(r.people_fit is Fit.ASKED),
                "people_other": float(r.people_fit is Fit.OTHER),
                "people_not_told": float(r.people_fit is Fit.NOT_TOLD),
                "words": share_told(held.telling_words, text),
                "work_words": share,
                "figures": float(len(asked & figures_of(text))),
                "figures_untold": float(untold),
                "place": -math.log1p(place),
                "effect": float(r.effect is not None),
            },
        )
        for r, nearness, text in zip(work.rows, near, told, strict=True)
    ]


def _nearness(result: StudyResult, question: Question) -> float:
    told = read_outcome(result.outcome)
    return max((closeness(told, asked) for asked in question.outcomes), default=0.0)


def _row_text(result: StudyResult, arms: str) -> str:
    """All that a row says of itself; one that names no arms is of some of its work."""
    sides = " v ".join(result.comparison) or arms
    return " ; ".join(filter(None, (result.outcome, sides, result.people, result.time, result.analysis)))


def share_told(words: Sequence[str], text: str, *, apart_from: str = "") -> float:
    """Of words, weighted by how much they tell, the share that a text tells.

    Args:
        apart_from: what tells a word already counts for nothing.
    """
    own, other = words_of(text), words_of(apart_from)
    of_all = sum(map(information, words))
    met = (word for word in words if own.tells(word) and not other.tells(word))
    return sum(map(information, met)) / of_all if of_all else 0.0
