"""Whether a passage holds a drug or a disease under this or another of its names."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from openwork_contracts.question import EntityKind
from openwork_language.terms import Term, find_terms, is_member, same_term
from openwork_language.wording import concepts, near_match

from openwork_verifier.domain.passages import Passage

_LONG = 7
_BEFORE = ("pre", "non", "anti", "pseudo", "hypo", "hyper")


def is_named_in(term: Term, passages: Sequence[Passage]) -> bool:
    """Whether a passage holds the name, a synonym, or a member of the class it names. Cheap looks first."""
    words = frozenset().union(*(p.words for p in passages))
    for name in (term.text, term.name, *term.synonyms):
        parts = concepts(name)
        if parts and parts <= words:
            return True
    if all(part in words or near_match(part, words) for part in concepts(term.text)):
        return True
    if term.kind is EntityKind.DISEASE and any(_is_within(part, words) for part in concepts(term.text)):
        return True
    for passage in passages:
        for other in passage_terms(passage.item.title, passage.item.text):
            if other.name == term.name or same_term(other.text, term.text):
                return True
            if term.is_class and is_member(other.text, term.text):
                return True
    return False


def is_same_thing(one: Term, other: Term) -> bool:
    """Two names of one thing, or a class and its member."""
    return (
        one.name == other.name
        or same_term(one.text, other.text)
        or is_member(one.text, other.text)
        or is_member(other.text, one.text)
    )


def _is_within(word: str, words: Collection[str]) -> bool:
    """ "Phlebitis" of "thrombophlebitis"; not "diabetes" of "prediabetes"."""
    return len(word) >= _LONG and any(
        other.endswith(word) and other != word and not other.startswith(_BEFORE) for other in words
    )


def as_printed(meanings: Collection[str], text: str, *, most: int = 6) -> str:
    """The words of a text that have these concepts, as they stand there: what a reader can look for."""
    found = (word for word in re.findall(r"[^\W\d_][\w'-]*", text) if concepts(word) & set(meanings))
    return ", ".join(list(dict.fromkeys(found))[:most]) or ", ".join(sorted(meanings)[:most])


@lru_cache(maxsize=512)
def passage_terms(title: str, text: str) -> tuple[Term, ...]:
    """Terms of a passage, each name once."""
    return tuple({term.name: term for term in find_terms(f"{title}.\n{text}")}.values())
