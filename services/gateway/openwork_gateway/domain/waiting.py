"""The document of a question that waits at the door: no run yet, and nothing to show but that it waits."""

from __future__ import annotations

from datetime import datetime

from openwork_contracts.answer import AnswerBody, AnswerDocument, RunStatus, Timings
from openwork_contracts.meta import ALL
from openwork_contracts.pipelines import ANSWER

from openwork_gateway.domain.folds import NOTHING_CLAIMED

WAITS = "The question waits for its turn; its deadline counts already."


def waiting_document(
    run_id: str,
    owner: str,
    *,
    question: str = "(the question waits at another gateway)",
    pipeline: str = ANSWER,
    asked_at: datetime | None = None,
) -> AnswerDocument:
    """What its asker reads until it is let in."""
    return AnswerDocument(
        run_id=run_id,
        status=RunStatus.RUNNING,
        question=question,
        pipeline=pipeline,
        track=ALL,
        owner=owner,
        submitted_at=asked_at,
        answer=AnswerBody(markdown=WAITS),
        verification=NOTHING_CLAIMED,
        timings=Timings(total_s=0.0),
    )
