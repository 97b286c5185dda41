"""CSL-JSON, schema 1.0.2 of the Citation Style Language (https://github.com/citation-style-language/schema)."""

from __future__ import annotations

import json

from openwork_contracts.answer import AnswerDocument

from openwork_report.bibliography.item import Author, Item, Kind, items

Json = str | int | list["Json"] | dict[str, "Json"]

_TYPES = {
    Kind.ARTICLE: "article-journal",
    Kind.GUIDELINE: "report",
    Kind.DRUG_LABEL: "report",
    Kind.TRIAL_REGISTRATION: "report",
    Kind.PREPRINT: "article",
    Kind.WEB_PAGE: "webpage",
    Kind.OTHER: "document",
}


def csl_json(document: AnswerDocument) -> str:
    """The references as a JSON array, in their order; characters stay as they are."""
    return json.dumps([csl_item(item) for item in items(document)], indent=2, ensure_ascii=False) + "\n"


def csl_item(item: Item) -> dict[str, Json]:
    """One reference as CSL-JSON; what is not known is left out."""
    reference = item.reference
    authors: list[Json] = [_name(author) for author in item.authors]
    issued: Json = {"date-parts": [[reference.year]]} if reference.year else ""
    fields: dict[str, Json | None] = {
        "id": item.key,
        "type": _TYPES[item.kind],
        "title": item.title,
        "author": authors,
        "container-title": item.journal,
        "issued": issued,
        "DOI": reference.doi,
        "PMID": reference.pmid,
        "PMCID": reference.pmcid,
        "URL": item.url,
        "publisher": item.publisher,
        "number": item.number,
        "genre": None if item.kind in (Kind.ARTICLE, Kind.OTHER, Kind.WEB_PAGE) else item.kind.value,
        "note": ". ".join((*((item.warning,) if item.warning else ()), *item.notes)),
    }
    return {name: value for name, value in fields.items() if value}


def _name(author: Author) -> dict[str, Json]:
    if author.family is None:
        return {"literal": author.literal}
    parts = (("family", author.family), ("given", author.given), ("suffix", author.suffix))
    return {name: value for name, value in parts if value}
