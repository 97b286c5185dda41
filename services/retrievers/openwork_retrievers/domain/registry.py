"""Every source, in one table: route, adapter, query form, limits, terms, and how its records are trusted and ranked.

Rates are the services' documented ones, less a margin for retries; the budget of one `key` is shared by every entry
and every replica that names it (ARCHITECTURE.md, invariant 7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import RecordClass, SourcePolicy
from openwork_http.crossref import CROSSREF_URL
from openwork_http.rxnorm import RXNAV_CACHE_TTL_S, RXNAV_PER_S, RXNAV_URL
from openwork_http.terms import CROSSREF, EUROPEPMC, NCBI, Allowance

from openwork_retrievers.adapters.crossref import CrossrefAdapter
from openwork_retrievers.adapters.ctgov.studies import ClinicalTrialsAdapter
from openwork_retrievers.adapters.europepmc import EuropePmcAdapter, EuropePmcForm
from openwork_retrievers.adapters.labels.dailymed import DailyMedAdapter
from openwork_retrievers.adapters.labels.openfda import OpenFdaAdapter
from openwork_retrievers.adapters.labels.rxnav import RxNavAdapter
from openwork_retrievers.adapters.ncbi.adapter import NcbiAdapter, NcbiForm
from openwork_retrievers.adapters.ncbi.requests import BATCH
from openwork_retrievers.adapters.openalex import OpenAlexAdapter, OpenAlexForm
from openwork_retrievers.adapters.ports import Adapter, Identity
from openwork_retrievers.adapters.semanticscholar import SemanticScholarAdapter, SemanticScholarForm
from openwork_retrievers.adapters.web import SearxngAdapter, TavilyAdapter
from openwork_retrievers.domain.record_classes import (
    COCHRANE,
    GUIDELINES,
    GUIDELINES_OF_ALL,
    PUBMED_CLASSES,
    REVIEWS,
)
from openwork_retrievers.domain.trusted_sites import TRUSTED_PAGE


class AdapterName(StrEnum):
    """The adapters; several entries share one."""

    NCBI = "ncbi"
    EUROPEPMC = "europepmc"
    OPENALEX = "openalex"
    SEMANTICSCHOLAR = "semanticscholar"
    CLINICALTRIALS = "clinicaltrials"
    DAILYMED = "dailymed"
    OPENFDA = "openfda"
    RXNAV = "rxnav"
    TAVILY = "tavily"
    SEARXNG = "searxng"
    CROSSREF = "crossref"


NCBI_CACHE_TTL_S = 3600
"""An ESearch answer names a place on the History server, which NCBI clears after about eight hours."""
OPENALEX_RATE = Allowance("openalex", 10)
SEMANTICSCHOLAR_RATE = Allowance("semanticscholar", 1, 1)
"""1 request/s with a key; without one the pool is shared by everybody and often answers 429."""
CLINICALTRIALS_RATE = Allowance("clinicaltrials", 0.8)
"""About 50 requests a minute per address."""
DAILYMED_RATE = Allowance("dailymed", 2)
"""No documented number."""
OPENFDA_RATE = Allowance("openfda", 4, 4)
"""240 a minute; without a key also 1,000 a day, with one 120,000."""
RXNAV_RATE = Allowance("rxnav", RXNAV_PER_S)
TAVILY_RATE = Allowance("tavily", 1, 1, per_month=1000)
SEARXNG_RATE = Allowance("searxng", 0.2)
"""One's own instance, but Google Scholar behind it blocks faster users."""


AT_ONCE = 2
"""Searches of one source in work at once in one process."""
NCBI_AT_ONCE = 24
"""More than can be had in time without a key (15 s, 3 requests a second, 3 to 4 for each): what waits is to stand in
the line of the shared budget, where reads go first and who comes too late is told so, and not unseen before it."""

_ARTICLES = SourcePolicy(trust_tier=2, top_k=50)
_PUBMED = _ARTICLES.model_copy(update={"classes": PUBMED_CLASSES})
_INDEXES = SourcePolicy(trust_tier=3, top_k=15)
_PMC = SourcePolicy(trust_tier=2, top_k=15)
_TRIALS = SourcePolicy(trust_tier=2, top_k=10, minimum_score_factor=0.8, read_labels=("summary", "description"))
_LABELS = SourcePolicy(
    trust_tier=1, top_k=5, minimum_score_factor=0.7, read_labels=("indications", "contraindications", "dosage")
)
_PAGES = SourcePolicy(
    trust_tier=4,
    top_k=10,
    minimum_score_factor=0.6,
    read_chars=500,
    classes=(
        RecordClass(
            name="pages of trusted sites",
            publication_types=(TRUSTED_PAGE,),
            trust_tier=3,
            top_k=10,
            minimum_score_factor=0.6,
        ),
    ),
)
"""A web search gives about 500 characters of content. Scholar finds any page: those of trusted sites count more."""
_REFERENCE = SourcePolicy(trust_tier=3, top_k=0)
_REFERENCE_LABELS = SourcePolicy(trust_tier=1, top_k=0)
"""Counts of reports, names of drugs, bare bibliography. A work that a source of evidence found too is that source's."""


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """One source, as the plan, the retrievers, the reranker and the docs know it."""

    route: str
    adapter: AdapterName
    description: str
    base_url: str
    """Empty = has to be configured (`needs`)."""
    terms_url: str
    rate: Allowance
    form: NcbiForm | EuropePmcForm | OpenAlexForm | SemanticScholarForm | None = None
    """What makes this entry differ from the others of its adapter."""
    filters: str = ""
    """The same in words, for people."""
    limit: int = 120
    """Most records for an answer."""
    review_limit: int = 500
    """Most records per track of a deep review."""
    timeout_s: float = 15.0
    """For the whole search of the source, all its calls."""
    review_timeout_s: float = 50.0
    """The same for a track of a deep review, whose 18 calls of NCBI alone wait six seconds in line."""
    at_once: int = AT_ONCE
    """Searches of it in work at once in one process."""
    policy: SourcePolicy = _ARTICLES
    """How its records are trusted and ranked; sent along with them."""
    only_on_gap: bool = False
    """Asked only when the first round was not enough."""
    for_questions: bool = False
    """Asked by the query service, to understand the question, wherever any live source may be asked."""
    needs: str | None = None
    """The setting without which it cannot be asked: a key or an address."""
    default_on: bool = True
    """Whether it is among the sources that are asked where `OPENWORK_SOURCES` is not set."""
    cache_ttl_s: int = 86_400
    """How long an identical request may be answered from the cache."""


_EUTILS = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
_NCBI_TERMS = "https://www.ncbi.nlm.nih.gov/home/about/policies/"
_EPMC = "https://www.ebi.ac.uk/europepmc/webservices/rest"
_EPMC_TERMS = "https://europepmc.org/Copyright"
_OPENALEX = "https://api.openalex.org"
_OPENALEX_TERMS = "https://openalex.org/OpenAlex_termsofservice.pdf"
_S2 = "https://api.semanticscholar.org/graph/v1"
_S2_TERMS = "https://www.semanticscholar.org/product/api/license"
_OPENFDA = "https://api.fda.gov"
_OPENFDA_TERMS = "https://open.fda.gov/terms/"

REVIEW_TYPES = "systematic[sb] OR meta-analysis[pt] OR review[pt]"
GUIDELINE_TYPES = "practice guideline[pt] OR guideline[pt] OR consensus development conference[pt]"
RECENT_DAYS = 5 * 365


def _ncbi(route: str, description: str, filters: str, form: NcbiForm, policy: SourcePolicy = _ARTICLES, *,
          limit: int = 120, on: bool = True) -> SourceSpec:  # fmt: skip
    return SourceSpec(route, AdapterName.NCBI, description, _EUTILS, _NCBI_TERMS, NCBI, form, filters, limit=limit,
                      policy=policy, default_on=on, at_once=NCBI_AT_ONCE,
                      cache_ttl_s=NCBI_CACHE_TTL_S)  # fmt: skip


_NCBI_SOURCES = (
    _ncbi("pubmed", "PubMed: articles, and among them guidelines, Cochrane and other systematic reviews",
          "types, language and humans by intent", NcbiForm(), _PUBMED, limit=BATCH),
    _ncbi("pubmed-reviews", "PubMed reviews and meta-analyses", REVIEW_TYPES,
          NcbiForm(filter=REVIEW_TYPES, beside_pubmed=True), REVIEWS, limit=60, on=False),
    _ncbi("cochrane", "Cochrane reviews in PubMed", "cochrane[sb]",
          NcbiForm(filter="cochrane[sb]", beside_pubmed=True), COCHRANE, limit=40, on=False),
    _ncbi("cochrane-recent", "Cochrane reviews of the last five years", "cochrane[sb], five years",
          NcbiForm(filter="cochrane[sb]", reldate_days=RECENT_DAYS, beside_pubmed=True), COCHRANE,
          limit=20, on=False),
    _ncbi("pubmed-guidelines", "Guidelines in PubMed", GUIDELINE_TYPES,
          NcbiForm(filter=GUIDELINE_TYPES, beside_pubmed=True), GUIDELINES, limit=40, on=False),
    _ncbi("guidelines", "Recommendations of guidelines that come with Open Work or were imported, the asked country's "
          "first; and PubMed's guidelines of that country or body", f"{GUIDELINE_TYPES}, of the asked country or body",
          NcbiForm(filter=GUIDELINE_TYPES, beside_pubmed=True, of_the_asked=True), GUIDELINES_OF_ALL, limit=40,
          on=True),
    _ncbi("aap-guidelines", "Statements of the American Academy of Pediatrics", "corporate author",
          NcbiForm(filter='"American Academy of Pediatrics"[cn]', beside_pubmed=True), GUIDELINES,
          limit=20, on=False),
    _ncbi("pmc", "PMC articles", "searched in PMC, records from PubMed", NcbiForm(db="pmc"), _PMC, limit=60, on=False),
    _ncbi("pmc-reviews", "PMC reviews", "reviews, searched in PMC", NcbiForm(db="pmc", filter="review[filter]"),
          REVIEWS, limit=40, on=False),
    _ncbi("bookshelf", "NCBI Bookshelf: GeneReviews, StatPearls and other books in PubMed", "pubmed books[sb]",
          NcbiForm(filter="pubmed books[sb]"), _PMC, limit=20, on=False),
)  # fmt: skip

_EUROPEPMC_SOURCES = tuple(
    SourceSpec(route, AdapterName.EUROPEPMC, description, _EPMC, _EPMC_TERMS, EUROPEPMC, form, filters,
               limit=limit, policy=_INDEXES, default_on=on)
    for route, description, filters, form, limit, on in (
        ("europepmc", "Europe PMC, by relevance; has preprints", "", EuropePmcForm(), 60, True),
        ("europepmc-recent", "Europe PMC, newest first; has preprints", "sorted by date",
         EuropePmcForm(sort="P_PDATE_D desc"), 60, True),
        ("europepmc-cited", "Europe PMC, most cited first", "sorted by citations",
         EuropePmcForm(sort="CITED desc"), 60, True),
        ("europepmc-open", "Europe PMC, open access", "OPEN_ACCESS:y",
         EuropePmcForm(filter="OPEN_ACCESS:y"), 60, False),
    )
)  # fmt: skip

_AGGREGATORS = (
    SourceSpec("openalex", AdapterName.OPENALEX, "OpenAlex: literature of all publishers", _OPENALEX, _OPENALEX_TERMS,
               OPENALEX_RATE, OpenAlexForm(filter="type:article|review|preprint"), "articles, reviews, preprints",
               policy=_INDEXES, limit=100),
    SourceSpec("openalex-reviews", AdapterName.OPENALEX, "OpenAlex: reviews", _OPENALEX, _OPENALEX_TERMS, OPENALEX_RATE,
               OpenAlexForm(filter="type:review"), "type:review", policy=_INDEXES, limit=50, default_on=False),
    SourceSpec("semanticscholar", AdapterName.SEMANTICSCHOLAR, "Semantic Scholar papers, by relevance", _S2, _S2_TERMS,
               SEMANTICSCHOLAR_RATE, SemanticScholarForm(), "Medicine, Biology", policy=_INDEXES, limit=100),
    SourceSpec("semanticscholar-cited", AdapterName.SEMANTICSCHOLAR, "Semantic Scholar papers, most cited first", _S2,
               _S2_TERMS, SEMANTICSCHOLAR_RATE, SemanticScholarForm(most_cited=True), "Medicine, Biology",
               policy=_INDEXES, limit=50, default_on=False),
    SourceSpec("crossref", AdapterName.CROSSREF, "Crossref: bibliography and retraction status of DOIs",
               CROSSREF_URL, "https://www.crossref.org/documentation/retrieve-metadata/rest-api/",
               CROSSREF, policy=_REFERENCE, limit=50, default_on=False),
)  # fmt: skip

_TRIALS_AND_LABELS = (
    SourceSpec("clinicaltrials", AdapterName.CLINICALTRIALS, "ClinicalTrials.gov, with posted results",
               "https://clinicaltrials.gov/api/v2", "https://clinicaltrials.gov/about-site/terms-conditions",
               CLINICALTRIALS_RATE, filters="condition and intervention", limit=50, policy=_TRIALS),
    SourceSpec("dailymed", AdapterName.DAILYMED, "DailyMed: current US drug labels",
               "https://dailymed.nlm.nih.gov/dailymed/services/v2",
               "https://dailymed.nlm.nih.gov/dailymed/app-support-web-services.cfm", DAILYMED_RATE,
               filters="labels of the question's drugs, near-duplicates left out", limit=12, review_limit=12,
               policy=_LABELS, timeout_s=20.0),
    SourceSpec("openfda-labels", AdapterName.OPENFDA, "openFDA: labels", _OPENFDA, _OPENFDA_TERMS, OPENFDA_RATE,
               limit=15, review_limit=15, policy=_REFERENCE_LABELS, default_on=False),
    SourceSpec("openfda-events", AdapterName.OPENFDA, "openFDA: reactions reported to FAERS, counted", _OPENFDA,
               _OPENFDA_TERMS, OPENFDA_RATE, limit=5, review_limit=5, policy=_REFERENCE, default_on=False),
    SourceSpec("rxnav", AdapterName.RXNAV, "RxNorm: brand, ingredient and class names of drugs",
               RXNAV_URL, "https://lhncbc.nlm.nih.gov/RxNav/TermsofService.html", RXNAV_RATE,
               limit=10, review_limit=10, policy=_REFERENCE, default_on=False, cache_ttl_s=RXNAV_CACHE_TTL_S,
               for_questions=True),
)  # fmt: skip

_WEB = (
    SourceSpec("tavily", AdapterName.TAVILY, "Web search over trusted medical domains", "https://api.tavily.com",
               "https://www.tavily.com/terms", TAVILY_RATE, filters="a list of domains", limit=20, review_limit=20,
               policy=_PAGES, only_on_gap=True, needs="tavily_api_key",
               default_on=False),
    SourceSpec("google-scholar", AdapterName.SEARXNG, "Google Scholar through one's own SearXNG", "",
               "https://docs.searxng.org", SEARXNG_RATE, policy=_PAGES, limit=20, review_limit=50,
               needs="searxng_url", default_on=False),
)  # fmt: skip

SOURCES: tuple[SourceSpec, ...] = (
    *_NCBI_SOURCES, *_EUROPEPMC_SOURCES, *_AGGREGATORS, *_TRIALS_AND_LABELS, *_WEB,
)  # fmt: skip
BY_ROUTE: Mapping[str, SourceSpec] = {spec.route: spec for spec in SOURCES}


def searches_at_once(route: str) -> int:
    """Searches of a source in work at once in one process, also of one that has no entry: the library."""
    return BY_ROUTE[route].at_once if route in BY_ROUTE else AT_ONCE


def source(route: str) -> SourceSpec:
    """The entry of a route.

    Raises:
        UsageError: there is none.
    """
    try:
        return BY_ROUTE[route]
    except KeyError:
        raise UsageError(f"no source is called {route!r}; known: {', '.join(sorted(BY_ROUTE))}") from None


def build_adapter(spec: SourceSpec, identity: Identity, base_url: str | None = None) -> Adapter:
    """The adapter of an entry.

    Args:
        base_url: another address that speaks the same API: a local upstream, a mirror, one's own SearXNG.
    Raises:
        UsageError: the entry has no address and none was given.
    """
    url = base_url or spec.base_url
    if not url:
        raise UsageError(f"source {spec.route!r} needs an address; set {spec.needs!r}")
    match spec.adapter, spec.form:
        case AdapterName.NCBI, NcbiForm() as form:
            return NcbiAdapter(url, identity, form)
        case AdapterName.EUROPEPMC, EuropePmcForm() as form:
            return EuropePmcAdapter(url, form)
        case AdapterName.OPENALEX, OpenAlexForm() as form:
            return OpenAlexAdapter(url, identity, form)
        case AdapterName.SEMANTICSCHOLAR, SemanticScholarForm() as form:
            return SemanticScholarAdapter(url, identity, form)
        case AdapterName.CLINICALTRIALS, _:
            return ClinicalTrialsAdapter(url)
        case AdapterName.DAILYMED, _:
            return DailyMedAdapter(url)
        case AdapterName.OPENFDA, _:
            return OpenFdaAdapter(url, identity, events=spec.route == "openfda-events")
        case AdapterName.RXNAV, _:
            return RxNavAdapter(url)
        case AdapterName.TAVILY, _:
            return TavilyAdapter(url, identity)
        case AdapterName.SEARXNG, _:
            return SearxngAdapter(url)
        case AdapterName.CROSSREF, _:
            return CrossrefAdapter(url, identity)
        case _:
            raise UsageError(f"source {spec.route!r} has a form that its adapter {spec.adapter.value!r} does not know")
