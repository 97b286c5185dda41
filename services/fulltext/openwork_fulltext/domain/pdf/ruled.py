"""The cells of a table that rules show: rows between rules, columns between cuts, heads over their columns.

Where a rule parts some columns only, a cell of the others goes on across it and is repeated, as spanning cells are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from openwork_fulltext.domain.pdf.area import SAME_PT, Area, Level
from openwork_fulltext.domain.pdf.areas import MIN_RULED_ROWS, areas_of
from openwork_fulltext.domain.pdf.cells import (
    NUMBER_CELL,
    columns_from,
    columns_of,
    header_rows,
    is_number,
    joined,
    part_of,
    rows_by_steps,
)
from openwork_fulltext.domain.pdf.layout import Line, rows_of
from openwork_fulltext.domain.pdf.page import Page, Run, Style
from openwork_fulltext.domain.pdf.text import Vocabulary

MAX_HEAD_LINES = 8
MIN_FULL_ROWS = 0.35
"""Share of rows with more than one cell; group heads and cells that go on have one."""
Grid = tuple[tuple[str, ...], ...]
Column = tuple[float, float]
_NONE = Vocabulary()


@dataclass(slots=True)
class _Band:
    """What stands between two rules."""

    top: float
    bottom: float
    lines: list[Line] = field(default_factory=list)
    stacked: frozenset[int] = frozenset()
    """Columns in which its cell and the next band's are two, though no rule parts them."""


def tables_on(page: Page, body: Style) -> list[Area]:
    """The ruled places of a page that have rows and columns; what has none is read as text."""
    areas = areas_of(page, body)
    return [area for area in areas if is_filled(ruled_grid(area, rows_of(area.runs, page.number), _NONE)[0])]


def is_filled(grid: Grid) -> bool:
    """Whether there are rows and columns: two rows or more, of which enough have more than a label."""
    full = [row for row in grid if len({cell for cell in row if cell}) > 1]
    return len(full) > 1 and len(full) >= MIN_FULL_ROWS * len(grid)


def ruled_grid(area: Area, lines: Sequence[Line], vocabulary: Vocabulary) -> tuple[Grid, int]:
    """Rows and how many of them are heads; () where no columns can be told."""
    edges = area.edges()
    parted, columns = columns_from(lines)
    # Where the words stand in more columns, the cuts are those of something else.
    if edges and len(columns) <= len(edges) + 1:
        columns = list(pairwise([area.x0, *edges, area.x1]))
        parted = [_cut_at(line, edges) for line in lines]
    lines = parted
    if len(columns) < 2:
        return (), 0
    if _is_ruled_by_row(area, lines, columns):
        grid, n_header = _rows_between_rules(area, lines, columns, vocabulary)
    else:
        grid, n_header = _rows_below_heads(area, lines, columns, vocabulary)
    # Between columns there may be rules on both sides of an empty strip.
    filled = [n for n in range(len(columns)) if any(row[n] and row[n] not in row[max(0, n - 1) : n] for row in grid)]
    return tuple(tuple(row[n] for n in filled) for row in grid), n_header


def _cut_at(line: Line, edges: Sequence[float]) -> Line:
    """A line whose cells end at the columns' edges, where they have a gap there: a cell over two columns has none."""
    cells: list[Run] = []
    for cell in line.cells:
        start = 0
        for place in range(1, len(cell.words)):
            gap_from, gap_to = cell.words[place - 1].x1, cell.words[place].x0
            wide = gap_to - gap_from > 0.45 * cell.style.size
            if wide and any(gap_from - 1 <= edge <= gap_to + 1 for edge in edges):
                cells.append(part_of(cell, start, place))
                start = place
        cells.append(part_of(cell, start, len(cell.words)) if start else cell)
    return Line(cells, line.page, line.column, line.area)


def _is_ruled_by_row(area: Area, lines: Sequence[Line], columns: Sequence[Column]) -> bool:
    """Whether every row has a rule below it: there are enough, and no two numbers below one another between two."""
    whole = [level for level in area.levels if area.is_whole(level)]
    enough = len(whole) >= MIN_RULED_ROWS or (len(whole) >= 3 and area.inner_uprights)
    if not enough and sum(bool(level.cuts) for level in whole) < 3:
        return False
    several = [band for band in _bands(area, whole, lines) if len(band.lines) > 1]
    return 5 * sum(_stacks_numbers(band, columns) for band in several) <= len(several)


def _stacks_numbers(band: _Band, columns: Sequence[Column]) -> bool:
    numbers: Counter[int] = Counter()
    for line in band.lines:
        numbers.update({n for cell in line.cells if is_number(cell.text) for n in columns_of(cell, columns)} - {0})
    # One column may hold an estimate with its interval below it.
    return sum(times > 1 for times in numbers.values()) > 1


def _split(band: _Band, columns: Sequence[Column]) -> list[_Band]:
    """A band with numbers below one another holds several rows: one for each line that brings numbers again."""
    if not _stacks_numbers(band, columns):
        return [band]
    times = Counter(n for line in band.lines for cell in line.cells for n in columns_of(cell, columns))
    stacked = frozenset(n for n, count in times.items() if count > 1)
    parts: list[_Band] = []
    for line in band.lines:
        has_numbers = any(is_number(cell.text) for cell in line.cells[1:])
        if not parts or (has_numbers and any(is_number(c.text) for above in parts[-1].lines for c in above.cells[1:])):
            parts.append(_Band(line.y, line.y, stacked=stacked))
        parts[-1].lines.append(line)
    parts[-1].stacked = frozenset()
    parts[-1].bottom = band.bottom
    return parts


def _bands(area: Area, levels: Sequence[Level], lines: Sequence[Line]) -> list[_Band]:
    heights = [
        area.y1 + 1,
        *sorted({level.y for level in levels if area.y0 < level.y < area.y1}, reverse=True),
        area.y0,
    ]
    bands = [_Band(top, bottom) for top, bottom in pairwise(heights)]
    for line in lines:
        # A baseline stands over the rule below it.
        band = next((band for band in bands if line.y + 0.2 * line.style.size > band.bottom), bands[-1])
        band.lines.append(line)
    return [band for band in bands if band.lines]


def _rows_between_rules(
    area: Area, lines: Sequence[Line], columns: Sequence[Column], vocabulary: Vocabulary
) -> tuple[Grid, int]:
    parting = [level for level in area.levels if level.width > 0.3 * (area.x1 - area.x0)]
    bands = [part for band in _bands(area, parting, lines) for part in _split(band, columns)]
    grid = [["" for _ in columns] for _ in bands]
    for place, (left, right) in enumerate(columns):
        middle = (left + right) / 2
        group: list[int] = []
        for number, band in enumerate(bands):
            group.append(number)
            parted = any(
                abs(level.y - band.bottom) < 1 and level.x0 - SAME_PT < middle < level.x1 + SAME_PT for level in parting
            )
            # Rows without a rule between them: a cell that is alone in its column there goes over all of them.
            parted = parted or (place in band.stacked)
            if parted or number == len(bands) - 1:
                words = joined(
                    [
                        cell.text
                        for n in group
                        for line in bands[n].lines
                        for cell in line.cells
                        if place in columns_of(cell, columns)
                    ],
                    vocabulary,
                )
                for n in group:
                    grid[n][place] = words
                group = []
    grid = _heads_repeated(area, bands, grid, columns)
    n_header = _n_bold(bands, columns)
    return tuple(tuple(row) for row in grid if any(row)), n_header


def _n_bold(bands: Sequence[_Band], columns: Sequence[Column]) -> int:
    """Bands from the top whose cells are bold but for the first column's; one where these are not a few."""
    n = 0
    for band in bands:
        cells = [cell for line in band.lines for cell in line.cells]
        behind = [cell for cell in cells if columns_of(cell, columns)[0] > 0]
        if not all(cell.style.bold for cell in behind or cells):
            break
        n += 1
    return n if 0 < n <= max(1, len(bands) // 2) else 1


def _heads_repeated(
    area: Area, bands: Sequence[_Band], grid: list[list[str]], columns: Sequence[Column]
) -> list[list[str]]:
    """A head in each column that the rule under it goes over."""
    for band, row in zip(bands, grid, strict=True):
        for level in area.levels:
            if area.is_whole(level) or abs(level.y - band.bottom) > 1:
                continue
            over = [n for n, (left, right) in enumerate(columns) if level.x0 - 2 < (left + right) / 2 < level.x1 + 2]
            words = [row[n] for n in over if row[n]]
            if len(over) > 1 and len(set(words)) == 1:
                for n in over:
                    row[n] = words[0]
    return grid


def _rows_below_heads(
    area: Area, lines: Sequence[Line], columns: Sequence[Column], vocabulary: Vocabulary
) -> tuple[Grid, int]:
    """Rows by the steps of their lines, below heads that a rule ends."""
    foot = _foot_of_heads(area, lines)
    heads = [line for line in lines if foot is not None and line.y > foot]
    grid: list[list[str]] = []
    if heads:
        partial = [level for level in area.levels if not area.is_whole(level) and level.y > (foot or 0) + 1]
        whole = [level for level in area.levels if area.is_whole(level) and level.y > (foot or 0) + 1]
        bands = _bands(Area(area.x0, foot or 0, area.x1, area.y1), [*partial, *whole], heads)
        for band in bands:
            cells = [
                joined([c.text for line in band.lines for c in line.cells if n in columns_of(c, columns)], vocabulary)
                for n in range(len(columns))
            ]
            grid.append(cells)
        grid = [row for row in _heads_repeated(area, bands, grid, columns) if any(row)]
    below = [line for line in lines if line not in heads]
    title = [] if heads else _title(area, below)
    if title:
        grid.append([joined([line.text for line in title], vocabulary)] * len(columns))
    n_heads = len(grid)
    grid.extend(rows_by_steps(below[len(title) :], columns, vocabulary))
    rows = tuple(tuple(row) for row in grid if any(row))
    has_numbers = any(NUMBER_CELL.match(cell) for row in rows for cell in row[1:])
    return rows, n_heads or (header_rows(rows) if has_numbers else 0)


def _title(area: Area, lines: Sequence[Line]) -> list[Line]:
    """The lines in the middle above the first row of cells: they go over all columns."""
    middle, width = (area.x0 + area.x1) / 2, area.x1 - area.x0
    title: list[Line] = []
    for line in lines:
        centred = abs((line.x0 + line.x1) / 2 - middle) < 0.08 * width and line.x0 > area.x0 + 0.1 * width
        if len(line.cells) > 1 or not centred:
            break
        title.append(line)
    return title


def _foot_of_heads(area: Area, lines: Sequence[Line]) -> float | None:
    """The height of the rule below the heads: the lowest whole one with few lines and no row of numbers above it."""
    foot = None
    for level in area.levels:
        above = [line for line in lines if line.y > level.y]
        if not area.is_whole(level) or not above or level.y <= area.y0 + 1:
            continue
        n_numbers = sum(
            len(line.cells) > 2
            and 2 * sum(bool(NUMBER_CELL.match(c.text)) for c in line.cells[1:]) >= len(line.cells) - 1
            for line in above
        )
        if len(above) > MAX_HEAD_LINES or n_numbers > 1:
            break
        foot = level.y
    return foot
