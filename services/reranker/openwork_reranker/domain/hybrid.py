"""Words and meaning together: the lexical order and that of a bi-encoder, fused.

A bi-encoder finds texts that say the same in other words. It is blind to negation ("reduces" and "does not reduce" have
a cosine of 0.93), so it decides which texts are read first and never what they support.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import Protocol

from openwork_reranker.domain.focus import QuestionFocus
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.domain.results import ScoringResult
from openwork_reranker.domain.scoring import ScorableText, ScorerIdentity

DEPTH = 20
"""Texts at the top of the lexical order that the model reads; the rest keeps its lexical place. 20 texts of 128 tokens
are 0.8 core-seconds. Depth 30 gains at most 0.015 of nDCG@10, on one of eight sets, for half as much again."""
MEANING_SHARE = 1 / 3
"""Words count double. Equal shares gain more where texts come from many works (up to 0.02 of nDCG@10) and lose among
the paragraphs of one trial, where every text speaks of the subject and only its words tell them apart."""
MAX_CHARS = 600
"""Characters of a text that the model reads: about 128 tokens, where its cost per text is still small."""


class Similarity(Protocol):
    """A bi-encoder."""

    @property
    def identity(self) -> ScorerIdentity:
        """Name, model and version."""

    async def similarities(self, question: str, texts: Sequence[str]) -> list[float]:
        """Cosine of each text with the question, shape (n,), in [-1, 1].

        Raises:
            ModelUnavailable, ModelAnswerRejected: as `Scorer.score`.
        """

    async def check(self) -> None:
        """Whether it can be used now; raises as `similarities` does."""


class HybridScorer:
    """The lexical scorer whose best texts are put in the order of the fused scores."""

    def __init__(
        self,
        similarity: Similarity,
        *,
        depth: int = DEPTH,
        max_chars: int = MAX_CHARS,
        meaning_share: float = MEANING_SHARE,
        lexical: LexicalScorer | None = None,
    ) -> None:
        self._similarity = similarity
        self._depth = depth
        self._max_chars = max_chars
        self._meaning_share = meaning_share
        self._lexical = lexical or LexicalScorer()

    @property
    def identity(self) -> ScorerIdentity:
        """Counts as lexical: no tie-breaker is needed where the lexical order is half of the fusion."""
        model = self._similarity.identity
        return ScorerIdentity(f"lexical+{model.name}", model.model, model.version, is_lexical=True)

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        """As `Scorer.score`. The scores are the lexical ones, dealt out anew: see `reorder`."""
        return list((await self.score_and_report(focus, texts)).scores)

    async def score_and_report(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> ScoringResult:
        """As `Scorer.score`, under the identity of the server's answer."""
        lexical = self._lexical.score_now(focus, texts)
        best = sorted(range(len(texts)), key=lambda i: -lexical[i])[: self._depth]
        if len(best) < 2:
            return ScoringResult(tuple(lexical), self.identity)
        read = [texts[i].whole[: self._max_chars] for i in best]
        cosines = await self._similarity.similarities(focus.question, read)
        return ScoringResult(tuple(reorder(lexical, best, cosines, self._meaning_share)), self.identity)

    async def check(self) -> None:
        """Whether the model can be used; see `Similarity.check`."""
        await self._similarity.check()


def reorder(
    lexical: Sequence[float], best: Sequence[int], cosines: Sequence[float], meaning_share: float = MEANING_SHARE
) -> list[float]:
    """Lexical scores with those of the best texts exchanged among them, so that they stand in the fused order.

    Fused are the standard scores of both over the texts that were read, see `MEANING_SHARE`. Reciprocal ranks, tried
    beside it, lost to the lexical order on SciFact and gained less on other sets: they forget by how much a text is
    better. The sums are numbers without a scale, so the first of the fused order gets the highest lexical score that
    was given, the second the next one: the scores keep their spread, and the minimum set for them its meaning.

    Args:
        lexical: shape (n,).
        best: the texts that were read, in lexical order, best first; distinct indices into `lexical`.
        cosines: of the texts of `best`, in its order.
    Returns:
        Shape (n,): a permutation of `lexical` that moves only the texts of `best`.
    """
    by_words = _standardised([lexical[i] for i in best])
    by_meaning = _standardised(cosines)
    order = sorted(range(len(best)), key=lambda k: -((1 - meaning_share) * by_words[k] + meaning_share * by_meaning[k]))
    scores = list(lexical)
    for place, k in enumerate(order):
        scores[best[k]] = lexical[best[place]]
    return scores


def _standardised(values: Sequence[float]) -> list[float]:
    """Mean 0, standard deviation 1; all 0 when the values do not differ."""
    mean, deviation = fmean(values), pstdev(values)
    return [(value - mean) / deviation if deviation > 0 else 0.0 for value in values]
