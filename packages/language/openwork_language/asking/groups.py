"""Groups of people and places under their words: "women" and "female", "Japan" and "Japanese"."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Literal, overload

from openwork_knowledge.notation import any_of as any_of_notation
from openwork_knowledge.patterns import any_of
from openwork_knowledge.tables import table

_NEARLY_EVERYBODY = frozenset(
    {
        "patients",
        "humans, by any word",
        "adults",
        "heading",
        "animals",
        "older people",
        "children",
        "infants",
        "newborns",
    }
)
"""Told by their ages, or tell nothing."""


@overload
def groups_named(text: str) -> frozenset[str]: ...
@overload
def groups_named(text: str, *, places: Literal[True]) -> tuple[tuple[str, int, int], ...]: ...
def groups_named(text: str, *, places: bool = False) -> frozenset[str] | tuple[tuple[str, int, int], ...]:
    """The groups that a text names; with `places` each with where it stands."""
    found = _found(text)
    return found if places else frozenset(name for name, _, _ in found)


@lru_cache(maxsize=8192)
def _found(text: str) -> tuple[tuple[str, int, int], ...]:
    pattern, names = _words()
    return tuple(
        (name, match.start(), match.end())
        for match in pattern.finditer(text)
        for name in names[" ".join(match[0].casefold().split())]
    )


@cache
def _words() -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    """One expression of all words, and the groups of each."""
    rows = [(row[0], row[1]) for name in ("search-people", "populations") for row in table(name).rows]
    rows += [
        (names.split("; ")[0], word)
        for _, names in (row[:2] for row in table("country-names").rows)
        for word in names.split("; ")
    ]
    groups: dict[str, tuple[str, ...]] = {}
    for group, word in rows:
        if group not in _NEARLY_EVERYBODY and group not in groups.get(word.casefold(), ()):
            groups[word.casefold()] = (*groups.get(word.casefold(), ()), group)
    return re.compile(rf"(?<![\w-]){any_of(groups)}(?![\w-])", re.IGNORECASE), groups


def is_country(text: str) -> bool:
    """Whether words name a country, a part of the world or who lives there, and nothing else: "Japan", "British"."""
    return _countries().fullmatch(text.strip()) is not None


@cache
def _countries() -> re.Pattern[str]:
    listed = [row[1] for row in table("groups-of-people").rows if row[2:] == ("country",)]
    return re.compile(any_of_notation(listed), re.IGNORECASE)


@cache
def _excluded() -> frozenset[tuple[str, str]]:
    pairs = [row[:2] for row in table("population-relations").rows if row[2] == "excludes"]
    return frozenset((a, b) for one, other in pairs for a, b in ((one, other), (other, one)))


def excludes(one: str, other: str) -> bool:
    """Whether nobody is in both groups: women and men."""
    return (one, other) in _excluded()
