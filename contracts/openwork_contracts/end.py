"""How a run ends: one event on one subject, its kind in the body. Owner: the bus package; every service may publish it.

Event `end`: `openwork.v1.end.<pipeline>.all.<run_id>.all.0.0`. One subject, so that the server allows only one.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from openwork_contracts.answer import Usage
from openwork_contracts.enums import OpenEnum
from openwork_contracts.errors import FailureReason
from openwork_contracts.meta import Event
from openwork_contracts.question import RejectionReason
from openwork_contracts.text import Text, Texts


class EndKind(OpenEnum):
    """In which way a run ended."""

    COMPLETED = "completed"
    """Every track has its outcome: an answer, or too little evidence."""
    REJECTED = "rejected"
    """The question is not one to search for."""
    REFUSED = "refused"
    """Not admitted at the door."""
    FAILED = "failed"
    CANCELLED = "cancelled"
    """Somebody who may, asked for it to stop."""


class RunEnded(Event):
    """The run is over. Nothing that is stored after it counts."""

    event_name: ClassVar[str] = "end"
    terminal: ClassVar[bool] = True

    kind: EndKind
    results: Texts = ()
    """When completed: the events that hold the outcome of each track, in the order of the plan."""
    message: Text | None = None
    """Plain words for the asker: why, and what to do; no stack trace, no path, no key. `None` = the results say it."""
    rejection: RejectionReason | None = None
    """When rejected."""
    failure: FailureReason | None = None
    """When failed."""
    stage: Text | None = None
    """The service or step at which it ended, when failed."""
    cancelled_by: Text | None = None
    """The owner or operator, when cancelled."""
    retry_after_s: float | None = Field(default=None, ge=0)
    """When refused: seconds after which asking again may be admitted."""
    usage: Usage | None = None
    """What models had consumed, where no outcome of a track says so; `None` = not known to whoever ended the run."""
