"""What a quantity is: a number with its kind and unit, bound to its place in the text."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class QuantityKind(StrEnum):
    """What kind of number it is."""

    PERCENT = "percent"
    COUNT = "count"
    """A bare number, or a number of people, events or studies."""
    EFFECT = "effect"
    """An effect measure: HR, RR, OR, mean difference, NNT and so on; `measure` names it."""
    INTERVAL = "interval"
    """A confidence or credible interval: `low`, `high`, `level` in percent."""
    RANGE = "range"
    """Two ends of anything else: ages, doses, a quartile range."""
    P_VALUE = "p_value"
    DURATION = "duration"
    DOSE = "dose"
    """A mass or activity of a substance, also per kg, per day."""
    FREQUENCY = "frequency"
    """Times per day or week: "twice daily"."""
    RATE = "rate"
    """Events per so many person-years, or percent per year."""
    MEASUREMENT = "measurement"
    """Any other number with a unit."""
    FOLD = "fold"
    """A multiple: "twofold", "3 times higher", "doubled"."""
    FRACTION = "fraction"
    """n of N; `total` is N."""
    YEAR = "year"
    """A calendar year."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number of a text; `text` is exactly source[start:end]."""

    kind: QuantityKind
    text: str
    start: int
    end: int
    value: Decimal
    """The number; of an interval or range its low end; of a fraction n."""
    high: Decimal | None = None
    """High end of an interval or range."""
    unit: str | None = None
    """Canonical: "mg", "mL/min/1.73m2", "%", "/100 person-year"."""
    measure: str | None = None
    """HR, RR, OR, IRR, MD, SMD, RD, NNT, NNH, ... of an effect."""
    level: Decimal | None = None
    """Confidence level in percent, where given."""
    operator: str = "="
    """One of = < > <= >= ~ ; "~" is about."""
    total: Decimal | None = None
    """N of a fraction."""
    in_words: bool = False
    """Written as a word: "twelve", "half"."""

    @property
    def low(self) -> Decimal:
        """Low end of an interval or range."""
        return self.value
