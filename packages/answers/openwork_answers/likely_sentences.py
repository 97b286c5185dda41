"""How likely each sentence of the evidence is the one that answers a question.

A guideline, a label and much of a paper tell what no row of results has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from openwork_contracts.conclusion import Fit, NearestSentence
from openwork_contracts.ranking import RankedPassage
from openwork_language.searching.information import SOME, information

from openwork_answers.asked_words import pieces_of, words_apart_from
from openwork_answers.closest_works import Held, Work
from openwork_answers.likelihood import Features, probabilities
from openwork_answers.likely_rows import UNRANKED, Likely, places_in, share_told
from openwork_answers.tellable import Role, Sayable, may_be_said, sayable_in

WEIGHTS: Features = {
    "rows": 3.12,
    "leads": 2.21,
    "place": 1.18,
    "people_other": -2.32,
    "people_not_told": -1.76,
    "guideline_asked": 5.52,
    "words": 2.67,
    "beyond_title": 5.18,
    "asked_for": 2.75,
    "figure": 1.92,
    "share": 0.99,
    "result": 2.54,
    "conclusion": -3.46,
    "recommendation": 2.66,
}
"""Of each feature (`sentence_features`), as `python -m tests.eval.answers.weights` prints them."""


@dataclass(frozen=True, slots=True)
class LikelySentence:
    """A sentence, and how likely it answers."""

    sentence: NearestSentence
    probability: float
    """In [0, 1]; of all sentences of a question together 1."""


def likely_sentences(
    held: Held, works: Sequence[Work], passages: Sequence[RankedPassage], rows: Sequence[Likely], lead: int | None
) -> tuple[LikelySentence, ...]:
    """All sentences that may be said, the likeliest first.

    Args:
        rows: all rows of the evidence with how likely they are.
        lead: the citation number of the work that leads; `None` = none does.
    """
    found = sentence_features(held, works, passages, rows, lead)
    chances = probabilities([features for _, features in found], WEIGHTS)
    likely = (LikelySentence(sentence, chance) for (sentence, _), chance in zip(found, chances, strict=True))
    return tuple(sorted(likely, key=lambda one: -one.probability))


def sentence_features(
    held: Held, works: Sequence[Work], passages: Sequence[RankedPassage], rows: Sequence[Likely], lead: int | None
) -> list[tuple[NearestSentence, Features]]:
    """Each sentence that may be said, and what it shares with the question.

    `words`: the share of the question's telling words, weighted by how much they tell, that it tells; `beyond_title`:
    of those that the title of its work does not. `asked_for`: the share of its own words that the question has.
    `rows`: how likely a row of its work is asked for. `leads`: whether its work leads. `place`: minus the logarithm of
    the place of its work among the passages. `people_other`, `people_not_told`: whether its work is of other people,
    and of how many asked terms for people it says nothing. `guideline_asked`: whether it is a guideline's where one is
    asked for. `figure`, `share`: whether it has a figure, and one of a result. The rest: what it does in its source.
    """
    places = places_in(passages)
    chances: dict[int, float] = {}
    for row in rows:
        chances[row.result.n] = chances.get(row.result.n, 0.0) + row.probability
    found: dict[str, tuple[NearestSentence, Features]] = {}
    for work in works:
        if not may_be_said(work.document):
            continue
        own = _of_work(held, work, chances.get(work.n, 0.0), places.get(work.n, UNRANKED), is_lead=work.n == lead)
        for passage in passages:
            if passage.n != work.n:
                continue
            for said in sayable_in(passage, work.document):
                sentence = NearestSentence(n=work.n, passage_id=passage.passage_id, text=said.text)
                found.setdefault(said.text, (sentence, {**own, **_of_sentence(held, work, said)}))
    return list(found.values())


def _of_work(held: Held, work: Work, chance: float, place: int, *, is_lead: bool) -> Features:
    fits = [fit for _, fit in work.fits]
    return {
        "rows": chance,
        "leads": float(is_lead),
        "place": -math.log1p(place),
        "people_other": float(Fit.OTHER in fits),
        "people_not_told": float(fits.count(Fit.NOT_TOLD)),
        "guideline_asked": float(held.question.asks_for_guideline and work.document.guideline is not None),
    }


def _of_sentence(held: Held, work: Work, said: Sayable) -> Features:
    text = said.text
    telling = [word for word in pieces_of(text) if information(word) >= SOME]
    asked = words_apart_from(held.question.analysis, ())
    of_all = sum(map(information, telling))
    return {
        "words": share_told(held.telling_words, text),
        "beyond_title": share_told(held.telling_words, text, apart_from=work.document.title),
        "asked_for": sum(information(word) for word in telling if asked.has(word)) / of_all if of_all else 0.0,
        "figure": float(any(map(str.isdigit, text))),
        "share": float("%" in text or " CI" in text),
        "result": float(said.role is Role.RESULT),
        "conclusion": float(said.role is Role.CONCLUSION),
        "recommendation": float(said.role is Role.RECOMMENDATION),
    }
