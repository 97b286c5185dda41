"""References as the processor of styles reads them: CSL-JSON, with what a style asks for and CSL-JSON has elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from enum import StrEnum

from openwork_contracts.answer import AnswerDocument
from openwork_knowledge.source_names import is_live

from openwork_report.bibliography.csl_json import Json, csl_item
from openwork_report.bibliography.item import Author, Item, Kind, items
from openwork_report.words import is_cut

ET_AL = "et al."
MOST_PERSONS = 6
"""Authors before "et al.", by NLM and ICMJE as the style has it."""
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_GENERATIONS = frozenset({"Jr", "Sr"})


class StyleName(StrEnum):
    """The styles that there are."""

    VANCOUVER = "vancouver"
    APA = "apa"


def entries(document: AnswerDocument, style: StyleName) -> tuple[dict[str, Json], ...]:
    """An entry per reference, in their order; its id is the reference's number."""
    read = _read_on(document)
    return tuple(_entry(item, style, read.get(item.reference.id)) for item in items(document))


def _entry(item: Item, style: StyleName, read: date | None) -> dict[str, Json]:
    entry = csl_item(item)
    entry.pop("note", None)  # whose words were cited is said beside the reference
    entry["id"] = str(item.reference.n)
    entry["title"] = item.title.rstrip(".") or "[title not known]"
    entry["author"] = _apa_names(item) if style is StyleName.APA else _vancouver_names(item)
    if not entry["author"]:
        del entry["author"]
    if item.kind is Kind.PREPRINT and item.journal:
        entry["publisher"] = entry.pop("container-title")  # a server of preprints is no journal
    if _is_in(item.number, item.url) and item.kind is Kind.DRUG_LABEL:
        del entry["number"]
    if item.reference.doi and item.url and item.url.lower().endswith(f"doi.org/{item.reference.doi}"):
        del entry["URL"]  # the DOI says it
    if not item.reference.year and style is StyleName.VANCOUVER:
        entry["issued"] = {"literal": "[date unknown]"}  # Citing Medicine, chapter 1, "No date of publication"
    if read is not None:
        entry["accessed"] = {"literal": _day(read, style)}
    return entry


def _day(day: date, style: StyleName) -> str:
    """As the style prints a day; citeproc-py 0.11 joins the parts of a date without the style's blanks."""
    month = _MONTHS[day.month - 1]
    return f"{month} {day.day}, {day.year}" if style is StyleName.APA else f"{day.year} {month[:3]} {day.day}"


def _is_in(number: str | None, url: str | None) -> bool:
    return number is not None and url is not None and number in url


def _read_on(document: AnswerDocument) -> Mapping[str, date]:
    """The day on which a source gave the work, of those that were asked live."""
    works = document.record.candidates if document.record else ()
    days = {work.candidate_id: [p.retrieved_at.date() for p in work.provenance if is_live(p.source)] for work in works}
    return {name: max(found) for name, found in days.items() if found}


def _persons(item: Item) -> tuple[tuple[Author, ...], Author | None]:
    """The persons, and the body that stands after them."""
    bodied = bool(item.reference.collective_author) and len(item.authors) > 1
    return (item.authors[:-1], item.authors[-1]) if bodied else (item.authors, None)


def _vancouver_names(item: Item) -> list[Json]:
    """A body after persons is parted by a semicolon, which CSL has no word for: such a list is written here."""
    persons, body = _persons(item)
    if body is None:
        more: list[Json] = [{"literal": ET_AL}] if is_cut(item.reference) else []
        return [*map(_name, persons), *more]
    named = [author.literal for author in persons[:MOST_PERSONS]]
    if len(persons) > MOST_PERSONS or is_cut(item.reference):
        named.append(ET_AL)
    return [{"literal": f"{', '.join(named)}; {body.literal}"}]


def _apa_names(item: Item) -> list[Json]:
    persons, body = _persons(item)
    more: list[Json] = [{"literal": ET_AL}] if is_cut(item.reference) else []
    return [*map(_name_with_stop, persons), *more, *([_name(body)] if body else [])]


def _name(author: Author) -> dict[str, Json]:
    if author.family is None:
        return {"literal": author.literal}
    parts: Sequence[tuple[str, str | None]] = (
        ("family", author.family),
        ("given", author.given),
        ("suffix", author.suffix),
    )
    return {name: value for name, value in parts if value}


def _name_with_stop(author: Author) -> dict[str, Json]:
    """APA prints "Jr." where PubMed prints "Jr"."""
    name = _name(author)
    if author.suffix in _GENERATIONS:
        name["suffix"] = f"{author.suffix}."
    return name
