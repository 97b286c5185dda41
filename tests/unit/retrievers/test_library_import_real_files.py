"""Real exports of reference managers and databases; skipped where the recorded data set is absent."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from openwork_laptop.library_import import ImportResult, import_records

pytestmark = pytest.mark.data

DATA = Path(os.environ.get("OPENWORK_DATA") or Path(__file__).resolve().parents[4] / "shared" / "data")
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def read(name: str) -> ImportResult:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"the recorded data set is not there: {name} (set OPENWORK_DATA to its folder)")
    return import_records([(path.name, path.read_bytes())], retrieved_at=NOW)


# file -> (entries, records, without a title, empty); counted by hand from the files.
EXPECTED = {
    "baseline_reference_types.ris": (61, 0, 0, 61),
    "baseline_tag-notes_zotero.ris": (4, 1, 0, 0),
    "duplicate_records.csv": (14, 9, 4, 0),
    "embase.csv": (6, 6, 0, 0),
    "faulty_year.ris": (1, 1, 0, 0),
    "generic.csv": (2, 2, 0, 0),
    "generic_semicolon.csv": (2, 2, 0, 0),
    "generic_tab.csv": (2, 2, 0, 0),
    "generic_tab.tsv": (2, 2, 0, 0),
    "generic_labels.csv": (6, 2, 0, 0),
    "proquest.ris": (6, 6, 0, 0),
    "pubmed_endnote.txt": (6, 6, 0, 0),
    "pubmed_zotero.ris": (6, 6, 0, 0),
    "ris_issue_992.txt": (19, 19, 0, 0),
    "scopus.ris": (6, 6, 0, 0),
}


@pytest.mark.parametrize(("name", "expected"), EXPECTED.items())
def test_every_entry_of_a_real_export_is_accounted_for(name: str, expected: tuple[int, int, int, int]) -> None:
    result = read(f"documents/citation-imports/{name}")
    (report,) = result.files
    assert (report.n_entries, len(result.records), report.n_unreadable, report.n_empty) == expected
    assert report.n_entries == report.n_new + report.n_duplicates + report.n_unreadable + report.n_empty


def test_identifiers_of_real_exports() -> None:
    first = read("documents/citation-imports/pubmed_endnote.txt").records[0]
    assert (first.identifiers.pmid, first.year, first.authors[0]) == ("21553931", 2011, "Abdel-Tawab M")
    embase = read("documents/citation-imports/embase.csv").records[0]
    assert (embase.identifiers.doi, embase.year) == ("10.4103/2303-9027.138783", 2014)
    assert embase.authors == ("Liu R", "Adler DG")
    assert read("documents/citation-imports/faulty_year.ris").records[0].year is None
    nbib = read("recorded/ncbi/medline-text/pubmed_result2.txt").records
    assert [record.identifiers.pmid for record in nbib][:2] == ["16403221", "16377612"]
