"""One word in two forms: "max" and "maximum", "extension" and "extensors", "IV" and "4"; exchanged letters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from openwork_knowledge.tables import words
from openwork_language.spelling import SHORTEST, is_listed
from openwork_language.tokens import stem
from openwork_language.wording import concept_of

_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}
"""Of more than one letter: "I" and "V" are letters too."""
_SHORTENED = 3
"""Letters of a shortened word: "max"."""
_LEFT_OUT = 3
"""Least letters that it leaves out."""
_ROOT = 4
"""Least letters that two forms of a word share before their endings."""
_ENDINGS = tuple(sorted(words("word-endings", "ending"), key=len, reverse=True))


def matched(asked: Iterable[str], printed: Iterable[str]) -> Mapping[str, str]:
    """Concept of a word that was asked and that no heading has -> that of the one heading's word that is the same.

    Args:
        asked, printed: single words in small letters.
    """
    known = {_concept(word) for word in printed}
    found: dict[str, str] = {}
    for word in asked:
        if _concept(word) in known:
            continue
        same = {_concept(other) for other in printed if is_same(word, other)}
        if len(same) == 1:
            found[_concept(word)] = same.pop()
    return found


@lru_cache(maxsize=65536)
def is_same(one: str, other: str) -> bool:
    """Whether two different words are forms of one."""
    if _ROMAN.get(one, one) == _ROMAN.get(other, other):
        return True
    short, long = sorted((one, other), key=len)
    if not (short.isalpha() and long.isalpha()):
        return False
    if len(short) >= _SHORTENED and len(long) - len(short) >= _LEFT_OUT and long.startswith(short):
        return not is_listed(short)  # "fat" is no short form of "fatigue"
    if len(short) == len(long) >= SHORTEST and _are_exchanged(one, other):
        return is_listed(one) is not is_listed(other)
    root = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(short))
    return any(_ends(one, n) and _ends(other, n) for n in range(_ROOT, root + 1))


def _are_exchanged(one: str, other: str) -> bool:
    """Whether two neighbouring letters, not the first, changed places (Damerau 1964, DOI 10.1145/363958.363994)."""
    apart = [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    return (
        len(apart) == 2
        and 0 < apart[0] == apart[1] - 1
        and one[apart[0]] + one[apart[1]] == other[apart[1]] + other[apart[0]]
    )


def _ends(word: str, root: int) -> bool:
    """Whether what stands behind the root is an ending, or nothing."""
    return word[root:] in ("", *_ENDINGS)


def _concept(word: str) -> str:
    return word if word[0].isdigit() else concept_of(stem(word))
