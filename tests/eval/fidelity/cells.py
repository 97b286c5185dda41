"""Cells of trials: figures that people extracted from full texts, told of the right cell and of wrong ones.

The rows of rct-extraction (human-extracted numbers, Apache-2.0) whose figures were found in the article's text or
tables are named in `trial_cells.tsv`, with the words the article uses for outcome, arms and time. The evidence is the
paragraph or the table, rendered by the product's own reader of JATS. Tables of meta-analyses come from
`cells_of_studies.py`.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from openwork_contracts.verdict import EvidenceItem
from openwork_fulltext.domain.document import ParsedDocument
from openwork_fulltext.domain.jats.article import parse_jats

from tests.eval.fidelity import cells_of_studies
from tests.eval.fidelity.cell_claims import (
    EXCHANGED,
    OFF,
    OTHER,
    OTHER_TIME,
    RIGHT,
    Cell,
    Figures,
    claims_of,
    plain,
    stands_in,
)
from tests.eval.fidelity.judging import Bar, Case, Figure, Judged, at_least, at_most, contradicted, supported

PART = "cells"
SEED = 20241203
PER_CELL = 3
PLACES = {"t": "tables of trials", "p": "prose of trials"}
_LIST = Path(__file__).parent / "trial_cells.tsv"
_COLUMNS = ("id", "place", "found", "outcome", "unit", "arm", "comparator", "time", "other_time")


def listed(path: Path = _LIST) -> list[dict[str, str]]:
    """The rows of `trial_cells.tsv`."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return [dict(zip(_COLUMNS, line.split("\t"), strict=True)) for line in lines[1:]]


def trial_cells(data: Path) -> Iterator[tuple[str, Cell]]:
    """(place, cell) for every listed row and place whose figures are really found there."""
    folder = data / "benchmarks/rct-extraction"
    rows = {str(row["id"]): row for row in _annotated(folder)}
    for told in listed():
        row = rows[told["id"]]
        document = _article(folder, row["pmcid"])
        for place in told["place"]:
            passage = _passage(document, place, told, _values(row))
            if passage:
                yield PLACES[place], _cell(row, told, passage, document.title or "")


def cases(data: Path) -> Iterator[Case]:
    """Claims of every cell of trials and of tables of studies; the kind names source and error."""
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for place, cell in trial_cells(data):
        groups[place, cell.evidence.text].append(cell)
    for (place, _), group in groups.items():
        for cell in group:
            yield from claims_of(cell, group, place, Random(f"{SEED}:{place}:{cell.key}"), PER_CELL)
    yield from cells_of_studies.cases(data)


def fallen_out(data: Path) -> str:
    """How many extracted rows could be used, and why the others were not."""
    folder = data / "benchmarks/rct-extraction"
    texts = {path.name.removesuffix(".nxml.gz").removeprefix("PMC") for path in (folder / "nxml").glob("*.gz")}
    complete = [row for row in _annotated(folder) if str(row["pmcid"]) in texts and None not in _values(row)]
    named = {told["id"] for told in listed()}
    used = {cell.key.split(",")[0] for _, cell in trial_cells(data)}
    unread = Counter(
        "figures not in one table or paragraph" if not _anywhere(folder, row) else "not named clearly by the passage"
        for row in complete
        if str(row["id"]) not in named
    )
    counts = "; ".join(f"{reason} {n}" for reason, n in unread.most_common())
    binary = [row for row in complete if row["outcome_type"] == "binary"]
    n_binary = sum(str(row["id"]) in used for row in binary)
    return (
        f"Of {len(complete)} rows of rct-extraction with figures and an article, {len(used)} were used ({n_binary} of "
        f"{len(binary)} binary ones); left out: {counts}. The second reason holds arms that the passage does not "
        "name, labels that the table contradicts and rows that repeat another one."
    )


def figures(judged: list[Judged]) -> list[Figure]:
    """All cells first, then each source."""
    sources = [*PLACES.values(), cells_of_studies.TABLES]
    found = _figures("cells", [j for j in judged if j.case.kind.split(" | ")[0] in sources])
    for source in sources:
        found += _figures(source, [j for j in judged if j.case.kind.startswith(f"{source} |")])
    return found + _pooled(judged)


def _figures(name: str, judged: list[Judged]) -> list[Figure]:
    def of(kind: str) -> list[Judged]:
        return [j for j in judged if j.case.kind.endswith(f"| {kind}")]

    right = of(RIGHT)
    found = [
        supported(PART, f"{name}: {RIGHT}, supported", right, at_least(0.7)),
        contradicted(PART, f"{name}: {RIGHT}, called contradicted", right, at_most(0.02)),
    ]
    wrong: dict[str, Bar] = {EXCHANGED: at_most(0.05), OTHER: at_most(0.1), OTHER_TIME: at_most(0.1)}
    wrong |= {cells_of_studies.OTHER_STUDY: at_most(0.1), OFF: at_most(0.01)}
    return found + [supported(PART, f"{name}: {kind}, shown", of(kind), bar) for kind, bar in wrong.items() if of(kind)]


def _pooled(judged: list[Judged]) -> list[Figure]:
    def of(kind: str) -> list[Judged]:
        return [j for j in judged if j.case.kind == f"{cells_of_studies.POOLED} | {kind}"]

    right, *wrong = cells_of_studies.POOLED_KINDS
    name = cells_of_studies.POOLED
    return [
        supported(PART, f"{name}: {right}, supported", of(right), at_least(0.7)),
        contradicted(PART, f"{name}: {right}, called contradicted", of(right), at_most(0.02)),
        *(supported(PART, f"{name}: {kind}, shown", of(kind), at_most(0.1)) for kind in wrong),
    ]


@cache
def _annotated(folder: Path) -> list[dict[str, Any]]:
    with gzip.open(folder / "annotated_rct.json.gz", "rt", encoding="utf-8") as file:
        return list(json.load(file))


@cache
def _article(folder: Path, pmcid: int) -> ParsedDocument:
    return parse_jats(gzip.open(folder / f"nxml/PMC{pmcid}.nxml.gz").read())


def _values(row: dict[str, Any]) -> tuple[str | None, str | None]:
    """The two figures as text without separators; None where one is missing."""
    kind = "events" if row["outcome_type"] == "binary" else "mean"
    first, second = (str(row[f"{arm}_{kind}"]).replace(",", "") or None for arm in ("intervention", "comparator"))
    return first, second


def _cell(row: dict[str, Any], told: dict[str, str], passage: str, title: str) -> Cell:
    sizes: list[int | None] = [None, None]
    if row["outcome_type"] == "binary":
        sizes = [int(str(row[f"{arm}_group_size"]).replace(",", "")) for arm in ("intervention", "comparator")]
    first, second = (Figures(str(value), n) for value, n in zip(_values(row), sizes, strict=True))
    return Cell(
        key=f"{row['id']}, PMC{row['pmcid']}",
        outcome=told["outcome"],
        arms=(told["arm"], told["comparator"]),
        figures=(first, second),
        evidence=EvidenceItem(n=1, title=title, text=passage),
        unit=told["unit"],
        time=told["time"],
        other_time=told["other_time"],
        says_n=all(n is None or stands_in(str(n), passage) for n in sizes),
    )


def _passage(document: ParsedDocument, place: str, told: dict[str, str], values: Iterable[str | None]) -> str | None:
    """The first paragraph, or table with one row, that holds both figures and a word that marks the place."""
    words = [word.lower() for word in told["found"].split(";")]
    for section in document.sections:
        lines = section.text.split("\n")
        if section.kind == "table" and place == "t":
            if any(_holds(line, values) for line in lines) and any(w in section.text.lower() for w in words):
                return section.text
        elif section.kind != "table" and place == "p":
            for line in lines:
                if _holds(line, values) and any(w in line.lower() for w in words):
                    return line
    return None


def _holds(line: str, values: Iterable[str | None]) -> bool:
    """Both figures, close enough to be one result."""
    found = [re.search(rf"(?<![\d.,]){re.escape(str(v))}0*(?!\d|[.,]\d)", plain(line)) for v in values]
    spans = [m.start() for m in found if m]
    return len(spans) == len(found) and (" | " in line or max(spans) - min(spans) < 300)


def _anywhere(folder: Path, row: dict[str, Any]) -> bool:
    document = _article(folder, row["pmcid"])
    return any(_holds(line, _values(row)) for section in document.sections for line in section.text.split("\n"))
