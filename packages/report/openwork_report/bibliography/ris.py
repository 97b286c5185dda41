"""RIS: a tag per line, https://en.wikipedia.org/wiki/RIS_(file_format), as Zotero, EndNote and Mendeley read it.

Every value is on one line, so that no text can end its field or its record ("ER  -" in a title). Lines end in CR LF.
"""

from __future__ import annotations

from collections.abc import Iterator

from openwork_contracts.answer import AnswerDocument

from openwork_report.bibliography.item import Author, Item, Kind, items

_TYPES = {
    Kind.ARTICLE: "JOUR",
    Kind.GUIDELINE: "RPRT",
    Kind.DRUG_LABEL: "RPRT",
    Kind.TRIAL_REGISTRATION: "RPRT",
    Kind.PREPRINT: "UNPB",
    Kind.WEB_PAGE: "ELEC",
    Kind.OTHER: "GEN",
}


def ris(document: AnswerDocument) -> str:
    """The references as RIS; empty without any."""
    return "\r\n".join("\r\n".join(_lines(item)) + "\r\n" for item in items(document))


def _lines(item: Item) -> Iterator[str]:
    yield f"TY  - {_TYPES[item.kind]}"
    for tag, value in _fields(item):
        if value:
            yield f"{tag}  - {value}"
    yield "ER  - "


def _fields(item: Item) -> Iterator[tuple[str, str | None]]:
    reference = item.reference
    yield "TI", item.title
    yield from (("AU", _name(author)) for author in item.authors)
    yield "T2", item.journal
    yield "PY", str(reference.year) if reference.year else None
    yield "DO", reference.doi
    yield "UR", item.url
    if reference.pmid:
        # An accession number is a PMID where the database says so.
        yield "AN", reference.pmid
        yield "DB", "PubMed"
    yield "C2", reference.pmcid
    yield "PB", item.publisher
    yield "SN", item.number
    yield "M3", None if item.kind in (Kind.ARTICLE, Kind.OTHER) else item.kind.value
    yield "N1", item.warning
    yield from (("N1", note) for note in item.notes)
    yield "ID", item.key


def _name(author: Author) -> str:
    return ", ".join(filter(None, (author.family, author.given, author.suffix))) or author.literal
