"""The figures of both arms that stand under the same other headings of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from openwork_contracts.ranking import TextSection
from openwork_contracts.tables import Table

from openwork_extraction.grid import Figure
from openwork_extraction.labels import Time

TIMES = re.compile(
    r"\b(?:(?:at|after|by|on|until|within|for|over|during|from|in)\s+)?(?:the\s+)?(?:first\s+)?"
    r"(?:\d+(?:st|nd|rd|th)?(?:\s*(?:-|–|to)\s*\d+)?\s*-?\s*(?:hours?|hrs?|h|days?|weeks?|wks?|months?|years?|minutes?|min)\b(?:\s+(?:of\s+)?follow-?up)?"
    r"|(?:hour|day|week|month|year)s?\s*\d+\b)",
    re.IGNORECASE,
)
"""A time as an outcome or a heading tells it: "at 3 hours", "day 28", "after 6-month follow-up"."""


@dataclass(slots=True)
class Record:
    """The figures of both arms under the same other headings."""

    section: TextSection
    table: Table
    outcome: tuple[str, ...]
    """Headings that name what was measured, outermost first."""
    leaf: str
    """The innermost of them."""
    time: Time | None
    is_time_of_caption: bool = False
    axis: str = "column"
    """Whether the arms are columns or rows."""
    beside: tuple[Figure, ...] = ()
    """All figures of the table: effects and p values stand among them."""
    figures: tuple[list[Figure], list[Figure]] = field(default_factory=lambda: ([], []))
    score: float = 0.0
    own: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    """Words of `around` that only say the unit."""
    said: frozenset[str] = frozenset()
    """Words that were asked and that the caption says for every row."""

    @property
    def identity(self) -> tuple[object, ...]:
        """What is the same at another time, in the same table or in one that tells of another time only."""
        if self.is_time_of_caption:
            return (TIMES.sub(" ", self.table.caption or ""), self.outcome)
        return (self.table.label, self.table.caption, self.outcome)
