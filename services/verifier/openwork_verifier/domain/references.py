"""References, rendered from records by code. Before one is printed its PMID, DOI, title, first author and year must
come from one record and agree; what does not agree is left out and said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from openwork_contracts.answer import Reference
from openwork_contracts.evidence import (
    EvidenceCandidate,
    EvidenceRecord,
    EvidenceStatus,
    Identifiers,
    StudyDesign,
    TextOrigin,
)
from openwork_contracts.ranking import RankedPassage
from openwork_evidence.guidelines.record import SOURCE as GUIDELINES
from openwork_evidence.library.confirmed import confirmed_at
from openwork_evidence.library.record import SOURCE as LIBRARY

from openwork_verifier.domain.words import of_several

_WORD = re.compile(r"[^\W_]+")
_PARTICLES = frozenset(
    {"al", "bin", "da", "de", "del", "della", "den", "der", "di", "do", "dos", "du", "el", "la", "le", "ten", "ter"}
    | {"van", "von", "zu"}
)


def build_references(
    numbers: Sequence[int],
    documents: Sequence[EvidenceCandidate],
    passages: Sequence[RankedPassage],
    records: Sequence[EvidenceRecord],
    cited: Mapping[int, TextOrigin] | None = None,
) -> tuple[tuple[Reference, ...], list[str]]:
    """References of the cited works, and what had to be left out of them.

    Args:
        numbers: citation numbers, each once; one that stands for no document gets no reference.
        documents: the n-th (from 1) has number n.
        passages: for the marks that a reader must see.
        records: what the sources gave.
        cited: by number, whose words the claims rest on; of a missing one those of its passages, taken together.
    """
    references, problems = [], []
    for n in numbers:
        if not 1 <= n <= len(documents):
            problems.append(f"citation [{n}] stands for no work; left out")
            continue
        document = documents[n - 1]
        found = {(p.source, p.source_id) for p in document.provenance}
        own = [r for r in records if (r.source, r.source_id) in found]
        of_it = [p for p in passages if p.n == n]
        reference, problem = _reference(n, document, own, of_it)
        origin = (cited or {}).get(n) or of_several(p.text_origin for p in of_it)
        references.append(reference.model_copy(update=_whose_words(origin, document)))
        problems += problem
    return tuple(references), problems


def _whose_words(origin: TextOrigin, document: EvidenceCandidate) -> dict[str, object]:
    """Of a summary of ours also where it was confirmed."""
    if origin is not TextOrigin.OUR_SUMMARY:
        return {"text_origin": origin}
    keys = (p.source_id for p in document.provenance if p.source in {LIBRARY, GUIDELINES})
    return {"text_origin": origin, "confirmed_at": next(filter(None, map(confirmed_at, keys)), None)}


def _reference(
    n: int, document: EvidenceCandidate, records: Sequence[EvidenceRecord], passages: Sequence[RankedPassage]
) -> tuple[Reference, list[str]]:
    ids, problems = _agreed(n, document, records)
    source = document.provenance[0]
    reference = Reference(
        n=n,
        source=source.source,
        id=document.candidate_id,
        pmid=ids.pmid,
        pmcid=ids.pmcid,
        doi=ids.doi,
        nct_id=ids.nct_ids[0] if ids.nct_ids else None,
        set_id=ids.set_id,
        title=document.title,
        authors=document.authors,
        collective_author=document.collective_author,
        journal=document.journal,
        year=document.year,
        url=_url(ids),
        study_design=document.study_design,
        status=document.status,
        status_by=tuple(report.by for report in document.status_reports if report.status is document.status),
        note=_note(document, passages),
    )
    return reference, problems


def _agreed(n: int, document: EvidenceCandidate, records: Sequence[EvidenceRecord]) -> tuple[Identifiers, list[str]]:
    """The identifiers that may be printed: the witness has them, or a record binds them to one that it has."""
    ids, witness = document.identifiers, _witness(document, records)
    if witness is None:
        problem = f"reference [{n}]: no single record carries its title, year and first author; identifiers left out"
        return Identifiers(set_id=ids.set_id, url=ids.url), [problem]
    problems = []
    for name, field in (("PMID", "pmid"), ("DOI", "doi"), ("PMCID", "pmcid")):
        value, theirs = getattr(ids, field), getattr(witness.identifiers, field)
        if not value or value == theirs:
            continue
        if theirs:
            problems.append(f"reference [{n}]: {name} {value} disagrees with the record ({theirs}); left out")
        elif any(getattr(r.identifiers, field) == value and _shared(r, witness) for r in records):
            continue
        else:
            problems.append(f"reference [{n}]: no record carries {name} {value} with its other identifiers; left out")
        ids = ids.model_copy(update={field: None})
    return ids, problems


def _shared(one: EvidenceRecord, other: EvidenceRecord) -> bool:
    """Whether two records carry the same identifier."""
    a, b = one.identifiers, other.identifiers
    return any(x is not None and x == y for x, y in ((a.pmid, b.pmid), (a.doi, b.doi), (a.pmcid, b.pmcid)))


def _witness(document: EvidenceCandidate, records: Sequence[EvidenceRecord]) -> EvidenceRecord | None:
    """One record that carries what will be printed: title, year and first author; the one that carries the most."""
    agreeing = [r for r in records if _agrees(document, r)]
    return max(agreeing, key=_n_carried, default=None)


def _n_carried(record: EvidenceRecord) -> int:
    ids = record.identifiers
    return sum(map(bool, (ids.pmid, ids.doi, record.year, record.authors)))


def _agrees(document: EvidenceCandidate, record: EvidenceRecord) -> bool:
    if _words(document.title) != _words(record.title):
        return False
    if document.year is not None and record.year is not None and document.year != record.year:
        return False
    if document.authors and record.authors:
        return _family(document.authors[0]) == _family(record.authors[0])
    return True


def _family(author: str) -> list[str]:
    """The family name of "Family I", with the particles before it: "van der Berg J" is not "van Gogh V"."""
    words = _words(author)
    end = next((place for place, word in enumerate(words, start=1) if word not in _PARTICLES), len(words))
    return words[:end]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _url(ids: Identifiers) -> str | None:
    if ids.pmid:
        return f"https://pubmed.ncbi.nlm.nih.gov/{ids.pmid}/"
    if ids.doi:
        return f"https://doi.org/{ids.doi}"
    return ids.url


def _note(document: EvidenceCandidate, passages: Sequence[RankedPassage]) -> str | None:
    notes = []
    if document.status is EvidenceStatus.RETRACTED:
        notes.append("retracted: do not rely on it")
    elif document.status is EvidenceStatus.WITHDRAWN:
        notes.append("withdrawn by its publisher")
    elif document.status is EvidenceStatus.CONCERN:
        notes.append("an expression of concern was published")
    if document.guideline is not None and document.guideline.superseded_by:
        notes.append(f"superseded by {document.guideline.superseded_by}")
    if document.study_design is StudyDesign.PREPRINT:
        notes.append("preprint, not peer reviewed")
    notes += [p.fit.message for p in passages if p.fit.misfit and p.fit.message][:1]
    return "; ".join(notes) or None
