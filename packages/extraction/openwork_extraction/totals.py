"""Of how many the figures of a time before or after are, where its own cell does not say it.

The caption tells it ("before (n = 26) and after (n = 25)"), or a number is printed elsewhere under the same time of
which the percentages of the table prove that they are of it: a whole number of which, in nearly every row, the printed
count is the printed percentage. Where two numbers would do, none is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from openwork_contracts.cells import CellPlace, ResultCell
from openwork_contracts.ranking import TextSection
from openwork_contracts.tables import Table
from openwork_language.cells.contrasts import phase_of

from openwork_extraction.arms import is_at_start, is_later
from openwork_extraction.choice import place_of, where
from openwork_extraction.grid import Figure, figures_of
from openwork_extraction.labels import LabelKind
from openwork_extraction.names import bare
from openwork_extraction.phases import with_phases
from openwork_extraction.printed import is_percent_of
from openwork_extraction.records import Record

_IN_CAPTION = re.compile(r"(?P<word>[^\s()]+)\s*\(\s*[nN]\s*=\s*(?P<n>\d[\d,]*)\s*\)")
_WHOLE_NUMBER = re.compile(r"\d{1,3}(?:[\s,\u2009\u202f\u00a0]\d{3})+|\d+")
_COUNT_AND_PERCENT = re.compile(r"(?P<x>\d[\d,]*)\s*[(\[]\s*(?P<p>\d+(?:\.\d+)?)\s*%?\s*[)\]]")
LEAST_ROWS = 3
"""Rows with a count and a percentage, not counting those without events, of which a number has to be the total."""
LEAST_FITTING = 0.75
"""Share of these rows that fit: papers have misprints."""

Tables = Sequence[tuple[TextSection, Table]]


def total_of(tables: Tables, record: Record, side: int, study: str, arm: str) -> ResultCell | None:
    """Of how many the figures of one side of a record are; `None` where nothing tells, or two places differ."""
    figure = record.figures[side][0]
    told = _of_caption(record.table, figure)
    if told is not None:
        place = CellPlace(table=where(record.table), section=" > ".join(record.section.path))
        return ResultCell(study=study, arm=arm, measure="n", value=told[0], place=place, words=told[1])
    found = {_value(one.text): (section, table, one) for section, table, one in _proven(tables, record, figure)}
    if len(found) != 1:
        return None
    value, (section, table, one) = found.popitem()
    place = place_of(one, table, section)
    return ResultCell(study=study, arm=arm, measure="n", value=str(value), place=place, words=one.text)


def _of_caption(table: Table, figure: Figure) -> tuple[str, str] | None:
    """N and its words: of the time by its own name, of its phase, or the only one of the caption."""
    told = [(m["word"], m["n"].replace(",", ""), m[0]) for m in _IN_CAPTION.finditer(table.caption or "")]
    times = [bare(x.text).casefold() for x in figure.labels if x.kind is LabelKind.TIME]
    phases = {phase_of(text) for text in times} - {""}
    named = [one for one in told if one[0].casefold() in times]
    named = named or [one for one in told if phase_of(one[0]) in phases]
    named = named or [one for one in told if not phase_of(one[0])]
    return named[0][1:] if len({n for _, n, _ in named}) == 1 else None


def _proven(tables: Tables, record: Record, figure: Figure) -> Iterator[tuple[TextSection, Table, Figure]]:
    """Whole numbers under the same time that the percentages prove to be the total of a figure."""
    beside = [f for f in record.beside if _is_of_same_time(f, figure)]
    column = [f for f in beside if f.column == figure.column]
    for section, table in tables:
        read = with_phases(figures_of(table))
        wholes = [f for f in read if _WHOLE_NUMBER.fullmatch(f.text.strip()) and _is_of_same_time(f, figure)]
        if table != record.table:
            yield from ((section, table, f) for f in wholes if _fits((one, _value(f.text)) for one in column))
            continue
        for place in {f.column for f in wholes} - {figure.column}:
            totals = {f.row: f for f in wholes if f.column == place}
            if figure.row in totals and _fits((f, _value(totals[f.row].text)) for f in column if f.row in totals):
                yield section, table, totals[figure.row]


def _is_of_same_time(one: Figure, other: Figure) -> bool:
    return (is_at_start(one), is_later(one)) == (is_at_start(other), is_later(other)) and is_at_start(one) != is_later(
        one
    )


def _fits(pairs: Iterable[tuple[Figure, int]]) -> bool:
    """Whether counts are their percentages of these numbers, in nearly all rows that can tell."""
    told = [
        is_percent_of(x, n, match["p"])
        for figure, n in pairs
        if (match := _COUNT_AND_PERCENT.fullmatch(figure.text.strip()))
        and (x := int(match["x"].replace(",", ""))) > 0
        and x <= n
    ]
    return len(told) >= LEAST_ROWS and sum(told) >= LEAST_FITTING * len(told)


def _value(text: str) -> int:
    return int(re.sub(r"\D", "", text))
