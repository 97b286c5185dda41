"""The chain of places where a full text may be free, one request after another: a pure decision.

    PMCID (else asked of Europe PMC) -> PMC JATS -> Europe PMC JATS -> Unpaywall -> the PDFs it names -> abstract only

PMC is asked once for all works of a round (`adapters.batch`); one that came by its PMCID later goes on to Europe PMC.

Sources of the addresses: NCBI E-utilities (NBK25499), Europe PMC REST API ("fullTextXML", "search"), Unpaywall API v2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import quote

from openwork_contracts.errors import FailureReason, SourceChanged
from openwork_contracts.evidence import Identifiers
from openwork_evidence.identifiers import clean_pmcid, web_address
from openwork_http.jsonbody import load_object
from openwork_http.messages import HttpRequest
from openwork_http.messages import Pairs as Params
from openwork_http.terms import UNPAYWALL_URL
from openwork_http.turns import Turn, Urgency

MAX_PDFS = 2
"""Addresses of PDFs that are tried: repositories hold copies of the same text, and each try costs seconds."""


class Step(StrEnum):
    """A place that is asked."""

    LOOKUP = "pmcid lookup"
    PMC = "PMC"
    EUROPEPMC = "Europe PMC"
    UNPAYWALL = "Unpaywall"
    PDF = "PDF"


@dataclass(frozen=True, slots=True)
class Services:
    """Where the services are and who asks. Unpaywall demands a contact address: without one it is left out."""

    ncbi_url: str = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    europepmc_url: str = "https://www.ebi.ac.uk/europepmc/webservices/rest"
    unpaywall_url: str = UNPAYWALL_URL
    tool: str = "open-work"
    contact: str | None = None
    ncbi_api_key: str | None = None


@dataclass(frozen=True, slots=True)
class FulltextRequest:
    """The next request and the step it belongs to."""

    step: Step
    http: HttpRequest


@dataclass(frozen=True, slots=True)
class Attempt:
    """A step that is over without a full text, in plain words."""

    step: Step
    words: str
    reason: FailureReason | None = None
    """`None` = the place answered and has nothing: that is no failure."""

    @property
    def in_words(self) -> str:
        """The place and what it said, for the method section of an answer."""
        return f"{self.step}: {self.words}"


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known so far of one work. `pdf_urls` are the addresses that are left to try."""

    identifiers: Identifiers
    attempts: tuple[Attempt, ...] = ()
    pdf_urls: tuple[str, ...] = ()

    def after(self, attempt: Attempt) -> Progress:
        return replace(self, attempts=(*self.attempts, attempt))

    def has_tried(self, step: Step) -> bool:
        return any(attempt.step is step for attempt in self.attempts)

    @property
    def tried(self) -> tuple[str, ...]:
        """Every step in order with its outcome, for the method section of an answer."""
        return tuple(attempt.in_words for attempt in self.attempts)


def next_request(progress: Progress, services: Services) -> FulltextRequest | None:
    """The next request, or `None` when every place was asked: then the abstract serves."""
    ids = progress.identifiers
    if ids.pmcid is None and (ids.doi or ids.pmid) and not progress.has_tried(Step.LOOKUP):
        return FulltextRequest(Step.LOOKUP, _lookup(ids, services))
    if ids.pmcid is not None and not progress.has_tried(Step.PMC):
        return FulltextRequest(Step.PMC, pmc_request((ids.pmcid,), services))
    if ids.pmcid is not None and not progress.has_tried(Step.EUROPEPMC):
        url = f"{services.europepmc_url}/{ids.pmcid}/fullTextXML"
        return FulltextRequest(Step.EUROPEPMC, HttpRequest("GET", url))
    if ids.doi is not None and services.contact and not progress.has_tried(Step.UNPAYWALL):
        url = f"{services.unpaywall_url}/{quote(ids.doi, safe='/')}"
        return FulltextRequest(Step.UNPAYWALL, HttpRequest("GET", url, (("email", services.contact),)))
    if progress.pdf_urls:
        headers = (("Accept", "application/pdf"),)
        return FulltextRequest(Step.PDF, HttpRequest("GET", progress.pdf_urls[0], headers=headers))
    return None


def _lookup(ids: Identifiers, services: Services) -> HttpRequest:
    query = f"EXT_ID:{ids.pmid} AND SRC:MED" if ids.pmid else f'DOI:"{ids.doi}"'
    params = (("query", query), ("resultType", "lite"), ("format", "json"), ("pageSize", "5"))
    return HttpRequest("GET", f"{services.europepmc_url}/search", params)


def pmc_request(pmcids: Sequence[str], services: Services) -> HttpRequest:
    """EFetch of the full texts of these works, all in one call. It gives way to searches: Europe PMC has them too."""
    ids = ",".join(pmcid.removeprefix("PMC") for pmcid in pmcids)
    params: Params = (("db", "pmc"), ("id", ids), ("retmode", "xml"), ("tool", services.tool))
    if services.contact:
        params += (("email", services.contact),)
    if services.ncbi_api_key:
        params += (("api_key", services.ncbi_api_key),)
    return HttpRequest("GET", f"{services.ncbi_url}/efetch.fcgi", params, turn=Turn(Urgency.SPARE))


def read_lookup(progress: Progress, body: bytes) -> Progress:
    """Take the PMCID out of a Europe PMC search answer; of several hits, the one whose identifiers agree.

    Raises:
        SourceChanged: not the JSON that the API documents.
    """
    answer = load_object("Europe PMC", body)
    hits = answer.get("resultList")
    found = hits.get("result") if isinstance(hits, dict) else None
    if not isinstance(found, list):
        raise SourceChanged("Europe PMC answered without a result list")
    ids = progress.identifiers
    for hit in found:
        if not isinstance(hit, dict):
            continue
        pmcid = clean_pmcid(hit.get("pmcid"))
        same_pmid = ids.pmid is not None and str(hit.get("pmid")) == ids.pmid
        same_doi = ids.doi is not None and str(hit.get("doi") or "").lower() == ids.doi
        if pmcid and (same_pmid or same_doi):
            words = f"Europe PMC names {pmcid}"
            known = replace(progress, identifiers=ids.model_copy(update={"pmcid": pmcid}))
            return known.after(Attempt(Step.LOOKUP, words))
    return progress.after(Attempt(Step.LOOKUP, "no PMCID is known for it"))


def read_unpaywall(progress: Progress, body: bytes) -> Progress:
    """Take the addresses of free PDFs out of an Unpaywall answer: the best location first, each once.

    Raises:
        SourceChanged: not the JSON that the API documents.
    """
    answer = load_object("Unpaywall", body)
    locations = [answer.get("best_oa_location")]
    others = answer.get("oa_locations")
    locations += others if isinstance(others, list) else []
    urls = []
    for location in locations:
        url = location.get("url_for_pdf") if isinstance(location, dict) else None
        if address := web_address(url):
            urls.append(address)
    urls = list(dict.fromkeys(urls))[:MAX_PDFS]
    if urls:
        words = f"names {len(urls)} free PDF(s)"
    elif answer.get("is_oa"):
        words = "open access, but no address of a PDF"
    else:
        words = "no free copy is known"
    return replace(progress, pdf_urls=tuple(urls)).after(Attempt(Step.UNPAYWALL, words))
