"""The plainest scorer: the floor that every other one must beat, and a stand-in that cannot fail."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_language.tokens import token_set

from openwork_reranker.domain.aspects import RESULT_TOKENS
from openwork_reranker.domain.focus import QuestionFocus
from openwork_reranker.domain.scoring import ScorableText, ScorerIdentity

THING_BOOST = 0.1
"""Per entity of the question that the text names, under any of its names."""
COMPARISON_BOOST = 0.05
"""Once, when the question compares and the text has the language of a comparison."""


class JaccardScorer:
    """Jaccard similarity of the token sets plus small boosts, at most 1."""

    identity = ScorerIdentity("jaccard", version="1", is_lexical=True)

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        """As `Scorer.score`; never fails."""
        return self.score_now(focus, texts)

    def score_now(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        """Shape (n,), in [0, 1]."""
        question = frozenset(focus.tokens)
        return [_score(focus, question, token_set(text.whole)) for text in texts]


def _score(focus: QuestionFocus, question: frozenset[str], tokens: frozenset[str]) -> float:
    score = jaccard(question, tokens)
    score += THING_BOOST * sum(any(tokens.issuperset(form) for form in thing.forms) for thing in focus.things)
    if focus.comparative and not tokens.isdisjoint(RESULT_TOKENS):
        score += COMPARISON_BOOST
    return min(1.0, score)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Size of the intersection over size of the union; 0 when both are empty."""
    shared = len(one & other)
    union = len(one) + len(other) - shared
    return shared / union if union else 0.0
