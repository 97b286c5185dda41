"""Formats of one tag per line: RIS, EndNote's tagged text (refer), Web of Science's plain text, MEDLINE without a PMID.

Real files bend every rule: values that go on in the next lines without a tag, tags without a value, records without an
end mark, end marks with blanks, tags that the standard does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from openwork_laptop.library_import.fields import Entry

_RIS_TYPES = {
    "JOUR": "Journal Article", "JFULL": "Journal Article", "EJOUR": "Journal Article", "MGZN": "Magazine Article",
    "NEWS": "News", "CHAP": "Book Chapter", "ECHAP": "Book Chapter", "BOOK": "Book", "EBOOK": "Book", "RPRT": "Report",
    "THES": "Thesis", "CONF": "Conference Paper", "CPAPER": "Conference Paper", "UNPB": "Unpublished",
    "ABST": "Abstract",
}  # fmt: skip
_MEDICAL_DATABASES = re.compile(r"pubmed|medline|\bnlm\b|national library of medicine", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TagFormat:
    """How a format writes a field and begins or ends a record."""

    name: str
    line: re.Pattern[str]
    """Groups: tag, value."""
    starts: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()


RIS = TagFormat("RIS", re.compile(r"^\s{0,2}([A-Z][A-Z0-9])\s{1,2}-(?:\s(.*)|)$"), frozenset({"TY"}), frozenset({"ER"}))
REFER = TagFormat("EndNote text", re.compile(r"^(%[0-9A-Z@!#$&\[\]*+^>(~?])\s(.*)$"), frozenset({"%0"}))
WOS = TagFormat(
    "Web of Science text", re.compile(r"^([A-Z][A-Z0-9])(?: (.*))?$"), frozenset({"PT"}), frozenset({"ER"}),
    frozenset({"FN", "VR", "EF"}),
)  # fmt: skip
MEDLINE = TagFormat("MEDLINE", re.compile(r"^([A-Z][A-Z0-9]{1,3}) {0,3}- (.*)$"), frozenset({"PMID"}))

Fields = dict[str, list[str]]


def read_tagged(text: str, form: TagFormat) -> Iterator[Entry]:
    """The entries of a text, also those without a title: whoever calls says what becomes of them."""
    build = _BUILDERS[form.name]
    for number, fields in enumerate(_records(text, form), 1):
        yield build(fields, f"entry {number}")


def _records(text: str, form: TagFormat) -> Iterator[Fields]:
    fields: Fields = {}
    last: list[str] | None = None
    for raw in text.splitlines():
        line = raw.rstrip()
        match = form.line.match(line)
        if match and match[1] in form.skipped:
            continue
        if match and match[1] in form.ends:
            if fields:
                yield fields
            fields, last = {}, None
            continue
        if match:
            if match[1] in form.starts and fields:
                yield fields
                fields = {}
            last = fields.setdefault(match[1], [])
            last.append((match[2] or "").strip())
        elif line.strip() and last is not None:
            # A value that goes on: one more value where values stand one below the other, else one text.
            last[-1] = f"{last[-1]}\n{line.strip()}".strip()
    if fields:
        yield fields


def _all(fields: Fields, *tags: str) -> list[str]:
    return [" ".join(value.split()) for tag in tags for value in fields.get(tag, ()) if value]


def _first(fields: Fields, *tags: str) -> str:
    return next(iter(_all(fields, *tags)), "")


def _lines(fields: Fields, *tags: str) -> list[str]:
    """Values of tags that hold several, one per line or parted by semicolons."""
    found = [piece.strip() for tag in tags for value in fields.get(tag, ()) for piece in re.split(r"\n|;", value)]
    return [piece for piece in found if piece]


def _ris(fields: Fields, place: str) -> Entry:
    kind = _first(fields, "TY").upper()
    title = _first(fields, "TI", "T1", "CT") or (_first(fields, "BT", "T2") if kind in ("BOOK", "EBOOK") else "")
    origin = " ".join(_all(fields, "DB", "DP", "RP"))
    c2, accession = _first(fields, "C2"), _first(fields, "AN")
    # Scopus writes the PMID into C2; Zotero and EndNote write the PMCID there, and PubMed's PMID into AN.
    pmid = c2 if c2.isdigit() and "scopus" in origin.lower() else ""
    if not pmid and accession.isdigit() and _MEDICAL_DATABASES.search(origin):
        pmid = accession
    return Entry(
        place=place,
        title=title or _first(fields, "ST"),
        abstract=_first(fields, "AB", "N2"),
        authors=_all(fields, "AU", "A1"),
        journal=_first(fields, "JF", "T2", "JO", "JA", "J2", "BT") if kind not in ("BOOK", "EBOOK") else "",
        years=_all(fields, "PY", "Y1", "DA", "Y2"),
        doi=_first(fields, "DO", "DI"),
        pmid=pmid,
        pmcid=c2 if c2.upper().startswith("PMC") else "",
        urls=_all(fields, "UR", "L1", "L2", "LK"),
        keywords=_headings(_lines(fields, "KW"), is_mesh=bool(_MEDICAL_DATABASES.search(origin))),
        types=[_RIS_TYPES.get(kind, ""), *_all(fields, "M3")],
        language=_first(fields, "LA"),
        notes=[note for note in _all(fields, "N1", "ID", "AN", "M1") if not note.startswith("References:")],
    )


def _headings(words: list[str], *, is_mesh: bool) -> list[str]:
    """MeSH headings without their subheadings ("Aspirin/*adverse effects"); other keywords as they are."""
    return [word.split("/")[0] for word in words] if is_mesh else words


def _refer(fields: Fields, place: str) -> Entry:
    return Entry(
        place=place,
        title=_first(fields, "%T"),
        abstract=_first(fields, "%X"),
        authors=_all(fields, "%A"),
        journal=_first(fields, "%J", "%B"),
        years=_all(fields, "%D", "%8"),
        doi=_first(fields, "%R"),
        pmid=_first(fields, "%M") if _MEDICAL_DATABASES.search(" ".join(_all(fields, "%~", "%W"))) else "",
        pmcid=_first(fields, "%2") if _first(fields, "%2").upper().startswith("PMC") else "",
        urls=_all(fields, "%U"),
        keywords=_lines(fields, "%K"),
        types=_all(fields, "%0"),
        language=_first(fields, "%G"),
        notes=_all(fields, "%Z", "%F"),
    )


def _wos(fields: Fields, place: str) -> Entry:
    return Entry(
        place=place,
        title=_first(fields, "TI"),
        abstract=_first(fields, "AB"),
        authors=_lines(fields, "AF") or _lines(fields, "AU"),
        journal=_first(fields, "SO", "J9"),
        years=_all(fields, "PY", "EY"),
        doi=_first(fields, "DI"),
        pmid=_first(fields, "PM"),
        keywords=_lines(fields, "DE", "ID"),
        types=_lines(fields, "DT"),
        language=_first(fields, "LA"),
    )


def _medline(fields: Fields, place: str) -> Entry:
    dois = [value for value in _all(fields, "AID", "LID") if "[doi]" in value]
    return Entry(
        place=place,
        title=_first(fields, "TI", "BTI", "TT"),
        abstract=_first(fields, "AB"),
        authors=_all(fields, "AU") or _all(fields, "FAU"),
        journal=_first(fields, "JT", "TA"),
        years=_all(fields, "DP", "EDAT"),
        doi=next(iter(dois), ""),
        pmid=_first(fields, "PMID"),
        pmcid=_first(fields, "PMC"),
        keywords=[term.split("/")[0] for term in _all(fields, "MH")],
        types=_all(fields, "PT"),
        language=_first(fields, "LA"),
        notes=_all(fields, "SI"),
    )


_BUILDERS = {RIS.name: _ris, REFER.name: _refer, WOS.name: _wos, MEDLINE.name: _medline}
