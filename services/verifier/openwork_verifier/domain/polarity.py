"""What a sentence denies, and words that are each other's opposite: where two texts on one subject may disagree."""

from __future__ import annotations

import re
from functools import lru_cache

from openwork_knowledge.tables import table
from openwork_language.effects.words import CLAUSE_BREAK, NEGATION
from openwork_language.tokens import fold, stem

from openwork_language.wording import concept_of, concepts

_SCOPE_WORDS = 6
"""A negation reaches this many words, or to the end of its clause."""


def opposites(use: str) -> tuple[tuple[str, str], ...]:
    """Pairs of words for one use: "text", "edit" or "people"; see the file."""
    return tuple((one, other) for one, other, uses in table("opposites").rows if use in uses.split(";"))


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in opposites("text"):
        a, b = stem(one), stem(other)
        found.setdefault(a, set()).add(b)
        found.setdefault(b, set()).add(a)
    return {word: frozenset(others) for word, others in found.items()}


_OPPOSITES = _opposites()
_WORD = re.compile(r"[a-z]+")


@lru_cache(maxsize=8192)
def denied(text: str) -> frozenset[str]:
    """Concepts within reach of a negation."""
    found: set[str] = set()
    for match in NEGATION.finditer(text):
        if match.group() == "NO":
            continue
        reach = CLAUSE_BREAK.split(text[match.end() : match.end() + 120].lstrip(), maxsplit=1)[0]
        found |= concepts(" ".join(reach.split()[:_SCOPE_WORDS]))
    return frozenset(found)


@lru_cache(maxsize=8192)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(fold(text)))


def turned_words(claim: str, sentence: str) -> frozenset[str]:
    """Words of the claim, as concepts, whose opposite the sentence holds while it does not hold the word itself."""
    mine, theirs = _stems(claim), _stems(sentence)
    return frozenset(
        concept_of(word)
        for word in mine - theirs
        if (others := _OPPOSITES.get(word)) and others & theirs and not others & mine
    )
