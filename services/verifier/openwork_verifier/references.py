"""References, rendered from records by code. Before one is printed its PMID, DOI, title, first author and year must
come from one record and agree; what does not agree is left out and said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from openwork_contracts.answer import Reference
from openwork_contracts.evidence import EvidenceCandidate, EvidenceRecord, EvidenceStatus, StudyDesign
from openwork_contracts.meta import Event
from openwork_contracts.plan import RetrievalCompleted
from openwork_contracts.ranking import RankedPassage

_WORD = re.compile(r"[^\W_]+")


def build_references(
    numbers: Sequence[int],
    documents: Sequence[EvidenceCandidate],
    passages: Sequence[RankedPassage],
    retrieved: Iterable[Event],
) -> tuple[tuple[Reference, ...], list[str]]:
    """References of the cited works, and what had to be left out of them.

    Args:
        numbers: citation numbers, ascending.
        documents: the n-th (from 1) has number n.
        passages: for the marks that a reader must see.
        retrieved: the `retrieval-completed` events of the run: the records as the sources gave them.
    """
    records = [r for event in retrieved if isinstance(event, RetrievalCompleted) for r in event.records]
    references, problems = [], []
    for n in numbers:
        document = documents[n - 1]
        found = {(p.source, p.source_id) for p in document.provenance}
        own = [r for r in records if (r.source, r.source_id) in found]
        reference, problem = _reference(n, document, own, [p for p in passages if p.n == n])
        references.append(reference)
        problems += problem
    return tuple(references), problems


def _reference(
    n: int, document: EvidenceCandidate, records: Sequence[EvidenceRecord], passages: Sequence[RankedPassage]
) -> tuple[Reference, list[str]]:
    ids = document.identifiers
    problems = []
    witness = _witness(document, records)
    doi, pmid = ids.doi, ids.pmid
    if witness is None:
        problems.append(
            f"reference [{n}]: no single record carries its title, year and first author; identifiers left out"
        )
        doi = pmid = None
    else:
        for name, value, said in (("PMID", pmid, witness.identifiers.pmid), ("DOI", doi, witness.identifiers.doi)):
            if value and said and value != said:
                problems.append(f"reference [{n}]: {name} {value} disagrees with the record ({said}); left out")
                pmid, doi = (None, doi) if name == "PMID" else (pmid, None)
    source = document.provenance[0]
    reference = Reference(
        n=n,
        source=source.source,
        id=document.candidate_id,
        pmid=pmid,
        pmcid=ids.pmcid,
        doi=doi,
        nct_id=ids.nct_ids[0] if ids.nct_ids else None,
        set_id=ids.set_id,
        title=document.title,
        authors=document.authors,
        collective_author=document.collective_author,
        journal=document.journal,
        year=document.year,
        url=_url(pmid, doi, ids.url),
        study_design=document.study_design,
        status=document.status,
        note=_note(document, passages),
    )
    return reference, problems


def _witness(document: EvidenceCandidate, records: Sequence[EvidenceRecord]) -> EvidenceRecord | None:
    """One record that carries what will be printed: title, year and first author; the one with the most identifiers."""
    agreeing = [r for r in records if _agrees(document, r)]
    return max(agreeing, key=lambda r: bool(r.identifiers.pmid) + bool(r.identifiers.doi), default=None)


def _agrees(document: EvidenceCandidate, record: EvidenceRecord) -> bool:
    if _words(document.title) != _words(record.title):
        return False
    if document.year is not None and record.year is not None and document.year != record.year:
        return False
    if document.authors and record.authors:
        return _words(document.authors[0].split()[0]) == _words(record.authors[0].split()[0])
    return True


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _url(pmid: str | None, doi: str | None, url: str | None) -> str | None:
    if pmid:
        return f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/"
    if doi:
        return f"https://doi.org/{doi}"
    return url


def _note(document: EvidenceCandidate, passages: Sequence[RankedPassage]) -> str | None:
    notes = []
    if document.status is EvidenceStatus.RETRACTED:
        notes.append("retracted: do not rely on it")
    elif document.status is EvidenceStatus.WITHDRAWN:
        notes.append("withdrawn by its publisher")
    elif document.status is EvidenceStatus.CONCERN:
        notes.append("an expression of concern was published")
    if document.study_design is StudyDesign.PREPRINT:
        notes.append("preprint, not peer reviewed")
    notes += [p.fit.message for p in passages if p.fit.misfit and p.fit.message][:1]
    return "; ".join(notes) or None
