"""Cells of PDF tables that our reader and pdfplumber get right, on the shared documents.

python -m tests.eval.pdf_tables [folder of the shared data]; pdfplumber is in requirements/pdf-eval.txt, a group apart.
A cell is right when it stands as a cell of its own in the row of its label, in the order of the page; wrong when that
row was found and the cell is not in it; missed when there is no row of that label. pdfplumber is given the pages, and
in the last column the table's place on the page too, from its first row to its last, which no reader has by itself.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openwork_fulltext.domain.pdf.article import parse_pdf

TRUTH = Path(__file__).with_suffix(".tsv")
DATA = Path(os.environ.get("OPENWORK_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
TEXT = {"vertical_strategy": "text", "horizontal_strategy": "text"}
STRATEGIES = {
    "pdfplumber lines": {},  # its default: cells are what lines enclose
    "pdfplumber text": TEXT,
    "pdfplumber text in lines": TEXT | {"horizontal_strategy": "lines"},
}
Row = tuple[str, ...]
Wanted = dict[tuple[int, str], list[Row]]
"""Rows by page and table."""
Reader = Callable[[Path, Wanted], Iterable[Row]]


@dataclass
class Score:
    """What one reader made of one table."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, other: Score) -> None:
        self.right += other.right
        self.wrong += other.wrong
        self.missed += other.missed


def folded(cell: str | None) -> str:
    """A cell as it is compared: without white space, which line breaks and kerning put anywhere."""
    return "".join((cell or "").split())


def score(wanted: Row, rows: Sequence[Row]) -> Score:
    """The best of the rows that have the wanted row's label as a cell."""
    label, *cells = (folded(cell) for cell in wanted)
    best: int | None = None
    for row in rows:
        if label in row:
            left = row[row.index(label) + 1 :]
            right = 0
            for cell in cells:
                if cell in left:
                    right += 1
                    left = left[left.index(cell) + 1 :]
            best = max(right, best or 0)
    return Score(missed=len(cells)) if best is None else Score(best, len(cells) - best)


def ours(path: Path, wanted: Wanted) -> Iterable[Row]:
    """All tables of the file; they are not asked for by page."""
    for section in parse_pdf(path.read_bytes()).sections:
        yield from section.table.rows if section.table else ()


def plumber(settings: dict[str, str], *, is_placed: bool = False) -> Reader:
    """pdfplumber, on the pages that hold the wanted tables only, or on the wanted tables' frames."""

    def read(path: Path, wanted: Wanted) -> Iterable[Row]:
        import pdfplumber  # in an environment of its own

        with pdfplumber.open(path) as file:
            pages = {number: file.pages[number - 1] for number, _ in wanted}
            areas = (
                [framed(pages[number], rows) for (number, _), rows in wanted.items()] if is_placed else pages.values()
            )
            for area in areas:
                for table in area.extract_tables(settings):
                    yield from (tuple(cell or "" for cell in row) for row in table)

    return read


def framed(page: Any, rows: Sequence[Row]) -> Any:
    """The part of a page from the first wanted row to the last, where their labels stand."""
    lines = [(folded(line["text"]), line) for line in page.extract_text_lines()]

    def line_of(row: Row) -> Any:
        start = "".join(map(folded, row))[:14]
        return next((line for text, line in lines if text.startswith(start)), None)

    first, last = line_of(rows[0]), line_of(rows[-1])
    if first is None or last is None or last["bottom"] <= first["top"]:
        return page
    return page.crop((0, max(0, first["top"] - 3), page.width, min(page.height, last["bottom"] + 12)))


def measure(data: Path) -> dict[str, dict[str, Score]]:
    """Scores by reader and table; prints the seconds each reader took for the files."""
    lines = [line.split("\t") for line in TRUTH.read_text("utf-8").splitlines() if not line.startswith("#")]
    files = sorted({file for file, *_ in lines})
    scores: dict[str, dict[str, Score]] = {}
    readers: dict[str, Reader] = {"ours": ours, **{name: plumber(settings) for name, settings in STRATEGIES.items()}}
    readers["pdfplumber text, place given"] = plumber(TEXT, is_placed=True)
    for name, read in readers.items():
        by_table: defaultdict[str, Score] = defaultdict(Score)
        began = time.perf_counter()
        for file in files:
            wanted: Wanted = defaultdict(list)
            for other, page, table, *cells in lines:
                if other == file:
                    wanted[int(page), table].append(tuple(cells))
            rows = [tuple(map(folded, row)) for row in read(data / "documents" / file, wanted)]
            for (_, table), own in wanted.items():
                for row in own:
                    by_table[f"{Path(file).stem[:24]} {table}"].add(score(row, rows))
        scores[name] = dict(by_table)
        print(f"{name}: {time.perf_counter() - began:.1f} s")
    return scores


def main() -> None:
    """A row per table, a column per reader: right/wrong/missed."""
    scores = measure(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
    print("| table | " + " | ".join(scores) + " |\n|---|" + "---|" * len(scores))
    totals = {name: Score() for name in scores}
    for table in scores["ours"]:
        found = [scores[name][table] for name in scores]
        for total, each in zip(totals.values(), found, strict=True):
            total.add(each)
        print(f"| {table} | " + " | ".join(f"{s.right}/{s.wrong}/{s.missed}" for s in found) + " |")
    print("| all | " + " | ".join(f"{s.right}/{s.wrong}/{s.missed}" for s in totals.values()) + " |")


if __name__ == "__main__":
    main()
