"""Bodies that issue guidelines: their short forms, their names, and of which country each is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from openwork_knowledge.countries import Mention
from openwork_knowledge.patterns import any_of
from openwork_knowledge.tables import table, words

_LONG_ENOUGH = 4
"""Letters beyond which a short form is no other word, whatever its case: "Uspstf"."""
_WORDS = frozenset({"CHEST"})
"""Short forms that are words in small letters."""
_SAID_BY = ("according to", "according to the", "recommended by", "recommended by the")


@dataclass(frozen=True, slots=True)
class Body:
    """One body."""

    short: str
    country: str
    """Code of `countries.tsv`."""
    alone: bool
    """Whether its short form counts wherever it stands; else only beside a word of guidance."""
    names: tuple[str, ...]


def bodies_placed(text: str) -> tuple[Mention, ...]:
    """Bodies that a text names, by short forms or long names, in its order; in small letters those that are no word."""
    named = {m.start(): Mention(_shorts()[m[0].casefold()], m.start(), m.end()) for m in _long().finditer(text)}
    inside = [(one.start, one.end) for one in named.values()]
    for match in _short().finditer(text):
        if not any(start <= match.start() < end for start, end in inside):
            found = match["always"] or match["beside"] or match["said"]
            start = match.start(match.lastgroup or 0)
            named.setdefault(start, Mention(found.upper() if found.upper() in _bodies() else found, start, match.end()))
    return tuple(named[start] for start in sorted(named) if not _OF_A_TRIAL.match(text, named[start].end))


_OF_A_TRIAL = re.compile(r"\s+(?:[A-Z][\w-]+\s+)?(?:trials?|stud(?:y|ies)|cohort)\b")
""" "The big [WHO] trial" is nobody's guidance."""


def bodies_in(text: str) -> frozenset[str]:
    """Short forms of the bodies that a text names."""
    return frozenset(one.name for one in bodies_placed(text))


def country_of(short: str) -> str | None:
    """Code of a body's country; `None` = no such body is listed."""
    body = _bodies().get(short)
    return body.country if body else None


def long_name(short: str) -> str | None:
    """The best known of a body's names; `None` = no such body is listed."""
    body = _bodies().get(short)
    return body.names[0] if body else None


@cache
def _bodies() -> dict[str, Body]:
    return {
        row[0]: Body(row[0], row[1], row[2] == "alone", tuple(row[3].split("; ")))
        for row in table("guideline-bodies").rows
    }


@cache
def _shorts() -> dict[str, str]:
    """Long name in small letters -> short form."""
    return {name.casefold(): body.short for body in _bodies().values() for name in body.names}


@cache
def _long() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){any_of(n for b in _bodies().values() for n in b.names)}(?![\w-])", re.IGNORECASE)


@cache
def _short() -> re.Pattern[str]:
    """In capitals: "WHO" is one, "who" is none. "CSI position statement" and "according to the CSI" are one, "CSI"
    alone is not."""
    alone = [body.short for body in _bodies().values() if body.alone]
    others = [body.short for body in _bodies().values() if not body.alone]
    small = [short for short in alone if len(short) > _LONG_ENOUGH and short not in _WORDS and short.isalpha()]
    guidance = any_of((*words("guidance", "guidance"), "consensus", "statement", "criteria"))
    behind = rf"(?=(?:/[A-Z]\w*)*(?:\s+[\w/-]+){{0,3}}?\s+(?i:{guidance})\b)"
    before = "|".join(f"(?<=(?i:{words_before} ))" for words_before in _SAID_BY)
    return re.compile(
        rf"(?<![A-Za-z])(?:(?P<always>{any_of(alone)}|(?i:{any_of(small)}))"
        rf"|(?P<beside>{any_of(others)}){behind}|(?:{before})(?P<said>{any_of(others)}))(?![A-Za-z])"
    )
