"""CSL-JSON (Zotero, Mendeley, Crossref) and EndNote's XML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from openwork_contracts.errors import SourceChanged
from openwork_http.jsonbody import JsonObject, objects_at, text_at
from openwork_retrievers.adapters.xml import Element, flat_text, stream

from openwork_laptop.library_import.fields import Entry

_CSL_TYPES = {
    "article-journal": "Journal Article", "chapter": "Book Chapter", "book": "Book", "report": "Report",
    "thesis": "Thesis", "paper-conference": "Conference Paper", "article": "Preprint",
}  # fmt: skip


def read_csl_json(text: str) -> Iterator[Entry]:
    """The items of a CSL-JSON file: a list, or an object with `items`.

    Raises:
        SourceChanged: not JSON, or no items in it.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise SourceChanged(f"the file is not JSON: {error}") from None
    if isinstance(value, dict):
        value = value.get("items", [value])
    if not isinstance(value, list):
        raise SourceChanged("the JSON is no list of items")
    for number, item in enumerate(value, 1):
        if isinstance(item, dict):
            yield _csl_entry(item, f"item {number}")
        else:
            yield Entry(place=f"item {number}")


def _csl_entry(item: JsonObject, place: str) -> Entry:
    def get(*names: str) -> str:
        return next((found for name in names if (found := _text(item.get(name)))), "")

    return Entry(
        place=place,
        title=get("title"),
        abstract=get("abstract"),
        authors=[name for person in objects_at(item, "author") if (name := _csl_name(person))],
        journal=get("container-title", "container-title-short", "journalAbbreviation"),
        years=[text for name in ("issued", "published", "event-date") if (text := _csl_date(item.get(name)))],
        doi=get("DOI", "doi"),
        pmid=get("PMID", "pmid"),
        pmcid=get("PMCID", "pmcid"),
        urls=[get("URL", "url")],
        isbn=get("ISBN"),
        keywords=[word.strip() for word in re.split(r"[;,]", get("keyword", "categories")) if word.strip()],
        types=[_CSL_TYPES.get(get("type"), get("type"))],
        language=get("language"),
        notes=[get("note", "annote")],
    )


def _text(value: object) -> str:
    if isinstance(value, list):  # Crossref gives titles as lists
        value = next(iter(value), "")
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _csl_name(person: JsonObject) -> str:
    if literal := text_at(person, "literal") or text_at(person, "name"):
        return literal
    family = " ".join(filter(None, (text_at(person, "non-dropping-particle"), text_at(person, "family"))))
    return ", ".join(filter(None, (family, text_at(person, "given"))))


def _csl_date(value: object) -> str:
    if isinstance(value, str | int):
        return str(value)
    if not isinstance(value, dict):
        return ""
    parts = value.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list) and parts[0]:
        return str(parts[0][0])
    return _text(value.get("raw")) or _text(value.get("literal"))


def read_endnote_xml(body: bytes) -> Iterator[Entry]:
    """The records of an EndNote XML file, whose texts are cut up by `style` elements.

    Raises:
        SourceChanged: not XML, cut off, or something in it that is refused.
    """
    for number, record in enumerate(stream("EndNote XML", [body], ("record",)), 1):
        yield _endnote_entry(record, f"record {number}")


def _endnote_entry(record: Element, place: str) -> Entry:
    def get(*paths: str) -> str:
        return next((found for path in paths if (found := flat_text(record.find(path)))), "")

    def every(path: str) -> list[str]:
        return [found for element in record.iterfind(path) if (found := flat_text(element))]

    kind = record.find("ref-type")
    database = get("remote-database-name", "database")
    custom = get("custom2")
    accession = get("accession-num")
    is_pubmed = re.search(r"pubmed|medline|nlm", f"{database} {get('remote-database-provider')}", re.IGNORECASE)
    return Entry(
        place=place,
        title=get("titles/title"),
        abstract=get("abstract"),
        authors=every("contributors/authors/author"),
        journal=get("periodical/full-title", "titles/secondary-title", "periodical/abbr-1"),
        years=[get("dates/year"), get("dates/pub-dates/date")],
        doi=get("electronic-resource-num"),
        pmid=accession if accession.isdigit() and is_pubmed else "",
        pmcid=custom if custom.upper().startswith("PMC") else "",
        urls=every("urls/related-urls/url") + every("urls/web-urls/url"),
        isbn=get("isbn") if kind is not None and "book" in (kind.get("name") or "").lower() else "",
        keywords=every("keywords/keyword"),
        types=[kind.get("name") or ""] if kind is not None else [],
        language=get("language"),
        notes=[get("notes"), get("research-notes")],
    )
