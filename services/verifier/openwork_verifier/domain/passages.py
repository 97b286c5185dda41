"""A cited text made ready for checking: its sentences with their words, quantities and effects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from openwork_contracts.verdict import EvidenceItem
from openwork_language.effects.find import EffectStatement, SentenceStance, find_effects, stance_of
from openwork_language.quantities.compare import Quantity, find_quantities
from openwork_language.sentences import split_sentences

from openwork_verifier.domain.slots import Slot, slots_of
from openwork_verifier.domain.tables import Row, read_rows
from openwork_verifier.domain.wording import abbreviations, concepts


@dataclass(frozen=True)
class PassageSentence:
    """One sentence of a passage; `text` is exactly passage text[start:end]."""

    text: str
    start: int
    end: int
    words: frozenset[str]
    """Concepts, with both forms of abbreviations that the passage defines; of a table row also those of its header."""
    row: Row | None = None
    """The row of a table that the sentence is."""

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Numbers of the sentence."""
        return tuple(slot.quantity for slot in self.row.slots) if self.row else find_quantities(self.text)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Numbers of the sentence, each with the words it is bound to."""
        return self.row.slots if self.row else slots_of(self.text)

    @cached_property
    def effects(self) -> tuple[EffectStatement, ...]:
        """Effects the sentence states."""
        return find_effects(self.text)

    @cached_property
    def stance(self) -> SentenceStance:
        """Certainty and scope of the sentence."""
        return stance_of(self.text)


@dataclass(frozen=True)
class Passage:
    """One evidence item, read."""

    item: EvidenceItem
    sentences: tuple[PassageSentence, ...]
    words: frozenset[str]
    """Concepts of the whole text and its title."""


@lru_cache(maxsize=512)
def _read(text: str, title: str) -> tuple[tuple[PassageSentence, ...], frozenset[str]]:
    defined = abbreviations(f"{title} {text}")
    sentences = []
    everything = set(_expanded(concepts(title), defined))
    found = split_sentences(text)
    rows = read_rows(found) if "|" in text else {}
    for sentence in found:
        row = rows.get(sentence.start)
        words = _expanded(concepts(sentence.text) | (row.words if row else frozenset()), defined)
        everything |= words
        sentences.append(PassageSentence(sentence.text, sentence.start, sentence.end, words, row))
    return tuple(sentences), frozenset(everything)


def _expanded(words: frozenset[str], defined: tuple[tuple[str, frozenset[str]], ...]) -> frozenset[str]:
    """The words with the long form of each abbreviation among them, and the reverse."""
    more = set(words)
    for short, long_form in defined:
        if short in words:
            more |= long_form
        elif long_form and long_form <= words:
            more.add(short)
    return frozenset(more)


def read_passage(item: EvidenceItem) -> Passage:
    """An evidence item as the checks see it; the reading of a text is kept for its next claim."""
    sentences, words = _read(item.text, item.title)
    return Passage(item, sentences, words)
