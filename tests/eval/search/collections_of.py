"""The labelled collections that a search is measured on; nothing of them is kept here."""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from openwork_language.searching.matching import Searchable, searchable

DATA = "OPENWORK_DATA"
_FIELD_CHARS = 10_000_000


@dataclass(frozen=True, slots=True)
class Record:
    """One record that was screened for a review."""

    id: str
    title: str
    text: Searchable
    included: bool
    """In the review, after reading the full text."""


def data_root() -> Path | None:
    """Where the benchmarks are; `None` = not here."""
    folder = Path(os.environ.get(DATA, "../shared/data")) / "benchmarks"
    return folder if folder.is_dir() else None


def rows_of(root: Path, name: str) -> Iterator[dict[str, str]]:
    """The records screened for a review of the Drug Effectiveness Review Project, as the file has them."""
    csv.field_size_limit(_FIELD_CHARS)
    with gzip.open(root / "screening" / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def screened(root: Path, name: str) -> tuple[Record, ...]:
    """All of them, as they are searched."""
    return tuple(
        Record(
            id=row["pubmedID"],
            title=row["title"],
            text=searchable((row["title"], row["abstract"]), (k.strip() for k in row["keywords"].split(";"))),
            included=row["label_included"] == "1",
        )
        for row in rows_of(root, name)
    )


def scifact(root: Path) -> tuple[Searchable, ...]:
    """Abstracts of all of biomedicine that have nothing to do with any of the reviews."""
    with gzip.open(root / "scifact" / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        loaded = map(json.loads, file)
        return tuple(searchable((one["title"], " ".join(one["abstract"]))) for one in loaded)


def bioasq(root: Path) -> Iterator[tuple[str, list[list[Searchable]]]]:
    """A question, and of each document that answers it the snippets."""
    loaded = json.loads(gzip.decompress((root / "bioasq" / "bioasq_12b_golden.json.gz").read_bytes()))
    for question in loaded["questions"] if isinstance(loaded, dict) else loaded:
        texts: dict[str, list[Searchable]] = {}
        for snippet in question["snippets"]:
            texts.setdefault(snippet["document"], []).append(searchable((snippet["text"],)))
        yield question["body"], list(texts.values())


def clef(root: Path) -> Iterator[tuple[str, str]]:
    """Title and published Boolean strategy of Cochrane reviews of interventions."""
    path = root / "clef-tar" / "clef2019_task2_intervention.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for one in map(json.loads, file):
            yield one["title"], one["boolean_query"]
