"""The document of a question that has no run: nothing was searched, so it says in words how the question stands."""

from __future__ import annotations

from datetime import datetime

from openwork_contracts.answer import AnswerBody, AnswerDocument, RunStatus, Timings
from openwork_contracts.meta import ALL
from openwork_contracts.question import AskOptions

from openwork_gateway.domain.folds import NOTHING_CLAIMED


def document_without_run(
    run_id: str,
    *,
    status: RunStatus,
    message: str,
    question: str,
    pipeline: str,
    owner: str,
    asked_at: datetime | None,
    waited_s: float = 0.0,
    retry_after_s: float | None = None,
    options: AskOptions | None = None,
) -> AnswerDocument:
    """A message in place of an answer.

    Args:
        waited_s: seconds the question waited at the door.
        retry_after_s: seconds after which asking again may be admitted; `None` = it will not help, or need not be.
    """
    return AnswerDocument(
        run_id=run_id,
        status=status,
        question=question,
        options=options or AskOptions(),
        pipeline=pipeline,
        track=ALL,
        owner=owner,
        submitted_at=asked_at,
        answer=AnswerBody(markdown=message),
        verification=NOTHING_CLAIMED,
        timings=Timings(total_s=round(max(0.0, waited_s), 4)),
        retry_after_s=retry_after_s,
    )
