"""How far a run is: told over core NATS on `openwork.progress.v1.<run_id>`, never stored, at most a few a second.

For eyes that wait. What counts stands in events; a line may be lost, and nothing may be decided by it.
"""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from openwork_contracts.meta import ALL, Contract, RunId, Token
from openwork_contracts.text import Text


class Progress(Contract):
    """One step of a run, and how much of it is done."""

    run_id: RunId
    service: Text
    step: Text
    """What is being done, e.g. "search pubmed"."""
    done: int = Field(default=0, ge=0)
    total: int | None = Field(default=None, ge=0)
    """How much there is to do; `None` = not known."""
    note: Text | None = None
    """Plain words for the asker; never text of a draft that is not verified."""
    track: Token = ALL
    round: int = Field(default=0, ge=0)
    at: AwareDatetime
