"""Files in, records out: the format told from the content, every entry accounted for, each work once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath

from openwork_contracts.errors import OpenWorkError
from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.text import clean
from openwork_retrievers.adapters.medline import parse_medline
from openwork_retrievers.adapters.ncbi.articles import PubmedParser

from openwork_laptop.library_import.bibtex import read_bibtex
from openwork_laptop.library_import.fields import SOURCE, Entry, record_of, title_key
from openwork_laptop.library_import.structured import read_csl_json, read_endnote_xml
from openwork_laptop.library_import.tables import read_table
from openwork_laptop.library_import.tagged import MEDLINE, REFER, RIS, WOS, TagFormat, read_tagged

MAX_WARNINGS_PER_FILE = 20
"""Entries that are named one by one; further ones are counted."""


@dataclass(slots=True)
class FileReport:
    """What became of one file. n_entries = n_new + n_duplicates + n_unreadable + n_empty."""

    name: str
    format: str = "unknown"
    encoding: str = "utf-8"
    n_entries: int = 0
    """Entries that the file holds."""
    n_new: int = 0
    n_duplicates: int = 0
    """Entries whose work an earlier entry of this import already gave; what they know more was taken over."""
    n_unreadable: int = 0
    """Entries without a title: each is named in the warnings."""
    n_empty: int = 0
    """Entries without anything but, perhaps, a type."""
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The records, each work once, in the order of the files; and what became of every entry."""

    records: tuple[EvidenceRecord, ...]
    files: tuple[FileReport, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """All warnings, each with its file's name before it."""
        return tuple(f"{report.name}: {text}" for report in self.files for text in report.warnings)


def import_records(files: Sequence[tuple[str, bytes]], *, retrieved_at: datetime) -> ImportResult:
    """Read files of any of the known formats.

    Two entries are one work when their PMID, DOI or PMCID agree, or, where none of these contradicts, their titles,
    years and first authors do. A file that cannot be read gives a warning and no records; the others are still read.

    Args:
        files: (name, content) of each; the name is for messages, the content tells the format.
        retrieved_at: written into the records.
    """
    collection = _Collection()
    reports = []
    for name, body in files:
        report = FileReport(PurePath(name).name)
        reports.append(report)
        try:
            for record in _read(body, report, retrieved_at):
                if collection.add(record):
                    report.n_new += 1
                else:
                    report.n_duplicates += 1
        except OpenWorkError as error:
            report.warnings.append(f"could not be read: {error}")
        if report.n_unreadable > MAX_WARNINGS_PER_FILE:
            report.warnings.append(f"{report.n_unreadable} entries in all have no title and were not imported")
        if report.n_entries == 0 and not report.warnings:
            report.warnings.append("holds no records")
    return ImportResult(collection.records, tuple(reports))


def _read(body: bytes, report: FileReport, retrieved_at: datetime) -> Iterator[EvidenceRecord]:
    text, report.encoding = decode(body)
    report.format = format_of(text)
    if report.format == "PubMed XML":
        yield from _read_pubmed_xml(text, report, retrieved_at)
    elif report.format == MEDLINE.name:
        yield from _read_medline(text, report, retrieved_at)
    else:
        yield from _records(_READERS[report.format](text), report, retrieved_at)


def _records(entries: Iterable[Entry], report: FileReport, retrieved_at: datetime) -> Iterator[EvidenceRecord]:
    for entry in entries:
        report.n_entries += 1
        record = record_of(entry, retrieved_at)
        if record is not None:
            yield record
        elif entry.is_empty:
            report.n_empty += 1
        else:
            report.n_unreadable += 1
            if report.n_unreadable <= MAX_WARNINGS_PER_FILE:
                known = entry.doi or entry.pmid or " ".join(entry.abstract.split()[:8]) or ", ".join(entry.authors[:2])
                report.warnings.append(f"{entry.place} has no title and was not imported ({clean(known[:80])})")
    if report.n_empty:
        report.warnings.append(f"{report.n_empty} entries are empty (no title, abstract, author or identifier)")


def _read_pubmed_xml(text: str, report: FileReport, retrieved_at: datetime) -> Iterator[EvidenceRecord]:
    parser = PubmedParser(SOURCE, retrieved_at)
    body = re.sub(r"^\s*<\?xml[^>]*\?>", "", text).encode()
    for record in parser.feed(body):
        report.n_entries += 1
        yield record
    parser.close()
    if parser.unreadable:
        report.n_entries += parser.unreadable
        report.n_unreadable += parser.unreadable
        report.warnings.append(f"{parser.unreadable} articles have no PMID or no title and were not imported")


def _read_medline(text: str, report: FileReport, retrieved_at: datetime) -> Iterator[EvidenceRecord]:
    """Through the parser of PubMed's answers, which reads notices too; what it leaves out is read as it is."""
    try:
        known = {record.source_id: record for record in parse_medline(SOURCE, text.encode(), retrieved_at)}
    except OpenWorkError:
        known = {}

    def better(record: EvidenceRecord) -> EvidenceRecord:
        return known.get(record.identifiers.pmid or "", record)

    yield from map(better, _records(read_tagged(text, MEDLINE), report, retrieved_at))


def decode(body: bytes) -> tuple[str, str]:
    """The text of a file and the name of its encoding: by its byte order mark, else UTF-8, else Windows Latin-1."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if body.startswith(mark):
            return body.decode(name, "replace"), name
    if body[:200].count(b"\x00") > 20:
        name = "utf-16-le" if body[1:2] == b"\x00" else "utf-16-be"
        return body.decode(name, "replace"), name
    try:
        return body.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace"), "cp1252"


_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("PubMed XML", re.compile(r"<(?:PubmedArticleSet|PubmedArticle|PubmedBookArticleSet)\b")),
    ("EndNote XML", re.compile(r"<records>|<xml>\s*<records|<record>")),
    (MEDLINE.name, re.compile(r"^PMID ?- *\d", re.MULTILINE)),
    (RIS.name, re.compile(r"^\s{0,2}TY\s{1,2}-", re.MULTILINE)),
    (WOS.name, re.compile(r"\A\s*FN .*^VR ", re.MULTILINE | re.DOTALL)),
    (REFER.name, re.compile(r"^%0 \S", re.MULTILINE)),
    ("BibTeX", re.compile(r"^\s*@[A-Za-z]+\s*[{(]", re.MULTILINE)),
)
_HEAD_CHARS = 20_000


def format_of(text: str) -> str:
    """The format by what stands at the beginning of the text; a table where nothing else does."""
    head = text[:_HEAD_CHARS].lstrip()
    if head.startswith(("{", "[")) and not re.match(r"\[['\"]", head):
        return "CSL-JSON"
    for name, sign in _SIGNS:
        is_xml = name.endswith("XML")
        if head.startswith("<") == is_xml and sign.search(head):
            return name
    return "XML" if head.startswith("<") else "table"


def _endnote(text: str) -> Iterator[Entry]:
    return read_endnote_xml(re.sub(r"^\s*<\?xml[^>]*\?>", "", text).encode())


def _tagged(form: TagFormat) -> Callable[[str], Iterable[Entry]]:
    return lambda text: read_tagged(text, form)


_READERS: dict[str, Callable[[str], Iterable[Entry]]] = {
    RIS.name: _tagged(RIS),
    WOS.name: _tagged(WOS),
    REFER.name: _tagged(REFER),
    "BibTeX": read_bibtex,
    "CSL-JSON": read_csl_json,
    "EndNote XML": _endnote,
    "XML": _endnote,
    "table": read_table,
}


class _Collection:
    """Records, each work once."""

    def __init__(self) -> None:
        self._records: list[EvidenceRecord] = []
        self._places: dict[str, int] = {}

    @property
    def records(self) -> tuple[EvidenceRecord, ...]:
        return tuple(self._records)

    def add(self, record: EvidenceRecord) -> bool:
        """Whether the work is new; if it is not, what the record knows more goes into the one that is there."""
        for key in _keys(record):
            place = self._places.get(key)
            if place is not None and not _contradict(self._records[place], record):
                self._records[place] = _merged(self._records[place], record)
                self._note(place)
                return False
        self._records.append(record)
        self._note(len(self._records) - 1)
        return True

    def _note(self, place: int) -> None:
        for key in _keys(self._records[place]):
            self._places.setdefault(key, place)


def _keys(record: EvidenceRecord) -> list[str]:
    ids = record.identifiers
    keys = [f"{name}:{value}" for name, value in (("pmid", ids.pmid), ("doi", ids.doi), ("pmcid", ids.pmcid)) if value]
    return [*keys, f"title:{title_key(record.title)}|{record.year or ''}"]


def _contradict(one: EvidenceRecord, other: EvidenceRecord) -> bool:
    """Whether an identifier says that these are two works, such as two letters of the same title and year."""
    for name in ("pmid", "doi", "pmcid"):
        first, second = getattr(one.identifiers, name), getattr(other.identifiers, name)
        if first and second:
            return bool(first != second)
    # "Editorial", 2019, by two authors: the same title and year are not enough.
    return bool(one.authors and other.authors) and _family(one.authors[0]) != _family(other.authors[0])


def _family(author: str) -> str:
    """The first word of a name, without accents: the same person is printed "Höftberger R" and "Hoftberger R"."""
    word = author.split()[0] if author.split() else ""
    return title_key("".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)))


def _merged(one: EvidenceRecord, other: EvidenceRecord) -> EvidenceRecord:
    """The first record with the gaps filled from the second; the longer abstract."""
    filled = {
        name: getattr(other, name)
        for name in ("authors", "collective_author", "journal", "year", "publication_types", "mesh_terms", "language")
        if not getattr(one, name) and getattr(other, name)
    }
    if sum(len(part.text) for part in other.abstract) > sum(len(part.text) for part in one.abstract):
        filled |= {"abstract": other.abstract, "text_origin": other.text_origin}
    ids = {
        name: getattr(other.identifiers, name)
        for name in ("pmid", "pmcid", "doi", "nct_ids", "isbn", "url")
        if not getattr(one.identifiers, name) and getattr(other.identifiers, name)
    }
    if ids:
        filled["identifiers"] = one.identifiers.model_copy(update=ids)
    return one.model_copy(update=filled)
