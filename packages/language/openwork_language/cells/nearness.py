"""How near the words of a sentence stand to one of its numbers, as a reader would bind them.

A word counts less the further away it stands, and much less beyond another number of the same kind, the end of a
clause, or a bracket that the number does not stand in. The shares below are plain readings of how result sentences are
built ("12.1% with A and 15.3% with B"; "A (12.1%) than B (15.3%)"); they order words, and nothing else is made of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from openwork_language.quantities.quantity import Quantity
from openwork_language.tokens import fold, tokenise
from openwork_language.wording import concept_of, concepts, phrases_in

STEP = 0.94
"""Kept per word."""
COMMA = 0.7
JOIN = 0.6
"""Kept beyond "and", "or", "versus", "than", "compared with"."""
CLAUSE = 0.25
"""Kept beyond a semicolon, "whereas", "while", "but"."""
NUMBER = 0.3
"""Kept beyond another number of the same kind."""
OUT_RIGHT = 0.35
"""Kept to the right of the bracket in which a number stands: "A (12%) than B"."""
LEAST = 0.02
_EMPTY = frozenset(
    concepts(
        "patients people participants subjects women men events group groups arm arms total mean median points rate "
        "rates risk proportion showed was were respectively compared study percent ci p n rr or hr ratio ratios "
        "hazard odds relative adjusted confidence interval effect effects versus"
    )
)
_PIECE = re.compile(
    r"(?P<number>(?<![\w.])\d+(?:[.,·]\d+)*(?![\w%]|\s?%))|(?P<word>[^\W\d_]+(?:[-'][^\W_]+)*|[^\W_]*[A-Za-z][^\W_]*)|(?P<open>[(\[])|(?P<close>[)\]])|(?P<break>;|\.\s)|(?P<comma>,)"
)
_CLAUSE_WORDS = frozenset({"whereas", "while", "but", "although", "however"})
_JOIN_WORDS = frozenset({"and", "or", "versus", "vs", "v", "than", "compared", "against"})


@lru_cache(maxsize=4096)
def _pieces(text: str) -> tuple[tuple[int, str, str], ...]:
    """(place, kind, folded word) of everything that counts in a sentence."""
    return tuple((m.start(), m.lastgroup or "", fold(m[0])) for m in _PIECE.finditer(text))


@lru_cache(maxsize=65536)
def _meanings(word: str) -> tuple[str, ...]:
    return tuple(concept_of(token) for token in tokenise(word))


def words_near(text: str, quantity: Quantity, others: Sequence[Quantity]) -> dict[str, float]:
    """Concept -> nearness of the words of a sentence to one of its numbers.

    Args:
        others: the other numbers of the same kind in the sentence.
    """
    found: dict[str, float] = {}
    pieces = _pieces(text)
    later = [q.start for q in others if q.start >= quantity.end]
    earlier = [q.start for q in others if q.start < quantity.start]
    after = _walk([p for p in pieces if p[0] >= quantity.end], forwards=True)
    before = _walk([p for p in reversed(pieces) if p[0] < quantity.start], forwards=False)
    figures = {q.start for q in others}
    for at, word, kept in chain(after, before):
        if word[:1].isdigit() and (at in figures or quantity.start <= at < quantity.end):
            continue
        beyond = sum(start < at for start in later) if at > quantity.start else sum(start > at for start in earlier)
        nearness = kept * NUMBER**beyond
        if nearness < LEAST:
            continue
        for meaning in (f"#{word}",) if word[:1].isdigit() else _meanings(word):
            if meaning not in _EMPTY and nearness > found.get(meaning, 0.0):
                found[meaning] = nearness
    for said, meant in phrases_in(text):
        nearness = max((found.get(word, 0.0) for word in said), default=0.0)
        found |= {meaning: max(nearness, found.get(meaning, 0.0)) for meaning in meant if nearness}
    return found


def _walk(pieces: Sequence[tuple[int, str, str]], *, forwards: bool) -> Iterator[tuple[int, str, float]]:
    """The words on one side with what is kept of each; brackets that do not hold the number are passed over."""
    kept, depth = 1.0, 0
    into, out = ("open", "close") if forwards else ("close", "open")
    for at, kind, word in pieces:
        if kind == into:
            depth += 1
        elif kind == out and depth:
            depth -= 1
        elif kind == out:
            kept *= OUT_RIGHT if forwards else 1.0
        elif depth:
            continue
        elif kind == "break" or word in _CLAUSE_WORDS:
            kept *= CLAUSE
        elif kind == "comma":
            kept *= COMMA
        elif word in _JOIN_WORDS:
            kept *= JOIN
        else:
            kept *= STEP
            yield at, word, kept
        if kept < LEAST:
            return
