"""Whether two phrases say the same by their words: other forms of a word, a short form and what it is short for.

For outcomes that no list knows, or that a list knows under one of two names only. Every telling word of the one has to
stand in the other; that two words look alike is not enough: they have to differ by known endings alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

from openwork_contracts.conclusion import Fit
from openwork_knowledge.tables import words
from openwork_language.abbreviations import initials_at, meanings_of
from openwork_language.mentions import idea_tokens
from openwork_language.tokens import STOP_WORDS

from openwork_answers.excluded_causes import without_hyphen
from openwork_answers.outcome_names import standard_name
from openwork_answers.outcomes import is_neutral

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SHORT = re.compile(r"[a-z]?[A-Z][A-Z0-9]{1,6}s?")
_FEWEST_LETTERS = 4
"""Of what two forms of a word share."""
_ENDINGS = frozenset(words("outcome-words", "ending"))


@lru_cache(maxsize=65_536)
def is_same_word(one: str, other: str) -> bool:
    """Whether two words, folded to lower case, are forms of one: "delirious" and "delirium", "reintubated" and
    "reintubation"."""
    if one == other:
        return True
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    lengths = range(shared, _FEWEST_LETTERS - 1, -1)
    return any({one[n:], other[n:]} - {""} <= _ENDINGS for n in lengths)


def by_words(told: str, asked: str) -> Fit:
    """How a told phrase stands to an asked one by all their telling words; OTHER where some of both stand alone."""
    a, t = _telling(asked), _telling(told)
    if not a or not t:
        return Fit.NOT_TOLD
    met_a = {word for word in a if _is_in(word, t, told)}
    met_t = {word for word in t if _is_in(word, a, asked)}
    met_t |= {word for word in t if any(word in _words_of(short, told) for short in a)}
    met_a |= {word for word in a if any(word in _words_of(short, asked) for short in t)}
    if met_a == a:
        return Fit.ASKED if met_t == t else Fit.PART
    return Fit.WIDER if met_t == t else Fit.OTHER


@lru_cache(maxsize=8192)
def _telling(text: str) -> frozenset[str]:
    """Its words but those that say nothing; short forms as they are written, since "EGFR" is not "eGFR"."""
    written = [m[0] for m in _WORD.finditer(without_hyphen(text))]
    kept = [w if _SHORT.fullmatch(w) else w.casefold() for w in written if w.casefold() not in STOP_WORDS]
    return frozenset(w for w in kept if not is_neutral(w.casefold()) and len(w) > 1)


def _is_in(word: str, others: frozenset[str], text: str) -> bool:
    """Whether a word, in another form or spelt out, is among other words or stands in their text."""
    if word in others or bool(_words_of(word, text)):
        return True
    if _SHORT.fullmatch(word):
        return False
    own = idea_tokens(word)
    return any(is_same_word(word, other) or (own and own <= idea_tokens(other)) for other in others if other.islower())


@lru_cache(maxsize=8192)
def _words_of(word: str, text: str) -> frozenset[str]:
    """Of a short form, the words of a text that it stands for there, by the table or by their first letters."""
    if not _SHORT.fullmatch(word):
        return frozenset()
    short = word.removesuffix("s")
    written = [m[0].casefold() for m in _WORD.finditer(text)]
    for meaning in meanings_of(short):
        long = {m[0].casefold() for m in _WORD.finditer(meaning)} - STOP_WORDS
        found = {w for w in written if any(is_same_word(w, m) or idea_tokens(w) == idea_tokens(m) for m in long)}
        if found and all(any(is_same_word(w, m) or idea_tokens(w) == idea_tokens(m) for w in written) for m in long):
            return frozenset(found)
    known = (standard_name(short) or "").casefold().split()
    return frozenset() if known and not set(known) & set(written) else _by_initials(short, written)


def _by_initials(short: str, written: list[str]) -> frozenset[str]:
    """Words in a row that begin with the letters of a short form; small words may be left out or counted."""
    for row in (written, [w for w in written if w not in STOP_WORDS]):
        if (at := initials_at(short, row)) is not None:
            return frozenset(row[at : at + len(short)])
    return frozenset()
