"""The document of a question that waits at the door: no run yet, and nothing to show but that it waits."""

from __future__ import annotations

from datetime import datetime

from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.pipelines import ANSWER

from openwork_gateway.domain.without_run import document_without_run

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
    return document_without_run(
        run_id,
        status=RunStatus.RUNNING,
        message=WAITS,
        question=question,
        pipeline=pipeline,
        owner=owner,
        asked_at=asked_at,
    )
