"""Records of the starter library by name: on the bus they are a key and a version, since every service has the library.

`referred_*` before publishing, `resolved_*` after reading; what is not in the starter library passes through unchanged.
"""

from __future__ import annotations

import hashlib
from functools import cache

from openwork_contracts.errors import LibraryMismatch
from openwork_contracts.evidence import EvidenceCandidate, EvidenceRecord, LibraryRef

from openwork_evidence.library.record import SOURCE, load_shipped

_SHARED = (
    "text_origin",
    "identifiers",
    "title",
    "abstract",
    "authors",
    "collective_author",
    "journal",
    "year",
    "publication_types",
    "mesh_terms",
    "sample_size",
    "status",
    "links",
    "arms",
    "results",
    "recommendations",
    "funding",
    "cited_by_count",
)
"""Fields that a candidate has from its record, when nothing else was merged into it."""
_DEFAULTS = {name: EvidenceCandidate.model_fields[name].get_default() for name in _SHARED}
"""What each of them is when it is left out. Frozen, all of them: one for every candidate."""


@cache
def shipped() -> dict[str, EvidenceRecord]:
    """The starter library as evidence, by key."""
    return {record.key: record.to_evidence() for record in load_shipped()}


@cache
def library_version() -> str:
    """Of the text of all records: twelve hex digits, the same wherever the same library is installed."""
    digest = hashlib.sha256()
    for record in load_shipped():
        digest.update(record.model_dump_json().encode())
    return digest.hexdigest()[:12]


def referred_record(record: EvidenceRecord) -> EvidenceRecord:
    """The record by name, when it is the starter library's and unchanged."""
    known = shipped().get(record.source_id) if record.source == SOURCE else None
    if known is not record and known != record:
        return record
    return EvidenceRecord(
        source=record.source,
        source_id=record.source_id,
        library=LibraryRef(version=library_version(), record_id=record.source_id),
        retrieved_at=record.retrieved_at,
    )


def resolved_record(record: EvidenceRecord) -> EvidenceRecord:
    """The whole record.

    Raises:
        LibraryMismatch: it was read from another version of the library.
    """
    return record if record.library is None else _named(record.library)


def referred_candidate(candidate: EvidenceCandidate) -> EvidenceCandidate:
    """The candidate by name, when nothing but a record of the starter library is in it."""
    (first, *others) = candidate.provenance
    base = shipped().get(first.source_id) if first.source == SOURCE and not others else None
    if base is None or candidate.library is not None:
        return candidate
    changes: dict[str, object] = {}
    for name, default in _DEFAULTS.items():
        ours, theirs = getattr(candidate, name), getattr(base, name)
        if ours is theirs or ours == theirs:
            changes[name] = default
        elif ours == default:
            return candidate  # left out on purpose: by name it would come back
    changes["library"] = LibraryRef(version=library_version(), record_id=first.source_id)
    return candidate.model_copy(update=changes)


def resolved_candidate(candidate: EvidenceCandidate) -> EvidenceCandidate:
    """The whole candidate.

    Raises:
        LibraryMismatch: its record was read from another version of the library.
    """
    if candidate.library is None:
        return candidate
    base = _named(candidate.library)
    changes: dict[str, object] = {"library": None}
    for name, default in _DEFAULTS.items():
        if getattr(candidate, name) == default:
            changes[name] = getattr(base, name)
    return candidate.model_copy(update=changes)


def _named(ref: LibraryRef) -> EvidenceRecord:
    if ref.version != library_version() or ref.record_id not in shipped():
        raise LibraryMismatch(
            f"record {ref.record_id!r} is of version {ref.version} of the starter library; this service has "
            f"{library_version()}. All services of a stack need the same version of openwork-evidence."
        )
    return shipped()[ref.record_id]
