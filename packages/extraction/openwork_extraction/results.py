"""What a study reports for what was asked: numbers of two arms, an effect, each with its place, or why none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from openwork_contracts.cells import AnalysisSet, ResultCell


class Source(StrEnum):
    """Where in a study a result stands."""

    TABLE = "table"
    PROSE = "prose"
    ABSTRACT = "abstract"
    REGISTRY = "registry"


class MarkKind(StrEnum):
    """What a check of consistency found. A mark never takes a number away."""

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
    SPREAD = "spread"
    """Nothing says what stands beside a mean; it is read as a standard deviation."""
    BEFORE = "before"
    """A control was asked and the paper has no other group: what is compared with is the time before."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Something about a result that does not fit, in words for a reader."""

    kind: MarkKind
    message: str


@dataclass(frozen=True, slots=True)
class ArmNumbers:
    """One arm's numbers. `None` = not read; a computed one says so in its cell."""

    arm: str
    """As the source calls it."""
    n: ResultCell | None = None
    events: ResultCell | None = None
    """People with the event; `total` of the cell is N where it is printed as a fraction."""
    percent: ResultCell | None = None
    mean: ResultCell | None = None
    deviation: ResultCell | None = None
    """Standard deviation."""
    standard_error: ResultCell | None = None
    """Of the mean."""
    median: ResultCell | None = None
    """With its quartiles or its range as the cell's interval."""
    is_spread_assumed: bool = False
    """No words say that the deviation is one: the text names neither deviations nor errors."""

    @property
    def is_counted(self) -> bool:
        """Events and people are both known."""
        return self.events is not None and self.n is not None

    @property
    def is_measured(self) -> bool:
        """Mean, standard deviation and people are known."""
        return self.mean is not None and self.deviation is not None and self.n is not None

    @property
    def cells(self) -> tuple[ResultCell, ...]:
        """Those that were read or computed."""
        every = (self.n, self.events, self.percent, self.mean, self.deviation, self.standard_error, self.median)
        return tuple(cell for cell in every if cell is not None)

    @property
    def is_computed(self) -> bool:
        """Whether events or deviation were worked out and are not printed."""
        return any(cell is not None and cell.computed for cell in (self.n, self.events, self.mean, self.deviation))


@dataclass(frozen=True, slots=True)
class StudyResult:
    """One comparison, outcome, time point and analysis set of a study, from one source."""

    source: Source
    outcome: str
    """As the source calls it."""
    time: str | None = None
    analysis: AnalysisSet | None = None
    intervention: ArmNumbers | None = None
    comparator: ArmNumbers | None = None
    effect: ResultCell | None = None
    adjusted: bool = False
    """The effect is adjusted for covariates, as its words say."""
    marks: tuple[Mark, ...] = ()

    @property
    def arms(self) -> tuple[ArmNumbers, ...]:
        """Both arms, the tested one first; empty where only an effect was read."""
        return tuple(arm for arm in (self.intervention, self.comparator) if arm is not None)

    @property
    def is_counted(self) -> bool:
        """Events and people are known in both arms."""
        return len(self.arms) == 2 and all(arm.is_counted for arm in self.arms)

    @property
    def is_measured(self) -> bool:
        """Mean, deviation and people are known in both arms."""
        return len(self.arms) == 2 and all(arm.is_measured for arm in self.arms)

    @property
    def is_complete(self) -> bool:
        """Whether arithmetic has what it needs: counts or means of both arms."""
        return self.is_counted or self.is_measured

    @property
    def is_computed(self) -> bool:
        """Whether a number was worked out, from a percentage or a standard error say."""
        return any(arm.is_computed for arm in self.arms)

    @property
    def is_before(self) -> bool:
        """Whether a control was asked and the second arm is the time before, since there is no other group."""
        return any(mark.kind is MarkKind.BEFORE for mark in self.marks)

    def marked(self, *marks: Mark) -> StudyResult:
        """The same with more marks."""
        return replace(self, marks=(*self.marks, *marks))


@dataclass(frozen=True, slots=True)
class StudyResults:
    """All that was found for what was asked; the first is what the study says, the rest are other times and places."""

    results: tuple[StudyResult, ...] = ()
    refused: tuple[str, ...] = ()
    """Why something that looked like a result was not given, in words, each with its place."""

    @property
    def first(self) -> StudyResult | None:
        """The result that answers what was asked; `None` = nothing that code was sure of."""
        return next(iter(self.results), None)
