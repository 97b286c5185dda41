"""How the width of a page is shared among the columns of a table, by what stands in them."""

from __future__ import annotations

import math

from openwork_report.whole.runs import Rows, Runs

_LEAST, _MOST = 6.0, 30.0
"""Shares of a column, in characters."""
_LONGEST_WORD = 14
"""Characters of a word that a column should hold; longer ones are broken."""


def shares(table: Rows) -> tuple[float, ...]:
    """A share per column: more for more text, but never so little that an ordinary word breaks."""
    return tuple(round(_share(table, place), 2) for place in range(len(table.header)))


def _share(table: Rows, place: int) -> float:
    cells = [row[place] for row in table.rows] or [()]
    lengths = [sum(map(_length, cell)) for cell in cells]
    words = [word for cell in cells for line in cell for run in line for word in run.text.split()]
    longest = max((min(len(word), _LONGEST_WORD) for word in [*words, *table.header[place].split()]), default=1)
    typical = math.sqrt(sum(length * length for length in lengths) / len(lengths))
    return max(_LEAST, float(longest) + 2.5, min(_MOST, 2.0 * math.sqrt(typical)))


def _length(line: Runs) -> int:
    return sum(len(run.text) for run in line)
