"""What `openwork rank` is given, checked, and its order as plain values. Apart, so that `verify` loads no scorer."""

from __future__ import annotations

from openwork_contracts.errors import UsageError
from openwork_reranker.domain.batch import BatchCandidate, BatchRanking, rank_batch
from openwork_reranker.domain.scoring import Scorer


def batch_candidates(candidates: object, where: str) -> list[BatchCandidate]:
    """What is to be ranked, checked.

    Raises:
        UsageError: candidates are not a list of objects with an id.
    """
    if not isinstance(candidates, list):
        raise UsageError(f"{where}: candidates must be a list of {{id, title, text}}")
    rows = []
    for place, raw in enumerate(candidates, start=1):
        if not isinstance(raw, dict) or "id" not in raw:
            raise UsageError(f"{where}: candidate {place} has no id")
        rows.append(BatchCandidate(str(raw["id"]), str(raw.get("title") or ""), str(raw.get("text") or "")))
    return rows


async def ranked(scorer: Scorer, query: str, candidates: object, where: str) -> BatchRanking:
    """The candidates in order.

    Raises:
        UsageError: the query is empty, or candidates are not objects with an id.
    """
    if not query.strip():
        raise UsageError(f"{where}: the query is empty")
    return await rank_batch(scorer, query, batch_candidates(candidates, where))


def ranking_fields(result: BatchRanking) -> dict[str, object]:
    """`ranking`, best first, as {id, score}; `scorer`, who made it; `degradation` where another stood in for it."""
    identity = result.report.identity
    return {
        "ranking": [{"id": identifier, "score": round(score, 6)} for identifier, score in result.order],
        "scorer": {"name": identity.name, "model": identity.model, "version": identity.version},
        "degradation": result.report.degradation,
    }
