"""Whether a record meets a rung: names as phrases, word by word, as a phrase search of title and abstract reads them.

Used where a search runs on texts at hand: the starter library, and the measurement of recall.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
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
    if not _headings_of(concept, broad=broad).isdisjoint(record.headings):
        return True
    return any(phrase(name) in record.words for name in concept.names(broad=broad))


def _headings_of(concept: SearchConcept, *, broad: bool) -> Set[str]:
    """Headings under which a record is about a concept, in lower case: what it is printed as, and its names."""
    printed = {h.text.casefold() for h in concept.headings if h.kind is not HeadingKind.PHARMACOLOGICAL_ACTION}
    return printed | {name.casefold() for name in concept.names(broad=broad)}


def meets(record: Searchable, strategy: SearchStrategy, rung: SearchRung) -> bool:
    """Whether the record would be found on that rung, filters left aside."""
    blocks: Sequence[SearchBlock] = strategy.blocks
    return all(any(meets_block(record, blocks[n], broad=rung.broad) for n in group) for group in rung.numbers)


class Collection:
    """Texts that many strategies are held against: what `meets` says of each, without reading each."""

    def __init__(self, records: Sequence[Searchable]) -> None:
        self._records = tuple(records)
        self._with_word: defaultdict[str, set[int]] = defaultdict(set)
        self._with_heading: defaultdict[str, set[int]] = defaultdict(set)
        for n, record in enumerate(self._records):
            for word in record.words.split():
                self._with_word[word].add(n)
            for heading in record.headings:
                self._with_heading[heading].add(n)

    def meeting(self, strategy: SearchStrategy, rung: SearchRung) -> Set[int]:
        """Places of the records that would be found on that rung, filters left aside."""
        blocks: Sequence[SearchBlock] = strategy.blocks
        groups = (
            (self._of_concept(concept, broad=rung.broad) for n in group for concept in blocks[n].concepts)
            for group in rung.numbers
        )
        return set(range(len(self._records))).intersection(*(set[int]().union(*group) for group in groups))

    def _of_concept(self, concept: SearchConcept, *, broad: bool) -> Set[int]:
        headed = (self._with_heading.get(heading, ()) for heading in _headings_of(concept, broad=broad))
        return set[int]().union(*headed, *(self._with_phrase(phrase(name)) for name in concept.names(broad=broad)))

    def _with_phrase(self, words: str) -> list[int]:
        found = [self._with_word.get(word, set()) for word in words.split()]
        places: Iterable[int] = set.intersection(*found) if found else range(len(self._records))
        return [n for n in places if words in self._records[n].words]
