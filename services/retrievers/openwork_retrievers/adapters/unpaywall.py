"""Unpaywall: where a DOI can be read for free. https://unpaywall.org/products/api"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from openwork_contracts.errors import SourceChanged, SourceRefused
from openwork_contracts.evidence import EvidenceRecord, Identifiers
from openwork_evidence.identifiers import clean_doi, clean_pmcid, web_address
from openwork_http.jsonbody import JsonObject, flag_at, load_object, objects_at, text_at
from openwork_language.dates import parse_year

from openwork_retrievers.adapters.markup import markup_text
from openwork_retrievers.adapters.ports import HttpPort, HttpRequest, Identity, check_status


@dataclass(frozen=True, slots=True)
class OpenLocation:
    """One place where a work can be read."""

    url: str
    """The page or the file; always there."""
    pdf_url: str | None
    """`None` though the work is open: only a landing page is known."""
    licence: str | None
    version: str | None
    """publishedVersion, acceptedVersion or submittedVersion."""
    host: str | None
    """publisher or repository."""


@dataclass(frozen=True, slots=True)
class OpenAccess:
    """What Unpaywall knows of one DOI."""

    doi: str
    is_open: bool
    locations: tuple[OpenLocation, ...] = ()
    """Best first; empty when closed."""

    @property
    def pdf_urls(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(place.pdf_url for place in self.locations if place.pdf_url))


def doi_request(base_url: str, identity: Identity, doi: str) -> HttpRequest:
    """One DOI.

    Raises:
        SourceRefused: no contact address is set, which Unpaywall requires.
    """
    if not identity.contact:
        raise SourceRefused("Unpaywall asks for an e-mail address with every request; set the contact address")
    return HttpRequest("GET", f"{base_url.rstrip('/')}/{quote(doi, safe='/')}", (("email", identity.contact),))


def parse_open_access(source: str, body: bytes) -> OpenAccess:
    """What is known of one DOI.

    Raises:
        SourceChanged: not JSON, or without DOI and `is_oa`.
        SourceUnavailable, SourceRefused: an error inside the answer.
    """
    answer = load_object(source, body)
    doi, is_open = clean_doi(text_at(answer, "doi")), flag_at(answer, "is_oa")
    if doi is None or is_open is None:
        raise SourceChanged(f"{source} answered without 'doi' and 'is_oa'; found: {', '.join(sorted(answer)[:8])}")
    return OpenAccess(doi, is_open, _locations(answer))


def _locations(answer: JsonObject) -> tuple[OpenLocation, ...]:
    places = [*objects_at(answer, "best_oa_location"), *objects_at(answer, "oa_locations")]
    found: dict[str, OpenLocation] = {}
    for place in places:
        pdf = web_address(text_at(place, "url_for_pdf"))
        url = web_address(text_at(place, "url")) or web_address(text_at(place, "url_for_landing_page")) or pdf
        if url:
            found.setdefault(
                pdf or url,
                OpenLocation(
                    url, pdf, text_at(place, "license"), text_at(place, "version"), text_at(place, "host_type")
                ),
            )
    return tuple(found.values())


def parse_records(source: str, body: bytes, retrieved_at: datetime) -> tuple[EvidenceRecord, ...]:
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
    found = (_record(entry, source, retrieved_at) for entry in entries)
    return tuple(record for record in found if record)


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
    places = _locations(entry)
    pmcids = (clean_pmcid(place.url) for place in places if "ncbi.nlm.nih.gov" in place.url or "europepmc" in place.url)
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
        retrieved_at=retrieved_at,
    )


class UnpaywallLookup:
    """Looks a DOI up; not a search, so no `search`."""

    def __init__(self, base_url: str, identity: Identity) -> None:
        self._base_url = base_url
        self._identity = identity

    async def find(self, doi: str, http: HttpPort) -> OpenAccess | None:
        """What is known of the DOI; `None` = Unpaywall does not have it (404, 422)."""
        call = doi_request(self._base_url, self._identity, doi)
        response = await http.send(call)
        body = await response.read()
        if response.status in (404, 422):
            return None
        check_status("unpaywall", call, response.status, body)
        return parse_open_access("unpaywall", body)
