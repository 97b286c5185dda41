"""Searching the library: BM25 over the records, for the question and its variants. In memory; a few hundred records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.question import Entity, QuestionAnalysis
from openwork_contracts.strategy import SearchStrategy
from openwork_language.searching.matching import Collection, searchable
from openwork_language.terms import class_members
from openwork_language.tokens import token_set, tokenise

_K1, _B = 1.2, 0.75
"""Robertson & Zaragoza 2009 (DOI 10.1561/1500000019): k1 in 1.2-2.0, b around 0.75 where nothing was tuned."""


class LibraryIndex:
    """BM25 with the question's entities: a record that names none of them is not found."""

    def __init__(self, records: Sequence[EvidenceRecord]) -> None:
        self._records = tuple(records)
        self._counts = [Counter(tokenise(_text(record))) for record in self._records]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._mean_length = (sum(self._lengths) / len(self._lengths)) if self._lengths else 1.0
        self._texts = Collection([searchable((_text(record),), record.mesh_terms) for record in self._records])
        self._holding: dict[str, set[int]] = {}
        """Token -> the records that hold it, by place."""
        for index, counts in enumerate(self._counts):
            for token in counts:
                self._holding.setdefault(token, set()).add(index)

    def hits(self, strategy: SearchStrategy) -> dict[str, int]:
        """Rung -> records that meet it, as a phrase search of title, text and headings would find them."""
        return {rung.name: len(self._texts.meeting(strategy, rung)) for rung in strategy.rungs}

    def search(self, analysis: QuestionAnalysis, limit: int) -> tuple[EvidenceRecord, ...]:
        """Records about the question, best first.

        Args:
            analysis: its variants are the queries; its entities decide which records are about it at all.
            limit: most records wanted.
        """
        query = Counter(t for text in (analysis.question, *analysis.search_variants) for t in token_set(text))
        rarity = {token: self._rarity(token) for token in query}
        names = [name for entity in analysis.entities for name in _names(entity)]
        about = set().union(*map(self._naming, names)) if names else range(len(self._records))
        scored = [(score, index) for index in about if (score := self._score(query, rarity, index)) > 0]
        scored.sort(key=lambda pair: (-pair[0], pair[1]))
        return tuple(self._records[index] for _, index in scored[:limit])

    def _naming(self, name: frozenset[str]) -> set[int]:
        """Records that hold every token of a name."""
        return set.intersection(*(self._holding.get(token, set()) for token in name))

    def _rarity(self, token: str) -> float:
        df = len(self._holding.get(token, ()))
        return math.log(1 + (len(self._records) - df + 0.5) / (df + 0.5))

    def _score(self, query: Counter[str], rarity: Mapping[str, float], index: int) -> float:
        counts = self._counts[index]
        norm = _K1 * (1 - _B + _B * self._lengths[index] / self._mean_length)
        total = 0.0
        for token, weight in query.items():
            frequency = counts.get(token, 0)
            if frequency:
                total += weight * rarity[token] * frequency * (_K1 + 1) / (frequency + norm)
        return total


def _names(entity: Entity) -> list[frozenset[str]]:
    """Tokens of every name of an entity; a class is named by its members too: icosapent ethyl for omega-3."""
    names = (entity.text, entity.name, *entity.synonyms, *class_members(entity.name))
    return [tokens for name in names if (tokens := token_set(name))]


def _text(record: EvidenceRecord) -> str:
    parts = [record.title, record.title, *record.mesh_terms, *(part.text for part in record.abstract)]
    parts += [r.text for r in record.recommendations]
    return "\n".join(parts)
