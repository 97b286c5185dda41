"""Tables: CSV with any separator, whose columns are known by many names; Embase's vertical blocks."""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Iterator, Sequence

from openwork_contracts.errors import SourceChanged

from openwork_laptop.library_import.fields import Entry

csv.field_size_limit(10_000_000)  # characters; an abstract with its references can pass the default of 131,072

_COLUMNS = {
    "title": (
        "title", "article title", "document title", "primary title", "ti", "t1", "paper title", "item title",
        "original title", "record title", "titel", "reference title",
    ),
    "abstract": ("abstract", "abstract note", "ab", "abstracts", "notes abstract", "original abstract"),
    "authors": (
        "authors", "author", "author names", "author full names", "first authors", "au", "author s", "author list",
        "creators", "creator",
    ),
    "journal": (
        "journal", "source title", "publication title", "journal book", "secondary title", "journal title", "so",
        "container title", "journal abbreviation", "source", "t2", "abbreviated source title",
    ),
    "year": (
        "year", "publication year", "pub year", "py", "published year", "date", "publication date", "year published",
        "create date", "cover date", "date of publication", "published",
    ),
    "doi": ("doi", "di", "digital object identifier", "doi link", "article doi", "doi url"),
    "pmid": ("pmid", "pubmed id", "medline pmid", "pubmedid", "pubmed", "pubmed pmid", "pm"),
    "pmcid": ("pmcid", "pmc id", "pmc", "pubmed central id"),
    "urls": ("url", "link", "links", "full text link", "urls", "open url link", "embase link", "full text url"),
    "isbn": ("isbn", "isbns"),
    "keywords": (
        "keywords", "author keywords", "index keywords", "manual tags", "automatic tags", "keyword", "keywords plus",
        "mesh terms", "mesh", "emtree medical index terms", "emtree drug index terms", "kw", "de",
    ),
    "types": ("document type", "publication type", "item type", "type of reference", "type", "dt", "ty"),
    "language": ("language", "article language", "language of original document", "la", "lang"),
    "notes": ("extra", "notes", "note", "clinical trial numbers", "clinical trial number", "accession number", "nct"),
}  # fmt: skip
_NAMES = {name: (rank, target) for target, names in _COLUMNS.items() for rank, name in enumerate(names)}
_DELIMITERS = ",;\t|"
_SCOPUS_INITIALS = re.compile(r"^[^,;]+ (?:[A-Z]\.-?)+(?:, [^,;]+ (?:[A-Z]\.-?)+)+$")
_EMBASE_SOURCE = re.compile(r"^(?P<journal>.+?) \((?P<year>\d{4})\)")


def read_table(text: str) -> Iterator[Entry]:
    """The entries of a table, row by row, also the empty ones.

    Raises:
        SourceChanged: nothing in the header is a title.
    """
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text)))
    if _is_vertical(rows):
        yield from _read_vertical(rows)
        return
    start = _header_row(rows)
    if start is None:
        shown = ", ".join(repr(name) for name in (rows[0] if rows else [])[:12])
        raise SourceChanged(f"no column is a title; the columns are {shown or 'none'}")
    columns = _columns(rows[start])
    for number, row in enumerate(rows[start + 1 :], start + 2):
        if any(cell.strip() for cell in row):
            yield _entry({target: _values(row, places) for target, places in columns.items()}, f"row {number}")


def _delimiter(text: str) -> str:
    """The separator that gives the header the most known columns."""
    lines = [line for line in text.splitlines()[:8] if line.strip()]

    def known(delimiter: str) -> int:
        rows = csv.reader(lines, delimiter=delimiter)
        return max((sum(_column_name(cell) in _NAMES for cell in row) for row in rows), default=0)

    return max(_DELIMITERS, key=known)


def _column_name(cell: str) -> str:
    return " ".join(re.sub(r"[^0-9a-zäöü]+", " ", cell.strip().lower()).split())


def _header_row(rows: Sequence[Sequence[str]]) -> int | None:
    """The first row that names a title; exports may have lines of their own above it."""
    for number, row in enumerate(rows[:10]):
        targets = {_NAMES[name][1] for cell in row if (name := _column_name(cell)) in _NAMES}
        if "title" in targets and len(row) > 1:
            return number
    return None


def _columns(header: Sequence[str]) -> dict[str, list[int]]:
    """For each field its columns, the best name first; the first of a repeated name."""
    found: dict[str, list[tuple[int, int]]] = {}
    for place, cell in enumerate(header):
        name = _column_name(cell)
        if name in _NAMES:
            rank, target = _NAMES[name]
            found.setdefault(target, []).append((rank, place))
    return {target: [place for _, place in sorted(places)] for target, places in found.items()}


def _values(row: Sequence[str], places: Sequence[int]) -> list[str]:
    return [row[place].strip() for place in places if place < len(row) and row[place].strip()]


def _entry(values: dict[str, list[str]], place: str) -> Entry:
    def first(name: str) -> str:
        return next(iter(values.get(name, ())), "")

    journal, years = first("journal"), list(values.get("year", ()))
    if match := _EMBASE_SOURCE.match(journal):
        journal, years = match["journal"], [*years, match["year"]]
    return Entry(
        place=place,
        title=first("title"),
        abstract=first("abstract"),
        authors=split_authors(first("authors")),
        journal=journal,
        years=years,
        doi=first("doi"),
        pmid=re.sub(r"\.0$", "", first("pmid")),  # a spreadsheet may have made a decimal number of it
        pmcid=first("pmcid"),
        urls=[url for text in values.get("urls", ()) for url in text.split()] + list(values.get("doi", ())),
        isbn=first("isbn"),
        keywords=[word for text in values.get("keywords", ()) for word in _split_list(text)],
        types=[_TYPE_NAMES.get(kind.lower(), kind) for kind in values.get("types", ())],
        language=first("language"),
        notes=list(values.get("notes", ())),
    )


_TYPE_NAMES = {"jour": "Journal Article", "journalarticle": "Journal Article", "article": "Journal Article"}


def _split_list(text: str) -> list[str]:
    if (listed := _literal(text)) is not None:
        return listed
    separator = ";" if ";" in text else ","
    return [word.strip() for word in text.split(separator) if word.strip()]


def split_authors(text: str) -> list[str]:
    """Names out of "['Marx, Karl', ...]", "A, B.; C, D.", "Liu R., Adler D.G.", "A B and C D"."""
    if (listed := _literal(text)) is not None:
        return listed
    if ";" in text:
        return [name.strip() for name in text.split(";") if name.strip()]
    if re.search(r"\s(?:and|&)\s", text):
        return [name.strip() for name in re.split(r",?\s+(?:and|&)\s+", text) if name.strip()]
    pieces = [name.strip() for name in text.split(",") if name.strip()]
    if _SCOPUS_INITIALS.match(text) or len(pieces) > 2 or all(" " in piece for piece in pieces):
        # "Liu R., Adler D.G."; also PubMed's "Liu R, Adler DG."; but "Marx, Karl" is one person.
        return [name.rstrip(".") if not re.search(r"[A-Z]\.$", name) else name for name in pieces]
    return [text.strip()] if text.strip() else []


def _literal(text: str) -> list[str] | None:
    """A list in Python's notation, as data frames write it; `None` for anything else."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    return [str(entry) for entry in value] if isinstance(value, list) else None


def _is_vertical(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the fields stand one below the other: "TITLE","..." as Embase writes records for reading."""
    filled = [row for row in rows[:60] if any(cell.strip() for cell in row)]
    if not filled:
        return False
    across = sum(_column_name(cell) in _NAMES for cell in filled[0])
    down = sum(_column_name(row[0]) in _NAMES for row in filled)
    return down >= 3 and across <= 1


def _read_vertical(rows: Sequence[Sequence[str]]) -> Iterator[Entry]:
    values: dict[str, list[str]] = {}
    pending: str | None = None
    number = 0
    for row in [*rows, ["title"]]:
        name = _column_name(row[0]) if row else ""
        cells = [cell.strip() for cell in row[1:] if cell.strip()]
        if name == "title" and "title" in values:
            number += 1
            yield _entry(values, f"block {number}")
            values = {}
        if name in _NAMES:
            pending = _NAMES[name][1]
            values.setdefault(pending, []).extend([", ".join(cells)] if cells else [])
        elif pending and not cells and row and row[0].strip() and row[0].upper() != row[0]:
            values[pending].append(row[0].strip())  # the value stands below its name
        elif name:
            pending = None  # a field that is not used
