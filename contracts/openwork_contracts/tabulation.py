"""What the studies of a review come to together: effects by outcome, pooled where they may be. Owner: appraiser.

Event `evidence-tabulated`: so far what a review ends with; appraisal, the two cases and certainty come behind it.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from openwork_contracts.conclusion import Fit
from openwork_contracts.meta import Contract, Event
from openwork_contracts.question import Track
from openwork_contracts.screening import LabelAgreement, Signal
from openwork_contracts.text import Text, Texts


class EffectValue(Contract):
    """An effect with its interval: a ratio as a ratio, a difference as it is."""

    value: float
    """In the unit of its outcome; a risk difference is a share of one."""
    low: float
    """Lower limit, at most `value`."""
    high: float
    """Upper limit, at least `value`."""
    level: float = Field(default=0.95, gt=0, lt=1)
    """Of the interval, a share of one."""


class ArmCount(Contract):
    """People of one arm, and how many of them had the event."""

    events: int = Field(ge=0)
    n: int = Field(ge=1)


class PredictionInterval(Contract):
    """Where the effect of a new study would lie."""

    low: float
    """Lower limit."""
    high: float
    """Upper limit."""


class ForestRow(Contract):
    """One study in a pooled outcome."""

    study_id: Text
    study: Text
    """How it is called: the trial's name or the first author, and the year."""
    result: int = Field(ge=0)
    """Place of the result in `study-extracted` that it is made from."""
    effect: EffectValue
    weight: float = Field(ge=0, le=1)
    tested: ArmCount | None = None
    """Counts of the tested arm; `None` = a published effect was pooled, or means."""
    other: ArmCount | None = None
    """Of what it was compared with."""
    corrected: bool = False
    """0.5 was added to every cell, since one was zero."""


class NotPooled(Contract):
    """A study that has a result of the outcome and is not in its pooled effect."""

    study_id: Text
    study: Text
    result: int = Field(ge=0)
    reason: Text


class LeaveOneOut(Contract):
    """The pooled effect without one study."""

    study_id: Text
    study: Text
    effect: EffectValue


class SmallStudies(Contract):
    """A test for small-study effects; from ten studies on."""

    test: Text
    """Egger, Harbord or Peters."""
    bias: float
    """Intercept or slope of the test; 0 = none."""
    p_value: float = Field(ge=0, le=1)


class PooledOutcome(Contract):
    """One comparison x outcome x measure x analysis set x time window, with what was pooled of it."""

    comparison: Text
    outcome: Text
    outcome_fit: Fit = Fit.NOT_TOLD
    measure: Text
    """RR, OR, RD, HR, IRR, MD, SMD."""
    analysis: Text | None = None
    window: Text | None = None
    """Of time, in words."""
    rows: tuple[ForestRow, ...] = ()
    pooled: EffectValue | None = None
    """`None` = fewer than two studies may be pooled; the rows are shown each by itself."""
    model: Text | None = None
    """In words: "random effects (REML, Hartung-Knapp)"."""
    compared: EffectValue | None = None
    """By DerSimonian and Laird, beside REML."""
    prediction: PredictionInterval | None = None
    """From three studies on."""
    q: float | None = None
    degrees_of_freedom: int | None = None
    q_p_value: float | None = None
    i2: float | None = Field(default=None, ge=0, le=1)
    tau2: float | None = Field(default=None, ge=0)
    without: tuple[LeaveOneOut, ...] = ()
    small_studies: SmallStudies | None = None
    absolute: Text | None = None
    """People per 1,000 at the stated baseline risk, in words; `None` = no counts to state one."""
    not_pooled: tuple[NotPooled, ...] = ()
    notes: Texts = ()
    bad: bool | None = None
    harm: bool = False

    @property
    def n_people(self) -> int | None:
        """People in its studies; `None` where one of them gave no counts."""
        counts = [count for row in self.rows for count in (row.tested, row.other)]
        return sum(count.n for count in counts if count) if counts and all(counts) else None


class TrackFlow(Contract):
    """PRISMA 2020 numbers of one track, from the first record to the decisions at title and abstract.

    identified = duplicates + excluded_notices + excluded_no_text + excluded_superseded + screened
    screened = sum(excluded) + included + unsure
    """

    track: Track
    identified: int = Field(ge=0)
    duplicates: int = Field(ge=0)
    excluded_notices: int = Field(ge=0)
    excluded_no_text: int = Field(ge=0)
    excluded_superseded: int = Field(default=0, ge=0)
    screened: int = Field(ge=0)
    excluded: dict[Text, int] = Field(default_factory=dict)
    """By criterion."""
    included: int = Field(ge=0)
    unsure: int = Field(ge=0)
    agreement: LabelAgreement | None = None
    """`None` = not estimated."""

    @property
    def adds_up(self) -> bool:
        """Whether every record has exactly one fate."""
        removed = self.duplicates + self.excluded_notices + self.excluded_no_text + self.excluded_superseded
        decided = sum(self.excluded.values()) + self.included + self.unsure
        return (self.identified, self.screened) == (removed + self.screened, decided)


class ReviewFlow(Contract):
    """The rest of the flow, of all tracks together.

    sum(included + unsure of the tracks) = in_several + sought
    sought = studies_read + studies_never_read + further_reports
    studies_read = with_fulltext + abstract_only + not_extracted
    studies_read = with_results + without_results
    """

    tracks: tuple[TrackFlow, ...]
    in_several: int = Field(default=0, ge=0)
    """Records that more than one track found, each counted once for every further one."""
    sought: int = Field(default=0, ge=0)
    further_reports: int = Field(default=0, ge=0)
    """Of studies that have another report: one study counts once."""
    studies_read: int = Field(default=0, ge=0)
    studies_never_read: int = Field(default=0, ge=0)
    """Not excluded and never read, since the review reads no more than it was told."""
    with_fulltext: int = Field(default=0, ge=0)
    abstract_only: int = Field(default=0, ge=0)
    not_extracted: int = Field(default=0, ge=0)
    """No outcome of the extraction in time, or it failed."""
    with_results: int = Field(default=0, ge=0)
    """With a result of what was asked."""
    without_results: int = Field(default=0, ge=0)
    only_in: dict[Text, int] = Field(default_factory=dict)
    """Track -> studies read that no other track found."""

    @property
    def adds_up(self) -> bool:
        """Whether every number follows from the one before it."""
        handed_on = sum(track.included + track.unsure for track in self.tracks)
        read = self.with_fulltext + self.abstract_only + self.not_extracted
        return all(track.adds_up for track in self.tracks) and (
            handed_on,
            self.sought,
            self.studies_read,
            self.studies_read,
        ) == (
            self.in_several + self.sought,
            self.studies_read + self.studies_never_read + self.further_reports,
            read,
            self.with_results + self.without_results,
        )


class EvidenceTabulated(Event):
    """The table of a review: pooled outcomes, what was left out and why, the flow. Track: all."""

    event_name: ClassVar[str] = "evidence-tabulated"

    outcomes: tuple[PooledOutcome, ...] = ()
    """Those that were asked about first."""
    flow: ReviewFlow
    signals: tuple[Signal, ...] = ()
    """Of the second track."""
    summary: Texts = ()
    """Sentences of fixed forms, filled from the numbers above and from nothing else."""
    limits: Texts = ()
    """What the review did not do, and where it is less than a systematic review."""
    degradations: Texts = ()
