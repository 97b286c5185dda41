"""Questions of the library crossed with people whom its trials left out (crossed.yaml): who is answered all the same?

    python -m tests.eval.answers.crossed

Prints each answer that is given, how its lead fits the people asked about, and how it begins, for reading.
Writes nothing.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import yaml
from openwork_bus import loop
from openwork_contracts.answer import AnswerDocument, RunStatus

from tests.eval.answers.asking import ask_all

TABLE = Path(__file__).with_name("crossed.yaml")
SHOWN = 200
"""Characters of an answer."""


def load_crossed() -> list[str]:
    """Every question with each kind of people."""
    table: dict[str, list[str]] = yaml.safe_load(TABLE.read_text("utf-8"))
    return [question.format(people=people) for question in table["questions"] for people in table["people"]]


def people_of(document: AnswerDocument) -> str:
    """How an answer is of the people asked about: what its lead's people are to them, or that it has no lead."""
    lead = document.conclusion.lead if document.conclusion is not None else None
    return lead.people_fit.value if lead is not None else "no result leads"


def main() -> int:
    """Print who is answered, and the count."""
    os.environ.setdefault("OPENWORK_SOURCES", "library")
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    questions = load_crossed()
    documents = loop.run(ask_all(questions))
    answered = [
        (question, document)
        for question, document in zip(questions, documents, strict=True)
        if document.status is RunStatus.ANSWERED
    ]
    for question, document in answered:
        words = document.answer.markdown if document.answer is not None else ""
        sys.stdout.write(f"{question}\n    [{people_of(document)}] {words.strip()[:SHOWN]}\n")
    fits = Counter(people_of(document) for _, document in answered)
    told = ", ".join(f"{count} {fit}" for fit, count in sorted(fits.items()))
    sys.stdout.write(f"{len(answered)} of {len(questions)} answered: {told}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
