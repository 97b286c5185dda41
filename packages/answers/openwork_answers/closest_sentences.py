"""The sentences that come closest to a question of which no result is of the asked outcome: shown as they stand.

A guideline, a label and much of a paper tell what no table of results has. Who is told that nothing answers may read
there what is known; no verdict follows from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from openwork_contracts.conclusion import NearestSentence
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.ranking import RankedPassage
from openwork_language.searching.information import LITTLE, information

from openwork_answers.asked import Question
from openwork_answers.asked_words import WORD
from openwork_answers.closest_arms import speaks_of_all_drugs
from openwork_answers.closest_works import (
    FEWEST_WORDS,
    MOST_UNTOLD,
    Held,
    Work,
    held_of,
    is_about_it,
    not_told,
    share_of,
    without_limits,
    work_of,
)
from openwork_answers.source_words import words_of
from openwork_answers.stopping import tells_of_stopping
from openwork_answers.tellable import Role, may_be_said, sayable_in

LEAST_OF_A_WORK = 0.6
"""Of the telling words of a question, weighted by how much they tell, the share that a work has to tell."""
LEAST_OF_A_SENTENCE = 0.4
"""Of the telling words, each once, the share that one of its sentences has to tell, by how much they tell."""
AS_NEAR = 0.1
"""How much less may be told by a sentence that is shown beside the nearest."""
MOST_SENTENCES = 2
_OF_THE_TITLE = 0.5
"""Weight of a word that the title has: what a sentence tells besides is why it is shown."""
_OF_THE_WORK = 0.5
"""Weight of the work's share beside the sentence's own."""


def closest_sentences(
    question: Question, sources: Sequence[tuple[int, EvidenceCandidate]], passages: Sequence[RankedPassage]
) -> tuple[NearestSentence, ...]:
    """The sentences that tell most of a question, the nearest first; empty where none tells enough of it.

    Args:
        question: the first reading, which nothing answers.
        sources: works that may be cited, each with its place.
    """
    held = held_of(question)
    if len(held.telling) < FEWEST_WORDS:
        return ()
    found: list[tuple[float, float, NearestSentence]] = []
    for work, share, without in _works(held, sources, passages):
        title = words_of(work.document.title)
        weights = {word: information(word) * (_OF_THE_TITLE if title.has(word) else 1.0) for word in held.telling}
        for sentence in _sentences(work, passages):
            if held.is_to_stop and not tells_of_stopping(sentence.text):
                continue
            words = words_of(sentence.text)
            met = sum(weight for word, weight in weights.items() if words.tells(word))
            own = met / sum(weights.values()) if met else 0.0
            if own >= LEAST_OF_A_SENTENCE:
                untold = tuple(text for text in without if not all(map(words.has, WORD.findall(text))))
                told = sentence.model_copy(update={"without": untold})
                found.append((own + _OF_THE_WORK * share, own, told))
    found.sort(key=lambda one: -one[0])
    near: dict[str, NearestSentence] = {}
    for _, own, told in found:
        if own >= found[0][1] - AS_NEAR:
            near.setdefault(told.text, told)
    return tuple(near.values())[:MOST_SENTENCES]


def _works(
    held: Held, sources: Sequence[tuple[int, EvidenceCandidate]], passages: Sequence[RankedPassage]
) -> Iterator[tuple[Work, float, tuple[str, ...]]]:
    """Works that tell enough of the question, of whose people none are others: how much, and what they do not."""
    with_passages = {passage.n for passage in passages}
    for n, document in sources:
        if n not in with_passages or not may_be_said(document):
            continue
        work = without_limits(work_of(n, document, passages, held))
        if not speaks_of_all_drugs(held.question, work.text) or not is_about_it(held, work):
            continue
        share, untold = share_of(held, work, work.results)
        if share >= LEAST_OF_A_WORK:
            yield work, share, not_told(held, work, untold, said_from=LITTLE)[:MOST_UNTOLD]


def _sentences(work: Work, passages: Sequence[RankedPassage]) -> Iterator[NearestSentence]:
    """What it found, concludes or recommends, and whatever else of it has a figure."""
    for passage in passages:
        if passage.n != work.n:
            continue
        for said in sayable_in(passage, work.document):
            tells = said.role is not Role.OTHER or any(map(str.isdigit, said.text))
            if tells and said.role is not Role.LIMITATION:
                yield NearestSentence(n=work.n, passage_id=passage.passage_id, text=said.text)
