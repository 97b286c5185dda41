"""Crossref works: what has become of a DOI (retracted, corrected), and its bibliography. https://api.crossref.org"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import EvidenceRecord, EvidenceStatus, Identifiers, NoticeLink
from openwork_evidence.identifiers import clean_doi, web_address
from openwork_evidence.origins import publication_origin
from openwork_http.crossref import STATUS_OF_KIND, marked_by_title, notices_about, update_kind
from openwork_http.jsonbody import JsonObject, at, count_at, load_object, objects_at, text_at, texts_at
from openwork_language.dates import parse_year

from openwork_retrievers.adapters import paging
from openwork_retrievers.adapters.entries import Unreadable, records_of
from openwork_retrievers.adapters.markup import abstract_parts, markup_text
from openwork_retrievers.adapters.ports import HttpPort, HttpRequest, Identity, Params, SearchRequest, SourceResult

_ABOUT = {"retraction": "retraction_of", "withdrawal": "retraction_of", "concern": "concern_about",
          "correction": "correction_of"}  # fmt: skip
_BY = {
    "retraction": "retracted_by",
    "withdrawal": "retracted_by",
    "concern": "concern_in",
    "correction": "corrected_by",
}
TYPE_NAMES = {"journal-article": "Journal Article", "posted-content": "Preprint", "book-chapter": "Book Chapter"}


def search_request(base_url: str, identity: Identity, request: SearchRequest) -> HttpRequest:
    """Works by bibliographic words, the first page."""
    params = (("query.bibliographic", request.strategy.plain), ("rows", str(min(100, request.limit))))
    return HttpRequest("GET", f"{base_url.rstrip('/')}/works", params + _polite(identity))


def _polite(identity: Identity) -> Params:
    return (("mailto", identity.contact),) if identity.contact else ()


def parse_works(
    source: str, body: bytes, retrieved_at: datetime, *, unreadable: list[Unreadable] | None = None
) -> tuple[tuple[EvidenceRecord, ...], int]:
    """Records and matches in all, out of a work, a work list, or a BibTeX answer (which has none).

    Args:
        unreadable: takes the entries of which no record can be made.
    Raises:
        SourceChanged: not JSON, or without `message`.
    """
    answer = load_object(source, body)
    message = at(answer, "message")
    if not isinstance(message, dict):
        raise SourceChanged(f"{source} answered without 'message'; found: {', '.join(sorted(answer)[:8])}")
    if text_at(answer, "message-type") == "work-list" or "items" in message:
        items = list(objects_at(message, "items"))
        records = records_of(items, lambda work: work_record(work, source, retrieved_at), unreadable)
        return records, count_at(message, "total-results") or len(items)
    return records_of([message], lambda work: work_record(work, source, retrieved_at), unreadable), 1


def work_record(work: JsonObject, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    """One work; `None` without a DOI or a title."""
    doi = clean_doi(text_at(work, "DOI"))
    title = next((text for entry in texts_at(work, "title") if (text := markup_text(entry))), "")
    if doi is None or not title:
        return None
    kind = text_at(work, "type")
    people, collective = _authors(work)
    return EvidenceRecord(
        source=source,
        source_id=doi,
        identifiers=Identifiers(doi=doi, url=web_address(text_at(work, "URL")) or f"https://doi.org/{doi}"),
        title=title,
        abstract=abstract_parts(at(work, "abstract")),
        authors=people,
        collective_author=collective,
        journal=next(iter(texts_at(work, "container-title")), None) or text_at(work, "institution", "name"),
        year=_year(work),
        publication_types=(TYPE_NAMES.get(kind, kind),) if kind else (),
        language=text_at(work, "language"),
        status=status_of(work, title),
        links=tuple(_links(work)),
        cited_by_count=count_at(work, "is-referenced-by-count"),
        text_origin=publication_origin([TYPE_NAMES.get(kind, kind)] if kind else [], doi),
        retrieved_at=retrieved_at,
    )


def status_of(work: JsonObject, title: str) -> EvidenceStatus:
    """The gravest notice about the work itself (`updated-by`, or a publisher's "RETRACTED:" before the title).

    `update-to` is the other way round: the work is a notice about another. Without `updated-by` Crossref may simply not
    have been asked for it (`select`), so nothing said is `not_checked`.
    """
    notices = {update_kind(entry) for entry in notices_about(work)}
    known = next((status for kind, status in STATUS_OF_KIND.items() if kind in notices), None)
    return known or marked_by_title(title) or EvidenceStatus.NOT_CHECKED


def _links(work: JsonObject) -> Iterator[NoticeLink]:
    for field, kinds in (("update-to", _ABOUT), ("updated-by", _BY)):
        for entry in objects_at(work, field):
            kind, doi = update_kind(entry), clean_doi(text_at(entry, "DOI"))
            if kind and doi and doi != clean_doi(text_at(work, "DOI")):
                yield NoticeLink(kind=kinds[kind], doi=doi)
    for name, kind in (("is-preprint-of", "preprint_of"), ("has-preprint", "published_version_of")):
        for entry in objects_at(work, "relation", name):
            if doi := clean_doi(text_at(entry, "id")):
                yield NoticeLink(kind=kind, doi=doi)


def _authors(work: JsonObject) -> tuple[tuple[str, ...], str | None]:
    people, groups = [], []
    for author in objects_at(work, "author"):
        family, given = text_at(author, "family"), text_at(author, "given") or ""
        if family:
            initials = "".join(part[0] for part in given.replace("-", " ").split() if part[0].isalpha()).upper()
            people.append(" ".join(filter(None, (family, initials, text_at(author, "suffix")))))
        elif name := text_at(author, "name"):
            groups.append(name)
    return tuple(people), "; ".join(groups) or None


def _year(work: JsonObject) -> int | None:
    """Of the issue, as a reference prints it; of a preprint, when it was posted."""
    for field in ("issued", "published-print", "published", "published-online", "posted", "created"):
        parts = at(work, field, "date-parts")
        first = parts[0] if isinstance(parts, list) and parts else None
        year = parse_year(str(first[0])) if isinstance(first, list) and first else None
        if year is not None:
            return year
    return None


class CrossrefAdapter:
    """Crossref by words. It has few abstracts: its use is the status and the links of a DOI."""

    def __init__(self, base_url: str, identity: Identity) -> None:
        self._base_url = base_url
        self._identity = identity

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        def read(_: HttpRequest, body: bytes) -> paging.Page:
            records, hits = parse_works(request.route, body, request.retrieved_at)
            return paging.Page(records, hits)

        first = search_request(self._base_url, self._identity, request)
        return (await paging.read_pages(request, http, first, read, listed=("message", "items"))).result(request.limit)
