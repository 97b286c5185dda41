"""When a cell that was read is right: in the row of its labels and in the column of its heads.

A typed table has the heads of its columns as paths from the outermost ("GBS (42)", "Seronegative") and the labels of
its rows as paths too ("Location", "Asia"). A cell is right when it stands alone in a row that has the row's own label,
below the right group, in one column only, whose heads end with the column's heads; wrong when the row was found and the
cell is not there; lost when there is no such row. Cells that are blank on the page are not counted: a value that moved
into one is missed where it belongs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_SAME = str.maketrans(dict.fromkeys("‐‑−–—\u00ad", "-") | {"^": None})
Grid = Sequence[Sequence[str]]
"""Rows of cells as a reader gives them, the heads first; a caption may stand as a row above."""


@dataclass(frozen=True, slots=True)
class TypedRow:
    """A row as it was typed: its labels from the outermost, its cells; "" = blank, `None` = not typed."""

    path: tuple[str, ...]
    cells: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class TypedTable:
    """A table as a person typed it."""

    name: str
    file: str
    page: int
    is_apart: bool
    """Typed, and not looked at while the reader was changed."""
    columns: tuple[tuple[str, ...], ...]
    """Paths of heads; none where the table has none."""
    rows: tuple[TypedRow, ...]


@dataclass
class Score:
    """Cells of one table."""

    right: int = 0
    wrong: int = 0
    lost: int = 0

    def add(self, other: Score) -> None:
        self.right += other.right
        self.wrong += other.wrong
        self.lost += other.lost

    def __str__(self) -> str:
        return f"{self.right}/{self.wrong}/{self.lost}"


def load_tables(folder: Path) -> list[TypedTable]:
    """The typed tables of a folder, by name."""
    tables = []
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text("utf-8"))
        rows = tuple(TypedRow(tuple(row["path"]), tuple(row["cells"])) for row in data["rows"])
        columns = tuple(map(tuple, data["columns"]))
        tables.append(TypedTable(path.stem, data["file"], data["page"], data["apart"], columns, rows))
    return tables


def folded(cell: str | None) -> str:
    """A cell as it is compared: no white space (line breaks put it anywhere), one kind of dash, no mark of a raise."""
    return "".join((cell or "").translate(_SAME).split())


def score_table(wanted: TypedTable, grids: Sequence[Grid]) -> Score:
    """The best that any of the read tables has of each wanted row, added up."""
    total = Score()
    read = [[[folded(cell) for cell in row] for row in grid] for grid in grids]
    groups = {folded(label) for row in wanted.rows for label in row.path[:-1]}
    for row in wanted.rows:
        n_cells = sum(bool(cell) for cell in row.cells)
        found = [
            _n_right(wanted, row, grid, place, _first_row(wanted, grid))
            for grid in read
            for place, cells in enumerate(grid)
            if folded(row.path[-1]) in cells and _is_below(row.path[:-1], groups, grid, place)
        ]
        best = max(found, default=None)
        total.add(Score(lost=n_cells) if best is None else Score(best, n_cells - best))
    return total


def _first_row(wanted: TypedTable, grid: Grid) -> int:
    """The first row of a read table that holds a wanted label and a cell of its row: those above are heads."""
    for n, cells in enumerate(grid):
        for row in wanted.rows:
            if folded(row.path[-1]) in cells and any(folded(cell) in cells for cell in row.cells if cell):
                return n
    return 0


def _is_below(path: Sequence[str], groups: set[str], grid: Grid, place: int) -> bool:
    """Whether the nearest group label at or above a row is the row's own."""
    if not path:
        return True
    near = next((set(grid[n]) & groups for n in range(place, -1, -1) if set(grid[n]) & groups), set())
    return folded(path[-1]) in near


def _n_right(wanted: TypedTable, row: TypedRow, grid: Grid, place: int, first: int) -> int:
    """How many cells of a wanted row stand in a read one; `first` is the read table's first row below its heads."""
    label = list(grid[place]).index(folded(row.path[-1]))
    n_right = 0
    for number, cell in enumerate(row.cells):
        if not cell:
            continue
        path = "".join(map(folded, wanted.columns[number])) if wanted.columns else ""
        places = [
            column
            for column, read in enumerate(grid[place])
            if read == folded(cell) and column > label and _head(grid[:first], column).endswith(path)
        ]
        # Twice under the same heads is a column cut in two.
        n_right += len(places) == 1 if path else bool(places)
    return n_right


def _head(rows: Grid, column: int) -> str:
    """The heads of a column as one text; one that stands twice, over several rows, counts once."""
    words: list[str] = []
    for row in rows:
        if column < len(row) and row[column] and row[column] not in words[-1:]:
            words.append(row[column])
    return "".join(words)
