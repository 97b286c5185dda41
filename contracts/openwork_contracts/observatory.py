"""What the system did lately, in figures: of all runs that ended, whoever asked. Owner: gateway.

Counts, seconds, dollars, and names of our own: no question, no text of a source, no owner. A share is given as its two
counts, so that nothing is a share of nothing.
"""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from openwork_contracts.enums import OpenEnum
from openwork_contracts.errors import FailureReason
from openwork_contracts.meta import Contract, RunId
from openwork_contracts.text import Text


class Window(OpenEnum):
    """How far back figures go, from now."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


class Spread(Contract):
    """How long something took, in seconds: percentiles by nearest rank, each a value that was seen."""

    n: int = Field(default=0, ge=0)
    p50_s: float | None = Field(default=None, ge=0)
    """`None` = nothing was measured."""
    p95_s: float | None = Field(default=None, ge=0)
    p99_s: float | None = Field(default=None, ge=0)


class ServiceFigures(Contract):
    """One service over all runs that it worked for."""

    name: Text
    seconds: Spread
    """A run's wait for it, as `Timings.services` says it."""


class ClaimFigures(Contract):
    """Sentences that claim something, of the last drafts of all runs that have one."""

    claims: int = Field(default=0, ge=0)
    supported: int = Field(default=0, ge=0)
    """Those that the cited passages bear out."""
    own_words: int = Field(default=0, ge=0)
    """Of the supported, those that rest on the sources' own words alone."""
    shown: int = Field(default=0, ge=0)
    """Those that readers got."""
    shown_unsupported: int = Field(default=0, ge=0)
    """Of those, the ones that did not pass the gate: never more than 0 while it works."""
    withheld: dict[Text, int] = Field(default_factory=dict)
    """Those that readers did not get, by their `Verdict`."""
    findings: dict[Text, int] = Field(default_factory=dict)
    """Of those, how many each `ReasonCode` was found against."""


class RetrievalFigures(Contract):
    """Works of runs that ended with an answer, or with too little evidence for one."""

    works: int = Field(default=0, ge=0)
    """Works that were found and ranked: each once, without notices and without what has nothing to read."""
    shortlisted: int = Field(default=0, ge=0)
    cited: int = Field(default=0, ge=0)


class CostFigures(Contract):
    """What language models consumed in all runs, those without an answer too."""

    cost_usd: float = Field(default=0.0, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    model_calls: int = Field(default=0, ge=0)


class SourceFigures(Contract):
    """One source over all searches of it."""

    name: Text
    searches: int = Field(ge=0)
    """answered + failed + not_asked."""
    answered: int = Field(ge=0)
    """It answered in time; that it found nothing is an answer."""
    failed: int = Field(ge=0)
    not_asked: int = Field(ge=0)
    """Our own budget of requests was used up: no fault of the source."""
    works: int = Field(ge=0)
    """Works that it gave and that were ranked; what several sources gave counts for each."""
    cited: int = Field(ge=0)
    seconds: Spread
    """Of its searches, failed ones included."""
    last_error: FailureReason | None = None
    """`None` = none failed."""
    last_error_at: AwareDatetime | None = None
    """When the run of that search ended."""


class FailedRun(Contract):
    """A run that failed. Nothing in it is its asker's."""

    at: AwareDatetime
    pipeline: Text
    step: Text | None = None
    """The service at which it ended, or for which it waited when its time was up; `None` = not known."""
    reason: FailureReason
    seconds: float = Field(ge=0)
    trace_id: Text | None = None
    """Its trace, by which those who run the system find it. It opens nothing: a run is read by its owner alone."""
    run_id: RunId | None = None
    """When it is the reader's own."""


class Slice(Contract):
    """A part of the window."""

    begins_at: AwareDatetime
    runs: int = Field(default=0, ge=0)
    failed: int = Field(default=0, ge=0)
    claims: int = Field(default=0, ge=0)
    supported: int = Field(default=0, ge=0)
    works: int = Field(default=0, ge=0)
    cited: int = Field(default=0, ge=0)
    p95_s: float | None = Field(default=None, ge=0)
    """Seconds to an answer; `None` = there was none."""
    cost_usd: float = Field(default=0.0, ge=0)


class Observation(Contract):
    """The figures of a window."""

    window: Window
    begins_at: AwareDatetime
    ends_at: AwareDatetime
    """When it was made."""
    complete: bool = True
    """False = older runs of this window are not kept any more, since there were so many."""
    runs: int = Field(default=0, ge=0)
    """Runs that ended in the window. What was refused at the door is no run."""
    outcomes: dict[Text, int] = Field(default_factory=dict)
    """How many ended in which `RunStatus`."""
    answers: int = Field(default=0, ge=0)
    """Of the runs, those that ended with an answer, or with too little evidence for one."""
    degraded: int = Field(default=0, ge=0)
    """Of the answers, those in whose making something went less well than it should."""
    seconds: Spread = Spread()
    """From the question to an answer."""
    claims: ClaimFigures = ClaimFigures()
    retrieval: RetrievalFigures = RetrievalFigures()
    cost: CostFigures = CostFigures()
    services: tuple[ServiceFigures, ...] = ()
    """The slowest first, by p95."""
    sources: tuple[SourceFigures, ...] = ()
    """By name."""
    failures: tuple[FailedRun, ...] = ()
    """The latest ten, newest first."""
    slices: tuple[Slice, ...] = ()
    """The window in equal parts, oldest first."""
