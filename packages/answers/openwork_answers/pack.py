"""All that an answer object is made of besides the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from openwork_contracts.conclusion import StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.strategy import SearchStrategy

from openwork_answers.asked import Question, readings_of
from openwork_answers.choosing import results_about
from openwork_answers.citable import citable
from openwork_answers.closest_works import Held, Work, held_of, work_of
from openwork_answers.likely_rows import Likely, likely_rows, row_key
from openwork_answers.likely_sentences import LikelySentence, likely_sentences

Sources = Sequence[tuple[int, EvidenceCandidate]]
"""Works, each with its citation number."""


@dataclass(frozen=True)
class Pack:
    """The evidence of a run, each work held against the first reading of the question once."""

    question: Question
    """The first reading."""
    strategy: SearchStrategy
    passages: tuple[RankedPassage, ...]
    documents: tuple[EvidenceCandidate, ...]

    @cached_property
    def held(self) -> Held:
        """The question, taken apart."""
        return held_of(self.question)

    @cached_property
    def citable(self) -> list[tuple[int, EvidenceCandidate]]:
        """The works that may be cited."""
        return citable(self.documents)

    @cached_property
    def results(self) -> Mapping[int, Sequence[StudyResult]]:
        """All results of each of those, held against the first reading."""
        return {n: results_about(n, document, self.passages, self.question) for n, document in self.citable}

    @cached_property
    def works(self) -> tuple[Work, ...]:
        """Those, held against the question."""
        return tuple(work_of(n, document, self.results[n], self.held) for n, document in self.citable)

    @cached_property
    def likely(self) -> tuple[Likely, ...]:
        """All rows with figures, the likeliest to be asked for first."""
        return likely_rows(self.held, self.works, self.passages)

    @cached_property
    def chances(self) -> Mapping[tuple[object, ...], float]:
        """How likely each row is the one that is asked for, by `row_key`."""
        return {row_key(one.result): one.probability for one in self.likely}

    def chance_of(self, result: StudyResult) -> float:
        """How likely a row is the one that is asked for."""
        return self.chances.get(row_key(result), 0.0)

    def likely_sentences(self, lead: int | None) -> tuple[LikelySentence, ...]:
        """All sentences that may be said, the likeliest to answer first.

        Args:
            lead: the citation number of the work that leads; `None` = none does.
        """
        if lead not in self._sentences:
            self._sentences[lead] = likely_sentences(self.held, self.works, self.passages, self.likely, lead)
        return self._sentences[lead]

    @cached_property
    def _sentences(self) -> dict[int | None, tuple[LikelySentence, ...]]:
        """Those that were asked for, by what led: one that opens and those beside it are asked for apart."""
        return {}

    def passages_of(self, n: int) -> tuple[RankedPassage, ...]:
        """The passages of a work."""
        return tuple(passage for passage in self.passages if passage.n == n)

    def texts_of(self, n: int) -> tuple[str, ...]:
        """The texts of the passages of a work."""
        return tuple(passage.text for passage in self.passages_of(n))

    def results_in(self, sources: Sources, question: Question) -> list[StudyResult]:
        """All results of some works, held against a reading of the question."""
        if question is self.question:
            return [r for n, _ in sources for r in self.results[n]]
        return [r for n, document in sources for r in results_about(n, document, self.passages, question)]


@lru_cache(maxsize=8)
def pack_of(
    analysis: QuestionAnalysis,
    strategy: SearchStrategy,
    passages: tuple[RankedPassage, ...],
    documents: tuple[EvidenceCandidate, ...],
) -> Pack:
    """The pack of a run. The last few are remembered: what is too little is looked at once more."""
    return Pack(next(readings_of(analysis, strategy)), strategy, passages, documents)
