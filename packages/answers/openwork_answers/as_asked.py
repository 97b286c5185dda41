"""How close the results of a work come to the very comparison, outcome and people that a question asks about."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.conclusion import Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.ranking import RankedPassage
from openwork_evidence.text import abstract_text
from openwork_language.mentions import speaks_of

from openwork_answers.asked import Question
from openwork_answers.choosing import has_figures
from openwork_answers.outcomes import NEAR, OF_IT, read_outcome
from openwork_answers.reported import Reported, results_of
from openwork_answers.told import told_results
from openwork_answers.weighing import best_outcome_fit, weighed

MOST_CLOSE = 4
"""A result of all that is asked, and of no part of it."""


def closeness(question: Question, n: int, document: EvidenceCandidate, passages: Sequence[RankedPassage]) -> int:
    """How well one result of a work answers a question about effects by itself; 0 for any other question.

    Args:
        n: the work's place, by which its passages are known.
        passages: whose sentences are read where the work lists no results.
    Returns:
        0 = no result of the comparison, the outcome and the people; else 1, and 1 more for each of the three that is
        what was asked, and neither a part of it nor wider. At most `MOST_CLOSE`.
    """
    if not question.asks_for_effect or not _names_treatment(question, document):
        return 0
    told = results_of(n, document) or told_results(n, document, passages)
    found = (weighed(one, question) for one in told if _may_be_of_outcome(one, question))
    return max((1 + _n_exact(result, question) for result in found if _is_asked(result, question)), default=0)


def _names_treatment(question: Question, document: EvidenceCandidate) -> bool:
    """Whether a work speaks of a treatment that is asked about by a name; read first, as it costs little."""
    named = [idea for idea in question.treatments if idea.names]
    text = f"{document.title}. {abstract_text(document)}"
    return not named or any(speaks_of(text, idea) for idea in named)


def _may_be_of_outcome(reported: Reported, question: Question) -> bool:
    """By its name, before it is weighed; survival is an event the other way round."""
    if not question.outcomes or "survival" in reported.outcome.casefold():
        return True
    return best_outcome_fit(read_outcome(reported.outcome), question.outcomes) in OF_IT


def _is_asked(result: StudyResult, question: Question) -> bool:
    own = result.comparison_fit in OF_IT and (not question.outcomes or result.outcome_fit in OF_IT)
    return own and result.people_fit in NEAR and has_figures(result)


def _n_exact(result: StudyResult, question: Question) -> int:
    outcome = result.outcome_fit if question.outcomes else Fit.ASKED
    sides = result.comparison_fit if result.comparison else Fit.NOT_TOLD  # arms that are not named are nobody's
    return (sides, outcome, result.people_fit).count(Fit.ASKED)
