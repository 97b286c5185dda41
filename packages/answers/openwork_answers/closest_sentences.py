"""The sentences that come closest to a question of which no result is of the asked outcome: shown as they stand.

A guideline, a label and much of a paper tell what no table of results has. Who is told that nothing answers may read
there what is known; no verdict follows from it.
"""

from __future__ import annotations

from collections.abc import Iterator

from openwork_contracts.conclusion import NearestSentence
from openwork_language.searching.information import LITTLE

from openwork_answers.asked_words import WORD
from openwork_answers.closest_arms import speaks_of_all_drugs
from openwork_answers.closest_people import are_others
from openwork_answers.closest_works import FEWEST_WORDS, MOST_UNTOLD, is_about_it, not_told, share_of, without_limits
from openwork_answers.pack import Pack
from openwork_answers.source_words import words_of
from openwork_answers.stopping import tells_of_stopping

LEAST_OF_A_WORK = 0.5
"""Of the telling words of a question, weighted by how much they tell, the share that a work has to tell."""
LEAST_OF_ANY_WORK = 0.8
"""The same of a work that, by what was read of the question, is of another drug or disease."""
MOST_SENTENCES = 2
AS_LIKELY = 0.05
"""How likely a sentence has to be that is shown beside the likeliest, as a share of that."""


def closest_sentences(pack: Pack) -> tuple[NearestSentence, ...]:
    """The sentences that are likeliest to be asked for, of works that tell enough of it; empty where none does.

    How much that is was tried on the halves of the sets that were looked at (docs/evaluation.md): how many of 119
    covered questions that ended as too little were shown what they asked for, and how many of 487 others anything.
    """
    if len(pack.held.telling) < FEWEST_WORDS:
        return ()
    untold = dict(_works(pack))
    found: list[NearestSentence] = []
    least = 0.0
    for likely in pack.likely_sentences(None):
        sentence = likely.sentence
        if sentence.n not in untold or (pack.held.is_to_stop and not tells_of_stopping(sentence.text)):
            continue
        if likely.probability < least or len(found) == MOST_SENTENCES:
            break
        least = least or AS_LIKELY * likely.probability
        words = words_of(sentence.text)
        without = tuple(text for text in untold[sentence.n] if not all(map(words.has, WORD.findall(text))))
        found.append(sentence.model_copy(update={"without": without}))
    return tuple(found)


def _works(pack: Pack) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Works that tell enough of the question, each with what it does not tell."""
    for whole in pack.works:
        work = without_limits(whole)
        share, untold = share_of(pack.held, work, work.results)
        is_near = speaks_of_all_drugs(pack.question, work.text) and is_about_it(pack.held, work)
        is_of_others = any(are_others(group, fit) for group, fit in work.fits)
        if share >= (LEAST_OF_A_WORK if is_near else LEAST_OF_ANY_WORK) and not is_of_others:
            yield work.n, not_told(pack.held, work, untold, said_from=LITTLE)[:MOST_UNTOLD]
