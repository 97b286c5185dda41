"""The guidelines of this machine: those that come with Open Work, those of the library, and imported ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.guidance import GuidelineFacts
from openwork_evidence.guidelines.editions import superseded_by
from openwork_evidence.guidelines.facts import facts_of
from openwork_evidence.guidelines.record import IMPORTED, imported, starter
from openwork_retrievers.adapters.guidelines import stored

from openwork_laptop.guideline_import.importer import Told, import_guidelines
from openwork_laptop.home import Home


class FileRow(TypedDict):
    """What became of one file."""

    file: str
    format: str
    recommendations: int
    graded: int
    warnings: list[str]


class ImportReport(TypedDict):
    """What an import did."""

    files: list[FileRow]
    added: int
    replaced: int
    total: int


class GuidelineRow(TypedDict):
    """One guideline, for people."""

    id: str
    title: str
    organisation: str | None
    country: str | None
    year: int | None
    recommendations: int
    superseded_by: str | None
    imported: bool
    where: str


def import_files(paths: Sequence[Path], told: Told, home: Home | None = None) -> ImportReport:
    """Read the files, and write the imported guidelines anew; one that was there takes the place of its earlier self.

    Raises:
        UsageError: a file cannot be opened, or a country is not known.
    """
    folder = (home or Home()).library
    bodies = []
    for path in paths:
        try:
            bodies.append((str(path), path.read_bytes()))
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    result = import_guidelines(bodies, told, retrieved_at=datetime.now(UTC))
    kept = {record.source_id: record for record in imported(folder)}
    n_before = len(kept)
    n_known = sum(record.source_id in kept for record in result.records)
    kept |= {record.source_id: record for record in result.records}
    if result.records:
        folder.mkdir(parents=True, exist_ok=True)
        scratch = folder / f"{IMPORTED}.tmp"
        scratch.write_text("".join(f"{record.model_dump_json()}\n" for record in kept.values()), encoding="utf-8")
        scratch.replace(folder / IMPORTED)
    return {
        "files": [
            {
                "file": report.name,
                "format": report.format,
                "recommendations": report.recommendations,
                "graded": report.graded,
                "warnings": list(report.warnings),
            }
            for report in result.files
        ],
        "added": len(kept) - n_before,
        "replaced": n_known,
        "total": len(kept),
    }


def rows(home: Home | None = None) -> list[GuidelineRow]:
    """Every guideline, by country, body and year."""
    own = {(r.source_id, True): r for r in imported((home or Home()).library)}
    all_ = {**{(r.source_id, False): r for r in stored()}, **own}
    found = [_row(record, is_own) for (_, is_own), record in all_.items()]
    return sorted(found, key=lambda row: (row["country"] or "~", row["organisation"] or "", row["year"] or 0))


def _row(record: EvidenceRecord, is_own: bool) -> GuidelineRow:
    facts: GuidelineFacts = record.guideline or facts_of(record.title, record.collective_author, record.year)
    ids = record.identifiers
    return {
        "id": record.source_id,
        "title": record.title,
        "organisation": facts.organisation or "/".join(facts.bodies) or record.collective_author,
        "country": facts.country,
        "year": facts.year or record.year,
        "recommendations": len(record.recommendations),
        "superseded_by": facts.superseded_by or superseded_by(ids),
        "imported": is_own,
        "where": f"PMID {ids.pmid}" if ids.pmid else ids.doi or ids.url or "",
    }


def counts_by_body() -> Counter[str]:
    """Recommendations of the starter set and the library by each body, current editions alone."""
    counts: Counter[str] = Counter()
    own = {one.key for one in starter()}
    for record in stored():
        facts = record.guideline or facts_of(record.title, record.collective_author, record.year)
        if facts.superseded_by or superseded_by(record.identifiers):
            continue
        for body in facts.bodies:
            counts[body] += len(record.recommendations)
        counts["starter"] += len(record.recommendations) if record.source_id in own else 0
    return counts
