"""What stands beside an answer because the question is likely to ask for it, whatever was read of the question."""

from __future__ import annotations

import re

from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, NearestSentence, StudyResult

from openwork_answers.asked import Question
from openwork_answers.asked_words import figures_of
from openwork_answers.closest_likely import likely_rows_near, may_stand
from openwork_answers.forms import lines_of
from openwork_answers.likely_rows import row_key
from openwork_answers.pack import Pack
from openwork_answers.table import table_of

_P_VALUE = re.compile(r"\bP\s?[<=>]\s?[\d.]+\d", re.IGNORECASE)
MOST_ROWS, LEAST_OF_A_ROW = 3, 0.1
"""Of the likeliest rows as many are looked at, and none that is less likely."""
CERTAIN = 0.95
"""A row that is likelier stands alone: where such a row leads, in 19 of 20 answers it is the one asked for."""
LEAST_OF_A_SENTENCE, FEWEST_FIGURES = 0.3, 2
"""How likely a sentence has to be, and how many figures it has to tell that do not stand there already."""
FEWEST_OF_ITS_OWN = 3
"""The same of a sentence that tells the result that leads: of another result besides, not its rates alone."""


def with_likely(conclusion: Conclusion, pack: Pack) -> Conclusion:
    """An answer object with the rows that are likely to be asked for, and where none leads or the one that does is not
    certain to be, with the sentence that is."""
    if conclusion.lead is not None or conclusion.guidelines:
        conclusion = _with_rows(conclusion, pack)
    elif _is_in_words_alone(conclusion) and _asks_for_one(pack.question):
        conclusion = conclusion.model_copy(update={"likely": likely_rows_near(pack, conclusion.results)})
    else:
        return conclusion
    sentence = _sentence(conclusion, pack)
    return conclusion if sentence is None else conclusion.model_copy(update={"in_words": sentence})


def _is_in_words_alone(conclusion: Conclusion) -> bool:
    """Whether sentences of sources are all that it is answered with."""
    return conclusion.verdict is ConclusionVerdict.DESCRIPTION and not (conclusion.regimens or conclusion.others)


def _asks_for_one(question: Question) -> bool:
    """Whether a question names what it asks for, be it understood or not: of "does it help" any sentence is as near."""
    return bool(question.outcomes or question.unread)


def _with_rows(conclusion: Conclusion, pack: Pack) -> Conclusion:
    told = set(map(row_key, conclusion.results))
    rows = [one.result for one in pack.likely[:MOST_ROWS] if one.probability >= LEAST_OF_A_ROW]
    more = [row for row in rows if row_key(row) not in told and may_stand(row, pack)]
    return conclusion.model_copy(update={"others": (*conclusion.others, *more)}) if more else conclusion


def _sentence(conclusion: Conclusion, pack: Pack) -> NearestSentence | None:
    lead = conclusion.lead
    if lead is not None and (pack.chance_of(lead) >= CERTAIN or not _asks_for_one(pack.question)):
        return None
    found = next(iter(pack.likely_sentences(lead.n if lead else None)), None)
    if found is None or found.probability < LEAST_OF_A_SENTENCE:
        return None
    if _is_in_words_alone(conclusion):
        return found.sentence
    fewest = FEWEST_OF_ITS_OWN if lead is not None and _is_told_in(found.sentence, lead) else FEWEST_FIGURES
    return found.sentence if len(new_figures(found.sentence, conclusion, pack)) >= fewest else None


def _is_told_in(sentence: NearestSentence, lead: StudyResult) -> bool:
    """Whether a sentence tells the effect of the result that leads."""
    effect = lead.effect
    if effect is None or sentence.n != lead.n:
        return False
    printed = (effect.estimate, effect.ci_low, effect.ci_high)
    return {f"{abs(one):g}" for one in printed if one is not None} <= figures_of(sentence.text)


def new_figures(sentence: NearestSentence, conclusion: Conclusion, pack: Pack) -> frozenset[str]:
    """The figures of a sentence that stand neither in an answer, its table among it, nor in the question or a title.

    A P value is none: beside an interval it tells nothing more.
    """
    cells = (cell for row in table_of(conclusion) for cell in row.cells)
    told = " ; ".join((*(line.text for line in lines_of(conclusion)), *cells))
    known = figures_of(f"{told} ; {pack.question.analysis.question} ; {pack.documents[sentence.n - 1].title}")
    return figures_of(_P_VALUE.sub("", sentence.text)) - known
