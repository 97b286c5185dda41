"""Scores together with what is to be said of them: who really scored, whether another stood in, from where they came.

`Scorer.score` gives numbers alone. A scorer that may answer in several ways (a fallback, a cache, a server that names
its version) implements `ReportingScorer` too; `score_and_report` asks either kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from openwork_reranker.domain.focus import QuestionFocus
from openwork_reranker.domain.scoring import ScorableText, Scorer, ScorerIdentity


@dataclass(frozen=True, slots=True)
class ScoringResult:
    """Scores of one call, and how they came about."""

    scores: tuple[float, ...]
    """As `Scorer.score`: one per text, finite, in [0, 1]."""
    identity: ScorerIdentity
    """Who gave these scores."""
    degradation: str | None = None
    """Plain words when another scorer stood in; `None` = as configured."""
    from_cache: bool = False
    batch_sizes: tuple[int, ...] = ()
    """Texts per request to a model server, in the order sent; empty when none was asked."""
    queue_full: int = 0
    """Times the server's queue was full and the request waited; Triton itself does not count these."""


@runtime_checkable
class ReportingScorer(Protocol):
    """A scorer that knows more about one call than its identity says."""

    @property
    def identity(self) -> ScorerIdentity:
        """The scorer as configured."""

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        """See `Scorer.score`."""

    async def score_and_report(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> ScoringResult:
        """As `Scorer.score`, with the report of this very call; raises the same errors."""


async def score_and_report(scorer: Scorer, focus: QuestionFocus, texts: Sequence[ScorableText]) -> ScoringResult:
    """Ask any scorer; of one that does not report, its identity is taken before the call."""
    if isinstance(scorer, ReportingScorer):
        return await scorer.score_and_report(focus, texts)
    identity = scorer.identity
    return ScoringResult(tuple(await scorer.score(focus, texts)), identity)
