"""Countries by their codes, and where a text names one: "India", "Indian", "in the UK"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from openwork_contracts.guidance import INTERNATIONAL

from openwork_knowledge.patterns import any_of
from openwork_knowledge.tables import table, words

_SHORT = 3
"""Letters of a word that no index tells from an abbreviation: "US", "UK"."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A country, or a body, that a text names at [start, end)."""

    name: str
    """Code of the country, short form of the body."""
    start: int
    end: int


def country_name(code: str) -> str:
    """What readers call it: "the United Kingdom"; the code itself where the table does not have it."""
    return _names().get(code, code)


def is_country(code: str) -> bool:
    """Whether the table has that code; "international" and EU are among them."""
    return code in _names()


def adjectives_of(code: str) -> tuple[str, ...]:
    """Its other words that are no abbreviations: adjective, people, other names."""
    others = next((row[2].split("; ") for row in table("countries").rows if row[0] == code), [])
    return tuple(word for word in others if len(word) > _SHORT and not word.isupper())


def code_of(text: str) -> str | None:
    """The code that a person typed, or that of the country whose name or adjective they typed."""
    typed = text.strip()
    if (code := typed.upper() if len(typed) == 2 else typed.lower()) in _names():
        return code
    return _codes().get(typed.casefold().removeprefix("the "))


def countries_in(text: str) -> tuple[Mention, ...]:
    """Countries that a text names, in its order; case matters. "African American" and "American Indian" name none."""
    found = []
    for match in _pattern().finditer(text):
        if match["not"]:
            continue
        found.append(Mention(_codes()[match["name"].casefold()], match.start("name"), match.end("name")))
    return tuple(found)


@cache
def _names() -> dict[str, str]:
    return {row[0]: row[1] for row in table("countries").rows}


@cache
def _codes() -> dict[str, str]:
    """Every word for a country, in small letters and without its article -> code."""
    found: dict[str, str] = {}
    for code, name, others in table("countries").rows:
        for word in (name, *others.split("; ")):
            found.setdefault(word.casefold().removeprefix("the "), code)
    return found


@cache
def _pattern() -> re.Pattern[str]:
    rows = table("countries").rows
    named = {word.removeprefix("the ") for _, name, others in rows for word in (name, *others.split("; "))}
    named.discard(INTERNATIONAL)  # in small letters it is no name; "International Society of ..." is a body's
    before = any_of(words("search-strategy", "people of a country, before"))
    others = any_of(words("search-strategy", "people of a country, whole"))
    return re.compile(rf"(?<![\w.-])(?:(?P<not>{before}[ -]Americans?|{others})|(?P<name>{any_of(named)}))(?![\w-])")
