"""The document of a question that was not let in: no run, no event, but an end in words."""

from __future__ import annotations

from datetime import datetime

from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.question import AskOptions

from openwork_gateway.domain.without_run import document_without_run

TOO_LATE = "Too late: the question waited past its deadline. Ask again."
_QUESTION_CHARS = 300
"""Of a question that was not let in; its asker has it."""
UNREADABLE = "(the question could not be read)"


def refused_document(
    run_id: str,
    message: str,
    *,
    owner: str,
    pipeline: str,
    question: str = UNREADABLE,
    status: RunStatus = RunStatus.REFUSED,
    retry_after_s: float | None = None,
    waited_s: float = 0.0,
    asked_at: datetime | None = None,
    options: AskOptions | None = None,
) -> AnswerDocument:
    """What its asker reads.

    Args:
        message: why, and what to do instead.
        retry_after_s: seconds after which asking again may be admitted; `None` = it will not help.
        waited_s: seconds it waited at the door.
    """
    return document_without_run(
        run_id,
        status=status,
        message=message,
        question=question if len(question) <= _QUESTION_CHARS else f"{question[:_QUESTION_CHARS]} ...",
        pipeline=pipeline,
        owner=owner,
        asked_at=asked_at,
        waited_s=waited_s,
        retry_after_s=retry_after_s,
        options=options,
    )
