"""How much a word tells about which record is meant. Not its length: "MRI" tells more than "presentation"."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from openwork_knowledge.inn import is_inn
from openwork_knowledge.tables import table, words

from openwork_language.searching.spellings import describes
from openwork_language.tokens import COMMON_TOKENS, stem

NOTHING, LITTLE, SOME, MUCH, MOST = range(5)
"""Words of asking and of grammar; what most texts or abstracts hold; common English; other words; technical names."""
_ROMAN = re.compile(r"[IVX]+[AB]?")
"""A stage, a phase, a class: it tells nothing without the word before it."""
ASKING = (
    ("stop_words", "search"),
    ("intents", "compares"),
    ("intents", "adverse events"),
    ("intents", "asks for a guideline"),
    ("intents", "asks for a treatment"),
    ("search-strategy", "people of a country, before"),
)
"""Words by which a question is put, or that say who is asked about in general: none of them is the topic."""
ASKING_ALONE = (
    ("question_slots", "people"),
    ("intents", "prognosis"),
    ("intents", "diagnosis"),
    ("question_slots", "outcome"),
)
"""Likewise, but not the parts of their phrases: "chest pain" does not make pain a word of asking."""


@cache
def _empty() -> frozenset[str]:
    return frozenset(stem(word) for word in words("stop_words", "search"))


def is_empty(word: str) -> bool:
    """Whether a word tells nothing in whatever place it stands: of grammar, of asking, of research in general."""
    return stem(word.lower()) in _empty()


@cache
def _asking() -> tuple[frozenset[str], tuple[str, ...]]:
    """Stems of words of asking, and beginnings of others."""
    parts = [word for group in ASKING for phrase in words(*group) for word in phrase.lower().split()]
    parts += [word.lower() for group in ASKING_ALONE for word in words(*group) if " " not in word]
    parts += [row[1].lower() for row in table("places").rows if row[2] == "question"]
    whole = frozenset(stem(word) for word in parts if not word.endswith("*"))
    return whole, tuple(word.rstrip("*") for word in parts if word.endswith("*"))


@cache
def _lists() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    return (
        frozenset(words("ordinary_words", "very common")),
        frozenset(words("ordinary_words", "common")),
        frozenset(words("mesh_words", "mesh")),
    )


@cache
def _of_health() -> frozenset[str]:
    return frozenset(map(stem, words("everyday-health", "names")))


def is_everyday(word: str) -> bool:
    """Whether a word is of everyday English and not one of those that can name something of health: "big", "turn".

    It tells nothing of what is asked; of whom, any word may tell.

    Args:
        word: as it is written: an abbreviation ("MAP", "HR") is no such word.
    """
    if any(map(str.isupper, word[1:])):
        return False
    very_common, common, mesh = _lists()
    low = word.lower()
    forms = {low, low.removesuffix("s")}
    ordinary = not (forms.isdisjoint(very_common) and forms.isdisjoint(common))
    return ordinary and forms.isdisjoint(mesh) and stem(low) not in _of_health()


@lru_cache(maxsize=16_384)
def information(word: str) -> int:
    """From `NOTHING` to `MOST`.

    A stop word tells nothing, whatever else it is. A name with a digit or an inner capital (GC1118, ctDNA, PrEP), a
    rare word of MeSH and a word built like a drug's name tell most; then words outside everyday English; then common
    ones; a very common one, or one that most abstracts hold, little. A word that describes ("chronic", "newly") tells
    less than one that names. Of a hyphenated word the most telling part counts.
    """
    low = word.lower()
    very_common, common, mesh = _lists()
    asking, beginnings = _asking()
    if (
        _ROMAN.fullmatch(word)
        or low.startswith(("non-", *beginnings))
        or stem(low) in asking
        or len(low) < 2
        or low.replace(".", "").replace(",", "").isdigit()
    ):
        return NOTHING
    parts = [part for part in low.split("-") if part]
    if len(parts) > 1:
        return max(information(part) for part in word.split("-") if part)
    if any(letter.isdigit() or letter.isupper() for letter in word[1:]) or word.isupper():
        return MOST
    singular = low.removesuffix("s")
    if low in very_common or singular in very_common or stem(low) in COMMON_TOKENS:
        return LITTLE
    told = MOST if low in mesh or singular in mesh or is_inn(low) else MUCH
    told = SOME if low in common or singular in common else told
    return told - 1 if describes(low) and not is_inn(low) else told
