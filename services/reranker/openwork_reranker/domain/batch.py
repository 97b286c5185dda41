"""Ranking without the bus, for `openwork rank`: a query and texts in, identifiers and scores out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openwork_reranker.domain.focus import focus_of_text
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.domain.results import ScoringResult, score_and_report
from openwork_reranker.domain.scoring import ScorableText, Scorer, break_ties


@dataclass(frozen=True, slots=True)
class BatchCandidate:
    """One text to be ranked."""

    id: str
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class BatchRanking:
    """The order of a batch, and who made it."""

    order: tuple[tuple[str, float], ...]
    """Every candidate with its score in [0, 1], best first; equal scores keep the order they came in."""
    report: ScoringResult
    """Who really scored, and whether another stood in; its scores are in the order of the candidates."""


async def rank_batch(scorer: Scorer, query: str, candidates: Sequence[BatchCandidate]) -> BatchRanking:
    """Rank texts as the service ranks documents: by the scorer, its ties broken by words. Texts are read whole."""
    focus = focus_of_text(query)
    texts = [ScorableText(c.title, c.text) for c in candidates]
    report = await score_and_report(scorer, focus, texts)
    scores = list(report.scores)
    if not report.identity.is_lexical:
        scores, _ = break_ties(scores, await LexicalScorer().score(focus, texts))
    order = sorted(range(len(texts)), key=lambda i: -scores[i])
    return BatchRanking(tuple((candidates[i].id, scores[i]) for i in order), report)
