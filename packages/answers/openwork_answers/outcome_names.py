"""Outcomes under the one name by which they are read: "big bleeds" as major bleeding, "6MWD" as a walking distance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from openwork_knowledge.phrases import Phrases
from openwork_knowledge.tables import table

_START = re.compile(r"(?<![\w-])[^\W_]")
_CAPITALS = re.compile(r"[a-z]?[A-Z0-9]{2,}[a-z]?")


def standard_name(text: str) -> str | None:
    """The name of a text that is such a phrase from end to end; `None` = it is none."""
    found = _at(text, 0)
    return found[1] if found is not None and found[0] == len(text) else None


@lru_cache(maxsize=8192)
def in_standard_names(text: str) -> str:
    """The text with each such phrase under its name, the longest where several begin; else as it is."""
    pieces, at = [], 0
    for start, end, name in _found(text):
        pieces += [text[at:start], name]
        at = end
    return "".join((*pieces, text[at:]))


@lru_cache(maxsize=1024)
def places(text: str) -> tuple[tuple[int, int], ...]:
    """Where such phrases stand, of several words or a short form in its capitals; a single word may mean much else."""
    return tuple((start, end) for start, end, _ in _found(text) if _tells_by_itself(text[start:end]))


def _tells_by_itself(phrase: str) -> bool:
    return " " in phrase or "-" in phrase or _CAPITALS.fullmatch(phrase) is not None


def _found(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and name of each such phrase, the longest where several begin, none within another."""
    at = 0
    for match in _START.finditer(text):
        if match.start() >= at and (one := _at(text, match.start())) is not None:
            at, name = one
            yield match.start(), at, name


def _at(text: str, start: int) -> tuple[int, str] | None:
    """Where the longest phrase that begins there ends, and its name."""
    found = max(_phrases().at(text, start), key=lambda one: one.end, default=None)
    return (found.end, found.name) if found is not None else None


@cache
def _phrases() -> Phrases:
    rows = [(name, phrase) for name, phrase in table("outcome-names").rows]
    return Phrases((*rows, *((name, name) for name in dict.fromkeys(name for name, _ in rows))))
