"""Which cell stands in which column and row, read from where the words stand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from openwork_fulltext.domain.pdf.layout import Line
from openwork_fulltext.domain.pdf.page import Run
from openwork_fulltext.domain.pdf.text import Vocabulary, join_line, tidy

MAX_HEADER_ROWS = 4
NUMBER_CELL = re.compile(r"^[<>≤≥=~±−–-]?\s*\(?[<>≤≥−–+-]?\d|^[–—-]+$|^(?:NA|NR|ND|n/a)$|^[pP]\s*[<>=]")
_LIST_MARK = re.compile(r"\(?\w{1,3}[.)]|[•●▪◦‣›■□–-]")
Column = tuple[float, float]
"""Left and right edge."""


def columns_from(lines: Sequence[Line]) -> tuple[list[Line], list[Column]]:
    """The columns, and the lines with cells that had run together parted at them."""
    columns = _columns(lines)
    if len(columns) < 2:
        return list(lines), columns
    return [_parted(line, columns) for line in lines], columns


def _parted(line: Line, columns: Sequence[Column]) -> Line:
    """A line whose cells do not run together: a mark of a list and its words, or two heads, stand closer than cells do.

    Two heads are parted at a gap of twice a blank between the middles of two columns.
    """
    cells: list[Run] = []
    for cell in line.cells:
        start = 0
        for place in range(1, len(cell.words)):
            before, word = cell.words[place - 1], cell.words[place]
            is_mark = place == 1 and bool(_LIST_MARK.fullmatch(before.text)) and abs(word.x0 - columns[1][0]) < 2
            gap = (before.x1 + word.x0) / 2
            is_gap = word.x0 - before.x1 > 0.5 * cell.style.size and any(
                a[0] + a[1] < 2 * gap < b[0] + b[1] for a, b in pairwise(columns)
            )
            if is_mark or is_gap:
                cells.append(part_of(cell, start, place))
                start = place
        cells.append(part_of(cell, start, len(cell.words)) if start else cell)
    return Line(cells, line.page, line.column, line.area)


def part_of(run: Run, start: int, end: int) -> Run:
    """The words of a run from one to before another as a run."""
    words = run.words[start:end]
    return Run(" ".join(word.text for word in words), words[0].x0, words[-1].x1, run.y, run.style, words)


def _columns(lines: Sequence[Line]) -> list[Column]:
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


def columns_of(cell: Run, columns: Sequence[Column]) -> list[int]:
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


def rows_by_steps(lines: Sequence[Line], columns: Sequence[Column], vocabulary: Vocabulary) -> list[list[str]]:
    """Rows of cells; a line closer to the one above than rows are goes on with that one."""
    rows: list[list[list[str]]] = []
    heights: list[float] = []
    pitch, wrap = _row_pitch(lines), _wrap_step(lines, columns)
    for line in lines:
        cells: list[list[str]] = [[] for _ in columns]
        for cell in line.cells:
            for place in columns_of(cell, columns):
                cells[place].append(cell.text)
        step = heights[-1] - line.y if heights else 0.0
        goes_on = 0 < step <= wrap if wrap else _goes_on(rows[-1] if rows else [], cells, step, pitch)
        if rows and goes_on and not _clash(rows[-1], cells):
            for above, below in zip(rows[-1], cells, strict=True):
                above.extend(below)
        else:
            rows.append(cells)
        heights.append(line.y)
    return [[joined(pieces, vocabulary) for pieces in row] for row in rows]


def _clash(above: Sequence[Sequence[str]], cells: Sequence[Sequence[str]]) -> bool:
    """Whether two numbers would come into one cell; an interval in brackets may stand below its number."""
    return any(
        any(is_number(one) for one in upper) and any(is_number(one) and one[0] not in "([±" for one in lower)
        for upper, lower in zip(above[1:], cells[1:], strict=True)
    )


def is_number(text: str) -> bool:
    """Whether a cell holds digits and no letters."""
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def joined(pieces: Sequence[str], vocabulary: Vocabulary) -> str:
    """The lines of a cell as one text; a hyphen that only the line's end asked for goes."""
    text = ""
    for piece in pieces:
        text = join_line(text, piece, vocabulary)
    return tidy(text)


def _wrap_step(lines: Sequence[Line], columns: Sequence[Column]) -> float:
    """The step within which a line goes on with the one above: where steps are of two kinds, the smaller; else 0.

    Single-spaced lines are up to 1.45 sizes apart. Where two numbers stand one below the other at that step, rows are
    as close as lines, and nothing can be said.
    """
    pairs = [(a, b, a.y - b.y) for a, b in pairwise(lines) if a.y > b.y]
    small = [step for _, b, step in pairs if step < 1.45 * b.style.size]
    large = [step for _, b, step in pairs if step >= 1.45 * b.style.size]
    if not small or not large or median(large) < 1.2 * median(small):
        return 0.0
    wrap = 1.1 * median(small)
    if wrap >= min(large):
        wrap = (max(small) + min(large)) / 2
    close = [(a, b) for a, b, step in pairs if step <= wrap]
    clashes = sum(_numbers_in(a, columns) & _numbers_in(b, columns) != set() for a, b in close)
    return 0.0 if 5 * clashes > len(close) else wrap


def _numbers_in(line: Line, columns: Sequence[Column]) -> set[int]:
    return {
        n for cell in line.cells if NUMBER_CELL.match(cell.text)
        for n in columns_of(cell, columns) if n
    }  # fmt: skip


def _row_pitch(lines: Sequence[Line]) -> float:
    full = [line for line in lines if len(line.cells) > 1]
    steps = [a.y - b.y for a, b in pairwise(full) if a.y > b.y]
    return median(steps) if steps else 0.0


def _goes_on(above: Sequence[Sequence[str]], cells: Sequence[Sequence[str]], step: float, pitch: float) -> bool:
    """Whether a line continues the row above: closer than the rows usually are, and without a label of its own."""
    if not 0 < step < 0.87 * pitch:
        return False
    filled = [place for place, cell in enumerate(cells) if cell]
    numbers = [place for place in filled if place and NUMBER_CELL.match(cells[place][0])]
    return all(above[place] for place in filled) and not numbers if cells[0] else len(filled) < len(cells)


def header_rows(grid: Sequence[Sequence[str]]) -> int:
    """Rows before the first that has numbers in half of its filled cells behind the first column; at least one."""
    for place, row in enumerate(grid[: MAX_HEADER_ROWS + 1]):
        filled = [cell for cell in row[1:] if cell]
        if filled and 2 * sum(bool(NUMBER_CELL.match(cell)) for cell in filled) >= len(filled):
            return max(1, place)
    return 1
