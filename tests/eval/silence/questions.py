"""The questions of three labelled sets, read where they are. Nothing of them is copied or committed but their ids."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.eval.words import lines, loaded

SETS = ("bioasq", "pubmedqa", "medquad")
N_QUESTIONS = 1265
"""BioASQ 12b 204, PubMedQA 600, MedQuAD 461: everything of the three that is shared. MedQuAD has many wordings several
times, with an answer of another page each; every one counts."""


@dataclass(frozen=True, slots=True)
class SharedQuestion:
    """A question that somebody else wrote."""

    set: str
    id: str
    """BioASQ: its id; PubMedQA: the article's PMID; MedQuAD: the file's folder and the question's number in it."""
    text: str


def shared_questions(benchmarks: Path) -> list[SharedQuestion]:
    """All questions of the three sets, in the order of their files.

    Raises:
        FileNotFoundError: one of the sets is not there.
    """
    absent = [name for name in SETS if not (benchmarks / name).is_dir()]
    if absent:
        raise FileNotFoundError(
            f"no {', '.join(absent)} in {benchmarks}; set OPENWORK_DATA to the folder of shared data"
        )
    return [*_bioasq(benchmarks), *_pubmedqa(benchmarks), *_medquad(benchmarks)]


def _bioasq(benchmarks: Path) -> Iterator[SharedQuestion]:
    for row in loaded(benchmarks / "bioasq/bioasq_12b_golden.json.gz")["questions"]:
        yield SharedQuestion("bioasq", row["id"], row["body"])


def _pubmedqa(benchmarks: Path) -> Iterator[SharedQuestion]:
    for pmid, row in loaded(benchmarks / "pubmedqa/pqa_labeled.json.gz").items():
        yield SharedQuestion("pubmedqa", pmid, row["QUESTION"])


def _medquad(benchmarks: Path) -> Iterator[SharedQuestion]:
    for line in lines(benchmarks / "medquad/medquad_sample.jsonl.gz"):
        row = json.loads(line)
        yield SharedQuestion("medquad", f"{row['file'].split('/')[0]}/{row['qid']}", row["question"])
