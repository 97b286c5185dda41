"""Phrases of a data file that are looked for in a text, thousands at once, each under its name.

A phrase is compiled when a text first has the letters that it begins with. Besides the notation of
`openwork_knowledge.notation`, `{a|b}` stands for either, and `...` between blanks for up to six words of a sentence,
none of which says that something is absent or low.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from openwork_knowledge.notation import expression

_START = re.compile(r"(?<![\w-])[^\W_]")
_KEY = 3
"""Letters by which phrases are looked for."""
_ALTERNATIVES = re.compile(r"\{([^{}]*)\}")
_LETTERS = re.compile(r"[^\W_]*")
_GAP = r"[\s,]+(?:(?!(?:no|not|non|without|low|normal|never|absent|negative)\b)[^\s;:]*[^\s;:.]\s+){0,6}?"
_SHORT_FORM = re.compile(r"[A-Za-z]?[A-Z0-9][A-Za-z0-9+-]{0,6}s?")
"""Read in its own letters: "FEV1", "GvHD"; a phrase in whatever letters."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase in a text, [start, end), and the name that it stands under."""

    start: int
    end: int
    name: str


class Phrases:
    """Names and the phrases for each."""

    def __init__(self, rows: Iterable[tuple[str, str]]) -> None:
        found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for name, phrase in rows:
            for whole in _beginnings(phrase):
                letters = _LETTERS.match(whole)
                key = letters[0] if letters else ""
                if key != whole and whole[len(key) : len(key) + 1] in {"*", "?"}:
                    key = key[: -1 if whole[len(key)] == "?" else None]
                found[key[:_KEY].casefold()].append((name, whole))
        self._phrases = dict(found)
        self._patterns = lru_cache(maxsize=8192)(self._compiled)

    def at(self, text: str, start: int) -> Iterator[Mention]:
        """Every phrase that begins there."""
        first = text[start : start + _KEY].casefold()
        for length in range(1, len(first) + 1):
            for pattern, name in self._patterns(first[:length]):
                if (match := pattern.match(text, start)) is not None:
                    yield Mention(start, match.end(), name)

    def longest_at(self, text: str, start: int) -> Mention | None:
        """The longest phrase that begins there."""
        return max(self.at(text, start), key=lambda one: one.end, default=None)

    def in_order(self, text: str) -> Iterator[Mention]:
        """From the left the longest phrase that begins at a word, then the next one behind it."""
        at = 0
        for match in _START.finditer(text):
            if match.start() >= at and (one := self.longest_at(text, match.start())) is not None:
                at = one.end
                yield one

    def everywhere(self, text: str) -> Iterator[Mention]:
        """Every phrase that begins at a word, those within others too."""
        for match in _START.finditer(text):
            yield from self.at(text, match.start())

    def _compiled(self, key: str) -> tuple[tuple[re.Pattern[str], str], ...]:
        return tuple((_pattern(phrase), name) for name, phrase in self._phrases.get(key, ()))


def _beginnings(phrase: str) -> list[str]:
    """The phrase, once for each alternative that it may begin with."""
    first = _ALTERNATIVES.match(phrase)
    if first is None:
        return [phrase]
    return [
        whole for option in first[1].split("|") for whole in _beginnings(f"{option}{phrase[first.end() :]}".lstrip())
    ]


def _pattern(phrase: str) -> re.Pattern[str]:
    capitals = phrase != phrase.casefold() and (_SHORT_FORM.fullmatch(phrase) or phrase == phrase.upper())
    parts = _GAP.join(map(_with_alternatives, phrase.split(" ... ")))
    return re.compile(rf"{parts}(?!\w)", re.NOFLAG if capitals else re.IGNORECASE)


def _with_alternatives(piece: str) -> str:
    text, at = "", 0
    for match in _ALTERNATIVES.finditer(piece):
        before, options = piece[at : match.start()], sorted(match[1].split("|"), key=len, reverse=True)
        at = match.end()
        if "" in options and piece[at : at + 1] == " ":  # "{very |}preterm" and "{very|} preterm" alike
            at += 1
            options = [f"{option} " if option else "" for option in options]
        text += expression(before) + f"(?:{'|'.join(map(expression, options))})"
    return text + expression(piece[at:])
