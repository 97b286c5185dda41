"""The search: what is asked of which source, and what each source said. Owner: query (plan), retrievers (outcome).

Events `search-planned`, `retrieval-requested.<source>`, `retrieval-completed.<source>`, `retrieval-failed.<source>`,
`deadline-reached.<joiner>`. Track and round are tokens of their subjects.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import AwareDatetime, Field

from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import EvidenceRecord, SourcePolicy
from openwork_contracts.meta import Contract, Event, Route
from openwork_contracts.question import QuestionAnalysis, Track
from openwork_contracts.strategy import SearchStrategy
from openwork_contracts.text import Text, Texts


class SearchRequestLog(Contract):
    """One request to a source and what the engine made of it; enough to repeat the search."""

    request: Text
    """The exact query or URL, without keys."""
    translation: Text | None = None
    """How the engine rewrote it; `None` when it does not say."""
    warnings: Texts = ()
    """What the engine complained about: dropped phrases, unknown fields."""
    hits: int | None = Field(default=None, ge=0)
    """How many records matched in all; `None` = not told."""
    fetched: int = Field(default=0, ge=0)
    """How many of them were read."""
    cap: int | None = Field(default=None, ge=0)
    """The most that was asked for."""
    from_cache: bool = False
    error: Text | None = None
    suspect: bool = False
    """True when the engine's rewriting changed the meaning of the search."""
    rung: Text | None = None
    """Which step of the ladder this was, e.g. "every concept, filters of the intent"; `None` = no step of a ladder."""
    not_asked: Text | None = None
    """Why this step was not taken, in words; `None` = it was."""


class SearchPlanned(Event):
    """Which sources are asked in this round of this track; what the normaliser waits for.

    Published in one atomic batch with its retrieval requests and the timer of its deadline.
    """

    event_name: ClassVar[str] = "search-planned"

    analysis: QuestionAnalysis
    """What was understood of the question. Later events of the track do not repeat it: it is read from here."""
    strategy: SearchStrategy | None = None
    """What is looked for, before any source's syntax; `None` in plans made before strategies were."""
    tracks: Annotated[tuple[Track, ...], Field(min_length=1)] = (Track.AFFIRMATIVE,)
    """Every track of the run, this one included: the run is completed when each has its outcome."""
    sources: Annotated[tuple[Route, ...], Field(min_length=1)]
    retrieval_deadline_at: AwareDatetime
    """When the normaliser goes on with what has arrived."""
    run_deadline_at: AwareDatetime
    """When the run ends in any case."""
    reason: Text | None = None
    """Why a further round was asked for, in plain words; `None` in round 1."""
    lookups: tuple[SearchRequestLog, ...] = ()
    """What was asked of RxNorm about names in the question."""
    degradations: Texts = ()
    """What could not be planned as it was asked for, in plain words."""


class RetrievalRequested(Event):
    """Search one source, for the question of the `search-planned` of the same track and round."""

    event_name: ClassVar[str] = "retrieval-requested"

    source: Route
    limit: int = Field(default=120, ge=1, le=500)
    """Most records wanted."""
    deadline_at: AwareDatetime


class RetrievalCompleted(Event):
    """What one source found. Nothing found is a result: `records` is empty."""

    event_name: ClassVar[str] = "retrieval-completed"

    source: Route
    records: tuple[EvidenceRecord, ...] = ()
    """Best first, in the source's own order."""
    policy: SourcePolicy = SourcePolicy()
    """How these records are trusted and ranked."""
    search_log: tuple[SearchRequestLog, ...] = ()
    elapsed_s: float = Field(ge=0)
    degradations: Texts = ()
    """Plain words for what went less well than it should, e.g. a page that could not be read."""


class RetrievalFailed(Event):
    """A source could not be searched; the run goes on without it and says so."""

    event_name: ClassVar[str] = "retrieval-failed"

    source: Route
    reason: FailureReason
    message: Text
    search_log: tuple[SearchRequestLog, ...] = ()
    elapsed_s: float = Field(ge=0)


class DeadlineReached(Event):
    """A timer that was stored with the work it limits. Route: the joiner that waits, or `run`.

    At least once: a timer that is set again after it fired, fires again. A joiner compares `due_at` with the deadline
    of its newest plan.
    """

    event_name: ClassVar[str] = "deadline-reached"

    joiner: Route
    due_at: AwareDatetime
