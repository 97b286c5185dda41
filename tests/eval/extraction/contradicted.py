"""Wrong results that are printed as they were given and not as they were labelled: there label and paper differ.

By rule, not by a list: every number of the result is printed at its own place (its cell, the headings over and before
it, or the sentence that tells how many people an arm has), and a number of the label that differs stands nowhere in
that row of the table, nor in those headings or that sentence. A number that was worked out is printed nowhere, so a
result with one is never counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from openwork_contracts.cells import ResultCell
from openwork_contracts.tables import Table
from openwork_extraction.choice import where
from openwork_extraction.printed import number

from tests.eval.extraction.results import WRONG, Judged, cells_of
from tests.eval.extraction.rows import study

_NUMBER = re.compile(r"\d+(?:[,\s\u2009\u202f\u00a0]\d{3})*(?:[.·]\d+)?|[.·]\d+")


def contradicted(judged: Iterable[Judged]) -> int:
    """How many of the wrong results are printed as given, and not as labelled, by their own row and headings."""
    return sum(_is_contradicted(one) for one in judged if one.verdict == WRONG)


def _is_contradicted(one: Judged) -> bool:
    if one.result is None:
        return False
    tables = {where(table): table for _, table in study(one.row.pmcid).tables}
    cells = cells_of(one.result)
    if len(cells) != len(one.row.numbers):
        return False
    return all(_is_printed(*pair, tables) for pair in zip(cells, one.row.numbers, strict=True))


def _is_printed(cell: ResultCell, label: Decimal, tables: dict[str, Table]) -> bool:
    """Whether a number stands at its place, and the label's, where it is another one, does not stand around it."""
    place = cell.place
    if place is None or cell.computed:
        return False
    told = [*place.column_path, *place.row_path, *filter(None, (place.column, place.row))]
    row: Sequence[str] = ()
    table = tables.get(place.table or "")
    if table is not None and place.table_row is not None and place.table_column is not None:
        row = table.rows[place.table_row]
        told.append(row[place.table_column])
    elif place.start is not None:
        told.append(cell.words or "")
    value = number(cell.value)
    return value in _numbers(told) and (value == label or label not in _numbers((*told, *row)))


def _numbers(texts: Iterable[str]) -> set[Decimal]:
    found = {match[0] for text in texts for match in _NUMBER.finditer(text)}
    return {number(re.sub(r"[,\s\u2009\u202f\u00a0](?=\d{3})", "", text)) for text in found}
