"""The outside world on one port: each service under its own path, and the settings that point there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.fakes.upstream.corpus import Corpus, Work, load, recorded_data
from tests.fakes.upstream.europepmc import EuropePmc
from tests.fakes.upstream.indexes import Crossref, OpenAlex, SemanticScholar, Unpaywall, WebSearch
from tests.fakes.upstream.jats import article_pdf
from tests.fakes.upstream.labels import DailyMed, Label, OpenFda, RxNav, load_labels
from tests.fakes.upstream.messages import Reply, Request, json_reply
from tests.fakes.upstream.ncbi import Eutils
from tests.fakes.upstream.server import Server
from tests.fakes.upstream.trials import ClinicalTrials

Route = Callable[[Request, str], Reply]

PATHS = {
    "NCBI": "/entrez/eutils",
    "EUROPEPMC": "/europepmc/webservices/rest",
    "OPENALEX": "/openalex",
    "SEMANTICSCHOLAR": "/semanticscholar/graph/v1",
    "CLINICALTRIALS": "/clinicaltrials/api/v2",
    "DAILYMED": "/dailymed/services/v2",
    "OPENFDA": "/openfda",
    "RXNAV": "/rxnav/REST",
    "TAVILY": "/tavily",
    "SEARXNG": "/searxng",
    "CROSSREF": "/crossref",
    "UNPAYWALL": "/unpaywall/v2",
}
"""Adapter, as in `OPENWORK_<ADAPTER>_BASE_URL`, and the path its API has here."""


def build_app(corpus: Corpus, further_labels: Sequence[Label] = ()) -> Callable[[Request], Reply]:
    """Every service over one corpus."""
    labels = (*load_labels(), *further_labels)
    web = WebSearch(corpus)
    routes: dict[str, Route] = {
        "NCBI": Eutils(corpus).reply,
        "EUROPEPMC": EuropePmc(corpus).reply,
        "OPENALEX": OpenAlex(corpus).reply,
        "SEMANTICSCHOLAR": SemanticScholar(corpus).reply,
        "CLINICALTRIALS": ClinicalTrials(corpus).reply,
        "DAILYMED": DailyMed(corpus, labels).reply,
        "OPENFDA": OpenFda(labels).reply,
        "RXNAV": RxNav(labels).reply,
        "TAVILY": web.tavily,
        "SEARXNG": web.searxng,
        "CROSSREF": Crossref(corpus).reply,
        "UNPAYWALL": Unpaywall(corpus).reply,
    }

    def app(request: Request) -> Reply:
        for name, base in PATHS.items():
            if request.path.startswith(f"{base}/"):
                return routes[name](request, request.path[len(base) + 1 :])
        if request.path.startswith("/pdf/"):
            work = corpus.by_pmcid.get(request.path.removeprefix("/pdf/").removesuffix(".pdf"))
            return Reply(article_pdf(work), content_type="application/pdf") if work else json_reply({}, 404)
        return json_reply({"error": f"nothing is served at {request.path}", "services": PATHS}, 404)

    return app


def upstream(
    port: int = 0, *, recorded: bool = True, works: Sequence[Work] = (), labels: Sequence[Label] = ()
) -> Server:
    """The server, not started yet: `async with upstream() as server`.

    Args:
        port: 0 = any free one.
        recorded: whether the recorded answers of the data set are served too, where it is there.
        works: further ones that every service knows of; one with the PMID of a record takes that record's place.
        labels: further ones of drugs.
    """
    corpus = load(recorded=recorded_data() if recorded else None)
    replaced = {work.pmid for work in works if work.pmid}
    others = (work for work in corpus.works if work.pmid not in replaced)
    return Server(build_app(replace(corpus, works=(*works, *others)), labels), port=port)


def environment(url: str) -> dict[str, str]:
    """The settings that make every adapter ask this server."""
    host = url.removeprefix("http://")
    lines = {f"OPENWORK_{name}_BASE_URL": f"{url}{path}" for name, path in PATHS.items()}
    lines["OPENWORK_SEARXNG_URL"] = lines.pop("OPENWORK_SEARXNG_BASE_URL")  # it has no address of its own to replace
    return lines | {
        "OPENWORK_GUARD_ALLOW": host,
        "OPENWORK_CONTACT_EMAIL": "local@example.org",  # without one Unpaywall is not asked
        "OPENWORK_TAVILY_API_KEY": "any",  # without one there is no web search; the server takes every key
    }
