"""Searching the library: BM25 over the records, for the question and its variants. In memory; a few hundred records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.question import Entity, QuestionAnalysis
from openwork_language.terms import class_members
from openwork_language.tokens import tokenise

_K1, _B = 1.2, 0.75
"""Robertson & Zaragoza 2009 (DOI 10.1561/1500000019): k1 in 1.2-2.0, b around 0.75 where nothing was tuned."""


class LibraryIndex:
    """BM25 with the question's entities: a record that names none of them is not found."""

    def __init__(self, records: Sequence[EvidenceRecord]) -> None:
        self._records = tuple(records)
        self._counts = [Counter(tokenise(_text(record))) for record in self._records]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._mean_length = (sum(self._lengths) / len(self._lengths)) if self._lengths else 1.0
        self._document_frequency: Counter[str] = Counter(t for counts in self._counts for t in counts)

    def search(self, analysis: QuestionAnalysis, limit: int) -> tuple[EvidenceRecord, ...]:
        """Records about the question, best first.

        Args:
            analysis: its variants are the queries; its entities decide which records are about it at all.
            limit: most records wanted.
        """
        query = Counter(t for text in (analysis.question, *analysis.search_variants) for t in set(tokenise(text)))
        names = [name for entity in analysis.entities for name in _names(entity)]
        scored = []
        for index, counts in enumerate(self._counts):
            if names and not any(name <= counts.keys() for name in names):
                continue
            score = self._score(query, index, counts)
            if score > 0:
                scored.append((score, index))
        scored.sort(key=lambda pair: (-pair[0], pair[1]))
        return tuple(self._records[index] for _, index in scored[:limit])

    def _score(self, query: Counter[str], index: int, counts: Counter[str]) -> float:
        norm = _K1 * (1 - _B + _B * self._lengths[index] / self._mean_length)
        total = 0.0
        for token, weight in query.items():
            frequency = counts.get(token, 0)
            if frequency:
                df = self._document_frequency[token]
                idf = math.log(1 + (len(self._records) - df + 0.5) / (df + 0.5))
                total += weight * idf * frequency * (_K1 + 1) / (frequency + norm)
        return total


def _names(entity: Entity) -> list[set[str]]:
    """Tokens of every name of an entity; a class is named by its members too: icosapent ethyl for omega-3."""
    names = (entity.text, entity.name, *entity.synonyms, *class_members(entity.name))
    return [tokens for name in names if (tokens := set(tokenise(name)))]


def _text(record: EvidenceRecord) -> str:
    parts = [record.title, record.title, *record.mesh_terms, *(part.text for part in record.abstract)]
    parts += [r.text for r in record.recommendations]
    return "\n".join(parts)
