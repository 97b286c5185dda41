"""The rows of the files of questions. README.md says what each field means."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

HERE = Path(__file__).parent
Kind = Literal["outcome", "population", "outside", "kinds"]
Part = Literal[
    "open",
    "held_out",
    "second",
    "second_held_out",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twentyfirst",
    "not_covered",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
PARTS: tuple[Part, ...] = get_args(Part)
APART = ("held_out", "second_held_out", *PARTS[PARTS.index("twelfth") :])
"""Kept apart, of the first two sets a part and from the twelfth on each: their rows are never printed."""

Strings = tuple[str, ...]


class Question(BaseModel):
    """One row."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    kind: Kind
    part: Part
    topic: str | None
    topic_half: Literal["a", "b"] | None
    question: str
    covered: bool
    records: Strings
    verdicts: Strings
    must: tuple[Strings, ...]
    arms: tuple[Strings, ...]
    counted: bool | None
    harm: Strings
    people: Strings
    must_not: Strings
    confirmed: str


def part_of(question_id: str) -> Part:
    """Where a row of the first set belongs: a third is kept apart, by the SHA-256 of its id."""
    return "held_out" if int(hashlib.sha256(question_id.encode()).hexdigest(), 16) % 3 == 0 else "open"


HALVES = ("even", "odd")


def half_of(question_id: str) -> str:
    """Which half of a set a row is in, by the SHA-256 of its id: of the twelfth the even one was looked at."""
    return HALVES[int(hashlib.sha256(question_id.encode()).hexdigest(), 16) % 2]


def load_rows(part: Part) -> tuple[Question, ...]:
    """The rows of a part, in the order of its file.

    Raises:
        ValidationError: a row lacks a field or has one more.
    """
    text = (HERE / f"{part}.jsonl").read_text(encoding="utf-8")
    return tuple(Question.model_validate(json.loads(line)) for line in text.splitlines())
