"""Names of drugs and diseases as they are meant: "rivaroxban" is rivaroxaban.

A word that no list knows, and that one step turns into exactly one name of a drug or disease, is read as that: a letter
left out, put in, exchanged, or two that changed places (Damerau 1964, DOI 10.1145/363958.363994: of misspellings 80 %
are one of these). The step is never at the first letter, which people seldom miss, nor, of a disease, among the last
two, where it makes another form of the word ("thrombotic").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from itertools import chain

from openwork_contracts.question import Respelling
from openwork_knowledge.folding import fold_word
from openwork_knowledge.inn import is_inn
from openwork_knowledge.lexicon import lexicon, read_table
from openwork_knowledge.tables import words

SHORTEST = 8
"""Letters of a name. From shorter ones one step often makes another word."""
_WORD = re.compile(r"(?<![\w-])[A-Za-z]{7,}(?![\w-])")
_PLAIN = re.compile(r"[a-z]+")
_LISTS = ("mesh_words", "ordinary_words", "common-words", "abstract-words", "title_words", "biomedical_words")


def respelt(text: str, known: Collection[str] = ()) -> tuple[str, tuple[Respelling, ...]]:
    """The text with its misspelt names as they are spelt, and what was changed, each once.

    Args:
        known: words as typed that are names, whatever the lexicon knows.
    """
    changed: dict[str, str] = {}

    def meant(match: re.Match[str]) -> str:
        typed = match[0]
        read = _meant(typed.lower()) if typed[1:].islower() and typed not in known else None
        if read is None:
            return typed
        changed[typed] = read.capitalize() if typed[0].isupper() else read
        return changed[typed]

    corrected = _WORD.sub(meant, text)
    return corrected, tuple(Respelling(typed=typed, read=read) for typed, read in changed.items())


@lru_cache(maxsize=4096)
def _meant(word: str) -> str | None:
    if word.endswith("ing") or is_listed(word):
        return None
    shapes = [(word[0], length) for length in (len(word) - 1, len(word), len(word) + 1)]
    drugs = {name for shape in shapes for name in _drugs().get(shape, ()) if _is_one_step(word, name, ending=0)}
    nouns = {name for shape in shapes for name in _diseases().get(shape, ()) if _is_one_step(word, name, ending=2)}
    found = drugs | nouns
    return found.pop() if len(found) == 1 else None


def is_listed(word: str) -> bool:
    """Whether a word in small letters is in the lexicon or in a list of words: what is in none is no word of itself."""
    return word in _known() or fold_word(word) in _known()


@cache
def _known() -> frozenset[str]:
    """Every word of the lexicon's names and of the word lists, folded."""
    named = {part for key in lexicon().keys for part in key.lstrip("=").split("_")}
    listed = {fold_word(word.lower()) for name in _LISTS for phrase in words(name) for word in phrase.split()}
    return frozenset(named | listed)


Shapes = dict[tuple[str, int], tuple[str, ...]]
"""(first letter, length) -> names."""


@cache
def _drugs() -> Shapes:
    """Those that the hand-written table has, brands among them, and all that are built like nonproprietary names."""
    rows = ((row[0], *row[2:]) for row in read_table("drugs.tsv"))  # a class is no drug
    listed = (name for cells in rows for cell in cells for name in cell.lower().split(";"))
    return _by_shape(chain(listed, (key for key in lexicon().keys if "_" not in key and is_inn(key))))


@cache
def _diseases() -> Shapes:
    """ "Fibrillation" of "atrial fibrillation": what goes before such a noun is often one step from another word."""
    names = (name for row in read_table("diseases.tsv") for name in (row[0], *row[1].split(";")) if name.strip(" ~"))
    nouns = (name.partition(",")[0].split()[-1].lower() for name in names)
    return _by_shape(noun for noun in nouns if not noun.endswith("ing"))


def _by_shape(names: Iterable[str]) -> Shapes:
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    for name in names:
        if len(name) >= SHORTEST and _PLAIN.fullmatch(name):
            found[name[0], len(name)].add(name)
    return {shape: tuple(sorted(group)) for shape, group in found.items()}


def _is_one_step(typed: str, name: str, *, ending: int) -> bool:
    """Whether one insertion, deletion, substitution or transposition turns one into the other.

    Args:
        ending: letters at the end at which a step does not count.
    """
    longest = max(len(typed), len(name))
    n = next((i for i, (a, b) in enumerate(zip(typed, name, strict=False)) if a != b), longest - 1)
    if n == 0 or n >= longest - ending:
        return False
    rest, other = typed[n:], name[n:]
    transposed = len(rest) > 1 and rest[:2] == other[1::-1] and rest[2:] == other[2:]
    return rest[1:] == other or rest == other[1:] or rest[1:] == other[1:] or transposed
