"""Europe PMC REST: search with cursor paging. https://europepmc.org/RestfulWebService"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import EvidenceRecord, EvidenceStatus, Identifiers, NoticeLink
from openwork_contracts.strategy import SearchConcept, SearchRung, SearchStrategy, StudyFilter
from openwork_evidence.identifiers import clean_doi, clean_nct, clean_pmcid, clean_pmid
from openwork_evidence.origins import publication_origin
from openwork_http.jsonbody import (
    JsonObject,
    at,
    count_at,
    error_of,
    flag_at,
    load_object,
    objects_at,
    text_at,
    texts_at,
    want_list,
)
from openwork_language.dates import parse_year

from openwork_retrievers.adapters import paging
from openwork_retrievers.adapters.entries import Unreadable, records_of
from openwork_retrievers.adapters.ladder import climb
from openwork_retrievers.adapters.markup import abstract_parts, markup_text
from openwork_retrievers.adapters.ncbi.status import Reference, evidence_status, notice_links
from openwork_retrievers.adapters.ports import HttpPort, HttpRequest, Params, SearchRequest, SourceResult
from openwork_retrievers.adapters.xml import Element, flat_text, parse
from openwork_retrievers.domain.rendering import groups_of, names_within

FIRST_CURSOR = "*"
MAX_PAGE = 100
"""The service allows 1,000; a core page of 100 is about 1 MB."""

MAX_GET_CHARS = 1500
POST_CHARS = 12_000
"""Of names in one query: about 500, each in two fields, which is near what a Lucene index takes by default (1,024)."""
PUBLICATION_TYPES: dict[StudyFilter, tuple[str, ...]] = {
    StudyFilter.GUIDELINE: ("Practice Guideline", "Guideline", "Consensus Development Conference"),
    StudyFilter.SYNTHESIS: ("Systematic Review", "Meta-Analysis"),
    StudyFilter.RANDOMISED_TRIAL: ("Randomized Controlled Trial", "Controlled Clinical Trial"),
    StudyFilter.CLINICAL_TRIAL: ("Clinical Trial",),
    StudyFilter.COMPARATIVE: ("Comparative Study",),
    StudyFilter.VALIDATION: ("Validation Study",),
}
"""PubMed's publication types, which Europe PMC takes over for MEDLINE's records."""
OPINION = ("Comment", "Editorial", "News", "Published Erratum")


@dataclass(frozen=True, slots=True)
class EuropePmcForm:
    """What makes one registry entry differ: an added filter and the order."""

    filter: str = ""
    sort: str = ""
    """Empty = by relevance."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a search."""

    records: tuple[EvidenceRecord, ...]
    hits: int
    next_cursor: str | None
    """`None` = this was the last page."""
    warnings: tuple[str, ...] = ()


def query_text(strategy: SearchStrategy, rung: SearchRung, form: EuropePmcForm) -> str:
    """Each group in title or abstract under any of its names, or under a heading; the rung's and the entry's filters.

    It has no filter for records about animals alone.
    """
    groups = groups_of(strategy, rung)
    named = names_within(groups, broad=rung.broad, chars=POST_CHARS)
    parts = [f"({_any_of(group, names)})" for group, names in zip(groups, named, strict=True)]
    filters = rung.filters
    types = [f'PUB_TYPE:"{name}"' for kind in filters.studies for name in PUBLICATION_TYPES.get(kind, ())]
    if types:
        parts.append(f"({' OR '.join(types)})")
    if filters.english:
        parts.append("LANG:eng")
    if years := filters.years(1000, 3000):
        parts.append(f"PUB_YEAR:[{years[0]} TO {years[1]}]")
    if form.filter:
        parts.append(form.filter)
    opinion = "".join(f' NOT PUB_TYPE:"{kind}"' for kind in OPINION) if filters.no_opinion else ""
    return " AND ".join(parts) + opinion


def _any_of(group: tuple[SearchConcept, ...], names: tuple[str, ...]) -> str:
    titled = [f'TITLE_ABS:"{name}"' for name in names]
    return " OR ".join((*titled, *dict.fromkeys(f'KW:"{h.text}"' for concept in group for h in concept.headings)))


def search_request(
    base_url: str, query: str, form: EuropePmcForm, cursor: str, size: int, *, synonyms: bool = True
) -> HttpRequest:
    """One page. `core` has abstracts, `lite` has not; `synonym` is written out since its default differs by method.

    A long query goes by POST: servers cut addresses at some 2,000 characters.
    """
    params: Params = (("query", query), ("resultType", "core"), ("format", "json"), ("pageSize", str(size)),
              ("cursorMark", cursor), ("synonym", str(synonyms).lower()))  # fmt: skip
    if form.sort:
        params += (("sort", form.sort),)
    if len(query) > MAX_GET_CHARS:
        return HttpRequest("POST", f"{base_url.rstrip('/')}/searchPOST", form=params)
    return HttpRequest("GET", f"{base_url.rstrip('/')}/search", params)


def parse_page(
    source: str,
    body: bytes,
    retrieved_at: datetime,
    *,
    asked_cursor: str | None = None,
    most: int | None = None,
    unreadable: list[Unreadable] | None = None,
) -> Page:
    """One page of a search, as JSON or XML.

    Args:
        most: results that are read; `None` = all.
        unreadable: takes the entries of which no record can be made.
    Raises:
        SourceChanged: neither, or no result list.
        SourceUnavailable, SourceRefused: an errorBean (which comes as XML also where JSON was asked for).
    """
    answer = _xml_answer(source, body) if body.lstrip()[:1] == b"<" else load_object(source, body)
    if reason := text_at(answer, "errMsg"):
        raise error_of(source, reason)
    results = want_list(source, answer, "resultList", "result")
    hits = count_at(answer, "hitCount")
    echoed = text_at(answer, "request", "cursorMark")
    warnings = []
    if asked_cursor is not None and echoed is not None and echoed != asked_cursor:
        warnings.append(f"asked for cursor {asked_cursor!r}, the service read {echoed!r}: pages may repeat")
    records = records_of(results[:most], lambda entry: _record(entry, source, retrieved_at), unreadable)
    cursor = text_at(answer, "nextCursorMark")
    return Page(records, len(results) if hits is None else hits, cursor if cursor != echoed else None, tuple(warnings))


def _record(entry: JsonObject, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    """One hit; `None` without a title (an idlist hit has only its id)."""
    title = markup_text(text_at(entry, "title"))
    own_id, collection = text_at(entry, "id"), text_at(entry, "source") or "MED"
    if not title or own_id is None:
        return None
    pmid = clean_pmid(text_at(entry, "pmid") or (own_id if collection == "MED" else None))
    pmcid = clean_pmcid(text_at(entry, "pmcid") or (own_id if collection == "PMC" else None))
    doi = clean_doi(text_at(entry, "doi"))
    types = _publication_types(entry, collection)
    references = _references(entry)
    people, collective = _authors(entry)
    trials = _trials(entry)
    return EvidenceRecord(
        source=source,
        source_id=pmid or pmcid or own_id,
        identifiers=Identifiers(
            pmid=pmid,
            pmcid=pmcid,
            doi=doi,
            nct_ids=trials,
            isbn=text_at(entry, "bookOrReportDetails", "isbn13"),
            url=f"https://europepmc.org/article/{collection}/{own_id}",
        ),
        title=title,
        abstract=abstract_parts(at(entry, "abstractText")),
        authors=people,
        collective_author=collective,
        journal=_journal(entry, collection),
        year=_year(entry),
        publication_types=types,
        mesh_terms=_mesh(entry),
        language=text_at(entry, "language"),
        status=_status(types, references, title, checked=collection == "MED" and "pubTypeList" in entry),
        links=notice_links(references) + tuple(NoticeLink(kind="registered_as", nct_id=trial) for trial in trials),
        funding=_funding(entry),
        cited_by_count=count_at(entry, "citedByCount"),
        open_access=flag_at(entry, "isOpenAccess"),
        text_origin=publication_origin(types, doi),
        retrieved_at=retrieved_at,
    )


def _funding(entry: JsonObject) -> str | None:
    agencies = (text_at(grant, "agency") for grant in objects_at(entry, "grantsList", "grant"))
    return "; ".join(dict.fromkeys(agency for agency in agencies if agency)) or None


_TYPE_NAMES = {
    "retraction of publication": "Retraction of Publication",
    "retracted publication": "Retracted Publication",
    "published erratum": "Published Erratum",
}


def _publication_types(entry: JsonObject, collection: str) -> tuple[str, ...]:
    """As printed, but for case: lite prints "published erratum; correction", core "Published Erratum"."""
    printed = texts_at(entry, "pubTypeList", "pubType")
    if not printed:
        printed = tuple(part.strip() for part in (text_at(entry, "pubType") or "").split(";"))
    named = [_TYPE_NAMES.get(kind.lower(), kind) for kind in printed if kind]
    if collection == "PPR" and not any(kind.lower() == "preprint" for kind in named):
        named.append("Preprint")
    return tuple(dict.fromkeys(named))


def _references(entry: JsonObject) -> list[Reference]:
    """Europe PMC prints PubMed's RefType as words: "Retraction in", "Erratum for"."""
    found = []
    for link in objects_at(entry, "commentCorrectionList", "commentCorrection"):
        words = (text_at(link, "type") or "").replace(" ", "")
        pmid = text_at(link, "id") if text_at(link, "source") in (None, "MED") else None
        found.append(Reference(words, pmid, text_at(link, "reference") or ""))
    return found


def _status(types: tuple[str, ...], references: list[Reference], title: str, *, checked: bool) -> EvidenceStatus:
    """Only core records of MEDLINE carry PubMed's notices; of the others nobody has looked."""
    status = evidence_status(types, references, title)
    return EvidenceStatus.NOT_CHECKED if status is EvidenceStatus.NONE and not checked else status


def _authors(entry: JsonObject) -> tuple[tuple[str, ...], str | None]:
    people, groups = [], []
    for author in objects_at(entry, "authorList", "author"):
        if name := text_at(author, "fullName"):
            people.append(name)
        elif group := text_at(author, "collectiveName"):
            groups.append(group)
    if not people and not groups:
        # authorString ends with a full stop and separates by commas: "Vermaut C, Leclerc J, O'Neill AF."
        people = [
            name.strip() for name in (text_at(entry, "authorString") or "").rstrip(".").split(",") if name.strip()
        ]
    return tuple(people), "; ".join(groups) or None


def _journal(entry: JsonObject, collection: str) -> str | None:
    book = text_at(entry, "bookOrReportDetails", "comprisingTitle") or text_at(
        entry, "bookOrReportDetails", "publisher"
    )
    journal = text_at(entry, "journalInfo", "journal", "title") or text_at(entry, "journalTitle")
    return journal or book or (None if collection != "PPR" else "Preprint")


def _year(entry: JsonObject) -> int | None:
    candidates = (
        text_at(entry, "pubYear"),
        text_at(entry, "journalInfo", "yearOfPublication"),
        text_at(entry, "bookOrReportDetails", "yearOfPublication"),
        text_at(entry, "firstPublicationDate"),
    )
    return next((year for text in candidates if (year := parse_year(text)) is not None), None)


def _mesh(entry: JsonObject) -> tuple[str, ...]:
    names = (text_at(heading, "descriptorName") for heading in objects_at(entry, "meshHeadingList", "meshHeading"))
    return tuple(dict.fromkeys(name for name in names if name))


def _trials(entry: JsonObject) -> tuple[str, ...]:
    numbers = (
        clean_nct(number)
        for bank in objects_at(entry, "dataLinksTagsList", "dataLinkstag")
        for number in texts_at(bank, "accession")
    )
    return tuple(dict.fromkeys(number for number in numbers if number))


_LISTS = frozenset({"result", "author", "pubType", "meshHeading", "grant", "commentCorrection", "fullTextId"})


def _xml_answer(source: str, body: bytes) -> JsonObject:
    """An answer in XML in the shape of the JSON one."""
    root = parse(source, body)
    if root.tag not in ("responseWrapper", "errorBean"):
        raise SourceChanged(f"{source} answered with <{root.tag}>, not <responseWrapper>")
    value = _as_json(root)
    if not isinstance(value, dict):
        raise SourceChanged(f"{source} answered with an empty <{root.tag}>")
    if value.get("resultList") in ("", None) and root.tag == "responseWrapper":
        value["resultList"] = {"result": []}
    return value


def _as_json(element: Element) -> object:
    if not len(element) or element.tag in ("abstractText", "title"):
        return flat_text(element)
    value: dict[str, object] = {}
    for child in element:
        name = str(child.tag)
        if name in _LISTS:
            kept = value.setdefault(name, [])
            if isinstance(kept, list):
                kept.append(_as_json(child))
        else:
            value[name] = _as_json(child)
    return value


class EuropePmcAdapter:
    """Europe PMC by cursor, until enough, the end, or a page that does not move on."""

    def __init__(self, base_url: str, form: EuropePmcForm) -> None:
        self._base_url = base_url
        self._form = form

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        def read(call: HttpRequest, body: bytes) -> paging.Page:
            cursor = dict(call.form or call.params)["cursorMark"]
            page = parse_page(request.route, body, request.retrieved_at, asked_cursor=cursor, most=request.limit)
            moves_on = page.next_cursor is not None and page.next_cursor != cursor
            following = paging.with_param(call, "cursorMark", page.next_cursor or "") if moves_on else None
            return paging.Page(page.records, page.hits, following, page.warnings, suspect=bool(page.warnings))

        def first(rung: SearchRung) -> HttpRequest:
            query = query_text(request.strategy, rung, self._form)
            return search_request(self._base_url, query, self._form, FIRST_CURSOR, min(MAX_PAGE, request.limit))

        return (await climb(request, http, first, read, listed=("resultList", "result"), chars=POST_CHARS)).result(
            request.limit
        )
