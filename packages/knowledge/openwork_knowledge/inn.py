"""Words that are built like an international nonproprietary name: `semaglutide`, whether or not any list has it.

The stems are WHO's (`data/words/inn_stems.tsv`); words that only look so ("accept", "peptide") are listed beside them.
How many names it finds and how many other words it takes for one: docs/evaluation.md, "Word lists".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from openwork_knowledge.tables import table

_WORD = re.compile(r"\b[^\W\d_]{5,}\b")
_BEFORE_SUFFIX = 2
"""Letters that must stand before a suffix, and `_AFTER_PREFIX` after a prefix: a stem alone is no name."""
_AFTER_PREFIX = 4


@cache
def _stems(position: str) -> tuple[dict[str, str], tuple[int, ...]]:
    """Stem -> meaning, and the stems' lengths, longest first."""
    meanings = {row[1]: row[2] for row in table("inn_stems").rows if row[0] == position}
    return meanings, tuple(sorted({len(stem) for stem in meanings}, reverse=True))


@cache
def _ordinary() -> tuple[frozenset[str], tuple[str, ...], tuple[str, ...]]:
    listed = table("inn_stems")
    return (
        frozenset(listed.words("ordinary word")),
        listed.words("ordinary ending"),
        listed.words("ordinary beginning"),
    )


@lru_cache(maxsize=20_000)
def inn_stem(word: str) -> str | None:
    """The longest stem by which the word is a nonproprietary name, e.g. "-glutide"; `None` = it is not built like one.

    A plural counts. One word: of "insulin glargine" each is asked for itself.
    """
    folded = word.casefold()
    words, endings, beginnings = _ordinary()
    for form in (folded, folded.removesuffix("s")):
        if form in words or form.endswith(endings) or form.startswith(beginnings):
            return None
        suffixes, lengths = _stems("suffix")
        for n in lengths:
            if len(form) >= n + _BEFORE_SUFFIX and form[-n:] in suffixes:
                return f"-{form[-n:]}"
        prefixes, lengths = _stems("prefix")
        for n in lengths:
            if len(form) >= n + _AFTER_PREFIX and form[:n] in prefixes:
                return f"{form[:n]}-"
    return None


def is_inn(word: str) -> bool:
    """Whether one word is built like a nonproprietary name."""
    return inn_stem(word) is not None


def inn_words(text: str) -> Iterator[re.Match[str]]:
    """The words of a text that are built like a nonproprietary name, in order."""
    return (match for match in _WORD.finditer(text) if is_inn(match[0]))


def stem_meaning(stem: str) -> str:
    """What a stem of `inn_stem` says of the substance, e.g. "glucagon-like peptide analogues".

    Raises:
        KeyError: no such stem.
    """
    position = "suffix" if stem.startswith("-") else "prefix"
    return _stems(position)[0][stem.strip("-")]
