"""The Retraction Watch file as a store: what it says of a DOI or PMID, and what an import refuses."""

from __future__ import annotations

import csv
import io
import os
from datetime import date
from pathlib import Path

import pytest
from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import EvidenceStatus
from openwork_evidence.retractions import STORE, Retractions, import_retractions

DATA = Path(os.environ.get("OPENWORK_DATA") or Path(__file__).resolve().parents[4] / "shared" / "data")

COLUMNS = [
    "Record ID",
    "Title",
    "Journal",
    "RetractionDate",
    "RetractionDOI",
    "RetractionPubMedID",
    "OriginalPaperDate",
    "OriginalPaperDOI",
    "OriginalPaperPubMedID",
    "RetractionNature",
    "Reason",
]
"""Of the real file's twenty columns."""


def file_of(folder: Path, *rows: dict[str, str], columns: list[str] = COLUMNS) -> Path:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows({"Title": "A trial, with a comma", **row} for row in rows)
    path = folder / "retraction_watch.csv"
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def row(nature: str, on: str, *, doi: str = "10.1000/A", pmid: str = "0", notice: str = "10.1000/n") -> dict[str, str]:
    return {
        "RetractionNature": nature,
        "RetractionDate": on,
        "OriginalPaperDOI": doi,
        "OriginalPaperPubMedID": pmid,
        "RetractionDOI": notice,
    }


def status(folder: Path, *rows: dict[str, str]) -> EvidenceStatus | None:
    import_retractions(file_of(folder, *rows), folder)
    (found,) = Retractions(folder).of([("10.1000/a", None)])
    return found.status if found else None


def test_a_work_is_found_by_doi_in_any_case_and_by_pmid_as_the_file_prints_it(tmp_path: Path) -> None:
    done = import_retractions(file_of(tmp_path, row("Retraction", "7/12/2023 0:00", pmid="36035816.0")), tmp_path)
    assert (done.rows, done.works, done.without_identifier, done.newest) == (1, 1, 0, date(2023, 7, 12))
    store = Retractions(tmp_path)
    by_doi, by_pmid, by_neither = store.of([("10.1000/a", None), (None, "36035816"), ("10.1000/b", "1")])
    assert by_doi == by_pmid
    assert by_doi is not None
    assert (by_doi.status, by_doi.notice_doi, by_doi.on) == (EvidenceStatus.RETRACTED, "10.1000/n", date(2023, 7, 12))
    assert by_neither is None


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ([("Retraction", "1/2/2020 0:00")], EvidenceStatus.RETRACTED),
        ([("Expression of concern", "1/2/2020 0:00")], EvidenceStatus.CONCERN),
        ([("Correction", "1/2/2020 0:00"), ("Retraction", "1/3/2020 0:00")], EvidenceStatus.RETRACTED),
        ([("Retraction", "1/2/2020 0:00"), ("Reinstatement", "5/6/2021 0:00")], EvidenceStatus.CORRECTED),
        ([("Reinstatement", "1/2/2020 0:00"), ("Retraction", "5/6/2021 0:00")], EvidenceStatus.RETRACTED),
        ([("Something new", "1/2/2020 0:00")], None),
        ([("Retraction", "")], EvidenceStatus.RETRACTED),
    ],
)
def test_the_gravest_notice_that_stands_counts(
    tmp_path: Path, rows: list[tuple[str, str]], wanted: EvidenceStatus | None
) -> None:
    assert status(tmp_path, *(row(nature, on) for nature, on in rows)) is wanted


def test_a_row_without_an_identifier_is_counted_and_never_matched_by_its_title(tmp_path: Path) -> None:
    file = file_of(tmp_path, row("Retraction", "1/2/2020 0:00", doi="unavailable"), row("Retraction", "1/2/2020 0:00"))
    assert import_retractions(file, tmp_path).without_identifier == 1


def test_a_further_import_takes_the_place_of_the_former(tmp_path: Path) -> None:
    assert status(tmp_path, row("Retraction", "1/2/2020 0:00")) is EvidenceStatus.RETRACTED
    assert status(tmp_path, row("Retraction", "1/2/2020 0:00", doi="10.1000/other")) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n", "has no column OriginalPaperDOI"),
        ("", "is not the Retraction Watch file"),
        (",".join(COLUMNS) + "\n", "no rows"),
    ],
)
def test_another_file_is_refused_with_what_to_do_and_the_former_store_stays(
    tmp_path: Path, text: str, says: str
) -> None:
    assert status(tmp_path, row("Retraction", "1/2/2020 0:00")) is EvidenceStatus.RETRACTED
    other = tmp_path / "other.csv"
    other.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=says):
        import_retractions(other, tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        import_retractions(tmp_path / "nowhere.csv", tmp_path)
    assert Retractions(tmp_path).of([("10.1000/a", None)])[0] is not None


def test_without_a_store_nothing_is_known_and_a_spoilt_one_says_what_to_do(tmp_path: Path) -> None:
    assert Retractions(None).of([("10.1000/a", None)]) == [None]
    assert Retractions(tmp_path).of([("10.1000/a", None)]) == [None]
    (tmp_path / STORE).write_bytes(b"no database at all, but long enough to be looked at" * 20)
    with pytest.raises(UsageError, match="import the Retraction Watch file again"):
        Retractions(tmp_path).of([("10.1000/a", None)])


def test_the_real_files_rows_are_all_found(tmp_path: Path) -> None:
    sample = DATA / "documents" / "retraction_watch_sample.csv"
    if not sample.is_file():
        pytest.skip("the recorded data set is not there (set OPENWORK_DATA to its folder)")
    with sample.open(encoding="utf-8-sig", newline="") as opened:
        rows = list(csv.DictReader(opened))
    done = import_retractions(sample, tmp_path)
    assert (done.rows, done.without_identifier) == (len(rows), 0)
    found = Retractions(tmp_path).of([(one["OriginalPaperDOI"].lower(), None) for one in rows])
    assert [one.status for one in found if one] == [EvidenceStatus.RETRACTED] * len(rows)
    assert [one.notice_doi for one in found if one] == [one["RetractionDOI"].lower() for one in rows]
