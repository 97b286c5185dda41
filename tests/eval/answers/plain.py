"""Plain questions of eight readers, and what has become of the answers in which they found faults.

`plain.tsv` holds 640 questions that eight readers wrote, each as a sceptical physician and from knowledge of the field
alone, half of them near misses of well-known trials (another dose, other people, another comparator, outcome or
direction), and what each found of every answer. The first round (360) was asked of the product of af403798; the second
(280) after what the first had found was mended by rule. What is printed is no judgement: an answer that begins in other
words has to be read again.

    python -m tests.eval.answers.plain            # of each judgement: silent now, begins as it did, answered otherwise
    python -m tests.eval.answers.plain --show     # with the answers that begin otherwise
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from openwork_bus import loop
from openwork_contracts.answer import RunStatus

from tests.eval.answers.asking import ask_all

FILE = Path(__file__).with_name("plain.tsv")
_AS_FAR = 100
"""Letters by which the beginning of an answer is known again."""


@dataclass(frozen=True, slots=True)
class Read:
    """A question, and what its reader found of the answer."""

    round: str
    question: str
    state: str
    """answered, silent or rejected, when it was read."""
    judged: str
    """clear or minor fault, sound; empty of what was not answered."""
    said: str
    """How an answer with a fault began."""


def load() -> list[Read]:
    """All of the file, in its order."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [Read(*line.split("\t")) for line in lines if line and not line.startswith("#")]


def main() -> None:
    """Ask all and print what became of them."""
    os.environ.setdefault("OPENWORK_SOURCES", "library")
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    rows = load()
    documents = loop.run(ask_all([row.question for row in rows]))
    counted: Counter[tuple[str, str, str]] = Counter()
    for row, document in zip(rows, documents, strict=True):
        first = " ".join(document.answer.markdown.split())
        if document.status is not RunStatus.ANSWERED:
            now = "silent"
        elif row.judged in {"clear", "minor"} and first[:_AS_FAR] == row.said[:_AS_FAR]:
            now = "begins as it did"
        else:
            now = "answered"
        counted[row.round, row.judged or row.state, now] += 1
        if "--show" in sys.argv and now == "answered" and row.judged in {"clear", "minor"}:
            print(f"{row.round} {row.judged}: {row.question}\n    was {row.said}\n    now {first[:300]}")
    for (which, judged, now), n in sorted(counted.items()):
        print(f"round {which}  {judged:10s} {now:18s} {n:4d}")


if __name__ == "__main__":
    main()
