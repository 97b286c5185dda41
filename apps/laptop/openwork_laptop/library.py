"""Importing records of a reference manager into the library of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import EvidenceRecord
from openwork_evidence.library.record import IMPORTED, SOURCE, load_imported

from openwork_laptop.home import Home
from openwork_laptop.library_import.importer import import_records


class FileRow(TypedDict):
    """What became of one file."""

    file: str
    read: int
    warnings: list[str]


class ImportReport(TypedDict):
    """What an import did."""

    files: list[FileRow]
    added: int
    known: int
    total: int


def import_files(paths: Sequence[Path], home: Home | None = None) -> ImportReport:
    """Read the files, add what is new, write the library anew.

    Raises:
        UsageError: a file cannot be opened.
    """
    folder = (home or Home()).library
    bodies = []
    for path in paths:
        try:
            bodies.append((str(path), path.read_bytes()))
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    result = import_records(bodies, retrieved_at=datetime.now(UTC))
    before = load_imported(folder)
    seen = {key for record in before for key in _keys(record)}
    new = []
    for record in result.records:
        record = record.model_copy(update={"source": SOURCE})
        keys = _keys(record)
        if not seen & keys:
            new.append(record)
            seen |= keys
    folder.mkdir(parents=True, exist_ok=True)
    scratch = folder / f"{IMPORTED}.tmp"
    scratch.write_text("".join(f"{r.model_dump_json()}\n" for r in (*before, *new)), encoding="utf-8")
    scratch.replace(folder / IMPORTED)
    return {
        "files": [
            {"file": report.name, "read": report.n_new + report.n_duplicates, "warnings": list(report.warnings)}
            for report in result.files
        ],
        "added": len(new),
        "known": len(result.records) - len(new),
        "total": len(before) + len(new),
    }


def _keys(record: EvidenceRecord) -> set[str]:
    ids = record.identifiers
    named = {f"pmid:{ids.pmid}" if ids.pmid else "", f"doi:{ids.doi}" if ids.doi else ""} - {""}
    return named or {f"title:{' '.join(record.title.casefold().split())}:{record.year}"}
