"""A deep review as its reader gets it: part of a run's document. Owner: gateway, from the run's events.

Each record with its decision, each study with its cells, each outcome with its forest, and the flow between them.
"""

from __future__ import annotations

from pydantic import Field

from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import EvidenceStatus, Identifiers, StudyDesign
from openwork_contracts.extraction import ExtractedResult, StudyVariable
from openwork_contracts.meta import Contract
from openwork_contracts.question import Track
from openwork_contracts.ranking import UnitScore
from openwork_contracts.screening import ScreeningDecision, Signal
from openwork_contracts.tabulation import PooledOutcome, ReviewFlow
from openwork_contracts.text import Text, Texts


class ReviewWork(Contract):
    """What a table says of a work."""

    candidate_id: Text
    title: Text = ""
    identifiers: Identifiers = Identifiers()
    authors: Texts = ()
    collective_author: Text | None = None
    journal: Text | None = None
    year: int | None = None
    study_design: StudyDesign = StudyDesign.OTHER
    status: EvidenceStatus = EvidenceStatus.NOT_CHECKED
    sources: Texts = ()
    """Which gave it."""


class TrackDecision(Contract):
    """What a track decided on a record."""

    track: Track
    decision: ScreeningDecision | None = None
    """`None` = its batch had none in time, and it counts as unsure."""
    score: UnitScore | None = None
    """Of the ranking within the track."""


class ScreenedRecord(Contract):
    """One record that was screened, by every track that found it."""

    work: ReviewWork
    decisions: tuple[TrackDecision, ...]


class ReviewStudy(Contract):
    """One study that was read, or not excluded and never read."""

    study_id: Text
    name: Text
    """The trial's name or the first author, and the year."""
    work: ReviewWork
    """The report that stands for it."""
    reports: Texts = ()
    """Candidate ids of all its reports."""
    tracks: tuple[Track, ...] = ()
    unsure: bool = False
    """No report of it was surely to be included at title and abstract."""
    sample_size: int | None = Field(default=None, ge=1)
    funding: Text | None = None
    fulltext_source: Text | None = None
    """`None` = abstract and registry only."""
    fulltext_url: Text | None = None
    license: Text | None = None
    reason: FailureReason | None = None
    """Why there is no full text."""
    results: tuple[ExtractedResult, ...] = ()
    """`ForestRow.result` and `NotPooled.result` are places in it."""
    variables: tuple[StudyVariable, ...] = ()
    not_extracted: Text | None = None
    """Why nothing could be read out; `None` = it was read."""


class Review(Contract):
    """Everything a review came to."""

    flow: ReviewFlow
    outcomes: tuple[PooledOutcome, ...] = ()
    """Those that were asked about first."""
    studies: tuple[ReviewStudy, ...] = ()
    """Read, in the order of reading."""
    never_read: tuple[ReviewStudy, ...] = ()
    screened: tuple[ScreenedRecord, ...] = ()
    """Best first within the first track, then what others found besides."""
    signals: tuple[Signal, ...] = ()
    signal_works: tuple[ReviewWork, ...] = ()
    """The works of `signals`."""
    summary: Texts = ()
    limits: Texts = ()
