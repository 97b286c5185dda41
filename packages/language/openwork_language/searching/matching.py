"""Whether a record meets a rung: names as phrases, word by word, as a phrase search of title and abstract reads them.

Used where a search runs on texts at hand: the starter library, and the measurement of recall.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from openwork_contracts.strategy import HeadingKind, SearchBlock, SearchConcept, SearchRung, SearchStrategy

_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")


@dataclass(frozen=True, slots=True)
class Searchable:
    """A text as its words, joined by single blanks with one at each end, and its headings in lower case."""

    words: str
    headings: frozenset[str]


def searchable(texts: Iterable[str], headings: Iterable[str] = ()) -> Searchable:
    """Title, abstract and headings of a record. A phrase does not run across two texts."""
    joined = " | ".join(" ".join(_WORD.findall(text.casefold())) for text in texts)
    return Searchable(f" {joined} ", frozenset(heading.casefold() for heading in headings))


@lru_cache(maxsize=65536)
def phrase(name: str) -> str:
    """A name as its words, with a blank at each end."""
    return f" {' '.join(_WORD.findall(name.casefold()))} "


def meets_block(record: Searchable, block: SearchBlock, *, broad: bool) -> bool:
    """Whether any name of any concept stands in the text, or any heading among the headings."""
    return any(_meets_concept(record, concept, broad=broad) for concept in block.concepts)


def _meets_concept(record: Searchable, concept: SearchConcept, *, broad: bool) -> bool:
    names = concept.names(broad=broad)
    printed = {h.text.casefold() for h in concept.headings if h.kind is not HeadingKind.PHARMACOLOGICAL_ACTION}
    if printed & record.headings or any(name.casefold() in record.headings for name in names):
        return True
    return any(phrase(name) in record.words for name in names)


def meets(record: Searchable, strategy: SearchStrategy, rung: SearchRung) -> bool:
    """Whether the record would be found on that rung, filters left aside."""
    blocks: Sequence[SearchBlock] = strategy.blocks
    return all(any(meets_block(record, blocks[n], broad=rung.broad) for n in group) for group in rung.numbers)
