"""Medical terms in text: where diseases, drugs and procedures are named, and which names mean the same.

Every position of the text is tried for the longest name that the lexicon holds; a name found covers its words. Words
are compared folded (plural, US/UK spelling, hyphens, diacritics), acronyms in their own case. A term carries the
preferred name: MeSH's heading for diseases and procedures, the generic name in lower case for drugs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from openwork_contracts.question import EntityKind
from openwork_knowledge.classes import class_named, class_table
from openwork_knowledge.folding import Token, is_acronym, key_of, tokens_of
from openwork_knowledge.lexicon import MAX_KEY_WORDS, Concept, Lexicon, brand_table, lexicon
from openwork_knowledge.tables import words

from openwork_language.abbreviations import definitions_in, expand_at, is_ambiguous, meanings_of

_JOINERS = frozenset({" ", "-", "–", "‐", "‑", "/", "  ", " - ", "\n", ", ", " (", "'", "’"})
"""What may stand between two words of one name; a full stop or a semicolon may not."""
_FUNCTION_WORDS = frozenset(words("name-starts", "never"))
"""Folded words with which no name begins: most words of a text, skipped without a look-up."""


@dataclass(frozen=True, slots=True)
class Term:
    """A name found in a text. `text` is exactly [start, end)."""

    kind: EntityKind
    text: str
    start: int
    end: int
    name: str
    mesh_id: str | None
    synonyms: tuple[str, ...]
    is_class: bool = False
    """True for a drug class, e.g. "SGLT2 inhibitors"; see `class_members`."""


SOCIETIES = re.compile(r"\b(?:AHA|ACC|ACCP|HRS|ESC|ESO|WSO|NCS|ASA)(?:/(?:AHA|ACC|ACCP|HRS|ESC|ESO|WSO|NCS|ASA))+\b")
""" "AHA/ASA": societies, and no aspirin."""


@lru_cache(maxsize=4096)  # ranking, gap analysis, synthesis and verification read the same sentences
def find_terms(text: str) -> tuple[Term, ...]:
    """Every disease, drug and procedure named in the text, in order, without overlaps; the longest name wins.

    A short form that the text defines itself ("air freshener (AF)") has that meaning alone. A short form with several
    meanings is a term only where its context decides.
    """
    book = lexicon()
    tokens = tokens_of(text)
    defined = definitions_in(text) if "(" in text else {}
    shouting = text.isupper()
    societies = [*SOCIETIES.finditer(text)] if "/" in text else []
    found: list[Term] = []
    i = 0
    while i < len(tokens):
        match = None
        if _may_begin(book, tokens[i], defined, hyphened=text.startswith("-", tokens[i].end)):
            match = _match_at(book, text, tokens, i, defined, shouting)
        if match is None:
            i += 1
            continue
        concept, n = match
        start, end = tokens[i].start, tokens[i + n - 1].end
        if any(start < body.end() and body.start() < end for body in societies):
            i += 1
            continue
        found.append(_term(concept, text[start:end], start, end))
        i += n
    return tuple(found)


def first_of(kind: EntityKind, text: str) -> Term | None:
    """The first disease, drug or procedure that a text names; `None` = it names none."""
    return next((term for term in find_terms(text) if term.kind is kind), None)


def whole_term(text: str) -> Term | None:
    """The one name that a text is from its first character to its last; `None` = it is none, or more than one."""
    found = find_terms(text)
    return found[0] if len(found) == 1 and found[0].text == text else None


def _may_begin(book: Lexicon, token: Token, defined: dict[str, str], *, hyphened: bool) -> bool:
    """Whether a name can begin with this word ("a" of "a-fib" can); spares most words of a text the look-ups."""
    if token.key in _FUNCTION_WORDS and token.text.islower() and not hyphened:
        return False
    return token.key in book.starts or is_acronym(token.text) or token.text.removesuffix("s") in defined


def _match_at(
    book: Lexicon, text: str, tokens: list[Token], i: int, defined: dict[str, str], shouting: bool
) -> tuple[Concept, int] | None:
    """The concept of the longest name that begins at token i, and how many tokens it has."""
    keys = book.keys
    key = tokens[i].key
    ladder = [key]
    for j in range(i + 1, min(i + MAX_KEY_WORDS, len(tokens))):
        if text[tokens[j - 1].end : tokens[j].start] not in _JOINERS:
            break
        key = f"{key}_{tokens[j].key}"
        ladder.append(key)
    for n in range(len(ladder), 1, -1):
        value = keys.get(ladder[n - 1])
        if value and not _crosses_a_definition(text, tokens, i, n):
            return book.concept(int(value.rstrip("~"))), n
    word = tokens[i].text
    if word in defined or word.removesuffix("s") in defined:
        known = book.lookup(defined.get(word) or defined[word.removesuffix("s")])
        return (known[0], 1) if known else None
    if is_acronym(word):
        value = _acronym(book, text, tokens[i], shouting)
        if value:
            return book.concept(int(value.rstrip("~"))), 1
        if not shouting and len(word) <= 3:
            return None
    value = keys.get(ladder[0])
    return (book.concept(int(value.rstrip("~"))), 1) if value else None


def _crosses_a_definition(text: str, tokens: list[Token], i: int, n: int) -> bool:
    """Whether the name would run through an opening parenthesis without being MeSH's own "X (Y)"."""
    return "(" in text[tokens[i].start : tokens[i + n - 1].end]


def _acronym(book: Lexicon, text: str, token: Token, shouting: bool) -> str | None:
    word = token.text
    value = book.keys.get(f"={word}") or (book.keys.get(f"={word[:-1]}") if word.endswith("s") else None)
    if value and not (shouting and len(word) < 4):
        return value
    if is_ambiguous(word) or is_ambiguous(word.removesuffix("s")):
        long = expand_at(text, word, token.start, token.end)
        return book.keys.get(key_of(long)) if long else None
    return None


def _term(concept: Concept, text: str, start: int, end: int) -> Term:
    shown = text.casefold()
    others = tuple(s for s in concept.synonyms if s.casefold() != shown)
    return Term(concept.kind, text, start, end, concept.name, concept.mesh_id, others, concept.is_class)


@lru_cache(maxsize=8192)
def canonical(text: str) -> str | None:
    """The preferred name of a recognised name; `None` = not known, or a short form with several meanings.

    A name of a kind of something ("persistent atrial fibrillation") has the preferred name of that something.
    """
    known = lexicon().lookup(text)
    if known:
        return known[0].name
    meanings = {m for m in (canonical(long) or long for long in meanings_of(text)) if m != text}
    return meanings.pop() if len(meanings) == 1 and not is_ambiguous(text) else None


@lru_cache(maxsize=8192)
def same_term(a: str, b: str) -> bool:
    """Whether two names mean the same: spelling variants, synonyms, and short forms that may mean it.

    A kind of something is not the same as it: "left-sided" and "right-sided heart failure" share a preferred name and
    still differ.
    """
    if key_of(a) == key_of(b) and key_of(a):
        return True
    return bool(_senses(a) & _senses(b))


def _senses(name: str) -> set[str]:
    """What a name may mean: concepts by their line, unknown long forms by their key."""
    senses = {key_of(name)} - {""}
    known = lexicon().lookup(name)
    if known and not known[1]:
        senses.add(f"#{known[0].index}")
    for long in meanings_of(name):
        senses.add(key_of(long))
        of_long = lexicon().lookup(long)
        if of_long and not of_long[1]:
            senses.add(f"#{of_long[0].index}")
    return senses


def class_members(name: str, *, searching: bool = False) -> tuple[str, ...]:
    """The generic names of the drugs in a class, whatever the class is called; empty when it is not known as one.

    With `searching`, also members and classes that only chemistry or a database role gives: fit to find what is written
    about a class, not to say that two names agree.
    """
    if searching:
        found = class_named(name) or class_named(canonical(name) or "")
        return found.members + found.searched if found else ()
    table = class_table()
    return table.get(name) or table.get(canonical(name) or "", ())


def is_member(drug: str, drug_class: str) -> bool:
    """Whether a drug, by any of its names, belongs to the class or to a narrower one; or is a narrower one."""
    generic = canonical(drug) or drug.lower()
    members = class_members(drug_class)
    return generic in members or (bool(members) and _is_narrower(generic, members))


@lru_cache(maxsize=4096)
def _is_narrower(drug_class: str, members: tuple[str, ...]) -> bool:
    """Whether something is a class of several of some drugs, and not of all of them."""
    own = class_members(drug_class)
    return 1 < len(own) < len(members) and set(own) <= set(members)


def generic_name(brand: str) -> str | None:
    """The generic name of a brand: "Eliquis" -> "apixaban"; `None` = no brand we know."""
    return brand_table().get(brand.strip().lower())
