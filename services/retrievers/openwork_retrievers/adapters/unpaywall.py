"""Unpaywall's answers as bibliography, for saved ones. The full-text service asks it, for places to read a DOI."""

from __future__ import annotations

from datetime import datetime

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import EvidenceRecord, Identifiers
from openwork_evidence.identifiers import clean_doi, clean_pmcid
from openwork_evidence.origins import publication_origin
from openwork_http.jsonbody import JsonObject, flag_at, load_object, objects_at, text_at
from openwork_language.dates import parse_year

from openwork_retrievers.adapters.entries import Unreadable, records_of
from openwork_retrievers.adapters.markup import markup_text


def parse_records(
    source: str, body: bytes, retrieved_at: datetime, *, unreadable: list[Unreadable] | None = None
) -> tuple[EvidenceRecord, ...]:
    """The works of an answer as bibliography: one DOI, or `/search` with its results[].response."""
    answer = load_object(source, body)
    if "results" in answer:
        entries = [dict(response) for hit in objects_at(answer, "results") for response in objects_at(hit, "response")]
    elif "doi" in answer:
        entries = [dict(answer)]
    else:
        raise SourceChanged(
            f"{source} answered with neither 'doi' nor 'results'; found: {', '.join(sorted(answer)[:8])}"
        )
    return records_of(entries, lambda entry: _record(entry, source, retrieved_at), unreadable)


def _record(entry: JsonObject, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    doi, title = clean_doi(text_at(entry, "doi")), markup_text(entry.get("title"))
    if doi is None or not title:
        return None
    authors = []
    for author in objects_at(entry, "z_authors"):
        family, given = text_at(author, "family"), text_at(author, "given") or ""
        initials = "".join(part[0] for part in given.split() if part[0].isalpha()).upper()
        name = (
            f"{family} {initials}".strip() if family else text_at(author, "raw_author_name") or text_at(author, "name")
        )
        if name:
            authors.append(name)
    places = [*objects_at(entry, "best_oa_location"), *objects_at(entry, "oa_locations")]
    addresses = (text_at(place, name) for place in places for name in ("url", "url_for_landing_page", "url_for_pdf"))
    pmcids = (clean_pmcid(address) for address in addresses if address)
    genre = text_at(entry, "genre")
    return EvidenceRecord(
        source=source,
        source_id=doi,
        identifiers=Identifiers(doi=doi, pmcid=next(filter(None, pmcids), None), url=f"https://doi.org/{doi}"),
        title=title,
        authors=tuple(authors),
        journal=text_at(entry, "journal_name"),
        year=parse_year(text_at(entry, "year")) or parse_year(text_at(entry, "published_date")),
        publication_types=(genre,) if genre else (),
        open_access=flag_at(entry, "is_oa"),
        text_origin=publication_origin([genre] if genre else [], doi),
        retrieved_at=retrieved_at,
    )
