"""Screening of a review: a decision on each record, then the studies that are read. Owner: screener.

Events `screening-requested`, `screening-completed`, `records-screened`, `studies-selected`. The first three are of one
track; the last joins all tracks, so that a work that several found is read once.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import AwareDatetime, Field

from openwork_contracts.enums import OpenEnum
from openwork_contracts.meta import Contract, Event, Part
from openwork_contracts.question import Track
from openwork_contracts.text import Text, Texts
from openwork_contracts.usage import Usage


class ScreeningOutcome(OpenEnum):
    """What was decided at title and abstract."""

    INCLUDE = "include"
    EXCLUDE = "exclude"
    UNSURE = "unsure"
    """Nobody who was asked could tell: read in full after those that are in, as far as there is room."""


class Decider(OpenEnum):
    """Who decided."""

    RULE = "rule"
    MODEL = "model"
    PERSON = "person"


class ScreeningDecision(Contract):
    """What becomes of one record at title and abstract."""

    candidate_id: Text
    outcome: ScreeningOutcome
    criterion: Text | None = None
    """That decided, by the name under which exclusions are counted; `None` = all are met."""
    reason: Text
    quotation: Text | None = None
    """The record's own words, publication type or heading that it rests on; `None` = it rests on words not found."""
    decider: Decider = Decider.RULE


class ScreeningRequested(Event):
    """Decide on a batch of the candidates of the `evidence-normalised` of the same track and round."""

    event_name: ClassVar[str] = "screening-requested"

    candidate_ids: Texts
    n_batches: int = Field(ge=1)
    """Of the track: parts "0" to that less one."""
    deadline_at: AwareDatetime
    """When the screener goes on with the batches that are in."""


class ScreeningCompleted(Event):
    """The decisions on a batch, in its order. Part: that of its request."""

    event_name: ClassVar[str] = "screening-completed"

    decisions: tuple[ScreeningDecision, ...]
    second: tuple[ScreeningDecision, ...] = ()
    """What a second labeller said of the same records, where one was asked; decides nothing."""
    degradations: Texts = ()


class LabelAgreement(Contract):
    """How far two who labelled the same records agree."""

    n: int = Field(ge=1)
    share: float = Field(ge=0, le=1)
    """Of records on which both say the same."""
    kappa: float | None = Field(default=None, ge=-1, le=1)
    """Cohen's; `None` = not defined, since both gave every record one and the same label."""
    ac1: float = Field(ge=-1, le=1)
    """Gwet's."""


class Signal(Contract):
    """What is no study and yet says something against: a notice, a letter, a registration without results."""

    candidate_id: Text
    kind: Text
    """As the study design or status is called."""


class RecordsScreened(Event):
    """Every record of a track has its decision, or the time was up."""

    event_name: ClassVar[str] = "records-screened"

    batches: tuple[Part, ...] = ()
    """Parts of the `screening-completed` events that hold the decisions."""
    excluded: dict[Text, int] = Field(default_factory=dict)
    """Records by criterion, the greatest number first."""
    undecided: Texts = ()
    """Candidate ids of batches that had no outcome in time: treated as unsure."""
    included: Texts = ()
    """Candidate ids, best first."""
    unsure: Texts = ()
    """Candidate ids, best first; those of `undecided` are among them."""
    signals: tuple[Signal, ...] = ()
    agreement: LabelAgreement | None = None
    """`None` = not estimated: nobody labelled a second time."""
    usage: Usage = Usage()
    """What models had consumed in the run when the track was screened."""
    degradations: Texts = ()


class SelectedStudy(Contract):
    """One study with its reports."""

    study_id: Text
    """The registration, else the id of its only report."""
    part: Part | None = None
    """Of its full-text request and of `study-extracted`; `None` = it is not read."""
    candidate_id: Text
    """The main report: what stands for the study and whose full text is read."""
    reports: Texts
    """Candidate ids of all its reports, the main one first."""
    tracks: tuple[Track, ...]
    """The tracks whose search found one of them."""
    unsure: bool = False
    """No report of it was surely to be included at title and abstract."""


class StudiesSelected(Event):
    """Which studies are read, of all tracks together. Track: all."""

    event_name: ClassVar[str] = "studies-selected"

    studies: tuple[SelectedStudy, ...] = ()
    """Read, in the order of reading."""
    never_read: tuple[SelectedStudy, ...] = ()
    """Not excluded, and more than the review reads: named and counted."""
    extraction_deadline_at: AwareDatetime | None = None
    """When the appraiser goes on with what was extracted; `None` = nothing is read."""
