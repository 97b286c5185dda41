"""Labelled ranking tasks made from the benchmarks beside the repository. Nothing of them is copied or committed.

Each task is what `openwork rank` gets: a query and a few candidates, some of them known to be relevant. The others are
drawn from the same collection, half of them the likeliest by plain BM25 and half at random, and all are shuffled, so a
method that keeps the order it was given earns nothing.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plain_bm25 import PlainBm25

N_HARD = 50
N_RANDOM = 50
"""Distractors per task, beside the relevant candidates: about what one question's search brings back."""


@dataclass(frozen=True, slots=True)
class Text:
    """A candidate: what the ranker sees of it."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Task:
    """A query, its candidates in random order, and the gain of those that are relevant."""

    query: str
    candidates: tuple[Text, ...]
    gains: Mapping[str, int]


def data_root() -> Path | None:
    """The benchmark folder: $OPENWORK_DATA or ../shared/data beside the repository; `None` = absent."""
    repository = Path(__file__).resolve().parents[3]
    root = Path(os.environ.get("OPENWORK_DATA", repository.parent / "shared" / "data")) / "benchmarks"
    return root if root.is_dir() else None


def read_lines(path: Path) -> Iterator[Any]:
    """The objects of a JSON-lines file, compressed or not."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    yield from (json.loads(line) for line in data.decode("utf-8").split("\n") if line.strip())


def pooled(
    queries: Sequence[tuple[str, Mapping[str, int]]], texts: Sequence[Text], n_queries: int | None, *, seed: int = 11
) -> list[Task]:
    """Tasks over one shared collection, each with its own pool of distractors.

    With `n_queries`, so many queries by chance, each over the whole collection: slower, and free of the pool's leaning
    against the method that chose the distractors.
    """
    chooser = random.Random(seed)
    if n_queries is not None:
        shuffled = tuple(chooser.sample(texts, len(texts)))
        return [Task(q, shuffled, gains) for q, gains in chooser.sample(queries, min(n_queries, len(queries)))]
    plain = PlainBm25([f"{t.title} {t.text}" for t in texts])
    by_id = {t.id: t for t in texts}
    tasks = []
    for query, gains in queries:
        scores = plain.scores(query)
        hard = [texts[i].id for i in sorted(range(len(texts)), key=lambda i: -scores[i])[: N_HARD + len(gains)]]
        hard = [c for c in hard if c not in gains][:N_HARD]
        others = [t.id for t in chooser.sample(texts, min(N_RANDOM, len(texts)))]
        ids = list(dict.fromkeys([*gains, *hard, *others]))
        chooser.shuffle(ids)
        tasks.append(Task(query, tuple(by_id[c] for c in ids), gains))
    return tasks


def bioasq(root: Path, n_queries: int | None = None) -> list[Task]:
    """BioASQ 12b: a question and the snippets that experts marked for it, among those of all questions."""
    with gzip.open(root / "bioasq/bioasq_12b_golden.json.gz", "rt", encoding="utf-8") as file:
        questions = json.load(file)["questions"]
    ids: dict[str, str] = {}
    queries = []
    for question in questions:
        gains = {ids.setdefault(s["text"], f"s{len(ids)}"): 1 for s in question["snippets"]}
        queries.append((question["body"], gains))
    return pooled(queries, [Text(c, "", text) for text, c in ids.items()], n_queries)


def pubmedqa(root: Path, n_queries: int | None = None) -> list[Task]:
    """PubMedQA: a question (most are the article's own title) and its abstract without the conclusion."""
    with gzip.open(root / "pubmedqa/pqa_labeled.json.gz", "rt", encoding="utf-8") as file:
        entries = json.load(file)
    texts = [Text(pmid, "", " ".join(e["CONTEXTS"])) for pmid, e in entries.items()]
    return pooled([(e["QUESTION"], {pmid: 1}) for pmid, e in entries.items()], texts, n_queries)


def medquad(root: Path, n_queries: int | None = None) -> list[Task]:
    """MedQuAD: a consumer's question and its answer, among answers that are often about the same disease."""
    rows = list(read_lines(root / "medquad/medquad_sample.jsonl.gz"))
    texts = [Text(str(i), "", row["answer"]) for i, row in enumerate(rows)]
    return pooled([(row["question"], {str(i): 1}) for i, row in enumerate(rows)], texts, n_queries)


def scifact(root: Path, n_queries: int | None = None) -> list[Task]:
    """SciFact: a claim and the abstracts that support or contradict it."""
    texts = [
        Text(str(r["doc_id"]), r["title"], " ".join(r["abstract"]))
        for r in read_lines(root / "scifact/corpus.jsonl.gz")
    ]
    claims = [c for c in read_lines(root / "scifact/claims.jsonl") if c["evidence"]]
    return pooled([(c["claim"], {str(d): 1 for d in c["evidence"]}) for c in claims], texts, n_queries)


def healthver(root: Path, n_queries: int | None = None) -> list[Task]:
    """HealthVer: a claim and the evidence sentences that experts found to support or refute it."""
    ids: dict[str, str] = {}
    gains: dict[str, dict[str, int]] = {}
    for row in read_lines(root / "healthver/healthver.jsonl.gz"):
        sentence_id = ids.setdefault(row["evidence"], f"e{len(ids)}")
        if row["label"] != "Neutral":
            gains.setdefault(row["claim"], {})[sentence_id] = 1
    return pooled(list(gains.items()), [Text(c, "", text) for text, c in ids.items()], n_queries)


def citation_integrity(root: Path, n_queries: int | None = None) -> list[Task]:
    """Citation-Integrity: a citing sentence and the passages of the cited paper."""
    texts = [
        Text(str(r["doc_id"]), r["title"], " ".join(r["abstract"]))
        for r in read_lines(root / "citation-integrity/corpus.jsonl.gz")
    ]
    claims = [c for c in read_lines(root / "citation-integrity/claims.jsonl.gz") if c["evidence"]][:400]
    return pooled([(c["claim"], {str(d): 1 for d in c["evidence"]}) for c in claims], texts, n_queries)


def _paragraphs(text: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for line in text.split("\n"):
        if len(line) > 80:
            spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans


def evidence_inference(root: Path, n_queries: int | None = None) -> list[Task]:
    """Evidence Inference: intervention, comparator and outcome; the paragraphs of the trial's paper with the result."""
    tasks = []
    chooser = random.Random(11)
    for article in read_lines(root / "evidence-inference/articles_v2.jsonl.gz"):
        spans = _paragraphs(article["text"])
        texts = [Text(str(s), "", article["text"][s:e]) for s, e in spans]
        chooser.shuffle(texts)
        for prompt in article["prompts"]:
            starts = [a["start"] for a in prompt["annotations"] if a["valid_label"] and a["start"] is not None]
            gains = {str(s): 1 for s, e in spans if any(s <= start < e for start in starts)}
            query = f"Effect of {prompt['intervention']} versus {prompt['comparator']} on {prompt['outcome']}"
            if gains:
                tasks.append(Task(query, tuple(texts), gains))
    return tasks


REVIEWS = {
    "ADHD": "Drugs for attention deficit hyperactivity disorder: comparative efficacy and safety",
    "BetaBlockers": "Beta adrenergic blockers: comparative efficacy and safety",
    "NSAIDS": "Nonsteroidal anti-inflammatory drugs: comparative efficacy and safety",
    "ProtonPumpInhibitors": "Proton pump inhibitors: comparative efficacy and safety",
    "Triptans": "Triptans for migraine: comparative efficacy and safety",
}
"""The drug-class reviews' titles as questions; the class and the aim, nothing from the included studies."""


def screening(root: Path, n_queries: int | None = None) -> list[Task]:
    """Cohen 2006: a drug-class review's title; records that were included (2) or passed the abstract screen (1)."""
    tasks = []
    for name, query in REVIEWS.items():
        with gzip.open(root / f"screening/Cohen_2006_{name}.csv.gz", "rt", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(io.StringIO(file.read())) if row["abstract"]]
        gains = {r["record_id"]: int(r["label_abstract_screening"]) + int(r["label_included"]) for r in rows}
        texts = [Text(r["record_id"], r["title"], r["abstract"]) for r in rows]
        random.Random(11).shuffle(texts)
        tasks.append(Task(query, tuple(texts), gains))
    return tasks


SETS = {
    "bioasq": bioasq,
    "pubmedqa": pubmedqa,
    "medquad": medquad,
    "scifact": scifact,
    "healthver": healthver,
    "citation-integrity": citation_integrity,
    "evidence-inference": evidence_inference,
    "screening": screening,
}
"""Every set that can be made. TREC-COVID and CLEF TAR carry labels without the texts and cannot be ranked here."""
