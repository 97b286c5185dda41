"""Candidates and questions for the reranker's tests."""

from __future__ import annotations

from datetime import UTC, datetime

from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceCandidate,
    EvidenceStatus,
    Identifiers,
    Provenance,
    StudyDesign,
    TrialArm,
)
from openwork_contracts.question import Entity, Intent, Pico, QuestionAnalysis
from openwork_language.terms import find_terms


def candidate(
    name: str,
    title: str = "A trial",
    *abstract: AbstractPart | str,
    design: StudyDesign = StudyDesign.RCT,
    status: EvidenceStatus = EvidenceStatus.NONE,
    year: int | None = 2010,
    sources: tuple[str, ...] = ("pubmed",),
    arms: tuple[str, ...] = (),
    identifiers: Identifiers | None = None,
) -> EvidenceCandidate:
    """A candidate with the least it may have."""
    parts = tuple(p if isinstance(p, AbstractPart) else AbstractPart(text=p) for p in abstract)
    when = datetime(2024, 5, 1, tzinfo=UTC)
    return EvidenceCandidate(
        candidate_id=name,
        identifiers=Identifiers(url="https://example.org/") if identifiers is None else identifiers,
        title=title,
        abstract=parts,
        year=year,
        study_design=design,
        status=status,
        arms=tuple(TrialArm(name=a) for a in arms),
        provenance=tuple(Provenance(source=s, source_id=name, rank=1, retrieved_at=when) for s in sources),
    )


def analysis(
    question: str, intent: Intent = Intent.TREATMENT_GUIDELINE, *, pico: Pico | None = None
) -> QuestionAnalysis:
    """A question with the entities that the lexicon finds in it."""
    entities = tuple(
        Entity(kind=t.kind, text=t.text, start=t.start, end=t.end, name=t.name, mesh_id=t.mesh_id, synonyms=t.synonyms)
        for t in find_terms(question)
    )
    return QuestionAnalysis(
        question=question,
        intent=intent,
        entities=entities,
        pico=pico or Pico(),
        search_variants=(question,) * 3,
        complexity=0.5,
        sources=("pubmed",),
    )
