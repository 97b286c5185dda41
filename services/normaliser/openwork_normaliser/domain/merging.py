"""Many records of one work become one candidate: the best text, every identifier, every place it was found."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceCandidate,
    EvidenceStatus,
    Identifiers,
    NoticeLink,
    Provenance,
    StudyDesign,
)
from openwork_knowledge.designs import PRIMARY
from openwork_knowledge.statuses import worst_status
from openwork_knowledge.tables import words

from openwork_normaliser.domain.design import status_of, study_design
from openwork_normaliser.domain.entries import Entry, Work
from openwork_normaliser.domain.thresholds import THRESHOLDS
from openwork_normaliser.domain.titles import fold_title, strip_markup

NO_ABSTRACT_TEXTS = frozenset(words("title_words", "instead of an abstract"))
"""What sources print instead of leaving the abstract empty, folded."""

T = TypeVar("T")


def merge(entries: Sequence[Entry], notice_links: Iterable[NoticeLink] = ()) -> EvidenceCandidate:
    """One candidate from all records of a work (at least one), and the links that others' notices give it."""
    members = sorted(entries, key=lambda e: (e.trust, e.key))
    works = [e.work for e in members]
    best_text = best_abstract(works)
    identifiers = _identifiers(members)
    title = _first(works, lambda w: strip_markup(w.title)) or ""
    types = _union(w.publication_types for w in works)
    mesh = _union(w.mesh_terms for w in works)
    links = _union([*(w.links for w in works), tuple(notice_links)])
    provenance = _provenance(members)
    design = study_design(
        title, types, mesh, [p.source for p in provenance], [w.study_design for w in works if w.study_design], links
    )
    year = _first(works, lambda w: w.year)
    return EvidenceCandidate(
        candidate_id=_candidate_id(members, identifiers, title, year),
        identifiers=identifiers,
        title=title,
        abstract=best_text,
        authors=max((w.authors for w in works), key=len),
        collective_author=_first(works, lambda w: w.collective_author),
        journal=_first(works, lambda w: w.journal),
        year=year,
        publication_types=types,
        mesh_terms=mesh,
        study_design=design,
        sample_size=_first(works, lambda w: w.sample_size),
        status=_status(works, links),
        links=_union([links, _registrations(members, identifiers, design)]),
        arms=max((w.arms for w in works), key=len),
        results=max((w.results for w in works), key=len),
        recommendations=max((w.recommendations for w in works), key=len),
        funding=_first(works, lambda w: w.funding),
        cited_by_count=max((w.cited_by_count for w in works if w.cited_by_count is not None), default=None),
        provenance=provenance,
    )


def best_abstract(works: Sequence[Work]) -> tuple[AbstractPart, ...]:
    """The longest labelled abstract, else the longest. Empty when no record has any text."""
    texts = [clean_abstract(w.abstract) for w in works]
    longest = max(texts, key=_length, default=())
    labelled = max((t for t in texts if sum(p.label is not None for p in t) > 1), key=_length, default=())
    return labelled if labelled and _length(labelled) >= THRESHOLDS.min_labelled_share * _length(longest) else longest


def clean_abstract(parts: Sequence[AbstractPart]) -> tuple[AbstractPart, ...]:
    """The parts that have something to read."""
    return tuple(p for p in parts if p.text.strip() and fold_title(p.text[:60]) not in NO_ABSTRACT_TEXTS)


def has_text(candidate: EvidenceCandidate) -> bool:
    """Whether there is a title and anything to read and cite: an abstract, results, or recommendations."""
    return bool(candidate.title.strip()) and bool(candidate.abstract or candidate.results or candidate.recommendations)


def _length(parts: Sequence[AbstractPart]) -> int:
    return sum(len(p.text) for p in parts)


def _first(works: Sequence[Work], value_of: Callable[[Work], T | None]) -> T | None:
    """The value of the most trusted record that has one."""
    return next((value for w in works if (value := value_of(w))), None)


def _union(groups: Iterable[Sequence[T]]) -> tuple[T, ...]:
    """Everything once, in order of first appearance."""
    seen: list[T] = []
    for group in groups:
        seen += [value for value in group if value not in seen]
    return tuple(seen)


def _identifiers(members: Sequence[Entry]) -> Identifiers:
    """Every identifier; where two records differ (two DOIs of one article) the more trusted one's is kept."""
    found: dict[str, str] = {}
    for entry in members:
        for name in Identifiers.model_fields:
            value = getattr(entry.identifiers, name)
            if value and name != "nct_ids":
                found.setdefault(name, value)
    return Identifiers(nct_ids=_union(e.identifiers.nct_ids for e in members)).model_copy(update=found)


def _provenance(members: Sequence[Entry]) -> tuple[Provenance, ...]:
    """Each (source, source id) once with its best rank, best rank first."""
    best: dict[tuple[str, str], Provenance] = {}
    for place in (p for entry in members for p in entry.provenance):
        known = best.get((place.source, place.source_id))
        if known is None or (place.rank, place.retrieved_at) < (known.rank, known.retrieved_at):
            best[place.source, place.source_id] = place
    return tuple(sorted(best.values(), key=lambda p: (p.rank, p.source, p.source_id)))


def _status(works: Sequence[Work], links: Sequence[NoticeLink]) -> EvidenceStatus:
    by_record = [status_of(w.status, w.title, w.publication_types, w.links) for w in works]
    return worst_status([*by_record, status_of(EvidenceStatus.NOT_CHECKED, "", (), links)])


def _registrations(members: Sequence[Entry], ids: Identifiers, design: StudyDesign) -> tuple[NoticeLink, ...]:
    if any(e.is_registration for e in members) or design not in PRIMARY:
        return ()
    return tuple(NoticeLink(kind="registered_as", nct_id=nct_id) for nct_id in ids.nct_ids)


def _candidate_id(members: Sequence[Entry], ids: Identifiers, title: str, year: int | None) -> str:
    """The id of an earlier round where there is one: what was called so once in a run stays so."""
    earlier = sorted(e.candidate_id for e in members if e.candidate_id is not None)
    if earlier:
        return earlier[0]
    if ids.pmid:
        return f"pmid:{ids.pmid}"
    if ids.doi:
        return f"doi:{ids.doi}"
    if ids.pmcid:
        return f"pmcid:{ids.pmcid}"
    if ids.nct_ids and any(e.is_registration for e in members):
        return f"nct:{ids.nct_ids[0]}"
    if ids.set_id:
        return f"set:{ids.set_id}"
    if ids.url:
        return f"url:{ids.url}"
    digest = hashlib.sha256(f"{fold_title(title)}|{year}".encode()).hexdigest()
    return f"hash:{digest[:16]}"
