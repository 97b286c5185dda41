"""The rows and the sentences that a question is likely to ask for where nothing answers it: shown as they stand.

What was read of a question rules a row out, and may be misread; a guideline, a label and much of a paper tell what no
table of results has. Who is told that nothing answers may read there what is known; no verdict follows from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from openwork_contracts.conclusion import Fit, NearestSentence, StudyResult
from openwork_language.searching.information import LITTLE

from openwork_answers.asked_words import WORD, figures_of, words_apart_from
from openwork_answers.closest_arms import speaks_of_all_drugs
from openwork_answers.closest_people import are_others
from openwork_answers.closest_works import (
    MOST_UNTOLD,
    Work,
    is_about_it,
    not_told,
    share_of,
    without_limits,
)
from openwork_answers.likely_rows import row_key
from openwork_answers.likely_sentences import LikelySentence
from openwork_answers.pack import Pack
from openwork_answers.source_words import words_of
from openwork_answers.stopping import tells_of_stopping

FEWEST_WORDS = 2
"""Telling words from which a question can be told by what it shares with a source: "what is sepsis" is any work's."""
LEAST_OF_A_WORK = 0.5
"""Of the telling words of a question, weighted by how much they tell, the share that a work has to tell."""
LEAST_OF_ANY_WORK = 0.7
"""The same of a work that, by what was read of the question, is of another drug or disease."""
MOST_ROWS, LEAST_OF_A_ROW = 5, 0.05
"""Of the likeliest rows as many are looked at, and none that is less likely."""
MOST_SENTENCES = 2
AS_LIKELY = 0.05
"""How likely a sentence has to be that is shown beside the likeliest, as a share of that."""


def likely_rows_near(pack: Pack, shown: Sequence[StudyResult]) -> tuple[StudyResult, ...]:
    """The rows that are likely to be asked for, of works that tell enough of the question.

    How much that is, how likely and how many was tried on the halves of the sets that were looked at
    (docs/evaluation.md): how many of the covered questions that ended as too little were shown what they asked for, and
    how many about what no work tells of anything.

    Args:
        shown: the rows that stand there already.
    """
    near = _near(pack)
    told = set(map(row_key, shown))
    return tuple(
        one.result
        for one in pack.likely[:MOST_ROWS]
        if one.probability >= LEAST_OF_A_ROW
        and row_key(one.result) not in told
        and one.result.n in near
        and may_stand(one.result, pack)
        and (not pack.held.is_to_stop or tells_of_stopping(" v ".join(one.result.comparison)))
    )


def may_stand(row: StudyResult, pack: Pack) -> bool:
    """Whether a row is of nobody else, and, where it is of a part of a source, of one that the question names."""
    if row.people_fit is Fit.OTHER:
        return False
    asked = words_apart_from(pack.question.analysis, ())
    return not row.is_subgroup or bool(asked.met_in(row.people or "") or figures_of(row.people or "") & asked.numbers)


def closest_sentences(pack: Pack) -> tuple[NearestSentence, ...]:
    """The sentences that are likeliest to be asked for, of works that tell enough of it; empty where none does."""
    near = _near(pack)
    found: list[NearestSentence] = []
    least = 0.0
    for likely in sentences_near(pack, None):
        sentence = likely.sentence
        if likely.probability < least or len(found) == MOST_SENTENCES:
            break
        least = least or AS_LIKELY * likely.probability
        words = words_of(sentence.text)
        untold = _untold(pack, near[sentence.n])
        without = tuple(text for text in untold if not all(map(words.has, WORD.findall(text))))
        found.append(sentence.model_copy(update={"without": without}))
    return tuple(found)


def sentences_near(pack: Pack, lead: int | None) -> Iterator[LikelySentence]:
    """The sentences of works that tell enough of the question, the likeliest first.

    Args:
        lead: the citation number of the work that leads; `None` = none does.
    """
    near = _near(pack)
    for likely in pack.likely_sentences(lead):
        sentence = likely.sentence
        if sentence.n in near and (not pack.held.is_to_stop or tells_of_stopping(sentence.text)):
            yield likely


def _near(pack: Pack) -> Mapping[int, Work]:
    """Works that tell enough of the question and are of no other people, by their numbers."""
    if len(pack.held.telling) < FEWEST_WORDS:
        return {}
    return {work.n: work for work in _works(pack)}


def _works(pack: Pack) -> Iterator[Work]:
    for work in map(without_limits, pack.works):
        is_near = speaks_of_all_drugs(pack.question, work.text) and is_about_it(pack.held, work)
        share, _ = share_of(pack.held, work, work.results)
        is_of_others = any(are_others(group, fit) for group, fit in work.fits)
        if share >= (LEAST_OF_A_WORK if is_near else LEAST_OF_ANY_WORK) and not is_of_others:
            yield work


def _untold(pack: Pack, work: Work) -> tuple[str, ...]:
    """What of the question a work does not tell."""
    _, untold = share_of(pack.held, work, work.results)
    return not_told(pack.held, work, untold, said_from=LITTLE)[:MOST_UNTOLD]
