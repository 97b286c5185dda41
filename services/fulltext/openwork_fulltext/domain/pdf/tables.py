"""Tables and captions of a PDF: where they begin, which lines belong to them, and which cell stands in which column.

A PDF knows no tables: rows and columns are read from where the words stand. Cells that are printed over several
columns are repeated in each; a cell that goes on in the next line is joined to the row above.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from openwork_contracts.tables import Table

from openwork_fulltext.domain.pdf.captions import FIGURE, TABLE, is_caption, tidy_label
from openwork_fulltext.domain.pdf.cells import columns_from, header_rows, rows_by_steps
from openwork_fulltext.domain.pdf.layout import Line
from openwork_fulltext.domain.pdf.page import Run, Style
from openwork_fulltext.domain.pdf.ruled import is_filled, ruled_grid
from openwork_fulltext.domain.pdf.text import Vocabulary, tidy

MAX_CAPTION_LINES = 6
MAX_FIGURE_LINES = 30
MIN_NOTE_CHARS = 60
"""A last row with one cell is a note where it is longer than a group's head."""
UNLABELLED = "Table"
"""The label of a table that has none on the page."""
_LABEL_ONLY = re.compile(r"(?:Figure|FIGURE|Fig\.?|FIG\.?)\s+[A-Z]?\d{1,3}[.:]?")


@dataclass(frozen=True, slots=True)
class Float:
    """A table or a figure caption and the lines it takes."""

    kind: str
    """table or figure_caption."""
    label: str
    words: str
    table: Table | None
    n_lines: int


def float_at(lines: Sequence[Line], place: int, body: Style, vocabulary: Vocabulary) -> Float | None:
    """The table or figure caption that begins at a line; `None` where none does."""
    first = lines[place]
    if (match := TABLE.match(first.text)) and is_caption(_as_run(first), body):
        return _table(lines, place, match, body, vocabulary)
    if first.area is not None:
        begins = place == 0 or lines[place - 1].area is not first.area
        return _ruled_table(lines, place, place, UNLABELLED, "", body, vocabulary) if begins else None
    if (match := FIGURE.match(first.text)) and is_caption(_as_run(first), body):
        n = _same_style(lines, place, body)
        words = join_lines(lines[place : place + n])
        return Float("figure_caption", tidy_label(match[1]), words, None, n)
    return None


def _is_in(line: Line, runs: Sequence[Run]) -> bool:
    return any(line.cells[0] is run for run in runs)


def _as_run(line: Line) -> Run:
    style = line.style
    bold = line.cells[0].style.bold
    return Run(line.text, line.x0, line.x1, line.y, Style(style.size, style.font, bold, style.italic))


def _ruled_table(
    lines: Sequence[Line], place: int, start: int, label: str, caption: str, body: Style, vocabulary: Vocabulary
) -> Float | None:
    """The table of an area that begins at `start`, with its caption at `place`; `None` where it has no columns."""
    area = lines[place].area
    assert area is not None
    end = start
    while end < len(lines) and lines[end].area is area:
        end += 1
    grid, n_header = ruled_grid(area, lines[start:end], vocabulary)
    if not is_filled(grid):
        return None
    grid, inside = _notes_inside(grid)
    after = _notes_end(lines, end, (area.x0, area.x1), body)
    notes = tuple(filter(None, [*inside, join_lines(lines[end:after])]))
    table = Table(label=label, caption=caption or None, rows=grid, n_header_rows=n_header, footnotes=notes)
    return Float("table", label, caption, table, after - place)


def _notes_inside(grid: tuple[tuple[str, ...], ...]) -> tuple[tuple[tuple[str, ...], ...], list[str]]:
    """The rows without the last ones that are one long text over all columns, and these."""
    notes: list[str] = []
    while len(grid) > 2 and len(set(filter(None, grid[-1]))) == 1 and len(max(grid[-1])) > MIN_NOTE_CHARS:
        notes.insert(0, max(grid[-1]))
        grid = grid[:-1]
    return grid, notes


def _notes_end(lines: Sequence[Line], start: int, sides: tuple[float, float], body: Style) -> int:
    """Behind the notes of a table: lines in small print close below it."""
    end = start
    while end < len(lines):
        line, before = lines[end], lines[end - 1]
        small = line.style.size <= body.size - 0.9
        inside = sides[0] - 12 < line.x0 and line.x1 < sides[1] + 12
        near = 0 < before.y - line.y < (3.5 if end == start else 1.8) * max(line.style.size, 6)
        if line.page != before.page or line.area is not None or not (small and inside and near):
            break
        if TABLE.match(line.text) or FIGURE.match(line.text):
            break
        end += 1
    return end


def _same_style(lines: Sequence[Line], place: int, body: Style) -> int:
    """How many lines a caption takes: those of its style and pitch on the same page, below a label on its own line."""
    first = lines[place]
    label_only = bool(_LABEL_ONLY.fullmatch(first.text)) and place + 1 < len(lines)
    model = lines[place + 1] if label_only else first
    n = 1
    for line in lines[place + 1 : place + MAX_FIGURE_LINES]:
        before = lines[place + n - 1]
        reach = 2.8 if label_only and n == 1 else 1.7
        alike = abs(line.style.size - model.style.size) <= 0.6
        small = line.style.size < body.size - 0.4 or model.style.size >= body.size - 0.4
        if line.page != first.page or not 0 < before.y - line.y < reach * max(model.style.size, 6):
            break
        if not (alike and small):
            break
        n += 1
    return n


def _table(
    lines: Sequence[Line], place: int, label: re.Match[str], body: Style, vocabulary: Vocabulary
) -> Float | None:
    if (area := lines[place].area) is not None:
        start = next(n for n in range(place, len(lines) + 1) if n == len(lines) or not _is_in(lines[n], area.caption))
        words = join_lines(lines[place:start])[label.end() - label.start() :].lstrip(" .:|–—-")
        return _ruled_table(lines, place, start, tidy_label(label[1]), words, body, vocabulary)
    n_caption = _caption_lines(lines, place)
    end = _table_end(lines, place + n_caption, body)
    rows, footnotes = _split_notes(lines[place + n_caption : end])
    caption = join_lines(lines[place : place + n_caption])[label.end() - label.start() :].lstrip(" .:|–—-")
    grid, n_header = _grid(rows, vocabulary)
    if len(grid) < 2 or max(len(row) for row in grid) < 2:
        if end == place + n_caption and not caption:
            return None
        # The rows could not be told apart (or stand elsewhere): the words are kept as they are read.
        loose = tuple(tidy(line.text) for line in lines[place + n_caption : end])
        table = Table(label=tidy_label(label[1]), caption=caption or None, rows=(), footnotes=loose)
        return Float("table", tidy_label(label[1]), caption, table, end - place)
    notes = tuple(filter(None, [join_lines(footnotes)]))
    table = Table(
        label=tidy_label(label[1]), caption=caption or None, rows=grid, n_header_rows=n_header, footnotes=notes
    )
    return Float("table", tidy_label(label[1]), caption, table, end - place)


def _caption_lines(lines: Sequence[Line], place: int) -> int:
    """The caption goes on while there is one cell in a line of its style right below."""
    first, n = lines[place], 1
    while place + n < len(lines) and n < MAX_CAPTION_LINES:
        line, before = lines[place + n], lines[place + n - 1]
        if (
            line.page != first.page
            or len(line.cells) > 1
            or line.style.size != first.style.size
            or line.area is not None
        ):
            break
        if line.style.bold != first.cells[-1].style.bold or not 0 < before.y - line.y < 1.6 * first.style.size:
            break
        n += 1
    return n


def _table_end(lines: Sequence[Line], start: int, body: Style) -> int:
    """The first line behind the table and its notes: another page or caption, or running text in the body's style."""
    end = start
    if start >= len(lines):
        return start
    page = lines[start].page
    for place in range(start, len(lines)):
        line = lines[place]
        if line.page != page or TABLE.match(line.text) or FIGURE.match(line.text):
            break
        if place > start and line.y > lines[place - 1].y + 2:
            break  # the top of another column
        if len(line.cells) == 1:
            following = lines[place + 1 : place + 4]
            in_table = any(len(other.cells) > 1 and other.page == page for other in following)
            small = line.style.size <= body.size - 0.9
            if not small and not in_table:
                break
            if line.style.size >= body.size + 0.9:
                break
        end = place + 1
    return end


def _split_notes(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """The rows, and the single-cell lines behind the last of them."""
    last = max((place for place, line in enumerate(lines) if len(line.cells) > 1), default=-1)
    n_rows = last + 1
    if last >= 0:
        # The last row's first cell may go on, close below and short.
        while n_rows < len(lines) and _is_continuation(lines[n_rows - 1], lines[n_rows]):
            n_rows += 1
    return list(lines[:n_rows]), list(lines[n_rows:])


def _is_continuation(before: Line, line: Line) -> bool:
    close = 0 < before.y - line.y < 1.35 * line.style.size
    return close and line.x1 - line.x0 < 0.3 * (line.column[1] - line.column[0]) and line.style == before.style


def _grid(lines: Sequence[Line], vocabulary: Vocabulary) -> tuple[tuple[tuple[str, ...], ...], int]:
    lines, columns = columns_from(lines)
    if len(columns) < 2:
        return (), 0
    grid = tuple(tuple(row) for row in rows_by_steps(lines, columns, vocabulary) if any(row))
    return grid, header_rows(grid)


def join_lines(lines: Sequence[Line]) -> str:
    """Lines as one paragraph; a hyphen that only the line break asked for goes."""
    text = ""
    for line in lines:
        text = text[:-1] + line.text if text.endswith("\u00ad") else f"{text} {line.text}".strip()
    return tidy(text)
