"""Works of a run chosen and put in order, and a passage with what rests on it: plain functions for API and pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, TypedDict

from openwork_contracts.answer import AnswerDocument, Reference
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.record import CandidateRecord, Decision
from openwork_contracts.verdict import ClaimVerdict

_READ = frozenset({Decision.CITED, Decision.PASSAGE_CHOSEN, Decision.FULLTEXT_READ, Decision.ABSTRACT_READ})


class Which(StrEnum):
    """How far works came."""

    ALL = "all"
    CITED = "cited"
    READ = "read"
    """Read, whether cited or not."""
    LEFT_OUT = "left_out"


class Order(StrEnum):
    """What they are sorted by; ties keep the order of the record."""

    RANK = "rank"
    """As they came in: cited first, then by score."""
    YEAR = "year"
    """The newest first."""
    DESIGN = "design"
    SOURCE = "source"
    TITLE = "title"


_KEYS: dict[Order, Callable[[CandidateRecord], Any]] = {
    Order.YEAR: lambda work: -(work.year or 0),
    Order.DESIGN: lambda work: work.study_design.value,
    Order.SOURCE: lambda work: work.provenance[0].source if work.provenance else "",
    Order.TITLE: lambda work: work.title.casefold(),
}


def chosen(
    works: Sequence[CandidateRecord],
    *,
    which: Which = Which.ALL,
    source: str | None = None,
    design: str | None = None,
    order: Order = Order.RANK,
) -> tuple[CandidateRecord, ...]:
    """Those that fit every filter, in order."""
    kept = [
        work
        for work in works
        if _came(work, which)
        and (not source or any(found.source == source for found in work.provenance))
        and (not design or work.study_design.value == design)
    ]
    return tuple(sorted(kept, key=_KEYS[order]) if order in _KEYS else kept)


def _came(work: CandidateRecord, which: Which) -> bool:
    match which:
        case Which.CITED:
            return work.decision is Decision.CITED
        case Which.READ:
            return work.decision in _READ
        case Which.LEFT_OUT:
            return work.decision not in _READ
        case _:
            return True


class PassageFound(TypedDict):
    """A passage with its surroundings."""

    passage: RankedPassage
    work: CandidateRecord | None
    reference: Reference | None
    claims: tuple[ClaimVerdict, ...]


def passage_in(document: AnswerDocument, passage_id: str) -> PassageFound | None:
    """A passage of a run, its work, and the sentences that rest on it."""
    record = document.record
    passage = next((p for p in record.passages if p.passage_id == passage_id), None) if record else None
    if passage is None or record is None:
        return None
    return PassageFound(
        passage=passage,
        work=next((work for work in record.candidates if work.candidate_id == passage.candidate_id), None),
        reference=next((r for r in document.references if r.n == passage.n), None),
        claims=tuple(
            claim for claim in document.answer.claims if any(span.passage_id == passage_id for span in claim.evidence)
        ),
    )
