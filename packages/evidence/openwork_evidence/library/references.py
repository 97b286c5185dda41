"""Records of the starter library by name: on the bus they are a key and a version, since every service has the library.

`referred_*` before publishing, `resolved_*` after reading; what is not in the starter library passes through unchanged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache

from openwork_contracts.errors import LibraryMismatch
from openwork_contracts.evidence import EvidenceCandidate, EvidenceRecord, LibraryRef

from openwork_evidence.library.record import SOURCE, load_shipped
from openwork_evidence.text import abstract_text

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
        # Without defaults: a field that the contracts gain, and no record has, makes no other library of it.
        digest.update(record.model_dump_json(exclude_defaults=True).encode())
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


def summary_ref(record_ids: Iterable[str]) -> LibraryRef | None:
    """The first of some keys that is a record of the starter library, by name; `None` = none is."""
    key = next((key for key in record_ids if key in shipped()), None)
    return LibraryRef(version=library_version(), record_id=key) if key is not None else None


def recommending_summary(candidate: EvidenceCandidate) -> str:
    """Our summary of a guideline that has an abstract of its own, as `abstract_text` renders it; else empty.

    What a guideline recommends seldom stands in its abstract: there the summary is read beside it, as ours. Of a study
    the abstract takes its place.

    Raises:
        LibraryMismatch: it is of another version of the library.
    """
    wanted = candidate.our_summary is not None and candidate.recommendations
    return abstract_text(_named(candidate.our_summary)) if wanted and candidate.our_summary else ""


def _named(ref: LibraryRef) -> EvidenceRecord:
    if ref.version != library_version() or ref.record_id not in shipped():
        raise LibraryMismatch(
            f"record {ref.record_id!r} is of version {ref.version} of the starter library; this service has "
            f"{library_version()}. All services of a stack need the same version of openwork-evidence."
        )
    return shipped()[ref.record_id]
