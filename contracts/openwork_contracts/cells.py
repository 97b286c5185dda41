"""Result cells: one number of one study with everything it belongs to. Owner: verifier (made), synthesiser (read).

The unit of evidence: study x comparison x arm x outcome x time. A field that was not read is `None`, which is unknown
and never agreement. Values are decimal strings as printed, so that 0.70 stays 0.70.
"""

from __future__ import annotations

from pydantic import Field

from openwork_contracts.enums import OpenEnum
from openwork_contracts.evidence import TextOrigin
from openwork_contracts.meta import Contract
from openwork_contracts.text import Text, Texts


class AnalysisSet(OpenEnum):
    """Who was counted."""

    INTENTION_TO_TREAT = "intention_to_treat"
    PER_PROTOCOL = "per_protocol"
    AS_TREATED = "as_treated"
    SAFETY = "safety"


class CellPlace(Contract):
    """Where a cell stands: a table's row and column, or a span of a text."""

    n: int | None = Field(default=None, ge=1)
    """Number of the evidence item, where there is a numbered pack."""
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=1)
    """The number is [start, end) of that text."""
    passage_id: Text | None = None
    """In an answer: the passage; `start` and `end` then count in the text of that passage's section."""
    row: Text | None = None
    """First cell of the row."""
    column: Text | None = None
    """Header of the column."""
    table: Text | None = None
    """Label of the table as printed, e.g. "Table 2"; its caption where it has none."""
    table_row: int | None = Field(default=None, ge=0)
    table_column: int | None = Field(default=None, ge=0)
    """The cell in the table's `rows`, counted from 0, header rows included."""
    row_path: Texts = ()
    """Headings that lead to the row, from the outermost in, the row's own last."""
    column_path: Texts = ()
    """Headings that lead to the column, from the topmost down."""
    section: Text | None = None
    """Headings of the section, from the outermost in, joined by " > "; `start` and `end` then count in its text."""


class CellInterval(Contract):
    """A confidence or credible interval."""

    low: Text
    high: Text
    level: Text | None = None
    """Percent as printed, e.g. "95"; `None` = not printed."""


class ResultCell(Contract):
    """One reported number with what it belongs to. Text fields are the source's words."""

    study: Text | None = None
    """Name or identifier of the study."""
    comparison: Texts = ()
    """The compared arms, the one that is tested first."""
    arm: Text | None = None
    """`None` for a number of the comparison (a ratio, a difference) or where it was not read."""
    outcome: Text | None = None
    time: Text | None = None
    """Time point or follow-up as printed, e.g. "12 months"."""
    per: Text | None = None
    """Person-time of a rate, e.g. "100 person-year"."""
    analysis: AnalysisSet | None = None
    population: Text | None = None
    measure: Text | None = None
    """percent, count, fraction, HR, RR, OR, MD, ..."""
    value: Text
    """As printed, without unit; of a fraction n."""
    total: Text | None = None
    """N of a fraction."""
    unit: Text | None = None
    """Canonical: "mg", "%", "/100 person-year"."""
    interval: CellInterval | None = None
    p_value: Text | None = None
    """With its operator, e.g. "<0.001"."""
    is_composite_of: Texts = ()
    """Components, where the outcome is a composite."""
    is_subgroup_of: Text | None = None
    """The whole, where the population is a part of it."""
    place: CellPlace | None = None
    words: Text | None = None
    """The words it was read from, as printed: a table's cell, a sentence; `None` = they are where `place` says."""
    computed: Text | None = None
    """How it was worked out, in plain words; `None` = printed as it is."""
    computed_from: tuple[CellPlace, ...] = ()
    """Of a computed number: where each number stands that it was worked out from."""
    text_origin: TextOrigin = TextOrigin.UNKNOWN_ORIGIN
    """Whose words the cell was read from."""
