"""The cells of a table that rules show: rows between rules, columns between cuts, heads over their columns.

Where a rule parts some columns only, a cell of the others goes on across it and is repeated, as spanning cells are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from openwork_fulltext.domain.pdf.areas import SAME_PT, Area, Level, areas_of
from openwork_fulltext.domain.pdf.cells import NUMBER_CELL, columns_from, columns_of, joined, rows_by_steps
from openwork_fulltext.domain.pdf.layout import Line, rows_of
from openwork_fulltext.domain.pdf.page import Page, Run, Style
from openwork_fulltext.domain.pdf.text import Vocabulary

MIN_RULED_ROWS = 5
MAX_HEAD_LINES = 8
MAX_COLUMNS = 30
MIN_UPRIGHT_SHARE = 0.3
"""Of a table's height, that the upright rules between two columns have in all."""
Grid = tuple[tuple[str, ...], ...]
Column = tuple[float, float]
_NONE = Vocabulary()


@dataclass(slots=True)
class _Band:
    """What stands between two rules."""

    top: float
    bottom: float
    lines: list[Line] = field(default_factory=list)


def tables_on(page: Page, body: Style) -> list[Area]:
    """The ruled places of a page that have rows and columns; what has none is read as text."""
    return [
        area for area in areas_of(page, body) if len(ruled_grid(area, rows_of(area.runs, page.number), _NONE)[0]) > 1
    ]


def ruled_grid(area: Area, lines: Sequence[Line], vocabulary: Vocabulary) -> tuple[Grid, int]:
    """Rows and how many of them are heads; () where no columns can be told."""
    edges = _edges(area)
    if edges:
        columns = list(pairwise([area.x0, *edges, area.x1]))
        lines = [_cut_at(line, edges) for line in lines]
    else:
        lines, columns = columns_from(lines)
    if len(columns) < 2:
        return (), 0
    if _is_ruled_by_row(area, lines):
        rows = _rows_between_rules(area, lines, columns, vocabulary)
        return rows, _bold_rows(rows, lines)
    return _rows_below_heads(area, lines, columns, vocabulary)


def _edges(area: Area) -> list[float]:
    """Where columns meet: at upright rules of some length, or where the pieces of level rules do."""
    drawn = [(rule.x0, rule.y1 - rule.y0) for rule in area.inner_uprights]
    # A rule in pieces counts for as much as is asked of an upright one.
    asked = MIN_UPRIGHT_SHARE * (area.y1 - area.y0)
    drawn += [(x, asked) for level in area.levels if area.is_whole(level) for x in level.cuts]
    clusters: list[list[tuple[float, float]]] = []
    for x, length in sorted(drawn):
        if clusters and x - clusters[-1][-1][0] <= SAME_PT:
            clusters[-1].append((x, length))
        else:
            clusters.append([(x, length)])
    edges = [
        sum(x for x, _ in cluster) / len(cluster)
        for cluster in clusters
        if sum(length for _, length in cluster) >= asked
    ]
    return edges if len(edges) < MAX_COLUMNS else []  # a chart has many


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


def part_of(run: Run, start: int, end: int) -> Run:
    """The words of a run from one to before another as a run."""
    words = run.words[start:end]
    return Run(" ".join(word.text for word in words), words[0].x0, words[-1].x1, run.y, run.style, words)


def _is_ruled_by_row(area: Area, lines: Sequence[Line]) -> bool:
    whole = [level for level in area.levels if area.is_whole(level)]
    if sum(bool(level.cuts) for level in whole) >= 3:
        return True
    if area.inner_uprights and len(whole) >= 3:
        return True
    return len(whole) >= max(MIN_RULED_ROWS, 0.5 * len(lines))


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


def _rows_between_rules(area: Area, lines: Sequence[Line], columns: Sequence[Column], vocabulary: Vocabulary) -> Grid:
    parting = [level for level in area.levels if level.width > 0.3 * (area.x1 - area.x0)]
    bands = _bands(area, parting, lines)
    grid = [["" for _ in columns] for _ in bands]
    for place, (left, right) in enumerate(columns):
        middle = (left + right) / 2
        group: list[int] = []
        for number, band in enumerate(bands):
            group.append(number)
            parted = any(
                abs(level.y - band.bottom) < 1 and level.x0 - SAME_PT < middle < level.x1 + SAME_PT for level in parting
            )
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
    return tuple(tuple(row) for row in _heads_repeated(area, bands, grid, columns) if any(row))


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


def _bold_rows(rows: Grid, lines: Sequence[Line]) -> int:
    """Rows from the top that are printed bold in full, where most of the rest is not; at least one."""
    bold = {cell.text for line in lines for cell in line.cells if cell.style.bold}
    plain = [cell for line in lines for cell in line.cells if not cell.style.bold]
    if 2 * len(plain) < sum(len(line.cells) for line in lines):
        return 1
    n = 0
    for row in rows:
        filled = [cell for cell in row[1:] if cell]
        if not filled or not all(any(cell.startswith(words) for words in bold) for cell in filled):
            break
        n += 1
    return min(max(1, n), max(1, len(rows) - 1))


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
    n_heads = len(grid)
    grid.extend(rows_by_steps([line for line in lines if line not in heads], columns, vocabulary))
    return tuple(tuple(row) for row in grid if any(row)), n_heads


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
