"""What was read out of one study, cell by cell, each with the place where it stands. Owner: extractor.

Events `extraction-requested` (a study without a full text to look for), `study-extracted`.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import AwareDatetime, Field

from openwork_contracts.cells import AnalysisSet, CellPlace, ResultCell
from openwork_contracts.conclusion import Fit
from openwork_contracts.enums import OpenEnum
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import TextOrigin
from openwork_contracts.meta import Contract, Event
from openwork_contracts.text import Text, Texts


class ResultSource(OpenEnum):
    """Where a result stands."""

    REGISTRY = "registry"
    """In a source's own fields: a registry's table of results, or the starter library's."""
    TABLE = "table"
    TEXT = "text"
    """In the prose of the full text."""
    ABSTRACT = "abstract"


class MarkKind(OpenEnum):
    """What a check of consistency found. A mark takes nothing away."""

    PERCENT = "percent"
    """Events over people are not the printed percentage, beyond its rounding."""
    INTERVAL = "interval"
    """The estimate is outside its interval."""
    ASYMMETRIC = "asymmetric"
    """A ratio is not in the middle of its interval on the log scale, beyond rounding."""
    P_VALUE = "p_value"
    """The p value and the interval do not agree about no effect."""
    ARM_SIZES = "arm_sizes"
    """The arms do not add up to the stated total."""
    ABSTRACT = "abstract"
    """Abstract and full text give other numbers for it."""
    REGISTRY = "registry"
    """Registry and paper give other numbers for it."""
    EFFECT = "effect"
    """Counts and the printed effect disagree about no difference."""
    SPREAD = "spread"
    """Nothing says what stands beside a mean; it is read as a standard deviation."""
    BEFORE = "before"
    """A control was asked and the paper has no other group: the second arm is the time before, no randomised group."""


class CellMark(Contract):
    """One remark on a result."""

    kind: MarkKind
    words: Text


class ArmCells(Contract):
    """One arm's numbers; each a cell with its place, a computed one says so itself."""

    arm: Text
    """As the source names it."""
    n: ResultCell | None = None
    events: ResultCell | None = None
    """People with the event."""
    percent: ResultCell | None = None
    mean: ResultCell | None = None
    deviation: ResultCell | None = None
    """Standard deviation."""
    standard_error: ResultCell | None = None
    """Of the mean."""
    median: ResultCell | None = None
    """With its quartiles or its range as the cell's interval."""

    @property
    def cells(self) -> tuple[ResultCell, ...]:
        """Those that are there."""
        every = (self.n, self.events, self.percent, self.mean, self.deviation, self.standard_error, self.median)
        return tuple(cell for cell in every if cell is not None)


class ExtractedResult(Contract):
    """One comparison x outcome x time point x analysis set of one study."""

    outcome: Text
    outcome_fit: Fit = Fit.NOT_TOLD
    """How it stands to the outcome that was asked about."""
    comparison_fit: Fit = Fit.NOT_TOLD
    people_fit: Fit = Fit.NOT_TOLD
    components: Texts = ()
    """Of a composite."""
    people: Text | None = None
    """Of a part of the study's people, in the source's words."""
    is_subgroup: bool = False
    time: Text | None = None
    analysis: AnalysisSet | None = None
    source: ResultSource
    candidate_id: Text
    """The report that it was read from."""
    text_origin: TextOrigin = TextOrigin.UNKNOWN_ORIGIN
    arms: tuple[ArmCells, ...] = ()
    """The tested one first, then what it was compared with."""
    effect: ResultCell | None = None
    adjusted: bool = False
    """The effect is adjusted for covariates, as its words say."""
    bad: bool | None = None
    """Whether more of the outcome is bad; `None` = not known."""
    harm: bool = False
    marks: tuple[CellMark, ...] = ()

    @property
    def cells(self) -> tuple[ResultCell, ...]:
        """Every number of it."""
        return (*(cell for arm in self.arms for cell in arm.cells), *((self.effect,) if self.effect else ()))


class VariableState(OpenEnum):
    """Whether a variable is there. What the study does not say differs from what nobody could look for."""

    FOUND = "found"
    NOT_REPORTED = "not_reported"
    """The text was read and does not say it."""
    NOT_FOUND = "not_found"
    """There was no text, or not the part in which it stands."""


class StudyVariable(Contract):
    """One variable of a study: attrition, funding, how it was randomised."""

    name: Text
    state: VariableState
    value: Text | None = None
    words: Text | None = None
    """The source's words that it stands on."""
    place: CellPlace | None = None


class ExtractionRequested(Event):
    """Read a study of which no full text is looked for: what its sources gave is all there is. Track: all."""

    event_name: ClassVar[str] = "extraction-requested"

    candidate_id: Text
    deadline_at: AwareDatetime


class StudyExtracted(Event):
    """What one study reports. Part: as in `studies-selected`. Track: all."""

    event_name: ClassVar[str] = "study-extracted"

    study_id: Text
    candidate_id: Text
    fulltext_source: Text | None = None
    """pmc, europepmc, unpaywall; `None` = abstract and registry only."""
    license: Text | None = None
    results: tuple[ExtractedResult, ...] = ()
    """Those of the asked outcome first."""
    variables: tuple[StudyVariable, ...] = ()
    reason: FailureReason | None = None
    """Why there is no full text; `None` = it was read, or none was looked for."""
    not_extracted: Text | None = None
    """Why nothing could be read out, in plain words; `None` = it was read."""
    elapsed_s: float = Field(ge=0)
