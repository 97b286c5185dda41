"""Further rows of the leading work: what it tells of the question in words that the rows told so far do not have.

Who asks about "non-ST-elevation ACS", "per protocol" or "at one year" is told the row of those people, that analysis or
that time beside the one that leads, whatever the reading made of these words.
"""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.conclusion import Fit, StudyResult

from openwork_answers.asked import Question
from openwork_answers.asked_words import AskedWords, figures_of, measures_in, words_apart_from
from openwork_answers.choosing import has_figures
from openwork_answers.outcomes import NEAR, OF_IT

MOST_ROWS = 2


def rows_asked_for(
    lead: StudyResult, told: Sequence[StudyResult], results: Sequence[StudyResult], question: Question
) -> tuple[StudyResult, ...]:
    """At most `MOST_ROWS` results of the lead's own source, those first that have most words of the question that no
    row told has.

    Args:
        told: what stands in the answer already, the lead among it.
        results: all that was read of all sources.
    """
    asked = words_apart_from(question.analysis, ())
    rows = [r for r in results if r.n == lead.n and r not in told and _may_stand(r, question)]
    words = [_words_asked(r, asked) for r in rows]
    met = frozenset().union(*(_words_asked(r, asked) for r in told if r.n == lead.n))
    chosen: list[StudyResult] = []
    for _ in rows[:MOST_ROWS]:
        best = max(range(len(rows)), key=lambda i: (len(words[i] - met), rows[i].outcome_fit in OF_IT))
        if words[best] <= met:
            break
        chosen.append(rows[best])
        met |= words[best]
    return tuple(chosen)


def _may_stand(result: StudyResult, question: Question) -> bool:
    """Whether a row has figures of the asked treatment, or tells no arms, is of nobody else and of no other outcome."""
    if not has_figures(result) or result.people_fit is Fit.OTHER:
        return False
    if result.comparison and result.comparison_fit not in OF_IT:
        return False
    return not question.outcomes or result.outcome_fit in NEAR


def _words_asked(result: StudyResult, asked: AskedWords) -> frozenset[str]:
    """The telling words of a row that the question has, and its figures: those of one digit with their unit ("4 months"
    is no "grade 4"). Those of its arms are not its own."""
    text = "; ".join(filter(None, (result.outcome, result.people, result.time, result.analysis)))
    words = map(str.casefold, asked.met_in(text))
    figures = {n for n in figures_of(text) & asked.numbers if sum(map(str.isdigit, n)) > 1}
    return frozenset((*words, *figures, *(measures_in(text) & measures_in(asked.text))))
