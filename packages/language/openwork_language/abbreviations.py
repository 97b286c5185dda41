"""Abbreviations: those a text defines itself, and those of clinical language.

A definition in the text wins over the table. A short form with several meanings (MS, PE, RA, MI, ...) is expanded only
when words near it decide for one of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import cache

from openwork_contracts.question import Abbreviation
from openwork_knowledge.folding import fold_word, tokens_of
from openwork_knowledge.lexicon import read_table

_PARENTHESIS = re.compile(r"\(([^()]{2,80})\)")
_BREAK = re.compile(r"[.;:()]\s")
"""Where the words before a parenthesis begin anew."""
_SHORT_FORM = re.compile(r"[A-Za-zα-ωΑ-Ω0-9][\w./-]*(?: [A-Z][\w-]*)?$")
_CANDIDATE = re.compile(r"\b[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*\b")
_MAX_SHORT_CHARS = 10  # Schwartz & Hearst 2003: short forms have 2 to 10 characters and at most two words
_CONTEXT_CHARS = 240  # about two sentences to either side
_FEWEST_INITIALS = 3
"""Letters from which a short form that no list has is known by the first letters of words in a row."""


def definitions_in(text: str) -> dict[str, str]:
    """Short form -> long form, as defined by "long form (SF)" or "SF (long form)" in the text itself.

    Schwartz and Hearst 2003, DOI 10.1142/9789812776303_0042: the long form stands within min(|SF| + 5, 2 |SF|) words
    before the parenthesis, each character of the short form is matched from the right, and the first one must begin a
    word.
    """
    found: dict[str, str] = {}
    breaks = [0, *(match.end() for match in _BREAK.finditer(text))]
    for match in _PARENTHESIS.finditer(text):
        inside = re.split(r"[,;]|\bor\b", match[1], maxsplit=1)[0].strip()
        since = breaks[bisect_right(breaks, match.start()) - 1]
        before = text[since : match.start()].rstrip()
        if _is_short_form(inside):
            long = _long_form(inside, _last_words(before, min(len(inside) + 5, 2 * len(inside))))
            if long:
                found.setdefault(inside, long)
        elif before:
            short = before.split()[-1]
            long = _long_form(short, inside) if _is_short_form(short) and len(inside.split()) > 1 else None
            if long:
                found.setdefault(short, long)
    return found


def _is_short_form(text: str) -> bool:
    letters = any(c.isalpha() for c in text)
    return 2 <= len(text) <= _MAX_SHORT_CHARS and letters and len(text.split()) <= 2 and bool(_SHORT_FORM.match(text))


def _last_words(text: str, n: int) -> str:
    words = list(re.finditer(r"\S+", text))
    return text[words[-min(n, len(words))].start() :] if words else ""


def _long_form(short: str, candidate: str) -> str | None:
    """The shortest end of `candidate` that spells the short form; `None` when it does not."""
    i, j = len(short) - 1, len(candidate)
    while i >= 0:
        wanted = short[i].lower()
        if not wanted.isalnum():
            i -= 1
            continue
        j -= 1
        while j >= 0 and (candidate[j].lower() != wanted or (i == 0 and j > 0 and candidate[j - 1].isalnum())):
            j -= 1
        if j < 0:
            return None
        i -= 1
    # The first letter may stand inside a hyphenated word; the long form then begins with that word.
    start = max(candidate.rfind(" ", 0, j), candidate.rfind("\n", 0, j)) + 1
    long = candidate[start:].strip(" ,")
    plausible = len(long) > len(short) and len(long.split()) <= min(len(short) + 5, 2 * len(short))
    capital = any(c.isupper() for c in short) or any(c.isdigit() for c in short)
    return long if plausible and capital and short not in long.split() else None


Meanings = tuple[tuple[str, frozenset[str]], ...]
"""What a short form can mean, each meaning with the folded words of which one must be near (empty = always)."""


@cache
def _table() -> dict[str, Meanings]:
    """Short form -> its meanings."""
    meanings: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
    for short, long, context in read_table("abbreviations.tsv"):
        words = frozenset(fold_word(w) for c in context.split(";") if c for w in re.split(r"[^\w%]+", c) if w)
        meanings[short].append((long, words))
    return {short: tuple(found) for short, found in meanings.items()}


def meanings_of(short: str) -> tuple[str, ...]:
    """Every meaning the table knows of a short form; its plural "DOACs" counts as "DOAC"."""
    return tuple(long for long, _ in _table().get(short) or _table().get(short.removesuffix("s"), ()))


def initials_at(short: str, words: Sequence[str]) -> int | None:
    """Which of the words is the first of a row that begins with a short form's letters; `None` = there is none.

    "Impaired fasting glucose" of IFG. Fewer than three letters, or a digit among them, are told by no initials.
    """
    if len(short) < _FEWEST_INITIALS or not short.isalpha():
        return None
    at = "".join(word[0].casefold()[:1] for word in words).find(short.casefold())
    return at if at >= 0 else None


def is_ambiguous(short: str) -> bool:
    """Whether only context can tell what the short form means."""
    return any(words for _, words in _table().get(short, ()))


def expand_at(text: str, short: str, start: int, end: int) -> str | None:
    """What the table says the short form at [start, end) means there; `None` = not in it, or the context is silent."""
    meanings = _table().get(short) or (_table().get(short[:-1]) if short.endswith("s") else None)
    return meaning_near(meanings, text, start, end) if meanings else None


def meaning_near(meanings: Meanings, text: str, start: int, end: int) -> str | None:
    """Which of its meanings what stands at [start, end) has; `None` = the words near it do not decide for one.

    One that needs no word near it is meant where no word speaks for another: "jab" is a vaccine, of insulin it is none.
    """
    if not any(words for _, words in meanings):
        return meanings[0][0]
    near = f"{text[max(0, start - _CONTEXT_CHARS) : start]} {text[end : end + _CONTEXT_CHARS]}"
    words = {token.key for token in tokens_of(near)}
    hits = sorted(((len(words & wanted), long) for long, wanted in meanings), reverse=True)
    decided = hits[0][0] > 0 and (len(hits) == 1 or hits[0][0] > hits[1][0])
    plain = [long for long, wanted in meanings if not wanted]
    return hits[0][1] if decided else plain[0] if len(plain) == 1 and not hits[0][0] else None


def find_abbreviations(text: str) -> tuple[Abbreviation, ...]:
    """The abbreviations of the text with their meanings, each once, in order of first appearance."""
    defined = definitions_in(text)
    seen: dict[str, Abbreviation] = {}
    for match in _CANDIDATE.finditer(text):
        for short in _readings(match[0]):
            if short in seen:
                break
            long = defined.get(short) or defined.get(short.removesuffix("s"))
            if long:
                seen[short] = Abbreviation(short=short, long=long, defined_in_question=True)
                break
            meaning = expand_at(text, short, match.start(), match.end())
            if meaning:
                seen[short] = Abbreviation(short=short, long=meaning)
                break
    return tuple(seen.values())


def _readings(word: str) -> tuple[str, ...]:
    """The whole word, then its parts: "AF-related" is "AF", "COVID-19" is itself."""
    return (word, *word.split("-")) if "-" in word else (word,)
