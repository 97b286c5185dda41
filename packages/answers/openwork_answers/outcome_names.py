"""Outcomes under the one name by which they are read: "big bleeds" as major bleeding, "6MWD" as a walking distance."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache

from openwork_knowledge.notation import expression
from openwork_knowledge.tables import table

_START = re.compile(r"(?<![\w-])[^\W_]")
_SHORT_FORM = re.compile(r"[A-Za-z]?[A-Z0-9][A-Za-z0-9+-]{0,6}s?")
"""Read in its own letters: "FEV1", "GvHD"; a phrase in whatever letters."""
_CAPITALS = re.compile(r"[a-z]?[A-Z0-9]{2,}[a-z]?")
_KEY = 3
"""Letters by which phrases are looked for."""


def standard_name(text: str) -> str | None:
    """The name of a text that is such a phrase from end to end; `None` = it is none."""
    found = _at(text, 0)
    return found[1] if found is not None and found[0] == len(text) else None


@lru_cache(maxsize=8192)
def in_standard_names(text: str) -> str:
    """The text with each such phrase under its name, the longest where several begin; else as it is."""
    pieces, at = [], 0
    for match in _START.finditer(text):
        if match.start() < at:
            continue
        found = _at(text, match.start())
        if found is not None:
            pieces += [text[at : match.start()], found[1]]
            at = found[0]
    return "".join((*pieces, text[at:]))


def places(text: str) -> list[tuple[int, int]]:
    """Where such phrases stand, of several words or a short form in its capitals; a single word may mean much else."""
    found, at = [], 0
    for match in _START.finditer(text):
        if match.start() < at or (one := _at(text, match.start())) is None:
            continue
        at = one[0]
        phrase = text[match.start() : at]
        if " " in phrase or "-" in phrase or _CAPITALS.fullmatch(phrase):
            found.append((match.start(), at))
    return found


def _at(text: str, start: int) -> tuple[int, str] | None:
    """Where the longest phrase that begins there ends, and its name."""
    longest: tuple[int, str] | None = None
    for pattern, name in _phrases().get(text[start : start + _KEY].casefold(), ()):
        match = pattern.match(text, start)
        if match is not None and (longest is None or match.end() > longest[0]):
            longest = (match.end(), name)
    return longest


@cache
def _phrases() -> dict[str, tuple[tuple[re.Pattern[str], str], ...]]:
    """By their first letters."""
    found: defaultdict[str, list[tuple[re.Pattern[str], str]]] = defaultdict(list)
    rows = table("outcome-names").rows
    for name, phrase in (*rows, *((name, name) for name in dict.fromkeys(row[0] for row in rows))):
        flags = re.NOFLAG if _SHORT_FORM.fullmatch(phrase) and phrase != phrase.casefold() else re.IGNORECASE
        pattern = re.compile(rf"{expression(phrase)}(?!\w)", flags)
        found[phrase[:_KEY].casefold()].append((pattern, name))
    return {key: tuple(listed) for key, listed in found.items()}
