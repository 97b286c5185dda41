"""Searching guidelines: BM25 over single recommendations, one record a guideline, the asked country's first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.question import QuestionAnalysis
from openwork_evidence.guidelines.facts import facts_of, place_of
from openwork_evidence.guidelines.record import MOST_IN_TEXT, recommendations_part

from openwork_retrievers.domain.library_index import LibraryIndex


@dataclass(frozen=True, slots=True)
class Hit:
    """A guideline that matched."""

    record: EvidenceRecord
    place: int
    """0 = of an asked country or body, or none was asked for; 1 = international; 2 = another."""
    superseded: bool = False


class GuidelineIndex:
    """Each recommendation under its guideline's title; found as the library's records are."""

    def __init__(self, records: Sequence[EvidenceRecord]) -> None:
        self._records = tuple(map(_with_facts, records))
        parts = [(n, i, record) for n, record in enumerate(self._records) for i in _places(record)]
        self._index = LibraryIndex([_part(record, f"{n} {i}", i) for n, i, record in parts])
        self._n_parts = len(parts)

    def search(self, analysis: QuestionAnalysis, limit: int) -> tuple[Hit, ...]:
        """Guidelines about the question, at most `limit`: of those asked for, then international, then others.

        Within a place a superseded edition comes after the others, unless the question names its year.
        """
        matched: dict[int, list[int]] = {}
        for part in self._index.search(analysis, self._n_parts or 1):
            n, i = map(int, part.source_id.split())
            matched.setdefault(n, []).append(i)
        asked = analysis.guidance.order[:-1] or analysis.guidance.order if analysis.guidance else ()
        bodies = set(analysis.guidance.bodies) if analysis.guidance else set()
        hits = []
        for n, places in matched.items():
            record = self._records[n]
            facts = record.guideline
            old = facts is not None and facts.superseded_by is not None and str(facts.year) not in analysis.question
            own = bool(bodies & set(facts.bodies)) if facts else False
            hits.append(Hit(_ordered(record, places), 0 if own else place_of(facts, asked), old))
        hits.sort(key=lambda hit: (hit.place, hit.superseded))  # stable: else as they were ranked
        return tuple(hits[:limit])


def _with_facts(record: EvidenceRecord) -> EvidenceRecord:
    told = record.guideline or facts_of(record.title, record.collective_author, record.year)
    return record.model_copy(update={"guideline": told})


def _places(record: EvidenceRecord) -> range:
    """Places of its recommendations; one that has none is a text of its own."""
    return range(len(record.recommendations) or 1)


def _part(record: EvidenceRecord, source_id: str, place: int) -> EvidenceRecord:
    own = record.recommendations[place : place + 1]
    changes = {"source_id": source_id, "recommendations": own, "abstract": () if own else record.abstract}
    return record.model_copy(update=changes)


def _ordered(record: EvidenceRecord, matched: Sequence[int]) -> EvidenceRecord:
    """The record with the recommendations that matched first, and a text that begins with them."""
    if not record.recommendations:
        return record
    rest = [i for i in range(len(record.recommendations)) if i not in matched]
    chosen = tuple(record.recommendations[i] for i in (*matched, *rest))[:MOST_IN_TEXT]
    changes: dict[str, object] = {"recommendations": chosen}
    if _is_list(record):
        changes["abstract"] = (recommendations_part(chosen),)
    return record.model_copy(update=changes)


def _is_list(record: EvidenceRecord) -> bool:
    """Whether its text is its recommendations; the library's summaries of guidelines have one of their own."""
    return record.abstract == (recommendations_part(record.recommendations),)
