"""Does a text speak of something? By name, by another name, as a member of its class, or in the same plain words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from openwork_knowledge.tables import table

from openwork_language.sentences import split_sentences
from openwork_language.terms import find_terms, is_member
from openwork_language.tokens import COMMON_TOKENS, stem, token_set

FREE_TEXT_SHARE = 0.5
"""Share of the words of a term that no lexicon knows ("frail residents") which one sentence must hold."""

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


def idea_of(term: str, synonyms: Iterable[str] = ()) -> Idea:
    """What counts as naming `term`; `synonyms` are other names of the same thing."""
    known = (term, *synonyms)
    # A short form alone ("AF") has no meaning; the names that the question gives it have.
    names = next((found for form in known if (found := _names(form))), frozenset())
    forms = {_tokens(form) for form in known}
    free = frozenset() if names else frozenset(t for t in _tokens(term) if not t[0].isdigit())
    return Idea(term, names, tuple(sorted((f for f in forms if f), key=sorted)), (free - COMMON_TOKENS) or free)


def speaks_of(text: str, idea: Idea) -> bool:
    """Whether `text` names every drug, disease and procedure of the idea, or all words of one form in one sentence."""
    named, sentences = _read(text)
    if idea.names and all(_is_named(name, named) for name in idea.names):
        return True
    for tokens in sentences:
        for form in idea.forms:
            if form <= tokens:
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


@lru_cache(maxsize=8192)
def _names(text: str) -> frozenset[str]:
    return frozenset(found.name.casefold() for found in find_terms(text))


def _is_named(name: str, named: frozenset[str]) -> bool:
    return name in named or any(is_member(other, name) for other in named)


@lru_cache(maxsize=8192)
def _tokens(text: str) -> frozenset[str]:
    return frozenset(_LEADER.get(token, token) for token in token_set(text))


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[frozenset[str], tuple[frozenset[str], ...]]:
    """Names in the text, and the tokens of each of its sentences."""
    return _names(text), tuple(_tokens(sentence.text) for sentence in split_sentences(text))
