"""Words of a data file as an expression: a small notation, so that no data file holds regular expressions.

`*` any further letters, `?` the letter before it may be missing, `-` a hyphen or a blank, a blank any white space; all
else stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product

from openwork_knowledge.tables import words

_NOTATION = {"*": r"\w*", "?": "?", "-": "[- ]", " ": r"\s+"}


def expression(word: str) -> str:
    """One word or phrase of a data file as a regular expression."""
    return "".join(_NOTATION.get(letter) or re.escape(letter) for letter in word)


def spelt(phrase: str) -> tuple[str, ...]:
    """Every phrase that one with alternatives stands for: "{new |}{clot|clots}" as "new clot", "clot", ..."""
    parts = (part[1:-1].split("|") if part.startswith("{") else [part] for part in _ALTERNATIVES.split(phrase))
    return tuple(dict.fromkeys(" ".join("".join(one).split()) for one in product(*parts)))


_ALTERNATIVES = re.compile(r"(\{[^{}]*\})")


def any_of(listed: Iterable[str]) -> str:
    """A non-capturing group of words in the notation, longest first."""
    ordered = sorted(set(listed), key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(expression(word) for word in ordered)})"


def group(name: str, *groups: str) -> str:
    """`any_of` the words of one or more groups of a file.

    Raises:
        KeyError: no row has one of the groups.
    """
    return any_of(word for each in groups for word in words(name, each))
