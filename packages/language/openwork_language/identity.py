"""What makes one thing another under the same noun: a number, a letter, a dose, a word that describes.

"Stage 3" and "stage 5", "HIV-1" and "HIV-2", "aspirin 75 mg" and "300 mg", "persistent" and "paroxysmal atrial
fibrillation". The rule is one for all: a noun with another number is another thing, and a name with another describing
word is another kind, unless the text also has the one asked for, or says neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from openwork_contracts.question import EntityKind
from openwork_knowledge.lexicon import lexicon

from openwork_language.numbered_names import find_numbered_names
from openwork_language.quantities.find import find_quantities
from openwork_language.quantities.quantity import QuantityKind
from openwork_language.quantities.units import base_unit
from openwork_language.searching.spellings import describes
from openwork_language.terms import Term, find_terms
from openwork_language.tokens import STOP_WORDS, fold, stem, token_set

_LETTERED = re.compile(r"\b(?P<stem>[A-Za-z]{4,})[ -](?P<letter>[A-H])(?![\w'’-]|\.\w)")
"""Influenza B, Child-Pugh C, hepatitis E; not "vitamin A," the article, which is small inside a sentence."""
_MAY_BE_MARKED = re.compile(r"\b(?:[IVX]+|[A-H])\b")
_WORD_BEFORE = re.compile(r"([^\W\d_][\w-]*)[\s-]+$")
_WORD_BEHIND = re.compile(r"[\s,-]+([^\W\d_][\w-]*)")
_CODE_BEFORE = re.compile(r"(?<![\w/,-])(?P<code>[A-Za-z](?:[\w-]|[/,](?=\w))*)\s+$")
_CODE = re.compile(r"\d|[A-Z],[A-Z]")
"""A name made of letters and digits, or of capitals with a comma: R21, MVA85A, RTS,S/AS01."""
_DOSE = "dose "
_DOSE_OF = 40
"""Characters within which the drug of a dose is named."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A number or letter that is part of a name."""

    stem: str
    """The noun that it stands with: "stage", "hiv"; of a dose its unit."""
    values: frozenset[str]
    about: frozenset[str]
    """What is numbered: the disease of a stage, the drug of a dose; empty = not said."""


def marks_of(text: str) -> tuple[Mark, ...]:
    """Every such number of a text."""
    return (*_names_of(text), *_doses_of(text))


@lru_cache(maxsize=8192)
def _names_of(text: str) -> tuple[Mark, ...]:
    if not (any(letter.isdigit() for letter in text) or _MAY_BE_MARKED.search(text)):
        return ()
    terms = find_terms(text)
    found = [
        Mark(name.stem, name.numbers, _beside(text, terms, name.start, name.end)) for name in find_numbered_names(text)
    ]
    lettered = (match for match in _LETTERED.finditer(text) if not _is_in_term(match, terms))
    found += [
        Mark(fold(match["stem"]), frozenset({match["letter"].lower()}), frozenset())
        for match in lettered
        if fold(match["stem"]) not in STOP_WORDS
    ]
    return tuple(found)


def _is_in_term(match: re.Match[str], terms: Iterable[Term]) -> bool:
    """A letter inside a name that the lexicon knows tells the name apart already."""
    return any(term.start <= match.start() and match.end() <= term.end for term in terms)


@lru_cache(maxsize=8192)
def _doses_of(text: str) -> tuple[Mark, ...]:
    return tuple(_doses(text)) if any(letter.isdigit() for letter in text) else ()


def _doses(text: str) -> Iterator[Mark]:
    drugs = [term for term in find_terms(text) if term.kind is EntityKind.DRUG]
    for quantity in find_quantities(text) if drugs else ():
        if quantity.kind is not QuantityKind.DOSE or quantity.unit is None:
            continue
        base, factor = base_unit(quantity.unit.split("/")[0])
        near = [d for d in drugs if d.start - quantity.end < _DOSE_OF and quantity.start - d.end < _DOSE_OF]
        nearest = min(near, key=lambda d: max(d.start - quantity.end, quantity.start - d.end), default=None)
        if nearest is not None:
            value = f"{(quantity.value * factor).normalize()}"
            yield Mark(f"{_DOSE}{base}", frozenset({value}), frozenset({nearest.name.casefold()}))


def _beside(text: str, terms: tuple[Term, ...], start: int, end: int) -> frozenset[str]:
    """What is numbered: the names before and behind, else the words."""
    near = [t for t in terms if 0 <= t.start - end <= 2 or 0 <= start - t.end <= 2]
    if near:
        return frozenset(term.name.casefold() for term in near)
    around = (_WORD_BEFORE.search(text[max(0, start - 30) : start]), _WORD_BEHIND.match(text, end))
    words = (fold(match[1]) for match in around if match)
    return frozenset(stem(word) for word in words if word not in STOP_WORDS and len(word) > 2)


def is_contradicted(asked: tuple[Mark, ...], text: str) -> bool:
    """Whether a text numbers the same thing and never as asked."""
    for mark in asked:
        told = _doses_of(text) if mark.stem.startswith(_DOSE) else _names_of(text)
        others = [m for m in told if m.stem == mark.stem and (not m.about or not mark.about or m.about & mark.about)]
        if others and not any(_share(mark.values, other.values) for other in others):
            return True
    return False


def _share(asked: frozenset[str], told: frozenset[str]) -> bool:
    """Stage 3 and stage 3b go together; 3a and 3b do not."""
    return any(a == t or a.rstrip("abcd") == t or t.rstrip("abcd") == a for a in asked for t in told)


def describing(text: str, term: Term) -> frozenset[str]:
    """Tokens that describe a name where it stands: what makes it a kind ("persistent"), or an adjective before it."""
    own = _tokens_of_names(term)
    known = lexicon().lookup(term.text)
    found = token_set(term.text) if known is not None and known[1] else frozenset()
    before = _WORD_BEFORE.search(text[max(0, term.start - 30) : term.start])
    if before and describes(before[1]) and fold(before[1]) not in STOP_WORDS:
        found |= token_set(before[1])
    return found - own


def code_before(text: str, start: int) -> str | None:
    """The code directly before a noun, which makes it another thing: "R21" of "R21 vaccine"; `None` = there is none.

    A name that the lexicon has ("COVID-19 vaccine", "vitamin B12 injections") is no code.
    """
    before = text[max(0, start - 40) : start]
    found = _CODE_BEFORE.search(before)
    if found is None or not _CODE.search(found["code"]) or find_terms(found["code"]):
        return None
    named = any(term.end >= len(before.rstrip()) for term in find_terms(before))
    return None if named else found["code"]


def codes_of(text: str) -> frozenset[str]:
    """Parts of the codes that stand before names of a text, folded: {"rts,s", "as01"} of "RTS,S/AS01 vaccine"."""
    if not _CODE.search(text):
        return frozenset()
    codes = (code_before(text, term.start) for term in find_terms(text))
    return frozenset(fold(part) for code in codes if code for part in code.split("/"))


def has_code(text: str, codes: frozenset[str]) -> bool:
    """Whether any part of a code stands in a text as a word of its own."""
    words = re.findall(r"[\w-]+(?:,\w+)*", fold(text))
    return any(word in codes for word in words)


@lru_cache(maxsize=8192)
def _tokens_of_names(term: Term) -> frozenset[str]:
    return frozenset().union(*map(token_set, (term.name, *term.synonyms)))
