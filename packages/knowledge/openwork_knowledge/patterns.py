"""Word lists as regular expressions: the words are data (`tables`), how they are written in a text is syntax.

A row may end a word with `*` (any ending, also none) or `+` (at least one more letter): "increas+" is "increases",
"increased", "increasingly". A blank between words is any white space.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from openwork_knowledge.tables import words

_ENDINGS = {"*": r"\w*", "+": r"\w+"}


def pattern(name: str, *groups: str) -> str:
    """A non-capturing expression of the words of some groups of a file; of all its groups when none is named."""
    return any_of([word for group in groups for word in words(name, group)] if groups else words(name))


def any_of(listed: Iterable[str]) -> str:
    """A non-capturing expression of words written as in a file; the longest word wins.

    Words of one first letter stand together: a list of hundreds is tried as fast as one of twenty.
    """
    by_letter: dict[str, list[str]] = defaultdict(list)
    for word in sorted(set(listed), key=lambda word: (-len(word), word)):
        by_letter[word[0]].append(_source(word))
    ways = []
    for letter, found in by_letter.items():
        first = re.escape(letter)
        rest = "|".join(word.removeprefix(first) for word in found)
        ways.append(f"{first}(?:{rest})" if len(found) > 1 else found[0])
    return f"(?:{'|'.join(ways)})"


def _source(word: str) -> str:
    """One word: its letters as they are, its white space and its ending as expressions."""
    parts = ((part[:-1], _ENDINGS[part[-1]]) if part[-1] in _ENDINGS else (part, "") for part in word.split())
    return r"\s+".join(re.escape(bare) + ending for bare, ending in parts)
