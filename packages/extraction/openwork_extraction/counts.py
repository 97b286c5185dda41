"""Whole numbers that stand alone in a table of counts: "Nausea | 5 | 4" under "Drug (18)" and "Placebo (22)"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_extraction.grid import Figure
from openwork_extraction.labels import LabelKind, is_whole
from openwork_extraction.printed import Kind, Printed

LEAST_ROWS = 3
"""Rows of whole numbers by which a column is seen to be of counts."""
_WHOLE = re.compile(r"\d{1,5}")
_MEASURED = re.compile(
    r"\b(?:mean|median|average|score|scale|index|age|duration|length|time|level|concentration|pressure|rate|ratio|weight|height|dose|volume|"
    r"days|hours|minutes|weeks|months|years|total\s+(?:number|events)|SD|SEM?|IQR|range|cost|episodes|visits|per)\b|[%/±]|\((?:[a-zμ°]{1,4}\d?|mmHg)\)",
    re.IGNORECASE,
)
"""Of a row or a column that is no count of people."""


def count_alone(figure: Figure, table: Sequence[Figure], people: int | None) -> Printed | None:
    """A whole number as a count of people, where all of its column can only be counts of so many people.

    Args:
        table: every figure of the table.
        people: people of the arm, as its heading says: without it nothing is read.
    """
    if people is None or not _WHOLE.fullmatch(figure.text) or int(figure.text) > people:
        return None
    if _is_sum(figure) or any(_MEASURED.search(label.text) for label in figure.labels):
        return None
    if any(label.kind in (LabelKind.STATISTIC, LabelKind.EFFECT) for label in figure.labels):
        return None
    column = [other.text for other in table if other.column == figure.column and not _is_sum(other)]
    if len(column) < LEAST_ROWS or not all(_WHOLE.fullmatch(text) and int(text) <= people for text in column):
        return None
    return Printed(((Kind.COUNT, figure.text),))


def _is_sum(figure: Figure) -> bool:
    """Whether a row adds up others: it may count one person twice."""
    return any(label.axis == "row" and is_whole(label.text) for label in figure.labels)
