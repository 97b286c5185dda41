"""What a reader found the answers to be, kept with a digest of what was read."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from openwork_contracts.answer import AnswerDocument, RunStatus

from tests.eval.answers.asking import Asked
from tests.eval.answers.reading import parts, plain
from tests.eval.silence.questions import SharedQuestion

MOST_BAD = 3
"""Answers about something else or wrong, of all 1,265; issue 14."""
_ENDS = {RunStatus.REJECTED: "rejected", RunStatus.TOO_LITTLE_EVIDENCE: "silent"}
_UNREAD = "  not read yet"
_GONE = "answered rightly once, now not"
COLUMNS = ("set", "id", "found", "note", "digest")


class Found(StrEnum):
    """What the reader found the first part of an answer to be."""

    RIGHT = "right"
    """About this intervention or exposure, this outcome or its class and these people, and true."""
    ABOUT_SOMETHING_ELSE = "about_something_else"
    WRONG = "wrong"
    """About what was asked, and not true or misleading."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer as it was read."""

    found: Found
    note: str
    digest: str
    """Of the first part that was read; another one has to be read again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a question, and what a reader said of the same words."""

    question: SharedQuestion
    asked: Asked
    judgement: Judgement | None
    """`None` = not read, or read when it said something else."""

    @property
    def document(self) -> AnswerDocument:
        """What was answered."""
        return self.asked.document

    @property
    def answered(self) -> bool:
        """Whether there is anything to read."""
        return self.document.status is RunStatus.ANSWERED


Judgements = Mapping[tuple[str, str], Judgement]
"""By set and id."""


def digest(document: AnswerDocument) -> str:
    """Twelve hexadecimal digits of the SHA-256 of the first part, without markup, citation marks and case."""
    first, _ = parts(document.answer.markdown)
    return hashlib.sha256(" ".join(plain(first).split()).encode()).hexdigest()[:12]


def load_judgements(path: Path) -> dict[tuple[str, str], Judgement]:
    """The kept judgements; lines that begin with # are not rows.

    Raises:
        ValueError: a row has other columns, names no judgement that exists, or stands there twice.
    """
    kept: dict[tuple[str, str], Judgement] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != len(COLUMNS):
            raise ValueError(f"{path.name}, line {number}: {len(cells)} columns, not {', '.join(COLUMNS)}")
        key = (cells[0], cells[1])
        if key in kept:
            raise ValueError(f"{path.name}, line {number}: {' '.join(key)} is judged twice")
        if cells[2] not in set(Found):
            raise ValueError(f"{path.name}, line {number}: {cells[2]!r} is none of {', '.join(Found)}")
        kept[key] = Judgement(Found(cells[2]), cells[3], cells[4])
    return kept


def judged(question: SharedQuestion, asked: Asked, kept: Judgements) -> Answer:
    """An answer with its judgement, where the same first part was read."""
    one = kept.get((question.set, question.id))
    return Answer(question, asked, one if one and one.digest == digest(asked.document) else None)


def passes(answers: Sequence[Answer]) -> bool:
    """Whether every answer was read and at most `MOST_BAD` are about something else or wrong."""
    read = [answer.judgement for answer in answers if answer.answered]
    return None not in read and sum(one is not None and one.found is not Found.RIGHT for one in read) <= MOST_BAD


def table(answers: Sequence[Answer], kept: Judgements) -> str:
    """What became of the questions of each set, what readers found, and which right answers are no longer given."""
    sets = list(dict.fromkeys(answer.question.set for answer in answers))
    counts = {name: Counter[str]() for name in (*sets, "all")}
    for answer in answers:
        for name in (answer.question.set, "all"):
            counts[name].update(_lines_of(answer, kept))
    reasons = sorted(line for line in counts["all"] if line.startswith("  rejected"))
    lines = ["questions", "rejected", *reasons, "silent", "failed", "answered", *(f"  {one}" for one in Found)]
    head = f"{'':<34}" + "".join(f"{name:>10}" for name in counts)
    rows = [
        f"{line:<34}" + "".join(f"{count[line]:>10}" for count in counts.values()) for line in (*lines, _UNREAD, _GONE)
    ]
    return "\n".join([head, *rows]) + "\n"


def _lines_of(answer: Answer, kept: Judgements) -> Iterator[str]:
    """Lines of the table that count an answer."""
    yield "questions"
    if answer.answered:
        yield "answered"
        yield f"  {answer.judgement.found}" if answer.judgement else _UNREAD
        return
    once = kept.get((answer.question.set, answer.question.id))
    if once and once.found is Found.RIGHT:
        yield _GONE
    yield _ENDS.get(answer.document.status, "failed")
    if answer.asked.rejection:
        yield f"  rejected as {answer.asked.rejection.value}"
