"""The Retraction Watch file as a local store: works by DOI and PMID, with what became of them.

The file is a CSV that Crossref publishes every working day (https://gitlab.com/crossref/retraction-watch-data, also
https://api.labs.crossref.org/data/retractionwatch with a contact address); its columns and dates (month/day/year) are
those of that file. Works are matched by identifier only, never by title.
"""

from __future__ import annotations

import csv
import io
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import EvidenceStatus

from openwork_evidence.identifiers import clean_doi, clean_pmid

STORE = "retractions.sqlite"
"""Name of the store in the library's folder."""
SOURCE = "retraction-watch"
_COLUMNS = ("OriginalPaperDOI", "OriginalPaperPubMedID", "RetractionNature", "RetractionDate", "RetractionDOI")
_REINSTATEMENT = "reinstatement"
_STATUS = {
    "retraction": EvidenceStatus.RETRACTED,
    "expression of concern": EvidenceStatus.CONCERN,
    "correction": EvidenceStatus.CORRECTED,
    _REINSTATEMENT: EvidenceStatus.CORRECTED,
}
"""By what the file calls the notice, in small letters. A reinstated paper is no longer retracted; it has a history."""
_GRAVEST = (EvidenceStatus.RETRACTED, EvidenceStatus.CONCERN, EvidenceStatus.CORRECTED)
_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})\b|(\d{4})-(\d\d)-(\d\d)\b")


@dataclass(frozen=True, slots=True)
class Notice:
    """What is known of a work: the gravest of its notices that stands."""

    status: EvidenceStatus
    notice_doi: str | None = None
    on: date | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    rows: int
    works: int
    """Works with an identifier: what can be looked up."""
    without_identifier: int
    newest: date | None
    """Date of the newest notice: how old the file is at most."""


@dataclass(frozen=True, slots=True)
class _Row:
    doi: str | None
    pmid: str | None
    status: EvidenceStatus
    is_reinstatement: bool
    on: date | None
    notice_doi: str | None


def import_retractions(file: Path, folder: Path) -> Imported:
    """Read the Retraction Watch file and write the store anew; the former one stands until the new one is whole.

    Raises:
        UsageError: the file cannot be read, is no CSV of Retraction Watch, or the folder cannot be written.
    """
    try:
        body = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    rows, without = _rows(str(file), body)
    store = folder / STORE
    scratch = folder / f"{STORE}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        scratch.unlink(missing_ok=True)
        with closing(sqlite3.connect(scratch)) as connection, connection:
            works = _write(connection, rows)
        scratch.replace(store)
    except (OSError, sqlite3.Error) as error:
        raise UsageError(f"{store} cannot be written: {error}; check the folder and its free space") from error
    newest = max((row.on for row in rows if row.on), default=None)
    return Imported(len(rows) + without, works, without, newest)


def _rows(name: str, body: bytes) -> tuple[list[_Row], int]:
    """Rows with an identifier of the work, and how many have none."""
    reader = csv.DictReader(io.StringIO(body.decode("utf-8-sig", "replace"), newline=""))
    try:
        missing = [column for column in _COLUMNS if column not in (reader.fieldnames or ())]
        if missing:
            raise UsageError(
                f"{name} is not the Retraction Watch file: it has no column {', '.join(missing)}. Get it from "
                "https://gitlab.com/crossref/retraction-watch-data"
            )
        found, without = [], 0
        for line in reader:
            row = _row(line)
            if row is None:
                without += 1
            else:
                found.append(row)
    except csv.Error as error:
        raise UsageError(f"{name} cannot be read as CSV near line {reader.line_num}: {error}") from error
    if not found and not without:
        raise UsageError(f"{name} has a header and no rows: the download may have been cut off; get it again")
    return found, without


def _row(line: dict[str, str | None]) -> _Row | None:
    nature = (line["RetractionNature"] or "").strip().casefold()
    doi, pmid = clean_doi(line["OriginalPaperDOI"]), _pmid(line["OriginalPaperPubMedID"])
    if nature not in _STATUS or not (doi or pmid):
        return None
    is_reinstatement = nature == _REINSTATEMENT
    return _Row(
        doi, pmid, _STATUS[nature], is_reinstatement, _date(line["RetractionDate"]), clean_doi(line["RetractionDOI"])
    )


def _pmid(text: str | None) -> str | None:
    """The file prints numbers as "37476288.0" and none as "0"."""
    return clean_pmid((text or "").strip().removesuffix(".0"))


def _date(text: str | None) -> date | None:
    """Of "7/12/2023 0:00" (month first) or "2023-07-12"."""
    found = _DATE.match(text or "")
    if found is None:
        return None
    month, day, year = (found[1], found[2], found[3]) if found[1] else (found[5], found[6], found[4])
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _write(connection: sqlite3.Connection, rows: Iterable[_Row]) -> int:
    """Write one line for each identifier; how many works there are."""
    by_name: dict[str, list[_Row]] = defaultdict(list)
    works = set()
    for row in rows:
        names = [f"doi:{row.doi}"] * bool(row.doi) + [f"pmid:{row.pmid}"] * bool(row.pmid)
        works.add(names[0])
        for name in names:
            by_name[name].append(row)
    connection.execute("CREATE TABLE notice (name TEXT PRIMARY KEY, status TEXT, doi TEXT, on_day TEXT) WITHOUT ROWID")
    connection.executemany(
        "INSERT INTO notice VALUES (?, ?, ?, ?)",
        (
            (name, row.status.value, row.notice_doi, row.on.isoformat() if row.on else None)
            for name, known in by_name.items()
            for row in (_standing(known),)
        ),
    )
    return len(works)


def _standing(rows: Sequence[_Row]) -> _Row:
    """The gravest notice that was not taken back: a reinstatement ends the retractions before it."""
    back = max((row.on for row in rows if row.is_reinstatement and row.on), default=None)
    kept = [
        row for row in rows if not (back and row.status is EvidenceStatus.RETRACTED and (row.on or date.min) <= back)
    ]
    return min(
        kept, key=lambda row: (_GRAVEST.index(row.status), row.is_reinstatement, -(row.on or date.min).toordinal())
    )


class Retractions:
    """The store, read as it is asked; another import is noticed at the next question."""

    def __init__(self, folder: Path | None) -> None:
        """
        Args:
            folder: where `import_retractions` wrote; `None`, or one without a store = nothing is known.
        """
        self._path = folder / STORE if folder else None

    @property
    def is_there(self) -> bool:
        """Whether a file was imported."""
        return self._path is not None and self._path.is_file()

    def of(self, names: Iterable[tuple[str | None, str | None]]) -> list[Notice | None]:
        """What is known of each work, given as (DOI, PMID); `None` = the file has no notice about it.

        Raises:
            UsageError: the store cannot be read.
        """
        asked = list(names)
        if not self.is_there or self._path is None:
            return [None] * len(asked)
        keys = [f"doi:{doi}" for doi, _ in asked if doi] + [f"pmid:{pmid}" for _, pmid in asked if pmid]
        try:
            with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as connection:
                known = dict(_known(connection, keys))
        except sqlite3.Error as error:
            raise UsageError(
                f"{self._path} cannot be read ({error}); import the Retraction Watch file again"
            ) from error
        return [known.get(f"doi:{doi}") or known.get(f"pmid:{pmid}") for doi, pmid in asked]


def _known(connection: sqlite3.Connection, keys: Sequence[str]) -> Iterator[tuple[str, Notice]]:
    for key in keys:
        found = connection.execute("SELECT status, doi, on_day FROM notice WHERE name = ?", (key,)).fetchone()
        if found:
            status, doi, day = found
            yield key, Notice(EvidenceStatus(status), doi, date.fromisoformat(day) if day else None)
