"""Word lists as regular expressions: the words are data (`tables`), how they are written in a text is syntax.

A row may end a word with `*` (any ending, also none) or `+` (at least one more letter): "increas+" is "increases",
"increased", "increasingly". A blank between words is any white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from openwork_knowledge.tables import words

_ENDINGS = {"*": r"\w*", "+": r"\w+"}
_END = ""
"""A key of a branch: a word may stop here."""
_Branch = dict[str, "_Branch"]


def pattern(name: str, *groups: str, plural: bool = False) -> str:
    """A non-capturing expression of the words of some groups of a file; of all its groups when none is named.

    The longest word wins. Common beginnings are shared, so that a list of hundreds is tried as fast as one of ten.
    """
    listed = [word for group in groups for word in words(name, group)] if groups else words(name)
    return any_of(listed, plural=plural)


def any_of(listed: Iterable[str], *, plural: bool = False) -> str:
    """A non-capturing expression of words written as in a file; see `pattern`."""
    root: _Branch = {}
    for word in listed:
        here = root
        for piece in _pieces(word):
            here = here.setdefault(piece, {})
        here[_END] = {}
    return f"(?:{_source(root)})" + ("s?" if plural else "")


def _pieces(word: str) -> list[str]:
    """The word as a list of expressions for single characters, white space and endings."""
    pieces: list[str] = []
    for i, part in enumerate(word.split()):
        bare, ending = (part[:-1], _ENDINGS[part[-1]]) if part[-1] in _ENDINGS else (part, "")
        pieces += [r"\s+"] * (i > 0) + [re.escape(c) for c in bare] + [ending] * bool(ending)
    return pieces


def _source(branch: _Branch) -> str:
    """Longer words first: letters before endings, stopping here last."""
    order = sorted((p for p in branch if p), key=lambda p: (p in _ENDINGS.values(), p))
    ways = []
    for piece in order:
        rest = branch[piece]
        ways.append(piece + ("" if rest.keys() == {_END} else _grouped(rest)))
    return "|".join(ways)


def _grouped(branch: _Branch) -> str:
    pieces = [p for p in branch if p]
    inner = _source(branch)
    if _END in branch:
        return f"(?:{inner})?"
    return inner if len(pieces) == 1 and "|" not in inner else f"(?:{inner})"
