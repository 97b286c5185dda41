"""Treatments that no list of names tells: procedures by a verb ("transfusing platelets"), vaccines by a code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from openwork_contracts.question import Entity, EntityKind
from openwork_language.terms import whole_term

_DONE = re.compile(
    r"\b(?P<root>[a-z]{3,})(?P<ing>ing)\s+(?:an?\s+|the\s+|more\s+)?(?P<what>[a-z][a-z-]{2,}(?:\s[a-z]{4,})?)\b",
    re.IGNORECASE,
)
_IS_DONE = re.compile(
    r"\b(?P<what>[a-z][a-z-]{2,}(?:\s[a-z]{4,})?)\s+(?:is|are|was|were|be|being|gets?)\s+(?P<root>[a-z]{3,}?)(?:ed|en)\b",
    re.IGNORECASE,
)
""" "If [platelets are transfused]": the same in the passive."""
_STOPPED = re.compile(r"\b(?:stop\w*|without|avoid\w*|not)\s+$", re.IGNORECASE)
"""Before a verb: what it does is left off."""
_ENDINGS = ("ion", "ation", "ition", "ment", "al", "ing")
"""How a verb's noun ends: transfusion, ablation, replacement, removal, screening."""
_GIVES = {"giv": "transfusion", "administer": "transfusion"}
"""What is done to what is given, where that has such a name: "giving platelets" is platelet transfusion."""


def procedures_done(question: str, start: int = 0) -> Iterator[Entity]:
    """Entities of the question from `start` on whose procedure has a name of the noun of its verb; others are left."""
    for match in _DONE.finditer(question, start):
        words = match["what"].split()
        told = _first_named(match["root"], (" ".join(words[:n]) for n in range(len(words), 0, -1)))
        if told is not None and not _STOPPED.search(question, start, match.start()):
            what, name = told
            yield _entity(question, match.start(), match.start("what") + len(what), name)
    for match in _IS_DONE.finditer(question, start):
        words = match["what"].split()
        told = _first_named(match["root"], (" ".join(words[n:]) for n in range(len(words))))
        if told is not None:
            what, name = told
            yield _entity(question, match.end("what") - len(what), match.end(), name)


def _first_named(root: str, things: Iterable[str]) -> tuple[str, str] | None:
    """Of what a verb may be done to the first that makes a procedure with it, and the procedure's name."""
    named = ((thing, _named(root.casefold(), thing.casefold())) for thing in things)
    return next(((thing, name) for thing, name in named if name is not None), None)


def _entity(question: str, start: int, end: int, name: str) -> Entity:
    return Entity(text=question[start:end], start=start, end=end, kind=EntityKind.PROCEDURE, name=name)


_VACCINE = re.compile(
    r"\b(?P<name>(?=[\w-]*\d)[A-Z][\w-]{2,})\s+(?:[a-z]+\s+)?(?:vaccines?|vaccination|jabs?|shots?|immuni[sz]ation)\b"
)


def vaccines_named(question: str) -> Iterator[Entity]:
    """A vaccine by a name with a figure that no list knows: "the TAK-003 dengue jab"."""
    for match in _VACCINE.finditer(question):
        name = match["name"]
        yield Entity(text=name, start=match.start(), end=match.end("name"), kind=EntityKind.DRUG, name=name)


def _named(root: str, what: str) -> str | None:
    """The procedure's name in the lexicon, by the noun of the verb behind or before what it is done to."""
    singular = what.removesuffix("s") if not what.endswith("ss") else what
    for thing in dict.fromkeys((singular, what)):
        if root in _GIVES and (given := _procedure(f"{thing} {_GIVES[root]}")) is not None:
            return given
        for ending in _ENDINGS:
            for stem in dict.fromkeys((root, root.removesuffix("e"))):
                if (done := _procedure(f"{thing} {stem}{ending}")) is not None:
                    return done
    return None


def _procedure(phrase: str) -> str | None:
    found = whole_term(phrase)
    return found.name if found is not None and found.kind is EntityKind.PROCEDURE else None
