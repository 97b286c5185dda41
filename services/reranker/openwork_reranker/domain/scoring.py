"""The port behind which scorers stand, and what they read.

Built in: `LexicalScorer` and `JaccardScorer`, which need no model. A bi-encoder or a cross-encoder implements the same
`Scorer` in `adapters/`; nothing else of the service changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol

from openwork_contracts.ranking import ScorerReport, ScoreStatistics

from openwork_reranker.domain.focus import QuestionFocus


@dataclass(frozen=True, slots=True)
class ScorableText:
    """A text to be scored; the title apart, since lexical scorers weight it and models read it first."""

    title: str
    body: str

    @property
    def whole(self) -> str:
        """Title and body as one text, as a cross-encoder reads it."""
        return f"{self.title}. {self.body}" if self.title and self.body else self.title or self.body


@dataclass(frozen=True, slots=True)
class ScorerIdentity:
    """Which scorer gave the scores; goes into the answer's method section."""

    name: str
    """"lexical", "jaccard", "triton", ..."""
    model: str | None = None
    version: str | None = None
    is_lexical: bool = False
    """Lexical scores need no lexical tie-breaker."""
    max_batch: int | None = None
    """Most texts per call of the model, e.g. 8; `None` = no limit. The scorer splits by itself."""
    minimum_score: float | None = None
    """Least score of a text worth reading, in [0, 1], as calibrated for this model; `None` = never calibrated."""


class Scorer(Protocol):
    """Reads a question and texts, and says how well each fits."""

    @property
    def identity(self) -> ScorerIdentity:
        """Name, model and version of this scorer."""

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        """Relevance of each text to the question.

        Scores order texts within one question; they do not compare across questions.

        Args:
            focus: the question in the user's words (`focus.question`) and what it names.
            texts: n texts, n >= 0; their order is kept.
        Returns:
            Shape (n,), finite, in [0, 1].
        Raises:
            ModelUnavailable: no answer in time; worth another try, or the lexical scorer stands in.
            ModelAnswerRejected: an answer of another shape, or not finite; never worth one.
        """


def score_statistics(scores: Sequence[float]) -> ScoreStatistics | None:
    """How the scores spread; `None` when there are none."""
    if not scores:
        return None
    low, high = min(scores), max(scores)
    return ScoreStatistics(count=len(scores), minimum=low, median=median(scores), maximum=high, separation=high - low)


def scorer_report(
    stage: str,
    identity: ScorerIdentity,
    scores: Sequence[float],
    *,
    tie_breaker: bool = False,
    degradation: str | None = None,
) -> ScorerReport:
    """What the method section says of one scoring run. `stage` is "documents" or "passages"."""
    return ScorerReport(
        stage=stage,
        scorer=identity.name,
        model=identity.model,
        version=identity.version,
        statistics=score_statistics(scores),
        tie_breaker=tie_breaker,
        degradation=degradation,
    )


MIN_SEPARATION = 0.05
"""Below this spread (maximum - minimum) scores are taken as saturated: they tell the texts apart too little."""
TIE_BREAKER_WEIGHT = 0.15
"""Share of the lexical score in the blend that breaks ties."""


def break_ties(
    scores: Sequence[float],
    lexical: Sequence[float],
    *,
    min_separation: float = MIN_SEPARATION,
    weight: float = TIE_BREAKER_WEIGHT,
) -> tuple[list[float], bool]:
    """Blend the lexical scores in when the scores are saturated; (scores, whether that was done).

    Args:
        scores: shape (n,), in [0, 1].
        lexical: shape (n,), in [0, 1], of the same texts.
    """
    if len(scores) < 2 or max(scores) - min(scores) >= min_separation:
        return list(scores), False
    return [(1 - weight) * s + weight * x for s, x in zip(scores, lexical, strict=True)], True
