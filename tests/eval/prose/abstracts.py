"""Real abstracts under `../shared/data`, read where they are, and the random draw that the labelled set was made from.

    python -m tests.eval.prose.abstracts            # the draw: source and identifier of each, one a line

Of the five screening sets, of evidence-inference, of PubMedQA and of recorded PubMed records, those that speak of a
trial or a meta-analysis and hold a percentage, a ratio or an interval; from each source so many, seed 20261126.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

DATA = Path(os.environ.get("OPENWORK_DATA", "../shared/data"))
SEED = 20261126
SETS = ("ADHD", "BetaBlockers", "NSAIDS", "ProtonPumpInhibitors", "Triptans")
DRAWN = {**dict.fromkeys(SETS, 11), "evidence-inference": 14, "pubmedqa": 12, "ncbi": 9}
"""How many of each source."""
_TRIAL = re.compile(r"\brandomi[sz]|\bplacebo|meta-analy|controlled trial|double-blind", re.IGNORECASE)
_FIGURE = re.compile(r"\d\s?%|\b(?:ratio|RR|OR|HR|CI)\b\W{1,12}\d|\d\s?(?:\+/-|±)\s?\d", re.IGNORECASE)

Part = tuple[str, str]
"""Label and text of a part of an abstract."""


@cache
def abstracts(source: str) -> dict[str, tuple[str, tuple[Part, ...]]]:
    """Title and parts by identifier (PMID; PMCID for evidence-inference); empty where the source is not here."""
    try:
        return {key: (title, parts) for key, title, parts in _READERS[source](source)}
    except FileNotFoundError:
        return {}


def _screening(name: str) -> Iterator[tuple[str, str, tuple[Part, ...]]]:
    body = gzip.decompress((DATA / "benchmarks/screening" / f"Cohen_2006_{name}.csv.gz").read_bytes()).decode()
    for row in csv.DictReader(io.StringIO(body)):
        yield row["pubmedID"], row["title"], tuple(("", part.strip()) for part in row["abstract"].split(".; ") if part)


def _evidence_inference(_: str) -> Iterator[tuple[str, str, tuple[Part, ...]]]:
    body = gzip.decompress((DATA / "benchmarks/evidence-inference/articles_v2.jsonl.gz").read_bytes()).decode()
    for line in body.strip().split("\n"):
        one = json.loads(line)
        found = re.findall(
            r"^(TITLE|ABSTRACT(?:\.[^\n:]*)?): *\n(.*?)(?=\n\n|\Z)", one["text"], re.DOTALL | re.MULTILINE
        )
        title = next((text for label, text in found if label == "TITLE"), "")
        parts = tuple((label.partition(".")[2], text.strip()) for label, text in found if label != "TITLE")
        yield f"PMC{one['pmcid']}", title, parts


def _pubmedqa(_: str) -> Iterator[tuple[str, str, tuple[Part, ...]]]:
    body = gzip.decompress((DATA / "benchmarks/pubmedqa/pqa_labeled.json.gz").read_bytes())
    for pmid, one in json.loads(body).items():
        yield pmid, one["QUESTION"], tuple(zip(one["LABELS"], one["CONTEXTS"], strict=True))


def _ncbi(_: str) -> Iterator[tuple[str, str, tuple[Part, ...]]]:
    folder = DATA / "recorded/ncbi"
    for path in sorted([*folder.glob("pubmed-efetch/*.xml"), *folder.glob("medline-baseline/*.xml.gz")]):
        body = path.read_bytes()
        for article in ElementTree.fromstring(gzip.decompress(body) if path.suffix == ".gz" else body).iter(
            "PubmedArticle"
        ):
            parts = tuple(
                (part.get("Label", ""), " ".join("".join(part.itertext()).split()))
                for part in article.findall(".//Abstract/AbstractText")
            )
            title = article.find(".//ArticleTitle")
            yield article.findtext(".//PMID") or "", "" if title is None else "".join(title.itertext()), parts


_READERS = {
    **dict.fromkeys(SETS, _screening),
    "evidence-inference": _evidence_inference,
    "pubmedqa": _pubmedqa,
    "ncbi": _ncbi,
}


def draw() -> Iterator[tuple[str, str]]:
    """(source, identifier) of the abstracts that were labelled."""
    for source, most in DRAWN.items():
        fit = sorted(
            key
            for key, (title, parts) in abstracts(source).items()
            if _TRIAL.search(text := " ".join([title, *(part for _, part in parts)])) and _FIGURE.search(text)
        )
        yield from ((source, key) for key in random.Random(SEED).sample(fit, min(most, len(fit))))


if __name__ == "__main__":
    for source, key in draw():
        print(source, key, sep="\t")
