"""Words of a claim and of a passage brought to one form: stems, then paraphrases that mean the same in medicine."""

from __future__ import annotations

import re
from functools import lru_cache

from openwork_knowledge.patterns import any_of
from openwork_knowledge.tables import table, words

from openwork_language.tokens import COMMON_TOKENS, fold, stem, tokenise

_CONCEPT: dict[str, str] = {}
for _meaning, _word in table("paraphrases").rows:
    _CONCEPT.setdefault(stem(_word), stem(_meaning))
_PHRASES = table("phrases").values("phrase")
_PHRASE = re.compile(rf"\b{any_of(_PHRASES)}\b")
_CI = "ci"
_NUMBER_TOKEN = re.compile(r"[\d.,]+\Z")
# Abbreviations in a definition: "atrial fibrillation (AF)"; the letters are the initials of the words before.
_DEFINED = re.compile(r"\(([A-Za-z][A-Za-z0-9-]{1,7}s?)(?:[,;][^)]*)?\)")
# "(Surget et al., 2011)", "Ungaro et al.", "Smith and colleagues": who found it is the citation's business.
_AUTHORS = re.compile(
    r"\((?:(?:e\.g\.,?\s|see\s)?[A-Z][\w'-]+(?:\s(?:and|&)\s[A-Z][\w'-]+|\set\sal\.?)?,?\s(?:19|"
    r"20)\d\d[a-z]?[;,]?\s?)+\)"
    r"|\b[A-Z][\w'-]+\s(?:et\sal\.?|and\scolleagues|and\sco-workers)(?:,?\s\(?(?:19|20)\d\d[a-z]?\)?)?"
)
_WRITERS = frozenset(_CONCEPT.get(stem(word), stem(word)) for word in words("writers-words"))
_NEAR_CHARS = 6
"""Shorter words have no near match: their beginnings say too little."""
_BEGINNING_CHARS = 5
# Words of talk about the text itself: they assert nothing of the world.
_EMPTY = frozenset(stem(word) for word in words("empty-words", "claim"))


@lru_cache(maxsize=16384)
def concepts(text: str) -> frozenset[str]:
    """The meanings of a text as one token each; numbers are left out, they are checked by value."""
    folded = fold(text)
    folded = _PHRASE.sub(lambda m: _PHRASES[" ".join(m[0].split())], folded)
    return frozenset(
        _CONCEPT.get(word, word) for word in tokenise(folded) if word != _CI and not _NUMBER_TOKEN.match(word)
    )


@lru_cache(maxsize=16384)
def phrases_in(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """(its words one by one, what they mean together) for each phrase of a text: "heart attack"."""
    return tuple(
        (frozenset(concept_of(word) for word in tokenise(m[0])), concepts(m[0])) for m in _PHRASE.finditer(fold(text))
    )


@lru_cache(maxsize=16384)
def content(text: str) -> frozenset[str]:
    """The concepts of a claim that assert something: without talk about studies and sources, without author names."""
    return concepts(_AUTHORS.sub(" ", text)) - _EMPTY


def concept_of(token: str) -> str:
    """The concept of one stemmed token."""
    return _CONCEPT.get(token, token)


def is_writers_word(token: str) -> bool:
    """Whether writers add this word without claiming anything specific: reporting, occurring, degree, connectives."""
    return token in _WRITERS or token in _COMMON


def without_authors(text: str) -> str:
    """The text with author-year references blanked, places kept."""
    return _AUTHORS.sub(lambda m: " " * len(m.group()), text)


@lru_cache(maxsize=65536)
def is_common(token: str) -> bool:
    """Whether most abstracts hold this word."""
    return token in _COMMON


_COMMON = frozenset(_CONCEPT.get(t, t) for t in COMMON_TOKENS)


@lru_cache(maxsize=1024)
def abbreviations(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Abbreviations a text defines: (token, concepts of the long form), e.g. ("af", {"atrial", "fibril"})."""
    found = []
    for match in _DEFINED.finditer(text):
        short = match.group(1)
        letters = [c.lower() for c in short.rstrip("s") if c.isalnum()]
        if sum(c.isupper() for c in short) < 2:
            continue
        words = re.findall(r"[A-Za-z0-9]+", text[max(0, match.start() - 90) : match.start()])
        long_form = _long_form(letters, words)
        if long_form:
            found.append((stem(fold(short)), concepts(" ".join(long_form))))
    return tuple(found)


def _long_form(letters: list[str], words: list[str]) -> list[str]:
    """The last words before the parenthesis whose initials give the letters in order; small words are passed over."""
    for count in range(max(1, len(letters) - 2), len(letters) + 3):
        tail = words[-count:]
        if len(tail) == count and tail[0][:1].lower() == letters[0]:
            position = 0
            joined = " ".join(tail).lower()
            for letter in letters:
                position = joined.find(letter, position) + 1
                if position == 0:
                    break
            else:
                initials = [w[0].lower() for w in tail]
                if sum(1 for letter in letters if letter in initials) * 2 >= len(letters):
                    return tail
    return []


@lru_cache(maxsize=65536)
def looks_like_name(token: str) -> bool:
    """A word with letters and digits together: a gene, a receptor, a drug code."""
    return any(c.isdigit() for c in token) and any(c.isalpha() for c in token)


def near_match(token: str, pool: frozenset[str]) -> bool:
    """Whether a word of the pool has the same beginning and another short ending: "thrombot" and "thrombos"."""
    if len(token) < _NEAR_CHARS:
        return False
    beginning = _by_beginning(pool).get(token[:_BEGINNING_CHARS])
    if beginning is None:
        return False
    head = token[: max(_BEGINNING_CHARS, len(token) - 3)]
    return any(other.startswith(head) and abs(len(other) - len(token)) <= 3 for other in beginning)


@lru_cache(maxsize=4096)
def _by_beginning(pool: frozenset[str]) -> dict[str, list[str]]:
    """The words of a pool by their first letters; made once per sentence, asked for every word of every claim."""
    found: dict[str, list[str]] = {}
    for word in pool:
        if len(word) >= _BEGINNING_CHARS:
            found.setdefault(word[:_BEGINNING_CHARS], []).append(word)
    return found
