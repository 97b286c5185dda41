"""What a cell is: one number of a text with the arm, outcome and time that it belongs to, as far as they were read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from openwork_language.quantities.quantity import Quantity

CONTROL = "@control"
ACTIVE = "@active"
"""Roles among the words of an arm: "placebo" and "the control group" are one side, whatever they are called."""

BEFORE = "@before"
AFTER = "@after"
WITH = "@with"
WITHOUT = "@without"
"""Phases: "fell from 10.8% to 8.5%" and "10.8% before, 8.5% after"."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One number with what it is bound to. Empty fields were not read: unknown, never agreement."""

    quantity: Quantity
    words: Mapping[str, float]
    """Concept -> how near it stands, in (0, 1]: 1 for a word of its own side, little beyond another number."""
    arm: frozenset[str] = frozenset()
    """Concepts of its arm, and its role, where the sentence compares two or lists several."""
    outcome: frozenset[str] = frozenset()
    """Concepts of the words that it shares with the numbers beside it."""
    times: frozenset[str] = frozenset()
    """Time points, as "84 day", that stand with it."""
    arm_text: str | None = None
    outcome_text: str | None = None
    interval: Quantity | None = None
    p_value: Quantity | None = None
    told_twice: bool = False
    """The same fact as the number before it: "17 of 58 (29.3%)"."""
    attached: bool = False
    """A deviation, an interval, a p value: it belongs to the number before it."""
