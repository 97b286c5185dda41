"""What the fidelity evaluation reads: abstracts to take faithful claims from, and labelled claim sets.

The data set lies outside the repository: OPENWORK_DATA, or `shared/data` beside it. Nothing of it is copied here.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
LIBRARY = REPOSITORY / "packages/evidence/openwork_evidence/library/records"


def data_directory() -> Path | None:
    """Where the recorded data and benchmarks are, or None."""
    places = [Path(os.environ["OPENWORK_DATA"])] if "OPENWORK_DATA" in os.environ else []
    places.append(REPOSITORY.parent / "shared" / "data")
    return next((p for p in places if (p / "benchmarks").is_dir()), None)


@dataclass(frozen=True, slots=True)
class Abstract:
    """One text that claims are taken from."""

    source: str
    key: str
    title: str
    text: str


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Lines of a (gzipped) JSON Lines file."""
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)
    else:
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def library_abstracts() -> Iterator[Abstract]:
    """The records that the project ships: results and conclusions in the project's own words."""
    for path in sorted(LIBRARY.glob("*.json")):
        for record in json.loads(path.read_text(encoding="utf-8")):
            text = "\n".join(part["text"] for part in record.get("summary", ()))
            yield Abstract("library", record["key"], record["title"], text)


def scifact_abstracts(data: Path) -> Iterator[Abstract]:
    """SciFact's corpus; its claims and labels are not read here."""
    for row in read_jsonl(data / "benchmarks/scifact/corpus.jsonl.gz"):
        yield Abstract("scifact-corpus", str(row["doc_id"]), row["title"], " ".join(row["abstract"]))


def pubmedqa_abstracts(data: Path) -> Iterator[Abstract]:
    """PubMedQA's contexts with the long answer, which is the abstract's conclusion."""
    with gzip.open(data / "benchmarks/pubmedqa/pqa_labeled.json.gz", "rt", encoding="utf-8") as file:
        for pmid, row in json.load(file).items():
            yield Abstract("pubmedqa", pmid, row["QUESTION"], "\n".join([*row["CONTEXTS"], row["LONG_ANSWER"]]))


def evidence_inference_abstracts(data: Path) -> Iterator[Abstract]:
    """Abstracts of the trials of Evidence Inference."""
    for row in read_jsonl(data / "benchmarks/evidence-inference/articles_v2.jsonl.gz"):
        title = re.search(r"TITLE:\s*(.+)", row["text"])
        parts = re.findall(r"^ABSTRACT\.[^\n]*:\n(.*?)(?=\n\n[A-Z]+[.:]|\Z)", row["text"], re.DOTALL | re.MULTILINE)
        if parts:
            text = "\n".join(part.strip() for part in parts)
            yield Abstract("evidence-inference", row["pmcid"], title.group(1) if title else "", text)


def screening_abstracts(data: Path) -> Iterator[Abstract]:
    """Abstracts that were screened for five reviews of drugs; the labels are not read here."""
    for path in sorted((data / "benchmarks/screening").glob("*.csv.gz")):
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if len(row["abstract"]) > 200:
                    text = row["abstract"].replace(".; ", ". ")  # parts of structured abstracts are joined so
                    yield Abstract("screening", row["pubmedID"], row["title"], text)


def abstracts(data: Path | None) -> Iterator[Abstract]:
    """All texts that claims are taken from."""
    yield from library_abstracts()
    if data is not None:
        yield from evidence_inference_abstracts(data)
        yield from pubmedqa_abstracts(data)
        yield from scifact_abstracts(data)
