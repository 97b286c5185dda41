"""Outcomes under the one name by which they are read: "big bleeds" as major bleeding, "6MWD" as a walking distance."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from openwork_knowledge.phrases import Phrases
from openwork_knowledge.tables import table

_CAPITALS = re.compile(r"[a-z]?[A-Z0-9]{2,}[a-z]?")


def standard_name(text: str) -> str | None:
    """The name of a text that is such a phrase from end to end; `None` = it is none."""
    found = _phrases().longest_at(text, 0)
    return found.name if found is not None and found.end == len(text) else None


@lru_cache(maxsize=8192)
def in_standard_names(text: str) -> str:
    """The text with each such phrase under its name, the longest where several begin; else as it is."""
    pieces, at = [], 0
    for found in _phrases().in_order(text):
        pieces += [text[at : found.start], found.name]
        at = found.end
    return "".join((*pieces, text[at:]))


@lru_cache(maxsize=1024)
def places(text: str) -> tuple[tuple[int, int], ...]:
    """Where such phrases stand, of several words or a short form in its capitals; a single word may mean much else."""
    found = ((one.start, one.end) for one in _phrases().in_order(text))
    return tuple((start, end) for start, end in found if _tells_by_itself(text[start:end]))


def _tells_by_itself(phrase: str) -> bool:
    return " " in phrase or "-" in phrase or _CAPITALS.fullmatch(phrase) is not None


@cache
def _phrases() -> Phrases:
    rows = [(name, phrase) for name, phrase in table("outcome-names").rows]
    return Phrases((*rows, *((name, name) for name in dict.fromkeys(name for name, _ in rows))))
