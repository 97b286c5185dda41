"""Tables and captions of a PDF: where they begin, which lines belong to them, and which cell stands in which column.

A PDF knows no tables: rows and columns are read from where the words stand. Cells that are printed over several
columns are repeated in each; a cell that goes on in the next line is joined to the row above.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from openwork_contracts.tables import Table

from openwork_fulltext.domain.pdf.layout import Line
from openwork_fulltext.domain.pdf.page import Run, Style
from openwork_fulltext.domain.pdf.text import tidy

MAX_HEADER_ROWS = 4
MAX_CAPTION_LINES = 6
MAX_FIGURE_LINES = 30
_LABEL = r"(?:(?:Supplementary|Additional|Appendix|Web|Extended Data)\s+)?"
_TABLE = re.compile(
    rf"^({_LABEL}(?:Table|TABLE|Tab\.)(?:\s+[A-Z]?\.?\d{{1,3}}[A-Za-z]?(?:\.\d+)?|\s+[IVX]{{1,5}})?)(?=[\s.:|–—-]|$)[\s.:|–—-]*"
)
_FIGURE = re.compile(
    rf"^({_LABEL}(?:Figure|FIGURE|Fig\.|FIG\.|Fig|Box|BOX)\s+[A-Z]?\.?\d{{0,3}}[A-Za-z]?)(?=[\s.:|–—-]|$)[\s.:|–—-]*"
)
_LABEL_ONLY = re.compile(r"(?:Figure|FIGURE|Fig\.?|FIG\.?)\s+[A-Z]?\d{1,3}[.:]?")
_MENTION = re.compile(
    r"\b(?:shows?|presents?|lists?|summari[sz]es|provides?|reports?|gives?|displays?|depicts?|and|illustrates?)\b"
)
_NUMBER_CELL = re.compile(r"^[<>≤≥=~±−–-]?\s*\(?[<>≤≥−–+-]?\d|^[–—-]+$|^(?:NA|NR|ND|n/a)$|^[pP]\s*[<>=]")


@dataclass(frozen=True, slots=True)
class Float:
    """A table or a figure caption and the lines it takes."""

    kind: str
    """table or figure_caption."""
    label: str
    words: str
    table: Table | None
    n_lines: int


def float_at(lines: Sequence[Line], place: int, body: Style) -> Float | None:
    """The table or figure caption that begins at a line; `None` where none does."""
    first = lines[place]
    text = first.text
    if (match := _TABLE.match(text)) and _is_caption(first, text[match.end() :], body):
        return _table(lines, place, match, body)
    if (match := _FIGURE.match(text)) and _is_caption(first, text[match.end() :], body):
        n = _same_style(lines, place, body)
        words = join_lines(lines[place : place + n])
        return Float("figure_caption", _tidy_label(match[1]), words, None, n)
    return None


def _tidy_label(label: str) -> str:
    words = " ".join(label.split())
    return words.capitalize() if words.isupper() else words


def _is_caption(line: Line, rest: str, body: Style) -> bool:
    """A caption, not a sentence that begins "Table 2 shows": by its style, or by what follows the label."""
    if rest and (rest[0].islower() or rest[0] in ",;)"):
        return False
    if line.style.size < body.size - 0.4 or line.style.font != body.font or line.cells[0].style.bold:
        return True
    return not rest or not _MENTION.search(rest[:60])


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


def _table(lines: Sequence[Line], place: int, label: re.Match[str], body: Style) -> Float | None:
    n_caption = _caption_lines(lines, place)
    end = _table_end(lines, place + n_caption, body)
    rows, footnotes = _split_notes(lines[place + n_caption : end])
    caption = join_lines(lines[place : place + n_caption])[label.end() - label.start() :].lstrip(" .:|–—-")
    grid, n_header = _grid(rows)
    if len(grid) < 2 or max(len(row) for row in grid) < 2:
        if end == place + n_caption and not caption:
            return None
        # The rows could not be told apart (or stand elsewhere): the words are kept as they are read.
        loose = tuple(tidy(line.text) for line in lines[place + n_caption : end])
        table = Table(label=_tidy_label(label[1]), caption=caption or None, rows=(), footnotes=loose)
        return Float("table", _tidy_label(label[1]), caption, table, end - place)
    notes = tuple(filter(None, [join_lines(footnotes)]))
    table = Table(
        label=_tidy_label(label[1]), caption=caption or None, rows=grid, n_header_rows=n_header, footnotes=notes
    )
    return Float("table", _tidy_label(label[1]), caption, table, end - place)


def _caption_lines(lines: Sequence[Line], place: int) -> int:
    """The caption goes on while there is one cell in a line of its style right below."""
    first, n = lines[place], 1
    while place + n < len(lines) and n < MAX_CAPTION_LINES:
        line, before = lines[place + n], lines[place + n - 1]
        if line.page != first.page or len(line.cells) > 1 or line.style.size != first.style.size:
            break
        if line.style.bold != first.cells[-1].style.bold or not 0 < before.y - line.y < 1.45 * first.style.size:
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
        if line.page != page or _TABLE.match(line.text) or _FIGURE.match(line.text):
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


def _grid(lines: Sequence[Line]) -> tuple[tuple[tuple[str, ...], ...], int]:
    columns = _columns(lines)
    if len(columns) < 2:
        return (), 0
    rows: list[list[str]] = []
    heights: list[float] = []
    pitch = _row_pitch(lines)
    for line in lines:
        cells = [""] * len(columns)
        for cell in line.cells:
            for place in _columns_of(cell, columns):
                cells[place] = f"{cells[place]} {tidy(cell.text)}".strip()
        if rows and _goes_on(rows[-1], cells, heights[-1] - line.y, pitch):
            rows[-1] = [f"{above} {below}".strip() for above, below in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
        heights.append(line.y)
    grid = tuple(tuple(row) for row in rows if any(row))
    return grid, _header_rows(grid)


def _row_pitch(lines: Sequence[Line]) -> float:
    full = [line for line in lines if len(line.cells) > 1]
    steps = [a.y - b.y for a, b in pairwise(full) if a.y > b.y]
    return median(steps) if steps else 0.0


def _goes_on(above: Sequence[str], cells: Sequence[str], step: float, pitch: float) -> bool:
    """Whether a line continues the row above: closer than the rows usually are, and without a label of its own."""
    if not 0 < step < 0.87 * pitch:
        return False
    filled = [place for place, cell in enumerate(cells) if cell]
    numbers = [place for place in filled if place and _NUMBER_CELL.match(cells[place])]
    return all(above[place] for place in filled) and not numbers if cells[0] else len(filled) < len(cells)


def _columns(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Left and right edges of the columns, from the lines with the usual number of cells."""
    counts = Counter(len(line.cells) for line in lines if len(line.cells) > 1)
    if not counts:
        return []
    # The fullest kind of line that is common: a row with an empty cell has fewer than there are columns.
    often = max(counts.values())
    n_columns = max(n for n, times in counts.items() if times >= max(2, 0.3 * often) or times == often)
    model = [line for line in lines if len(line.cells) == n_columns]
    columns = [
        (min(line.cells[place].x0 for line in model), max(line.cells[place].x1 for line in model))
        for place in range(n_columns)
    ]
    if any(a[1] > b[0] + 12 for a, b in pairwise(columns)):
        # Rows of the same number of cells that stand in different columns: the medians are safer than the extremes.
        columns = [
            (median(line.cells[place].x0 for line in model), median(line.cells[place].x1 for line in model))
            for place in range(n_columns)
        ]
    return columns


def _columns_of(cell: Run, columns: Sequence[tuple[float, float]]) -> list[int]:
    """The columns that a cell stands over, else the nearest one. Touching the edge is not standing over it."""
    width = max(cell.x1 - cell.x0, 0.1)
    over = []
    for place, (left, right) in enumerate(columns):
        shared = min(cell.x1, right) - max(cell.x0, left)
        if shared > 0.5 * min(width, max(right - left, 0.1)):
            over.append(place)
    if over:
        return over
    centre = (cell.x0 + cell.x1) / 2
    return [min(range(len(columns)), key=lambda n: abs((columns[n][0] + columns[n][1]) / 2 - centre))]


def _header_rows(grid: Sequence[Sequence[str]]) -> int:
    """Rows before the first that has numbers in half of its filled cells behind the first column; at least one."""
    for place, row in enumerate(grid[: MAX_HEADER_ROWS + 1]):
        filled = [cell for cell in row[1:] if cell]
        if filled and 2 * sum(bool(_NUMBER_CELL.match(cell)) for cell in filled) >= len(filled):
            return max(1, place)
    return 1


def join_lines(lines: Sequence[Line]) -> str:
    """Lines as one paragraph; a hyphen that only the line break asked for goes."""
    text = ""
    for line in lines:
        text = text[:-1] + line.text if text.endswith("\u00ad") else f"{text} {line.text}".strip()
    return tidy(text)
