"""What an answer is written from: the question as it was understood, the evidence, and what it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openwork_contracts.conclusion import Conclusion
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.gap import GapAssessment
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.strategy import SearchStrategy


@dataclass(frozen=True, slots=True)
class Assignment:
    """Write from these passages and from nothing else."""

    analysis: QuestionAnalysis
    passages: Sequence[RankedPassage]
    documents: Sequence[EvidenceCandidate]
    """The n-th (from 1) has citation number n."""
    gap: GapAssessment
    strategy: SearchStrategy
    """What a record has to hold to be about the question."""
    conclusion: Conclusion | None = None
    """The answer object; its forms are the direct answer, whoever writes the rest."""
