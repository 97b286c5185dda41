"""Short questions, as they are typed (short.tsv): how many are answered, and how.

    python -m tests.eval.answers.short              # counts of each kind and writer
    python -m tests.eval.answers.short --show       # each question too, with how its answer begins

The answers are not judged one by one: of a question of the library silence is a miss, of the others it is right. Writes
nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path

from openwork_bus import loop
from openwork_contracts.answer import AnswerDocument, RunStatus

from tests.eval.answers.asking import ask_all

TABLE = Path(__file__).with_name("short.tsv")
SHOWN = 200
"""Characters of an answer."""
WAYS = ("a result leads", "in words alone", "nearest below", "silent", "turned away")


def load_short() -> list[tuple[str, str, str]]:
    """Writer, kind (library, people, outside) and question of each row."""
    lines = (line for line in TABLE.read_text("utf-8").splitlines() if not line.startswith("#"))
    found = (line.split("	") for line in lines)
    return [(writer, kind, question) for writer, kind, question in found]


def way_of(document: AnswerDocument) -> str:
    """One of `WAYS`."""
    conclusion = document.conclusion
    if document.status is RunStatus.REJECTED:
        return "turned away"
    if document.status is RunStatus.ANSWERED:
        return "a result leads" if conclusion is not None and conclusion.lead is not None else "in words alone"
    return "nearest below" if conclusion is not None and conclusion.nearest else "silent"


def main() -> int:
    """Print the counts, with `--show` each answer's beginning."""
    os.environ.setdefault("OPENWORK_SOURCES", "library")
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print each question and how its answer begins")
    shown = parser.parse_args().show
    rows = load_short()
    documents = loop.run(ask_all([question for _, _, question in rows]))
    found: dict[str, Counter[str]] = {}
    for (writer, kind, question), document in zip(rows, documents, strict=True):
        way = way_of(document)
        found.setdefault(f"{kind} ({writer})", Counter())[way] += 1
        if shown:
            begins = " ".join(document.answer.markdown.split())[:SHOWN]
            sys.stdout.write(f"[{way}] {question}\n    {begins}\n")
    for name, counts in found.items():
        told = ", ".join(f"{counts[way]} {way}" for way in WAYS if counts[way])
        sys.stdout.write(f"{name}: {counts.total()} asked, {told}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
