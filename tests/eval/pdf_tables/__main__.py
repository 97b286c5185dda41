"""Cells of PDF tables that our reader and pdfplumber get right: `make eval-pdf`.

python -m tests.eval.pdf_tables [--apart]; pdfplumber is in requirements/pdf-eval.txt, a group apart, and left out where
it is not installed. It is given the pages; in the last column the table's place on the page too, from its first row to
its last, which no reader has by itself. --apart also asks of the tables that were kept apart.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from openwork_fulltext.domain.pdf.article import parse_pdf

from tests.eval.pdf_tables.score import Grid, Score, TypedTable, folded, load_tables, score_table

DATA = Path(os.environ.get("OPENWORK_DATA") or Path(__file__).resolve().parents[4] / "shared" / "data")
TEXT = {"vertical_strategy": "text", "horizontal_strategy": "text"}
STRATEGIES: dict[str, dict[str, str]] = {
    "pdfplumber lines": {},  # its default: cells are what lines enclose
    "pdfplumber text": TEXT,
    "pdfplumber text in lines": TEXT | {"horizontal_strategy": "lines"},
}
Reader = Callable[[Path, Sequence[TypedTable]], list[Grid]]


def ours(path: Path, _wanted: Sequence[TypedTable]) -> list[Grid]:
    """All tables of the file; they are not asked for by page. A caption stands over its table as a row."""
    tables = [section.table for section in parse_pdf(path.read_bytes()).sections if section.table is not None]
    return [((table.caption or "",), *table.rows) for table in tables]


def plumber(settings: dict[str, str], *, is_placed: bool = False) -> Reader:
    """pdfplumber, on the pages that hold the wanted tables only, or on the wanted tables' frames."""

    def read(path: Path, wanted: Sequence[TypedTable]) -> list[Grid]:
        import pdfplumber  # in an environment of its own

        with pdfplumber.open(path) as file:
            if is_placed:
                areas = [framed(file.pages[table.page - 1], table) for table in wanted]
            else:
                areas = [file.pages[number - 1] for number in sorted({table.page for table in wanted})]
            grids = [table for area in areas for table in area.extract_tables(settings)]
            return [[[cell or "" for cell in row] for row in grid] for grid in grids]

    return read


def framed(page: Any, table: TypedTable) -> Any:
    """The part of a page from 60 points above the first wanted row, for the heads, to the last."""
    lines = [(folded(line["text"]), line) for line in page.extract_text_lines()]

    def line_of(place: int) -> Any:
        row = table.rows[place]
        start = "".join(folded(cell) for cell in (row.path[-1], *row.cells))[:14]
        return next((line for text, line in lines if text.startswith(start)), None)

    first, last = line_of(0), line_of(-1)
    if first is None or last is None or last["bottom"] <= first["top"]:
        return page
    return page.crop((0, max(0, first["top"] - 60), page.width, min(page.height, last["bottom"] + 12)))


def measure(tables: Sequence[TypedTable], data: Path) -> dict[str, dict[str, Score]]:
    """Scores by reader and table; prints the seconds each reader took for the files."""
    readers: dict[str, Reader] = {"ours": ours}
    if find_spec("pdfplumber"):
        readers |= {name: plumber(settings) for name, settings in STRATEGIES.items()}
        readers["pdfplumber text, place given"] = plumber(TEXT, is_placed=True)
    scores: dict[str, dict[str, Score]] = {}
    for name, read in readers.items():
        scores[name] = {}
        seconds = 0.0
        for file in sorted({table.file for table in tables}):
            own = [table for table in tables if table.file == file]
            began = time.process_time()
            grids = read(data / "documents" / file, own)
            seconds += time.process_time() - began
            scores[name] |= {table.name: score_table(table, grids) for table in own}
        print(f"{name}: {seconds:.1f} s of CPU")
    return scores


def main() -> None:
    """A row per table, a column per reader: right/wrong/lost."""
    tables = load_tables(Path(__file__).parent)
    tables = [table for table in tables if "--apart" in sys.argv[1:] or not table.is_apart]
    scores = measure(tables, DATA)
    print("| table | cells | " + " | ".join(scores) + " |\n|---|---|" + "---|" * len(scores))
    for title, group in (
        ("all", [table for table in tables if not table.is_apart]),
        ("all kept apart", [table for table in tables if table.is_apart]),
    ):
        totals = {name: Score() for name in scores}
        for table in group:
            for name, total in totals.items():
                total.add(scores[name][table.name])
            n_cells = sum(bool(cell) for row in table.rows for cell in row.cells)
            print(
                f"| {table.name} | {n_cells} | " + " | ".join(str(scores[name][table.name]) for name in scores) + " |"
            )
        if group:
            n_cells = sum(bool(cell) for table in group for row in table.rows for cell in row.cells)
            print(f"| {title} | {n_cells} | " + " | ".join(map(str, totals.values())) + " |")


if __name__ == "__main__":
    main()
