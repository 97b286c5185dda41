"""The order in which a page is read: columns from left to right, each from top to bottom; table rows stay rows.

Tables that rules show are taken out first and put back whole where they stand: their cells are no columns of text.

A region is first cut into strips (what lies side by side). Neighbouring strips that share a gutter between columns of
running text are read column by column; everything else is read line by line. Gaps between the cells of a table are no
gutters, since what stands on one side of them is short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from openwork_fulltext.domain.pdf.area import Area
from openwork_fulltext.domain.pdf.page import Page, Run, Style

MIN_GUTTER_PT = 7.0
"""The narrowest gap between columns in the journals we tried is 12 pt; words in a line stay under 6 pt."""
MIN_COLUMN_LINES = 5
"""Fewer lines side by side are wrapped cells of a table, or a caption beside its figure."""
MIN_COLUMN_CHARS = 14
"""Mean length of the lines of a column of running text; a column of numbers is shorter."""
MAX_RUNS = 3_000
"""More runs than this are a drawing or an attack; they are read line by line, since columns cost their square."""
_MAX_CUTS = 8
_BLOCK = "x" * 60
"""Stands for the text of a table while columns are told apart: as long as a line of running text."""


@dataclass(slots=True)
class Line:
    """A line as it is read. `cells` are its pieces between wide gaps: one, except in a table."""

    cells: list[Run]
    page: int
    column: tuple[float, float]
    """Left and right edge of the column it was read in."""
    area: Area | None = None
    """The ruled table it stands in."""

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)

    @property
    def x0(self) -> float:
        return self.cells[0].x0

    @property
    def x1(self) -> float:
        return self.cells[-1].x1

    @property
    def y(self) -> float:
        return self.cells[0].y

    @property
    def style(self) -> Style:
        """The style of most of its characters."""
        return max(self.cells, key=lambda cell: len(cell.text)).style


def read_lines(page: Page, areas: Sequence[Area] = ()) -> list[Line]:
    """The lines of a page in reading order, those of one area together."""
    inside = {id(run) for area in areas for run in area.all_runs}
    runs = [run for run in page.runs if id(run) not in inside]
    if len(page.runs) > MAX_RUNS:
        return rows_of(page.runs, page.number)
    blocks = [_as_run(area) for area in areas]
    stands_for = {id(run): area for run, area in zip(blocks, areas, strict=True)}
    lines: list[Line] = []
    for line in _read([*runs, *blocks], page.number, _MAX_CUTS):
        # What stands on the baseline of a block's foot is a line of its own.
        own = [cell for cell in line.cells if id(cell) not in stands_for]
        for cell in line.cells:
            if (area := stands_for.get(id(cell))) is not None:
                lines.extend(rows_of(area.caption, page.number, area))
                lines.extend(rows_of(area.runs, page.number, area))
        if own:
            lines.append(Line(own, line.page, line.column))
    return lines


def _as_run(area: Area) -> Run:
    """One tall run in the place of a table, so that what stands beside it is seen to do so."""
    return Run(_BLOCK, area.x0, area.x1, area.y0, Style((area.top - area.y0) / 0.8))


def _read(runs: Sequence[Run], page: int, cuts_left: int) -> list[Line]:
    lines: list[Line] = []
    for group, gutter in _groups(_strips(runs)):
        if gutter is None or cuts_left == 0:
            lines.extend(rows_of(group, page))
        else:
            left = [run for run in group if run.x1 <= gutter]
            right = [run for run in group if run.x0 >= gutter]
            lines.extend(_read(left, page, cuts_left - 1))
            lines.extend(_read(right, page, cuts_left - 1))
    return lines


def _strips(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs that overlap in height, directly or through others, top first."""
    strips: list[list[Run]] = []
    bottom = 0.0
    for run in sorted(runs, key=lambda r: -r.top):
        # Descenders may touch the next line's ascenders: a small overlap does not join two lines.
        if strips and run.y + 0.45 * run.style.size > bottom:
            strips[-1].append(run)
            bottom = min(bottom, run.y)
        else:
            strips.append([run])
            bottom = run.y
    return strips


def _groups(strips: Sequence[list[Run]]) -> list[tuple[list[Run], float | None]]:
    """Neighbouring strips with a common gutter together, with that gutter; the others with `None`."""
    width = _width([run for strip in strips for run in strip])
    groups: list[tuple[list[Run], float | None]] = []
    place = 0
    while place < len(strips):
        end, gutter = _group_from(place, strips, width)
        groups.append(([run for strip in strips[place:end] for run in strip], gutter))
        place = end
    return groups


def _group_from(place: int, strips: Sequence[list[Run]], width: float) -> tuple[int, float | None]:
    """Where the group that begins with a strip ends (the strip itself where there is no gutter), and its gutter."""
    best_end, best_gutter = place + 1, None
    group: list[Run] = []
    for end in range(place, len(strips)):
        strip = strips[end]
        if _is_tabular(strip) and (best_gutter is None or not _is_text_beside_table(strip, best_gutter)):
            break
        group = group + strip
        gaps = _gaps(group)
        # Without a gap the strips so far may still be the short lines of one column, above what begins beside it.
        if not gaps and _width(group) >= 0.6 * width:
            break
        gutter = _gutter(group, gaps)
        if gutter is not None:
            best_end, best_gutter = end + 1, gutter
    return best_end, best_gutter


def _is_tabular(strip: Sequence[Run]) -> bool:
    """Whether most lines of a strip are rows of short cells."""
    rows: dict[int, list[Run]] = {}
    for run in strip:
        rows.setdefault(round(run.y / 2), []).append(run)
    cells = [row for row in rows.values() if len(row) >= 3]
    return 2 * sum(map(_is_row_of_cells, cells)) > len(rows)


def _is_row_of_cells(row: Sequence[Run]) -> bool:
    """Short pieces, or pieces of middling length most of which hold numbers."""
    length = median(len(run.text) for run in row)
    n_numbers = sum(any(c.isdigit() for c in run.text) for run in row)
    return length < MIN_COLUMN_CHARS or (length < 2 * MIN_COLUMN_CHARS and 2 * n_numbers > len(row))


def _is_text_beside_table(strip: Sequence[Run], gutter: float) -> bool:
    """Whether one column goes on as running text beside a table that stands in the other."""
    if any(run.x0 < gutter < run.x1 for run in strip):
        return False
    sides = [run for run in strip if run.x1 <= gutter], [run for run in strip if run.x0 >= gutter]
    return any(side and median(len(run.text) for run in side) >= 2 * MIN_COLUMN_CHARS for side in sides)


def _width(runs: Sequence[Run]) -> float:
    return max((run.x1 for run in runs), default=0.0) - min((run.x0 for run in runs), default=0.0)


def _gaps(runs: Sequence[Run]) -> list[tuple[float, float]]:
    """The vertical white bands that cross all runs, from left to right."""
    gaps: list[tuple[float, float]] = []
    edge = float("inf")
    for run in sorted(runs, key=lambda r: r.x0):
        if run.x0 - edge >= MIN_GUTTER_PT:
            gaps.append((edge, run.x0))
        edge = run.x1 if edge == float("inf") else max(edge, run.x1)
    return gaps


def _gutter(runs: Sequence[Run], gaps: Sequence[tuple[float, float]]) -> float | None:
    """The first gap that has columns of running text on both sides."""
    for left_edge, right_edge in gaps:
        left = [run for run in runs if run.x1 <= left_edge]
        right = [run for run in runs if run.x0 >= right_edge]
        if _are_columns(left, right):
            return (left_edge + right_edge) / 2
    return None


def _are_columns(left: Sequence[Run], right: Sequence[Run]) -> bool:
    """Whether running text stands on both sides; where one side ends after few lines, both must be well filled."""
    if not left or not right:
        return False
    n_lines = [len({round(run.y) for run in side}) for side in (left, right)]
    n_chars = [sum(len(run.text) for run in side) / len(side) for side in (left, right)]
    if min(n_lines) >= MIN_COLUMN_LINES:
        return min(n_chars) >= MIN_COLUMN_CHARS
    return max(n_lines) >= MIN_COLUMN_LINES and min(n_chars) >= 2 * MIN_COLUMN_CHARS


def rows_of(runs: Sequence[Run], page: int, area: Area | None = None) -> list[Line]:
    """Runs that stand on one baseline as one line, top first."""
    if not runs:
        return []
    column = (min(run.x0 for run in runs), max(run.x1 for run in runs))
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda r: (-r.y, r.x0)):
        tolerance = 0.35 * min(run.style.size, rows[-1][0].style.size) if rows else 0.0
        if rows and abs(rows[-1][0].y - run.y) <= max(tolerance, 1.0):
            rows[-1].append(run)
        else:
            rows.append([run])
    return [Line(sorted(row, key=lambda r: r.x0), page, column, area) for row in rows]


def line_pitch(lines: Sequence[Line]) -> float:
    """The usual distance of two lines that follow one another, in points; 12 where there is nothing to measure."""
    steps = [a.y - b.y for a, b in pairwise(lines) if a.page == b.page and 4 < a.y - b.y < 40]
    return median(steps) if steps else 12.0
