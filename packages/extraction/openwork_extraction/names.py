"""Whether two names mean one thing: the words of a heading against the words that were asked.

Words are compared as concepts of `openwork_language.wording`; letters and digits apart, so that "GDM 1" is "GDM1" and
"C2-4" shares with "C2-C4" what it says; short forms as the text itself defines them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from openwork_contracts.ranking import TextSection
from openwork_knowledge.lexicon import lexicon
from openwork_knowledge.tables import words
from openwork_language.cells.contrasts import role_of
from openwork_language.terms import find_terms
from openwork_language.tokens import STOP_WORDS, fold, stem
from openwork_language.wording import concept_of, is_common

from openwork_extraction.definitions import definitions_of, noted

_MARK = re.compile(r"\(\s*\)|\^(?:[a-z]{1,2}|[*†‡§¶#]+|\d)(?:,(?:[a-z]|\d))*(?![\w/])|[*†‡§¶¤]+|(?<=\))\d\b")
"""Marks of footnotes: "LAR^a", "PPD (mm)3"."""
_SIZE = re.compile(r"\(?\s*\b[nN]\s*=\s*\d[\d,\s]*\)?")
_PIECE = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_UNIT_BEHIND = re.compile(
    r"\s*(?:[(\[](?:in\s+)?[^()\[\]]*(?:/|\b(?:mm|cm|m|kg|g|mg|ml|l|s|sec|min|h|(?i:hours?|days?|weeks?|months?|years?|degrees?|points?)|y|bpm|mmHg|W|SI|S\.I|U|IU|°C|kcal|%)\b|%|°)[^()\[\]]*[)\]]"
    r"|,\s*[A-Za-zμµ°%]{1,6}(?:/[\w²³^]+)*)\s*$"
)
_LONG_WORD = re.compile(r"[A-Za-z]{7,}")
_LONG_WORDS_OF_NO_UNIT = 2
"""Long words in brackets that name something: "Control arm (bevacizumab/carboplatin)"."""
_STATISTIC_BEHIND = re.compile(
    r"[\s,;:–-]*(?:[(\[]\s*)?(?:(?:means?|medians?|average)\s*(?:[(\[±,/]|\+/-)?\s*)?(?:±\s*)?"
    r"(?:\b(?:SD|SEM?|S\.D\.|IQR|range|9[05]\s?%\s?CI|n\s*[(/,]\s*%\s*\)?|no\.?\s*\(\s*%\s*\)|n|mean|median)(?!\w)|%)\s*[)\]]*\s*$"
)
_SHORT_FORM = re.compile(r"[A-Za-z][\w/+-]*\d*|[A-Z]{2,}")
_ENUMERATED = re.compile(r"\b(?:group|arm|cohort)\s+[A-Z0-9]\b", re.IGNORECASE)
_EMPTY = frozenset(stem(fold(word)) for word in words("table-words", "empty"))
_ROLE_ONLY = frozenset(concept_of(stem(fold(word))) for word in words("table-words", "role"))
"""Words that name no treatment, but its part in the trial: they are the role itself."""
_ROLE_WEIGHT = 0.6
_NUMBER_WEIGHT = 0.6
_COMMON_WEIGHT = 0.5
_LETTER_WEIGHT = 0.5
_NON_CHARS = 6
_MOST_MORE_WORDS = 2
_CHANGE = frozenset(concept_of(stem(fold(word))) for word in words("table-words", "change"))
CHANGED = "@changed"
"""Words that say which way something went, or that it did: "reduction of plaque", "change in plaque"."""
_CHANGED_WEIGHT = 0.3


@dataclass(frozen=True, slots=True)
class Names:
    """Short forms of one document with what they stand for."""

    long_of: Mapping[str, str] = field(default_factory=dict)
    spells_out: bool = True
    """Whether words are compared in their long forms; a long form may also only bury what was asked."""

    def words(self, text: str) -> frozenset[str]:
        """The concepts of a heading or of what was asked, short forms spelt out, without counts and marks."""
        return _words(self.spelt_out(without_unit(bare(text))))

    def with_notes(self, notes: Iterable[str]) -> Names:
        """With the short forms that the notes of a table define, which go before those of the text."""
        sure: dict[str, str] = {}
        other: dict[str, str] = {}
        for own, more in map(noted, notes):
            sure |= own
            other |= more
        return Names({**other, **self.long_of, **sure}, self.spells_out) if sure else self

    def without(self, texts: Iterable[str]) -> Names:
        """The same without the short forms that these texts have: what both sides write short is compared short."""
        used = {m[0] for text in texts for m in _SHORT_FORM.finditer(text)}
        used |= {part for short in used for part in re.split(r"[-/+]|(?<=[A-Za-z])(?=\d)", short)}
        return Names({s: lo for s, lo in self.long_of.items() if s not in used}, self.spells_out)

    def as_printed(self) -> Names:
        """The same for words as they stand."""
        return Names(self.long_of, spells_out=False)

    def pieces(self, text: str) -> frozenset[str]:
        """The single words of a heading as they stand, short forms spelt out, in small letters."""
        spelt = fold_keeping_case(self.spelt_out(without_unit(bare(text))))
        return frozenset(match[0].lower() for match in _PIECE.finditer(spelt))

    def every_word(self, text: str) -> frozenset[str]:
        """The same with the words of the unit: "(g/L serum)" says where it was measured."""
        return _words(self.spelt_out(bare(text)))

    def spelt_out(self, text: str) -> str:
        """The text with each short form replaced by its long form, and each known name by its preferred one."""
        if not self.spells_out:
            return text
        odd = _odd(frozenset(self.long_of))
        spelt = odd.sub(lambda m: self.long_of[m[0]], text) if odd else text
        for _ in range(2):  # a long form may hold a short one: "horizontal CMJ"
            spelt = _SHORT_FORM.sub(self._long, spelt)
        return _preferred(spelt)

    def _long(self, match: re.Match[str]) -> str:
        """A short form spelt out, also with a number behind it ("GDM1") or as a part of a compound ("ACVC-HA")."""
        word = match[0]
        if word in self.long_of:
            return self.long_of[word]
        if any(sign in word for sign in "-/+"):
            return " ".join(self.long_of.get(part, part) for part in re.split(r"[-/+]", word))
        stripped = word.rstrip("0123456789")
        return f"{self.long_of[stripped]} {word[len(stripped) :]}" if stripped in self.long_of else word


@lru_cache(maxsize=64)
def _odd(short_forms: frozenset[str]) -> re.Pattern[str] | None:
    """The short forms that are no single word that begins with a letter: "25(OH)D", "DPP IV"."""
    found = sorted((s for s in short_forms if not _SHORT_FORM.fullmatch(s)), key=len, reverse=True)
    return re.compile("|".join(rf"(?<!\w){re.escape(s)}(?!\w)" for s in found)) if found else None


@lru_cache(maxsize=32768)
def bare(text: str) -> str:
    """A heading without marks of footnotes and without its count of people."""
    return " ".join(_SIZE.sub(" ", _MARK.sub(" ", text)).split())


def without_unit(text: str) -> str:
    """A heading without its unit and its kind of number: "Tocopherol (μg/ml plasma)", "Body weight, kg (SD)"."""
    for _ in range(2):
        text = _STATISTIC_BEHIND.sub("", text) or text
        unit = _UNIT_BEHIND.search(text)
        if unit is not None and len(_LONG_WORD.findall(unit[0])) < _LONG_WORDS_OF_NO_UNIT:
            text = text[: unit.start()] + text[unit.end() :] or text
    return text


@lru_cache(maxsize=16384)
def _preferred(text: str) -> str:
    out, last = [], 0
    for term in find_terms(text):
        known = lexicon().lookup(term.text)
        if known is None or known[1] or term.is_class:
            continue  # a kind of something is not the same as it
        if len(term.name.split()) > len(term.text.split()) + _MOST_MORE_WORDS:
            continue  # "CPAP" as four words would outweigh all that is asked beside it
        out += [text[last : term.start], term.name.replace(",", " ")]
        last = term.end
    return "".join((*out, text[last:]))


@lru_cache(maxsize=32768)
def _words(text: str) -> frozenset[str]:
    found: set[str] = set()
    for match in _PIECE.finditer(fold_keeping_case(text)):
        piece = match[0]
        low = piece.lower()
        if low[0].isdigit():
            found.add(low)
        elif len(low) == 1:
            if piece.isupper() or _beside_digit(text, match):
                found.add(low)
        elif low.startswith("non") and len(low) >= _NON_CHARS:
            found |= {"non", concept_of(stem(low[3:]))}
        elif low == "non" or (low not in STOP_WORDS and stem(low) not in _EMPTY):
            found.add(concept_of(stem(low)))
    if found & _CHANGE:
        found = (found - _CHANGE) | {CHANGED}
    return frozenset(found - _EMPTY)


def fold_keeping_case(text: str) -> str:
    """Folded character by character where that keeps the length, capitals kept."""
    folded = fold(text)
    if len(folded) != len(text):
        return folded
    return "".join(f.upper() if t.isupper() else f for f, t in zip(folded, text, strict=True))


def _beside_digit(text: str, match: re.Match[str]) -> bool:
    return text[match.end() : match.end() + 1].isdigit() or text[max(0, match.start() - 1) : match.start()].isdigit()


def weight(word: str) -> float:
    """How much a word tells of what is meant, in (0, 1]."""
    if word[0] == "@":
        return _CHANGED_WEIGHT if word == CHANGED else _ROLE_WEIGHT
    if word[0].isdigit():
        return _NUMBER_WEIGHT
    if len(word) == 1:
        return _LETTER_WEIGHT
    return _COMMON_WEIGHT if is_common(word) else 1.0


def total(found: Iterable[str]) -> float:
    """Weight of several words."""
    return sum(map(weight, found))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Weight of the words that two names share."""
    return total(one & other)


def arm_words(names: Names, text: str, *, asked: bool = False) -> frozenset[str]:
    """Words of an arm with its role: "placebo" and "usual care" are one side, whatever they are called."""
    found = names.words(text)
    role = role_of(bare(text)) or role_of(names.spelt_out(bare(text)))  # "TAU", "IG": what the paper says they are
    if role:
        found -= _ROLE_ONLY
    if not asked and _ENUMERATED.search(text) and len(found) > 1:
        found = frozenset(word for word in found if len(word) > 1 or word[0].isdigit())
    return found | ({role} - {""})


def arm_score(asked: frozenset[str], label: frozenset[str]) -> float:
    """How well a heading names an arm, in [0, 1]: mostly how much of it was asked, since headings are short."""
    shared = overlap(asked, label)
    if not shared:
        return 0.0
    own = total(word for word in label if word[0] != "@") or total(label)
    return min(1.0, shared / own) * (0.5 + 0.5 * shared / total(asked))


def outcome_score(asked: frozenset[str], own: frozenset[str], around: frozenset[str]) -> float:
    """How well a row names an outcome, in [0, 1]: the harmonic mean of what it says that was asked and the reverse.

    Args:
        own: words of the row itself.
        around: of its group of rows and the caption, which help to be found and need not all be asked.
    """
    if not asked:
        return 0.0
    recall = overlap(asked, own | around) / total(asked)
    precision = overlap(asked, own) / total(own) if own else recall
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def names_of(sections: Iterable[TextSection]) -> Names:
    """The short forms that a text, its list of abbreviations and the notes of its tables define."""
    return Names(definitions_of(sections))
