"""What of a question nothing found is about, in words that finish "the evidence found contains no ..."."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.conclusion import Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_evidence.text import abstract_text
from openwork_language.mentions import Idea, speaks_of
from openwork_language.sentences import split_sentences

from openwork_answers.asked import Question
from openwork_answers.naming_people import in_people, in_words
from openwork_answers.people import unmet
from openwork_answers.treatments import generic


def missing_of(
    question: Question,
    usable: Sequence[tuple[int, EvidenceCandidate]],
    about: Sequence[tuple[int, EvidenceCandidate]],
) -> tuple[str, ...]:
    """What of the question nothing found is about, in words that finish "the evidence found contains no ..."."""
    treatment = " and ".join(map(generic, question.treatments))
    others = " or ".join(map(generic, question.comparators))
    treated = [d for _, d in usable if any(any_names(d, idea) for idea in question.treatments)]
    unknown = [in_words(group) for group in unmet(question.people, treated or [d for _, d in usable])]
    if unknown:
        return (f"evidence on {treatment or 'this'}{in_people(unknown)}",)
    if (ways := question.contrast) is not None:
        both = f"{ways.tested.term} and {ways.other.term}"
        of = f" of {treatment}" if treatment and treatment.casefold() not in both.casefold() else ""
        return (f"direct comparison of {both}{of}",)
    if others and not any(_compares(question, d) for _, d in usable):
        return (f"direct comparison of {treatment} and {others}",)
    if question.outcomes:
        return (f"result of {treatment} for {_named(question)}" if treatment else f"evidence on {_named(question)}",)
    if question.unread and treatment and question.asks_for_effect:
        return (f'result of {treatment} that tells of "{", ".join(question.unread)}"',)
    return (f"evidence about {treatment}",) if treatment else ("evidence about the question",)


def missing_alone(lead: StudyResult, others: Sequence[StudyResult], question: Question) -> tuple[str, ...]:
    """Where a composite leads; where the class has a result of the outcome, what is missing is one of the drug."""
    if not question.outcomes or lead.outcome_fit is not Fit.WIDER:
        return ()
    elsewhere = any(r.outcome_fit in {Fit.ASKED, Fit.PART} for r in others) and question.treatments
    of = f" with {' and '.join(map(generic, question.treatments))}" if elsewhere else ""
    return (f"result for {_named(question)} alone{of}",)


def _compares(question: Question, document: EvidenceCandidate) -> bool:
    return all(any_names(document, idea) for idea in (*question.treatments, *question.comparators))


def _named(question: Question) -> str:
    return " or ".join(o.text for o in question.outcomes)


def any_names(document: EvidenceCandidate, idea: Idea) -> bool:
    """Whether any sentence of a source speaks of something."""
    text = f"{document.title}. {abstract_text(document)}"
    return any(speaks_of(sentence.text, idea) for sentence in split_sentences(text))
