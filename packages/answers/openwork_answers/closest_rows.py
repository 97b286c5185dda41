"""The rows of a study that stand nearest to a question: of what is asked about, else of what it found."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.conclusion import Conclusion, Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.ranking import RankedPassage
from openwork_language.searching.information import SOME, information

from openwork_answers.asked import Question
from openwork_answers.asked_words import AskedWords, pieces_of, words_apart_from
from openwork_answers.choosing import has_figures, results_about
from openwork_answers.figures_in_words import short_sides
from openwork_answers.outcome_fits import closeness, fit_of, holds_it
from openwork_answers.outcomes import NEAR, OF_IT, read_outcome

MOST_RESULTS = 8
"""Of one study, in all."""
MOST_OF_ITS_OUTCOME = 2
"""Results of the asked outcome that are told of as nearest; others stand in the table alone."""
_ASKED = frozenset({Fit.ASKED, Fit.PART})


def chosen_rows(
    question: Question, asked: AskedWords, results: Sequence[StudyResult]
) -> tuple[tuple[StudyResult, ...], bool]:
    """Of a study's results those nearest to an asked outcome, and that they are.

    Else, as of another, those whose outcomes have most of the question's words; the first ones where none has any.
    """
    whole = [r for r in results if not r.is_subgroup or _is_of_asked_part(r, question)] or list(results)
    whole.sort(key=lambda r: (r.comparison_fit not in OF_IT, r.is_subgroup and not question.people))
    near = [(_nearness(r, question, asked), r) for r in whole if _is_any(r, question)]
    if not near:
        whole.sort(key=lambda r: -_words_asked(r, asked))
        return tuple(r.model_copy(update={"outcome_fit": Fit.OTHER}) for r in whole[:MOST_RESULTS]), False
    best = max(how for how, _ in near)
    return tuple(r for how, r in near if how == best)[:MOST_OF_ITS_OUTCOME], True


def with_rows_beside(
    conclusion: Conclusion,
    question: Question,
    documents: Sequence[EvidenceCandidate],
    passages: Sequence[RankedPassage],
) -> Conclusion:
    """An answer object, and of each study that stands nearest what its table has besides: the same outcome in parts of
    its people and by other definitions; where nothing of it is known to be of the asked outcome, what else it found.

    Who is not told apart may be one of the parts.
    """
    if not conclusion.nearest:
        return conclusion
    asked = words_apart_from(question.analysis, ())
    told: list[StudyResult] = []
    for n in dict.fromkeys(r.n for r in conclusion.nearest):
        own = [r for r in conclusion.nearest if r.n == n]
        besides = [r for r in results_about(n, documents[n - 1], passages, question) if _may_stand(r, own)]
        if own[0].outcome_fit is Fit.OTHER:
            besides = [r.model_copy(update={"outcome_fit": Fit.OTHER}) for r in besides]
        else:
            besides = [r for r in besides if _is_alike(r, own, question)]
        besides.sort(key=lambda r: (r.people_fit not in _ASKED, -_words_asked(r, asked)))
        told += [*own, *besides][: max(MOST_RESULTS, len(own))]
    return conclusion.model_copy(update={"nearest": tuple(told)})


def _may_stand(result: StudyResult, own: Sequence[StudyResult]) -> bool:
    """Whether a row has figures, is of arms that are compared there or tells none, and does not stand there already."""
    sides = {*short_sides(result.comparison)}
    if not has_figures(result) or (sides and sides not in [{*short_sides(r.comparison)} for r in own]):
        return False
    return _key(result) not in map(_key, own)


def _key(result: StudyResult) -> tuple[object, ...]:
    return result.outcome, result.people, result.time, result.effect, result.arms


def _is_alike(result: StudyResult, own: Sequence[StudyResult], question: Question) -> bool:
    """Whether a row is of the same outcome in a part of the people, or of an asked one otherwise defined."""
    if result.is_subgroup:
        return any(result.outcome == r.outcome for r in own)
    return _is_any(result, question)


def _is_of_asked_part(result: StudyResult, question: Question) -> bool:
    """Whether a part of a study's people are those asked about; where nobody is asked about, any part."""
    return not question.people or result.people_fit in _ASKED


def _words_asked(result: StudyResult, asked: AskedWords) -> int:
    """How many telling words of its outcome the question has."""
    return len(asked.met_in(result.outcome))


def _nearness(result: StudyResult, question: Question, asked: AskedWords) -> tuple[int, float]:
    """How many words of an outcome are asked for, where all are; then how near it comes to what is asked about."""
    told = read_outcome(result.outcome)
    words = [word for word in pieces_of(result.outcome) if information(word) >= SOME]
    n_met = len(words) if all(map(asked.has, words)) else 0
    return n_met, max(closeness(told, one) for one in question.outcomes)


def _is_any(result: StudyResult, question: Question) -> bool:
    """Whether a result is of an outcome that is asked about, or of a kind of it."""
    told = read_outcome(result.outcome)
    return any(holds_it(told, one) or fit_of(told, one) in NEAR for one in question.outcomes)
