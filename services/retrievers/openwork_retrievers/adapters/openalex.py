"""OpenAlex works: Boolean search with cursor paging. https://docs.openalex.org"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import AbstractPart, EvidenceRecord, EvidenceStatus, Identifiers
from openwork_contracts.strategy import SearchRung
from openwork_evidence.identifiers import clean_doi, clean_pmcid, clean_pmid, web_address
from openwork_evidence.origins import publication_origin
from openwork_http.jsonbody import (
    JsonObject,
    at,
    count_at,
    flag_at,
    load_object,
    objects_at,
    text_at,
    want_list,
)
from openwork_language.dates import parse_year

from openwork_retrievers.adapters import paging
from openwork_retrievers.adapters.entries import Unreadable, records_of
from openwork_retrievers.adapters.ladder import climb
from openwork_retrievers.adapters.markup import markup_text
from openwork_retrievers.adapters.ports import HttpPort, HttpRequest, Identity, Params, SearchRequest, SourceResult
from openwork_retrievers.domain.rendering import ADDRESS_CHARS, boolean

PAGE = 100
"""OpenAlex allows 200; with abstracts that is 2 MB."""
FIELDS = (
    "id,doi,ids,title,display_name,publication_year,publication_date,language,type,type_crossref,primary_location,"
    "authorships,cited_by_count,is_retracted,open_access,mesh,abstract_inverted_index"
)
_PARTICLES = frozenset(
    ("van", "von", "de", "der", "den", "del", "della", "di", "da", "la", "le", "el", "al", "bin", "ter", "ten")
)
MAX_POSITIONS = 20_000
"""Words of the longest abstract that is rebuilt; an index that says more is broken."""


@dataclass(frozen=True, slots=True)
class OpenAlexForm:
    """What makes one registry entry differ: an added filter."""

    filter: str = ""


def search_request(base_url: str, identity: Identity, request: SearchRequest, form: OpenAlexForm,
                   rung: SearchRung) -> HttpRequest:  # fmt: skip
    """The first page of a rung, by relevance. It knows no types of studies, and no records about animals alone."""
    filters = [form.filter] if form.filter else []
    if rung.filters.english:
        filters.append("language:en")
    if rung.filters.since_year is not None:
        filters.append(f"from_publication_date:{rung.filters.since_year}-01-01")
    if rung.filters.until_year is not None:
        filters.append(f"to_publication_date:{rung.filters.until_year}-12-31")
    query = boolean(request.strategy, rung, chars=ADDRESS_CHARS)
    params: Params = (("search", query), ("per-page", str(min(PAGE, request.limit))),
                      ("cursor", "*"), ("select", FIELDS))  # fmt: skip
    if filters:
        params += (("filter", ",".join(filters)),)
    if identity.contact:
        params += (("mailto", identity.contact),)
    if identity.api_key:
        params += (("api_key", identity.api_key),)
    return HttpRequest("GET", f"{base_url.rstrip('/')}/works", params)


def parse_works(
    source: str, body: bytes, retrieved_at: datetime, *, unreadable: list[Unreadable] | None = None
) -> tuple[tuple[EvidenceRecord, ...], int, str | None]:
    """Records, matches in all and the next cursor, out of a list answer; or the one work of a single answer.

    Args:
        unreadable: takes the entries of which no record can be made.
    Raises:
        SourceChanged: HTML (which is what a 404 is), no JSON, or neither a list nor a work.
        SourceUnavailable, SourceRefused: an error inside the answer.
    """
    answer = load_object(source, body)
    if "results" not in answer:
        if not {"id", "doi", "ids"} & set(answer):
            raise SourceChanged(
                f"{source} answered with neither 'results' nor a work; found: {', '.join(sorted(answer)[:8])}"
            )
        return records_of([answer], lambda work: work_record(work, source, retrieved_at), unreadable), 1, None
    results = want_list(source, answer, "results")
    records = records_of(results, lambda work: work_record(work, source, retrieved_at), unreadable)
    hits = count_at(answer, "meta", "count")
    return records, len(results) if hits is None else hits, text_at(answer, "meta", "next_cursor")


def work_record(work: JsonObject, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    """One work; `None` without a title or without any identifier (`select` drops what was not asked for)."""
    title = markup_text(at(work, "title")) or markup_text(at(work, "display_name"))
    doi = clean_doi(text_at(work, "doi") or text_at(work, "ids", "doi"))
    openalex_id = (text_at(work, "id") or text_at(work, "ids", "openalex") or "").rsplit("/", 1)[-1] or None
    if not title or not (openalex_id or doi):
        return None
    pmid = clean_pmid(text_at(work, "ids", "pmid"))
    people = (text_at(entry, "author", "display_name") or text_at(entry, "raw_author_name")
              for entry in objects_at(work, "authorships"))  # fmt: skip
    landing = web_address(text_at(work, "primary_location", "landing_page_url"))
    retracted = flag_at(work, "is_retracted")
    kind = text_at(work, "type")
    return EvidenceRecord(
        source=source,
        source_id=openalex_id or doi or "",
        identifiers=Identifiers(
            pmid=pmid,
            pmcid=clean_pmcid(text_at(work, "ids", "pmcid")),
            doi=doi,
            openalex_id=openalex_id,
            url=landing or (f"https://doi.org/{doi}" if doi else f"https://openalex.org/{openalex_id}"),
        ),
        title=title,
        abstract=rebuilt_abstract(at(work, "abstract_inverted_index")),
        authors=tuple(family_first(name) for name in people if name),
        journal=text_at(work, "primary_location", "source", "display_name"),
        year=parse_year(text_at(work, "publication_year")) or parse_year(text_at(work, "publication_date")),
        publication_types=(kind,) if kind else (),
        mesh_terms=tuple(dict.fromkeys(n for m in objects_at(work, "mesh") if (n := text_at(m, "descriptor_name")))),
        language=text_at(work, "language"),
        # OpenAlex's flag only says yes; "not retracted" leaves corrections and concerns unlooked at.
        status=EvidenceStatus.RETRACTED if retracted else EvidenceStatus.NOT_CHECKED,
        cited_by_count=count_at(work, "cited_by_count"),
        open_access=flag_at(work, "open_access", "is_oa"),
        text_origin=publication_origin([kind] if kind else [], doi),
        retrieved_at=retrieved_at,
    )  # fmt: skip


def rebuilt_abstract(index: object) -> tuple[AbstractPart, ...]:
    """The abstract out of {word: [positions]}: by position, since a word stands at several."""
    if not isinstance(index, dict):
        return ()
    words: dict[int, str] = {}
    for word, positions in index.items():
        if isinstance(positions, list):
            words |= {place: str(word) for place in positions if isinstance(place, int) and 0 <= place < MAX_POSITIONS}
    text = markup_text(" ".join(words[place] for place in sorted(words)))
    return (AbstractPart(text=text),) if text else ()


def family_first(name: str) -> str:
    """ "Family I" out of "Given Middle Family" or "Family, Given", as PubMed prints authors; a single word stays."""
    if "," in name:
        family, _, given = name.partition(",")
        parts = given.split()
        family = family.strip()
    else:
        *parts, family = name.split() or [""]
        if parts and family.rstrip(".") in ("Jr", "Sr", "II", "III", "IV"):
            family = f"{parts.pop()} {family.rstrip('.')}"
        while parts and parts[-1].lower() in _PARTICLES:
            family = f"{parts.pop()} {family}"
    initials = "".join(letter[0] for part in parts for letter in part.replace("-", " ").split() if letter[0].isalpha())
    return f"{family} {initials.upper()}".strip()


class OpenAlexAdapter:
    """OpenAlex by cursor."""

    def __init__(self, base_url: str, identity: Identity, form: OpenAlexForm) -> None:
        self._base_url = base_url
        self._identity = identity
        self._form = form

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        def read(call: HttpRequest, body: bytes) -> paging.Page:
            records, hits, cursor = parse_works(request.route, body, request.retrieved_at)
            return paging.Page(records, hits, paging.with_param(call, "cursor", cursor) if cursor else None)

        def first(rung: SearchRung) -> HttpRequest:
            return search_request(self._base_url, self._identity, request, self._form, rung)

        return (await climb(request, http, first, read, listed=("results",), chars=ADDRESS_CHARS)).result(request.limit)
