"""What people, programs and the command line ask of a gateway: core NATS request-reply, JSON in, JSON out.

`openwork.ask` (see `question.py`), `openwork.show`, `openwork.list`, `openwork.cancel`. Every reply has an `error` in
plain words in place of what was asked for, so that no asker waits for a timeout.
"""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.meta import Contract, RunId


class ShowRequest(Contract):
    """The document of a run."""

    run_id: RunId
    wait_s: float = Field(default=0.0, ge=0, le=30)
    """Seconds to wait for the run's end; then the document is given as far as the run has come."""


class ShowReply(Contract):
    """A run as its reader gets it, or why not."""

    document: AnswerDocument | None = None
    error: str | None = None


class RunSummary(Contract):
    """A run in one line."""

    run_id: RunId
    pipeline: str
    status: RunStatus
    submitted_at: AwareDatetime
    question: str
    """Its first 200 characters, without control characters."""
    owner: str


class ListRequest(Contract):
    """The newest runs."""

    limit: int = Field(default=20, ge=1, le=500)


class ListReply(Contract):
    """Newest first."""

    runs: tuple[RunSummary, ...] = ()
    error: str | None = None


class CancelRequest(Contract):
    """End a run."""

    run_id: RunId
    reason: str | None = Field(default=None, max_length=500)
    """Plain words, kept in the run's end."""


class CancelReply(Contract):
    """What became of it."""

    run_id: RunId | None = None
    cancelled: bool = False
    """False = it had ended already; its end stays."""
    error: str | None = None
