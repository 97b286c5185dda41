"""Ranking without the bus, for `openwork rank`: a query and texts in, identifiers and scores out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openwork_contracts.question import QuestionAnalysis

from openwork_reranker.focus import focus_of, focus_of_text
from openwork_reranker.lexical import LexicalScorer
from openwork_reranker.results import ScoringResult, score_and_report
from openwork_reranker.scoring import ScorableText, Scorer


@dataclass(frozen=True, slots=True)
class BatchCandidate:
    """One text to be ranked."""

    id: str
    title: str = ""
    text: str = ""


def rank_batch(query: str | QuestionAnalysis, candidates: Sequence[BatchCandidate]) -> tuple[tuple[str, float], ...]:
    """Every candidate with its score in [0, 1], best first; equal scores keep the order they came in.

    Texts are read whole. Plain text has its entities found in the term lists; an analysed question brings its own.
    """
    focus = focus_of_text(query) if isinstance(query, str) else focus_of(query)
    scores = LexicalScorer().score_now(focus, [ScorableText(c.title, c.text) for c in candidates])
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return tuple((candidates[i].id, scores[i]) for i in order)


async def rank_batch_with(
    scorer: Scorer, query: str, candidates: Sequence[BatchCandidate]
) -> tuple[tuple[tuple[str, float], ...], ScoringResult]:
    """As `rank_batch`, by any scorer; its report says who really scored, and whether another stood in."""
    texts = [ScorableText(c.title, c.text) for c in candidates]
    result = await score_and_report(scorer, focus_of_text(query), texts)
    order = sorted(range(len(texts)), key=lambda i: -result.scores[i])
    return tuple((candidates[i].id, result.scores[i]) for i in order), result
