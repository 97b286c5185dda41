"""The words of a question, to hold those of a source against: in any form, spelt out, and by what they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from openwork_contracts.question import PopulationTerm, QuestionAnalysis
from openwork_language.abbreviations import meanings_of
from openwork_language.mentions import idea_tokens
from openwork_language.searching.information import MUCH, SOME, information
from openwork_language.terms import find_terms

from openwork_answers.unread import is_telling
from openwork_answers.variants import strategy
from openwork_answers.word_matches import is_same_word

WORD = re.compile(r"[^\W\d_](?:[\w'-]*\w)?")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
PREFIX = 4
"""Letters of a drug's name that stand for it where a source has it: "dexa"."""


@dataclass(frozen=True, slots=True)
class AskedWords:
    """The words of a question, with the names and the long forms of what it names."""

    text: str
    words: tuple[str, ...]
    """Folded."""
    tokens: frozenset[str]
    numbers: frozenset[str]
    strategies: frozenset[str]
    """Ways of treating that it names, each under one word: "straight away" and "immediate"."""
    cuts: tuple[str, ...]
    """Words that no list knows, which may be the first letters of a drug's name."""

    def has(self, word: str) -> bool:
        """Whether a word of a source stands in the question, in this form or another."""
        own, folded = idea_tokens(word), word.casefold()
        if own and own <= self.tokens:
            return True
        if any(is_same_word(folded, other) for other in self.words) or strategy(word) in self.strategies:
            return True
        return information(word) >= MUCH and any(folded.startswith(cut) for cut in self.cuts)

    def met_in(self, text: str) -> frozenset[str]:
        """The telling words of a text that stand in the question, as they are written."""
        return frozenset(word for word in set(pieces_of(text)) if information(word) >= SOME and self.has(word))


def words_apart_from(analysis: QuestionAnalysis, terms: Sequence[PopulationTerm]) -> AskedWords:
    """The words of a question but those of some terms; places stay as they are."""
    text = analysis.question
    for term in terms:
        text = text[: term.start] + " " * (term.end - term.start) + text[term.end :]
    return _words_of(text, tuple(e.name for e in analysis.entities if e.name and text[e.start : e.end].strip()))


@lru_cache(maxsize=64)
def _words_of(text: str, names: tuple[str, ...]) -> AskedWords:
    written = [match[0] for match in WORD.finditer(text)]
    long = [meaning for word in written if not word.islower() for meaning in meanings_of(word)]
    full = " ; ".join((text, *names, *long))
    return AskedWords(
        text=text,
        words=tuple(word.casefold() for word in WORD.findall(full)),
        tokens=idea_tokens(full),
        numbers=figures_of(text),
        strategies=frozenset(way for word in written if (way := strategy(word)) is not None),
        cuts=tuple(w for w in map(str.casefold, written) if len(w) >= PREFIX and not find_terms(w) and is_telling(w)),
    )


def is_all_asked_for(text: str, analysis: QuestionAnalysis) -> bool:
    """Whether every telling word and every figure of a text stands in the question."""
    asked = words_apart_from(analysis, ())
    telling = (word for word in pieces_of(text) if information(word) >= SOME)
    return figures_of(text) <= asked.numbers and all(map(asked.has, telling))


def figures_of(text: str) -> frozenset[str]:
    """The figures of a text, "7.0" as "7"."""
    return frozenset(f"{float(number):g}" for number in _NUMBER.findall(_THOUSANDS.sub("", text)))


_MEASURE = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)[\s-]?(minute|hour|day|week|month|year|mg|g|mmol|ml|%|point)s?(?![^\W_])", re.IGNORECASE
)


def measures_in(text: str) -> frozenset[str]:
    """The figures of a text that have a unit, with it: "12 hour", "90 mg"."""
    return frozenset(f"{float(m[1]):g} {m[2].lower()}" for m in _MEASURE.finditer(text))


def pieces_of(text: str) -> list[str]:
    """The words of a text, those with a hyphen or an apostrophe in their parts."""
    return [piece for match in WORD.finditer(text) for piece in re.split(r"[-']", match[0])]
