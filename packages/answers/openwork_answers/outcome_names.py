"""Outcomes under the one name by which they are read: "big bleeds" as major bleeding, "6MWD" as a walking distance."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
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
    longest: tuple[int, str] | None = None
    for pattern, name in _patterns(text[start : start + _KEY].casefold()):
        match = pattern.match(text, start)
        if match is not None and (longest is None or match.end() > longest[0]):
            longest = (match.end(), name)
    return longest


@lru_cache(maxsize=8192)
def _patterns(key: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Of the phrases that begin with these letters, with their names: compiled when a text first has them."""
    return tuple((_pattern(phrase), name) for name, phrase in _phrases().get(key, ()))


def _pattern(phrase: str) -> re.Pattern[str]:
    flags = re.NOFLAG if _SHORT_FORM.fullmatch(phrase) and phrase != phrase.casefold() else re.IGNORECASE
    return re.compile(rf"{expression(phrase)}(?!\w)", flags)


@cache
def _phrases() -> dict[str, list[tuple[str, str]]]:
    """Name and phrase, by the phrase's first letters."""
    found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    rows = table("outcome-names").rows
    for name, phrase in (*rows, *((name, name) for name in dict.fromkeys(row[0] for row in rows))):
        found[phrase[:_KEY].casefold()].append((name, phrase))
    return dict(found)
