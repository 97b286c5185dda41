"""Semantic Scholar's Academic Graph: search by relevance, or bulk by citations. https://api.semanticscholar.org/api-docs"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import AbstractPart, EvidenceRecord, Identifiers
from openwork_contracts.strategy import SearchRung
from openwork_evidence.identifiers import clean_doi, clean_pmcid, clean_pmid
from openwork_evidence.origins import publication_origin
from openwork_http.jsonbody import (
    JsonObject,
    at,
    count_at,
    flag_at,
    int_at,
    load,
    objects_at,
    refuse_errors,
    text_at,
    texts_at,
)
from openwork_language.dates import parse_year

from openwork_retrievers.adapters import paging
from openwork_retrievers.adapters.entries import Unreadable, records_of
from openwork_retrievers.adapters.ladder import SCARCE, climb
from openwork_retrievers.adapters.markup import markup_text
from openwork_retrievers.adapters.openalex import family_first
from openwork_retrievers.adapters.ports import HttpPort, HttpRequest, Identity, Params, SearchRequest, SourceResult
from openwork_retrievers.domain.rendering import ADDRESS_CHARS, boolean, spoken

PAGE = 100
"""The relevance search's limit; it never gives more than 1,000 in all."""
FIELDS = (
    "paperId,externalIds,url,title,abstract,venue,journal,year,publicationDate,publicationTypes,authors,citationCount,"
    "isOpenAccess"
)
TYPE_NAMES = {
    "JournalArticle": "Journal Article",
    "MetaAnalysis": "Meta-Analysis",
    "ClinicalTrial": "Clinical Trial",
    "CaseReport": "Case Reports",
    "LettersAndComments": "Letter",
}
"""Its own words for publication types, in PubMed's."""


@dataclass(frozen=True, slots=True)
class SemanticScholarForm:
    """What makes one registry entry differ: by relevance, or most cited first."""

    most_cited: bool = False


def search_request(base_url: str, identity: Identity, request: SearchRequest, form: SemanticScholarForm,
                   rung: SearchRung) -> HttpRequest:  # fmt: skip
    """The first page of a rung. The bulk search reads `+` as AND and `|` as OR; the other one plain words only.

    Of the filters it knows the year alone.
    """
    text = spoken(request.strategy, rung)
    path, order = "paper/search", (("limit", str(min(PAGE, request.limit))), ("offset", "0"))
    if form.most_cited:
        text = boolean(request.strategy, rung, chars=ADDRESS_CHARS, either=" | ", both=" + ")
        path, order = "paper/search/bulk", (("sort", "citationCount:desc"),)  # type: ignore[assignment]
    params: Params = (("query", text), ("fields", FIELDS), ("fieldsOfStudy", "Medicine,Biology"), *order)
    if years := rung.filters.years("", ""):
        params += (("year", f"{years[0]}-{years[1]}"),)
    headers: Params = (("x-api-key", identity.api_key),) if identity.api_key else ()
    return HttpRequest("GET", f"{base_url.rstrip('/')}/{path}", params, headers)


def parse_papers(
    source: str,
    body: bytes,
    retrieved_at: datetime,
    *,
    most: int | None = None,
    unreadable: list[Unreadable] | None = None,
) -> tuple[tuple[EvidenceRecord, ...], JsonObject]:
    """Records of any of its shapes (search, bulk, batch, one paper, citations, recommendations) and the envelope.

    Zero hits come without `data`; a batch is a list with `null` for each unknown id; a citation wraps its paper.

    Args:
        most: papers that are read; `None` = all.
        unreadable: takes the entries of which no record can be made.
    Raises:
        SourceChanged: not JSON, or none of the shapes.
        SourceUnavailable, SourceRefused: {"error"} or {"message"} instead of an answer.
    """
    answer = load(source, body)
    envelope: JsonObject = answer if isinstance(answer, dict) else {}
    refuse_errors(source, envelope)
    if isinstance(answer, list):
        entries = [entry for entry in answer if isinstance(entry, dict)]
    elif "data" in envelope or "recommendedPapers" in envelope:
        entries = [dict(e) for key in ("data", "recommendedPapers") for e in objects_at(envelope, key)]
    elif "paperId" in envelope:
        entries = [dict(envelope)]
    elif {"total", "authorId"} & set(envelope):
        entries = []  # zero hits, or an author
    else:
        raise SourceChanged(
            f"{source} answered without 'data'; found: {', '.join(sorted(envelope)[:8]) or type(answer).__name__}"
        )
    papers = (entry.get("citingPaper") or entry.get("citedPaper") or entry for entry in entries[:most])
    found = (paper for paper in papers if isinstance(paper, dict))
    return records_of(found, lambda paper: paper_record(paper, source, retrieved_at), unreadable), envelope


def paper_record(paper: JsonObject, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    """One paper; `None` without an id or a title (an author is not one, a reference may have a null id)."""
    paper_id, title = text_at(paper, "paperId"), markup_text(at(paper, "title"))
    if paper_id is None or not title:
        return None
    ids = at(paper, "externalIds")
    doi, abstract = clean_doi(text_at(ids, "DOI")), markup_text(at(paper, "abstract"))
    names = (text_at(author, "name") for author in objects_at(paper, "authors"))
    types = texts_at(paper, "publicationTypes")
    return EvidenceRecord(
        source=source,
        source_id=paper_id,
        identifiers=Identifiers(
            pmid=clean_pmid(text_at(ids, "PubMed")),
            pmcid=clean_pmcid(text_at(ids, "PubMedCentral")),
            doi=doi,
            semantic_scholar_id=paper_id,
            url=text_at(paper, "url") or f"https://www.semanticscholar.org/paper/{paper_id}",
        ),
        title=title,
        abstract=(AbstractPart(text=abstract),) if abstract else (),
        authors=tuple(family_first(name) for name in names if name),
        journal=text_at(paper, "journal", "name") or text_at(paper, "venue"),
        year=parse_year(text_at(paper, "year")) or parse_year(text_at(paper, "publicationDate")),
        publication_types=tuple(TYPE_NAMES.get(kind, kind) for kind in types),
        cited_by_count=count_at(paper, "citationCount"),
        open_access=flag_at(paper, "isOpenAccess"),
        text_origin=publication_origin(types, doi),
        retrieved_at=retrieved_at,
    )


class SemanticScholarAdapter:
    """Semantic Scholar by offset, or by the bulk search's token."""

    def __init__(self, base_url: str, identity: Identity, form: SemanticScholarForm) -> None:
        self._base_url = base_url
        self._identity = identity
        self._form = form

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        def read(call: HttpRequest, body: bytes) -> paging.Page:
            records, envelope = parse_papers(request.route, body, request.retrieved_at, most=request.limit)
            following = None
            if token := text_at(envelope, "token"):
                following = paging.with_param(call, "token", token)
            elif (offset := int_at(envelope, "next")) is not None:
                following = paging.with_param(call, "offset", str(offset))
            return paging.Page(records, count_at(envelope, "total"), following)

        def first(rung: SearchRung) -> HttpRequest:
            return search_request(self._base_url, self._identity, request, self._form, rung)

        chars = ADDRESS_CHARS if self._form.most_cited else None
        return (await climb(request, http, first, read, listed=("data",), chars=chars, most=SCARCE)).result(
            request.limit
        )
