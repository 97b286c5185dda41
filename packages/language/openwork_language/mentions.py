"""Does a text speak of something? By name, by another name, as a member of its class, or in the same plain words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from openwork_knowledge import mesh
from openwork_knowledge.lexicon import lexicon
from openwork_knowledge.tables import table

from openwork_language.asking.figures import same_age
from openwork_language.identity import Mark, codes_of, describing, has_code, is_contradicted, marks_of
from openwork_language.sentences import split_sentences
from openwork_language.terms import SOCIETIES, find_terms, is_member
from openwork_language.tokens import COMMON_TOKENS, stem, token_set

FREE_TEXT_SHARE = 0.6
"""Share of the words of a term that no lexicon knows ("frail residents") which one sentence must hold: of two both."""

_LEADER = {stem(word): stem(leader) for leader, word in table("doublets").rows}
"""Doublets of English and Latin or Greek ("renal", "kidney") count as one word."""


@dataclass(frozen=True, slots=True)
class Idea:
    """A term of a question with all that counts as naming it."""

    term: str
    names: frozenset[str]
    """Preferred names, folded, of the drugs, diseases and procedures in the term; a text must name each."""
    forms: tuple[frozenset[str], ...]
    """Tokens of the term and of its synonyms; all tokens of one form in one sentence name the term."""
    free: frozenset[str]
    """Tokens of a term of which no lexicon knows any part; empty when `names` is not."""
    marks: tuple[Mark, ...] = ()
    """Numbers that are part of the term; a text that has other ones speaks of something else."""
    kinds: tuple[tuple[str, frozenset[str]], ...] = ()
    """Names with the words that describe them in the term: ("atrial fibrillation", {"persist"})."""
    codes: frozenset[str] = frozenset()
    """Parts of the code that makes a noun another thing: {"r21"} of "R21 vaccine"; a text has to have one of them."""


def idea_of(term: str, synonyms: Iterable[str] = ()) -> Idea:
    """What counts as naming `term`; `synonyms` are other names of the same thing."""
    known = (term, *synonyms)
    # A short form alone ("AF") has no meaning; the names that the question gives it have.
    names = next((found for form in known if (found := _names(form))), frozenset())
    forms = {_tokens(form) for form in (*known, *(_other_words(term) if not names else ()))}
    free = frozenset() if names else frozenset(t for t in _tokens(term) if not t[0].isdigit())
    return Idea(
        term,
        names,
        tuple(sorted((f for f in forms if f), key=sorted)),
        (free - COMMON_TOKENS) or free,
        marks_of(term),
        tuple((name, words) for name, words in _kinds(term) if words),
        codes_of(term),
    )


def speaks_of(text: str, idea: Idea) -> bool:
    """Whether `text` names every drug, disease and procedure of the idea, or all words of one form in one sentence.

    A kind of a thing speaks of it (Alzheimer's disease of dementia), the whole does not speak of a kind. A name whose
    words stand in another name ("hypertension" in "portal hypertension") is not spoken of, nor one that the text has
    with another number or another describing word alone.
    """
    if idea.marks and is_contradicted(idea.marks, text):
        return False
    if idea.codes and not has_code(text, idea.codes):
        return False
    named, sentences = _read(text)
    if idea.names and all(_is_named(name, named) for name in idea.names):
        return all(_is_of_kind(name, asked, text) for name, asked in idea.kinds if name in idea.names)
    for n, tokens in enumerate(sentences):
        if any(form <= tokens and (not idea.names or form <= _own_words(text, n, idea.names)) for form in idea.forms):
            return True
    if not idea.free:
        return False
    needed = max(1, ceil(FREE_TEXT_SHARE * len(idea.free)))
    return any(len(idea.free & tokens) >= needed for tokens in sentences)


def names_in(text: str) -> frozenset[str]:
    """Preferred names, folded, of the drugs, diseases and procedures that a text names."""
    return _read(text)[0]


def idea_tokens(text: str) -> frozenset[str]:
    """Tokens of a text in which doublets ("renal", "kidney") are one."""
    return _tokens(text)


def _may_be(told: str, names: frozenset[str]) -> bool:
    """Whether a name that a text has is one asked for, or a kind or a member of one."""
    return any(told == name or _is_kind(told, name) or is_member(told, name) for name in names)


def _is_named(name: str, named: frozenset[str]) -> bool:
    return name in named or any(is_member(other, name) or _is_kind(other, name) for other in named)


@lru_cache(maxsize=32_768)
def _is_kind(told: str, asked: str) -> bool:
    """By MeSH: whether one name, folded, is of a kind of the other."""
    one, other = _mesh_id(told), _mesh_id(asked)
    return one is not None and other is not None and mesh.is_kind(one, other)


@lru_cache(maxsize=8192)
def _mesh_id(name: str) -> str | None:
    known = lexicon().lookup(name)
    return known[0].mesh_id if known else None


def _is_of_kind(name: str, asked: frozenset[str], text: str) -> bool:
    """Whether the text has the name without a describing word, or with one of those asked for."""
    told = [words for other, words in _kinds(text) if other == name]
    return not told or any(not words or words & asked for words in told)


@lru_cache(maxsize=8192)
def _kinds(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Each name in a text with the words that describe it there."""
    return tuple((term.name.casefold(), describing(text, term)) for term in find_terms(text))


@lru_cache(maxsize=8192)
def _own_words(text: str, n: int, names: frozenset[str]) -> frozenset[str]:
    """Tokens of the n-th sentence without those that are words of another thing's name."""
    sentence = split_sentences(text)[n]
    kept, left = [], sentence.start
    for term in find_terms(text):
        if sentence.start <= term.start < sentence.end and not _may_be(term.name.casefold(), names):
            kept.append(text[left : term.start])
            left = term.end
    kept.append(text[left : sentence.end])
    return frozenset().union(*map(_tokens, kept))


@lru_cache(maxsize=8192)
def _names(text: str) -> frozenset[str]:
    return frozenset(found.name.casefold() for found in find_terms(text))


def _other_words(term: str) -> tuple[str, ...]:
    """Words for what no lexicon of diseases and drugs has: interleukin-6 for "IL-6", elderly for "older adults"."""
    subject = mesh.subject(term) or mesh.subject(term.replace("-", ""))
    return (*((subject.heading, *subject.names) if subject else ()), *same_age(term))


@lru_cache(maxsize=8192)
def _tokens(text: str) -> frozenset[str]:
    return frozenset(_LEADER.get(token, token) for token in token_set(text))


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[frozenset[str], tuple[frozenset[str], ...]]:
    """Names in the text, and the tokens of each of its sentences."""
    words = SOCIETIES.sub(" ", text) if "/" in text else text
    return _names(text), tuple(_tokens(sentence.text) for sentence in split_sentences(words))
