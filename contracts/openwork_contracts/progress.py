"""How far a run is: told over core NATS on `openwork.progress.v1.<run_id>`, never stored, at most a few a second.

For eyes that wait. What counts stands in events; a line may be lost, and nothing may be decided by it. A service tells
what is new; what an asker hears is that together with what was told before, in less than `MOST_BYTES`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol

from pydantic import AwareDatetime, Field

from openwork_contracts.enums import OpenEnum
from openwork_contracts.gap import Assessment
from openwork_contracts.meta import ALL, Contract, Route, RunId, Token
from openwork_contracts.text import Text
from openwork_contracts.verdict import Verdict

MOST_BYTES = 2048
"""Of a message as JSON: a run tells some twenty, and an asker may hear two a second."""


class SourceState(OpenEnum):
    """How far the search of one source is."""

    SEARCHING = "searching"
    COMPLETED = "completed"
    """Also when nothing was found."""
    FAILED = "failed"
    MISSED_DEADLINE = "missed_deadline"


class SourceProgress(Contract):
    """One source of the search."""

    name: Route
    state: SourceState
    found: int | None = Field(default=None, ge=0)
    """Records it returned; `None` = it has not answered."""


class ClaimProgress(Contract):
    """One sentence that the verifier has judged."""

    verdict: Verdict
    text: Text | None = None
    """Of a sentence that stands in the answer; `None` = it is held back or written anew, or there is no room for it."""


class Teller(Protocol):
    """Whose progress it is: a run as a service handles it."""

    @property
    def id(self) -> str:
        """The run."""

    @property
    def service(self) -> str:
        """Who handles it."""

    @property
    def track(self) -> str:
        """Of the message that is handled."""

    @property
    def round(self) -> int:
        """Of the message that is handled."""


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
    counts: dict[Text, int] = Field(default_factory=dict)
    """What is known so far, by the names of `Method.counts`; of the verifier `sentences`, `supported`, `withheld`."""
    sources: tuple[SourceProgress, ...] = ()
    """Those that were asked, each with its newest state."""
    assessment: Assessment | None = None
    """Whether the evidence answers the question; `None` = not judged yet."""
    claims: tuple[ClaimProgress, ...] = ()
    """What the verifier decided, in the order of the text; empty = nothing yet. A draft before it has no words here."""

    @classmethod
    def of(
        cls,
        run: Teller,
        step: str,
        *,
        note: str | None = None,
        counts: Mapping[str, int] | None = None,
        sources: Sequence[SourceProgress] = (),
        assessment: Assessment | None = None,
        claims: Sequence[ClaimProgress] = (),
    ) -> Progress:
        """What a step of this run came to, as of now."""
        return cls(
            run_id=run.id,
            service=run.service,
            step=step,
            note=note,
            track=run.track,
            round=run.round,
            at=datetime.now(UTC),
            counts=dict(counts or {}),
            sources=tuple(sources),
            assessment=assessment,
            claims=tuple(claims),
        )
