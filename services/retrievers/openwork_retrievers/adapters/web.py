"""Web search over trusted domains: Tavily (with a key) and SearXNG (Google Scholar, where an address is configured)."""

from __future__ import annotations

import json
import re
from datetime import datetime
from urllib.parse import urlsplit

from openwork_contracts.evidence import AbstractPart, EvidenceRecord, Identifiers, StudyDesign, TextOrigin
from openwork_evidence.identifiers import clean_doi, clean_pmid, nct_numbers, pmcid_in, web_address
from openwork_http.jsonbody import JsonObject, at, load_object, text_at, want_list
from openwork_language.dates import parse_year

from openwork_retrievers.adapters import paging
from openwork_retrievers.adapters.entries import Unreadable, records_of
from openwork_retrievers.adapters.markup import markup_text
from openwork_retrievers.adapters.ports import HttpPort, HttpRequest, Identity, Params, SearchRequest, SourceResult
from openwork_retrievers.domain.scholar import authors_of, cited_by, told_before
from openwork_retrievers.domain.trusted_sites import page_types, trusted_sites

TRUSTED_DOMAINS = tuple(trusted_sites())
"""Public-health agencies, regulators, guideline bodies, specialty societies and general medical journals."""
MOST_DOMAINS = 300
"""That Tavily takes in one request (docs.tavily.com, `include_domains`)."""
MAX_TAVILY_RESULTS = 20
_CITED_BY = re.compile(r"(?:·\s*)?Cited by \d+(?:\s*--)?\s*")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*\)")
_MARKS = re.compile(r"^\s{0,3}(?:#{1,6}\s*|[-*+]\s+|>\s?|\|)|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}", re.MULTILINE)


def tavily_request(base_url: str, identity: Identity, request: SearchRequest) -> HttpRequest:
    """One search: the question, in a further round what that one looks for. The key goes into a header, never into the
    body that is logged."""
    wanted = {
        "query": (request.analysis.question if request.round == 1 else request.strategy.plain)[:400],
        "topic": "general",
        "search_depth": "advanced",
        "max_results": min(MAX_TAVILY_RESULTS, request.limit),
        "include_domains": list(TRUSTED_DOMAINS[:MOST_DOMAINS]),
    }
    headers: Params = (("content-type", "application/json"),)
    if identity.api_key:
        headers += (("authorization", f"Bearer {identity.api_key}"),)
    url = f"{base_url.rstrip('/')}/search"
    return HttpRequest("POST", url, headers=headers, json_body=json.dumps(wanted).encode())


def searxng_request(base_url: str, request: SearchRequest) -> HttpRequest:
    """The first page of Google Scholar's results."""
    params = (("q", request.strategy.plain), ("format", "json"), ("engines", "google scholar"), ("pageno", "1"))
    return HttpRequest("GET", f"{base_url.rstrip('/')}/search", params)


def parse_results(
    source: str, body: bytes, retrieved_at: datetime, *, unreadable: list[Unreadable] | None = None
) -> tuple[EvidenceRecord, ...]:
    """The results of Tavily or SearXNG, best first. Without an http(s) address a result is left out.

    Args:
        unreadable: takes the entries of which no record can be made.
    Raises:
        SourceChanged: not JSON, or without `results`.
        SourceUnavailable, SourceRefused: an error inside the answer ({"detail": {"error": ...}}).
    """
    answer = load_object(source, body)
    results = want_list(source, answer, "results")
    return records_of(results, lambda entry: _record(entry, source, retrieved_at), unreadable)


def _record(entry: JsonObject, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    url = web_address(text_at(entry, "url"))
    title = markup_text(at(entry, "title"))
    if url is None or not title:
        return None
    told, snippet = told_before(_printed(entry, "raw_content") or _printed(entry, "content"))
    text = plain_text(snippet)
    host = urlsplit(url).hostname or ""
    authors = authors_of([name for name in found if isinstance(name, str)]) if isinstance(
        found := at(entry, "authors"), list
    ) else ()  # fmt: skip
    year = parse_year(text_at(entry, "published_date") or text_at(entry, "publishedDate"))
    return EvidenceRecord(
        source=source,
        source_id=url,
        identifiers=_identifiers(entry, url, host),
        title=title,
        abstract=(AbstractPart(text=text),) if text else (),
        authors=authors or told.authors,
        journal=text_at(entry, "journal") or told.venue or host.removeprefix("www.") or None,
        year=year or told.year,
        publication_types=page_types(host),
        study_design=StudyDesign.WEB_PAGE,
        cited_by_count=cited_by(text_at(entry, "comments")) or told.cited_by,
        text_origin=TextOrigin.WEB_PAGE,
        retrieved_at=retrieved_at,
    )


def _printed(entry: JsonObject, key: str) -> str:
    """A text with its lines: what stands before a snippet is a line of its own."""
    found = at(entry, key)
    return found.strip() if isinstance(found, str) else ""


def _identifiers(entry: JsonObject, url: str, host: str) -> Identifiers:
    """What the address itself names: a page of PubMed, of PMC, of a registration, or a DOI."""
    ncbi = host.endswith("ncbi.nlm.nih.gov")
    path = urlsplit(url).path
    trial = nct_numbers(path) if host.endswith("clinicaltrials.gov") else ()
    doi = clean_doi(text_at(entry, "doi")) or (clean_doi(url) if host.endswith("doi.org") or "/doi/" in path else None)
    return Identifiers(
        pmid=clean_pmid(url),
        pmcid=pmcid_in(path) if ncbi or host.endswith("europepmc.org") else None,
        doi=doi,
        nct_ids=trial,
        url=url,
    )


def plain_text(markdown: str) -> str:
    """A page's text without Markdown's marks, links' addresses, images and search-engine noise."""
    bare = _LINK.sub(r"\1", _IMAGE.sub(" ", markdown))
    return " ".join(_CITED_BY.sub("", _MARKS.sub("", markup_text_lines(bare))).split())


def markup_text_lines(text: str) -> str:
    """Tags and entities out, line by line, so that marks at the start of a line are still seen as such."""
    return "\n".join(markup_text(line) for line in text.splitlines())


class TavilyAdapter:
    """One call; Tavily has no pages."""

    def __init__(self, base_url: str, identity: Identity) -> None:
        self._base_url = base_url
        self._identity = identity

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        def read(_: HttpRequest, body: bytes) -> paging.Page:
            return paging.Page(parse_results(request.route, body, request.retrieved_at))

        first = tavily_request(self._base_url, self._identity, request)
        return (await paging.read_pages(request, http, first, read, listed=("results",))).result(request.limit)


class SearxngAdapter:
    """SearXNG by page number."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        def read(call: HttpRequest, body: bytes) -> paging.Page:
            records = parse_results(request.route, body, request.retrieved_at)
            number = int(dict(call.params)["pageno"]) + 1
            return paging.Page(records, next_call=paging.with_param(call, "pageno", str(number)) if records else None)

        first = searxng_request(self._base_url, request)
        return (await paging.read_pages(request, http, first, read, listed=("results",))).result(request.limit)
