"""A cited text made ready for checking: its sentences with their words, quantities and effects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from openwork_contracts.verdict import EvidenceItem, EvidenceSpan
from openwork_language.cells.cell import Cell
from openwork_language.cells.read import read_cells
from openwork_language.cells.tables import Row, read_rows
from openwork_language.effects.find import EffectStatement, SentenceStance, find_effects, stance_of
from openwork_language.quantities.compare import Quantity, find_quantities
from openwork_language.sentences import split_sentences
from openwork_language.tokens import fold
from openwork_language.wording import abbreviations, concepts

Definitions = tuple[tuple[str, frozenset[str]], ...]
"""Abbreviations as (token, concepts of the long form)."""


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
    defined: Definitions = ()
    """Abbreviations that the passage defines."""

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Numbers of the sentence."""
        return tuple(cell.quantity for cell in self.row.cells) if self.row else find_quantities(self.text)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Numbers of the sentence, each with what it belongs to, with both forms of abbreviations."""
        return expanded_cells(self.row.cells if self.row else read_cells(self.text), self.defined)

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
    defined: Definitions = ()
    """Abbreviations that it defines, as (token, concepts of the long form)."""

    def span(self, text: str, start: int, end: int) -> EvidenceSpan:
        """Words of the item, `text` exactly [start, end) of its text."""
        return EvidenceSpan(n=self.item.n, quote=text, start=start, end=end, text_origin=self.item.text_origin)

    @property
    def folded(self) -> str:
        """Title and text in small letters without accents."""
        return _folded(self.item.title, self.item.text)

    @property
    def squeezed(self) -> str:
        """Letters and digits of title and text, and nothing between them: "TP53" of "TP-53"."""
        return _squeezed(self.item.title, self.item.text)


@lru_cache(maxsize=512)
def _folded(title: str, text: str) -> str:
    return fold(f"{title}\n{text}")


@lru_cache(maxsize=512)
def _squeezed(title: str, text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", _folded(title, text))


@lru_cache(maxsize=512)
def _read(text: str, title: str) -> tuple[tuple[PassageSentence, ...], frozenset[str], Definitions]:
    defined = abbreviations(f"{title} {text}")
    sentences = []
    everything = set(expanded(concepts(title), defined))
    found = split_sentences(text)
    rows = read_rows(found) if "|" in text else {}
    for sentence in found:
        row = rows.get(sentence.start)
        words = expanded(concepts(sentence.text) | (row.words if row else frozenset()), defined)
        everything |= words
        sentences.append(PassageSentence(sentence.text, sentence.start, sentence.end, words, row, defined))
    return tuple(sentences), frozenset(everything), defined


def expanded(words: frozenset[str], defined: tuple[tuple[str, frozenset[str]], ...]) -> frozenset[str]:
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
    sentences, words, defined = _read(item.text, item.title)
    return Passage(item, sentences, words, defined)


def expanded_cells(cells: tuple[Cell, ...], defined: Definitions) -> tuple[Cell, ...]:
    """Cells whose words have both forms of the abbreviations."""
    if not defined:
        return cells
    return tuple(
        replace(
            cell,
            words=_expanded_words(cell.words, defined),
            arm=expanded(cell.arm, defined),
            outcome=expanded(cell.outcome, defined),
        )
        for cell in cells
    )


def _expanded_words(words: Mapping[str, float], defined: Definitions) -> Mapping[str, float]:
    """Nearness of both forms of each abbreviation: that of the form which stands there."""
    more = dict(words)
    for short, long_form in defined:
        if short in words:
            more.update({word: max(words[short], more.get(word, 0.0)) for word in long_form})
        elif long_form and long_form <= words.keys():
            more[short] = min(words[word] for word in long_form)
    return more
