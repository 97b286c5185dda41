"""Whether a work has a result of the very comparison, outcome and people that a question asks about."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.conclusion import StudyResult
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


def has_result_asked(
    question: Question, n: int, document: EvidenceCandidate, passages: Sequence[RankedPassage]
) -> bool:
    """Whether one result of a work answers a question about effects by itself; False for any other question.

    Args:
        n: the work's place, by which its passages are known.
        passages: whose sentences are read where the work lists no results.
    """
    if not question.asks_for_effect or not _names_treatment(question, document):
        return False
    told = results_of(n, document) or told_results(n, document, passages)
    return any(_is_asked(weighed(one, question), question) for one in told if _may_be_of_outcome(one, question))


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
