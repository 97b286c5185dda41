"""A claim laid beside the one sentence that it restates, word by word, numbers included."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations

from openwork_knowledge.tables import words
from openwork_language.effects.words import CUE
from openwork_language.tokens import STOP_WORDS, fold, stem
from openwork_language.wording import concept_of, concepts, is_writers_word

from openwork_verifier.domain.support import Scored, Support
from openwork_verifier.domain.thresholds import GateThresholds

_WORD = re.compile(r"(?:(?<![\w.)])[-−])?\d+(?:[.,·]\d+)*(?![A-Za-z])|[^\W_]+(?:['’-][^\W_]+)*")
_OPENING = re.compile(r"\s*(?:in|among|at|after|during|for|of|over|on|within)\b[^,;.]{1,80},\s", re.IGNORECASE)
_LOOKED_AT = 3
_COMPARES = frozenset({"than", "compared", "versus", "vs", "relative", "comparison"})
_COMPARING = concepts("compared versus relative comparison")
_JOINS = frozenset({"and", "or", "plus", "the", "a"})
_PAIR = 2
"""From so many figures on the order of two names may tell whose each is."""
_JOINED_WORDS = 3
_LEADING = 4
_FAR = 14
"""Words between two that may have changed places."""
_ARMS = frozenset().union(*(concepts(name) for role in ("control", "tested") for name in words("arm-roles", role)))
"""Common words that name a side: "placebo", "control", "treatment"."""
_SHORT = 2
"""Letters of words that say nothing of whose a figure is."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One place where claim and sentence differ; either side may be empty."""

    was: str
    """The sentence's words."""
    now: str
    """The claim's words."""
    before: str
    """The word in front of the sentence's, folded."""
    after: str
    """The word behind the sentence's, folded."""
    in_brackets: bool
    """Whether the sentence's words stand in brackets: an aside."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """A claim beside a sentence."""

    scored: Scored
    ratio: float
    """Likeness of the two as sequences of words (difflib), in [0, 1]."""
    edits: tuple[Edit, ...]
    exchanged: tuple[tuple[str, str], ...]
    """Pairs of words or numbers that have changed places."""

    same_numbers: bool
    """Whether both have the same numbers in the same order."""

    @property
    def is_verbatim(self) -> bool:
        """Whether nothing but case and punctuation differs."""
        return not self.edits


def align(text: str, support: Support, thresholds: GateThresholds) -> Alignment | None:
    """The sentence that a claim restates, with their differences; `None` where it restates none."""
    matcher = SequenceMatcher(None, "", [_key(w) for w in _WORD.findall(text)], autojunk=False)
    best: Scored | None = None
    most = 0.0
    for scored in support.ranked[:_LOOKED_AT]:
        least = thresholds.edit_ratio if scored.share >= thresholds.verbatim_share else thresholds.copied_ratio
        matcher.set_seq1(_keys(scored.sentence.text))
        bounds = (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)  # the cheap ones are never lower
        if all(bound() >= least and bound() > most for bound in bounds):
            best, most = scored, matcher.ratio()
    return _aligned(text, best, matcher) if best is not None else None


def _aligned(text: str, scored: Scored, matcher: SequenceMatcher[str]) -> Alignment:
    found = list(_WORD.finditer(scored.sentence.text))
    mine, theirs = _WORD.findall(text), [m[0] for m in found]
    matcher.set_seq1(_keys(scored.sentence.text))
    edits = []
    for op, i1, i2, j1, j2 in matcher.get_opcodes():
        if op == "equal":
            continue
        before = theirs[i1 - 1].lower() if i1 else ""
        after = theirs[i2].lower() if i2 < len(theirs) else ""
        aside = i2 > i1 and _in_brackets(scored.sentence.text, found[i1].start(), found[i2 - 1].end())
        edits.append(Edit(" ".join(theirs[i1:i2]), " ".join(mine[j1:j2]), before, after, aside))
    exchanged = _exchanged(theirs, mine, _opening(scored.sentence.text), _opening(text))
    return Alignment(scored, matcher.ratio(), tuple(edits), exchanged, _numbers(theirs) == _numbers(mine))


@lru_cache(maxsize=8192)
def _keys(sentence: str) -> tuple[str, ...]:
    return tuple(_key(word) for word in _WORD.findall(sentence))


def _numbers(words: list[str]) -> list[str]:
    return [key for key in map(_key, words) if key.lstrip("-")[:1].isdigit()]


def _in_brackets(text: str, start: int, end: int) -> bool:
    opened = text.rfind("(", 0, start)
    return opened >= 0 and ")" not in text[opened:start] and text.find(")", opened) >= end


def _exchanged(theirs: list[str], mine: list[str], theirs_open: int, mine_open: int) -> tuple[tuple[str, str], ...]:
    """Words, or numbers, that have changed sides of what stands between them, while the other sort has not.

    "A 12%, B 15%" told as "B 12%, A 15%", not as "B 15%, A 12%". A passive ("A raised B", "B was raised by A") is
    grammar.
    """
    before, after = [_key(w) for w in theirs], [_key(w) for w in mine]
    passive = after.count("by") > before.count("by")
    figures = len(_numbers(theirs))
    telling = [k for k in before if before.count(k) == 1 == after.count(k) and _tells(k) and k not in _COMPARING]
    names: list[tuple[str, str]] = []
    numbers: list[tuple[str, str]] = []
    for one, other in combinations(telling, 2):
        i, j, k, m = before.index(one), before.index(other), after.index(one), after.index(other)
        if k < m or j - i > _FAR or k - m > _FAR:
            continue
        if (i < theirs_open) != (j < theirs_open) or (m < mine_open) != (k < mine_open):
            continue  # "in these cells, A blocked B", "A blocked B in these cells"
        if not one[:1].isdigit() and _leads(theirs, i, j) != _leads(mine, m, k):
            continue  # "compared with A, B was lower", "B was lower than A"
        between = set(before[i + 1 : j]) & set(after[m + 1 : k])
        listed = figures < _PAIR and not one[:1].isdigit()
        if listed and between and _only_joined(before[i + 1 : j]) and _only_joined(after[m + 1 : k]):
            continue  # "A and B", "between B and A": in any order
        # "Compared with A, B ..." told as "compared with B, A ...": nothing need stand between.
        opens = _leads(theirs, i, j) and _leads(mine, m, k)
        if (between or opens) and one[:1].isdigit() == other[:1].isdigit():
            (numbers if one[:1].isdigit() else names).append((theirs[i], theirs[j]))
    names = [] if passive else names
    return tuple(names or numbers) if bool(names) != bool(numbers) else ()


def _opening(text: str) -> int:
    """How many words the phrase has that opens a sentence: "In these cells, ..."."""
    phrase = _OPENING.match(text)
    return len(_WORD.findall(phrase[0])) if phrase else 0


def _only_joined(between: list[str]) -> bool:
    others = set(between) - _JOINS
    return (
        bool(set(between) & _JOINS)
        and len(between) <= _JOINED_WORDS
        and not any(w[:1].isdigit() or CUE.search(w) for w in others)
    )


def _leads(said: list[str], first: int, second: int) -> bool:
    """Whether what compares two words stands before both, "compared with A, B ...", and not between them."""
    before = any(word.lower() in _COMPARES for word in said[max(0, first - _LEADING) : first])
    return before and not any(word.lower() in _COMPARES for word in said[first:second])


def _tells(key: str) -> bool:
    if key[:1].isdigit() or key in _ARMS:
        return True
    return len(key) > _SHORT and key not in STOP_WORDS and not is_writers_word(key)


@lru_cache(maxsize=65536)
def _key(word: str) -> str:
    if word[:1].isdigit() or word[:1] in "-−":
        return word.replace("·", ".").replace("−", "-").replace(" ", "").replace(",", "")
    return concept_of(stem(fold(word)))
