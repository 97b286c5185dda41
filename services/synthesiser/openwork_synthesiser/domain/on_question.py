"""What a model may write from and about: sources that the answer object holds, sentences that name what was asked."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_answers.about import is_sentence_about
from openwork_answers.asked import Question, reading_of
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import NEAR, read_outcome
from openwork_answers.people import people_fit
from openwork_answers.targets import is_about, is_named
from openwork_answers.treatments import named_by
from openwork_contracts.conclusion import Conclusion, Fit
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.strategy import SearchStrategy
from openwork_evidence.text import abstract_text
from openwork_knowledge.statuses import is_void
from openwork_language.asking.people import Told, told_of
from openwork_language.effects.find import stance_of
from openwork_language.mentions import Idea, idea_tokens, speaks_of
from openwork_language.searching.matching import meets_block, searchable

from openwork_synthesiser.domain.assignment import Assignment
from openwork_synthesiser.domain.draft import make_pool
from openwork_synthesiser.domain.thresholds import SynthesisLimits

_TELLS = (Told.SAME, Told.PART, Told.WIDER)


def held_sources(assignment: Assignment, limits: SynthesisLimits) -> frozenset[int]:
    """Citation numbers of the works that may stand in a prompt and in a model's draft.

    Those whose results or recommendations the answer object holds; of the others that it calls about the question (of
    all, where there is no object) those with a sentence above the relevance floor (`SynthesisLimits.min_relevance`).
    Never one that is retracted, or marked as not testing what is asked.
    """
    pool = make_pool(assignment.analysis, assignment.passages, assignment.documents, assignment.gap, limits)
    relevant = {s.n for s in pool.statements if s.relevance >= limits.min_relevance}
    misfits = {p.n for p in assignment.passages if p.fit.misfit}
    wanted = relevant
    if assignment.conclusion is not None:
        wanted = _with_results(assignment.conclusion) | (relevant & assignment.conclusion.sources)
    return frozenset(
        n for n, d in enumerate(assignment.documents, 1) if n in wanted and n not in misfits and not is_void(d.status)
    )


def _with_results(conclusion: Conclusion) -> set[int]:
    lead = (conclusion.lead,) if conclusion.lead else ()
    results = (*lead, *conclusion.others, *conclusion.harms, *conclusion.conflicts)
    return {*(r.n for r in results), *(g.n for g in conclusion.guidelines)}


def _is_treatment_named(idea: Idea, sentence: str, cited: Sequence[EvidenceCandidate]) -> bool:
    """In full, or by a word of it ("the intensive target") where its source tells of which."""
    if speaks_of(sentence, idea) or named_by(idea, sentence) in NEAR:
        return True
    by_word = not idea.names and idea.free & idea_tokens(sentence)
    return bool(by_word) and any(speaks_of(f"{d.title}. {abstract_text(d)}", idea) for d in cited)


class Topic:
    """The question, read once, against which a model's sentences are held."""

    def __init__(self, assignment: Assignment) -> None:
        self._strategy: SearchStrategy = assignment.strategy
        self._question: Question = reading_of(assignment.analysis, assignment.strategy, assignment.conclusion)
        self._documents: Sequence[EvidenceCandidate] = assignment.documents

    def is_answered(self, sentence: str, citations: Sequence[int]) -> bool:
        """Whether a sentence may stand in the direct answer: it tells of treatment, outcome and people together."""
        return any(is_sentence_about(self._question, self._strategy, d, sentence) for d in self._cited(citations))

    def is_named(self, sentence: str, citations: Sequence[int]) -> bool:
        """Whether a sentence names treatment, outcome or people of the question, and is not of other people."""
        cited = self._cited(citations)
        if cited and all(people_fit(self._question.people, d, sentence) is Fit.OTHER for d in cited):
            return False
        question = self._question
        ideas = (*question.treatments, *question.comparators)
        if any(_is_treatment_named(idea, sentence, cited) for idea in ideas):
            return True
        if self._names_outcome(sentence):
            return True
        if any(told_of(term, sentence) in _TELLS for term in question.people):
            return True
        if question.target is not None:
            of_it = any(is_about(question.target, f"{d.title}. {abstract_text(d)}") for d in cited)
            return of_it and is_named(question.target, sentence)
        return not ideas and self._names_a_block(sentence)

    def _names_outcome(self, sentence: str) -> bool:
        """The outcome asked about; where a question names none, any that matters to patients."""
        asked = self._question.outcomes
        if not asked:
            return stance_of(sentence).clinical_outcome
        told = read_outcome(sentence)
        return any(fit_of(told, outcome) in NEAR for outcome in asked)

    def _names_a_block(self, sentence: str) -> bool:
        """Of a question without a treatment: whether it names something that a search for it asks for."""
        record = searchable((sentence,))
        return any(meets_block(record, block, broad=False) for block in self._strategy.blocks if not block.negated)

    def _cited(self, citations: Sequence[int]) -> list[EvidenceCandidate]:
        return [self._documents[n - 1] for n in citations if 1 <= n <= len(self._documents)]
