"""The stand-in for the outside world: it pages, it obeys its control address, and it serves recorded answers too."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from openwork_contracts.pipelines import REVIEW, pipeline_named
from openwork_fulltext.domain.jats.article import parse_jats
from openwork_http.client import HttpClient
from openwork_http.settings import HttpSettings
from openwork_http.terms import OutsideService
from openwork_language.searching.ladder import strategy_of
from openwork_retrievers.adapters.ncbi.articles import parse_articles
from openwork_retrievers.adapters.ports import SearchRequest
from openwork_retrievers.domain.registry import SOURCES, build_adapter, source
from openwork_retrievers.settings import Settings

from tests.fakes.upstream.app import PATHS, build_app, environment, upstream
from tests.fakes.upstream.corpus import Corpus, Part, Work, load
from tests.fakes.upstream.search import parse
from tests.fakes.upstream.server import Server
from tests.integration.test_sources_over_http import IDENTITY, NOW, analysis

N_WORKS = 230
PAGED_ROUTES = ("pubmed", "europepmc-recent", "openalex", "semanticscholar", "clinicaltrials")


def many_works() -> Corpus:
    """More than any adapter's page holds."""
    return Corpus(
        tuple(
            Work(
                key=f"w{i}",
                title=f"Apixaban in atrial fibrillation, trial {i}",
                year=2000 + i % 25,
                pmid=str(10_000_000 + i),
                doi=f"10.9999/test.{i}",
                nct_id=f"NCT{90_000_000 + i}",
                types=("Randomized Controlled Trial",),
                parts=(Part("Results", f"Apixaban versus warfarin, comparison {i}."),),
            )
            for i in range(N_WORKS)
        )
    )


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with upstream(recorded=False) as running:
        yield running


@pytest.mark.parametrize("route", PAGED_ROUTES)
async def test_paging_gives_every_record_once(route: str) -> None:
    """230 matches, 220 asked for: pages of 50 to 200 lead on to exactly that, none twice."""
    entry = source(route)
    settings = HttpSettings(reachability_file=None)
    async with Server(build_app(many_works())) as server, HttpClient(settings) as client:
        adapter = build_adapter(entry, IDENTITY, f"{server.url}{PATHS[entry.adapter.value.upper()]}")
        asked, calls = analysis("apixaban", "atrial fibrillation"), pipeline_named(REVIEW).budgets.ncbi_calls_of(1)
        request = SearchRequest(entry.route, asked, strategy_of(asked), limit=220, retrieved_at=NOW, ncbi=calls)
        found = await adapter.search(request, client.port(OutsideService(entry.route)))
    ids = [record.source_id for record in found.records]
    assert len(ids) == len(set(ids)) == 220
    assert found.log[0].hits == N_WORKS


async def test_faults_are_set_and_ended_over_http(server: Server) -> None:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False) as client:
        added = await client.post(
            "/_faults", content=json.dumps({"kind": "429", "path": "openalex", "retry_after": "7"})
        )
        assert added.json() == [{"kind": "429", "path": "openalex", "times": None}]
        limited = await client.get("/openalex/works", params={"search": "apixaban", "api_key": "not-logged"})
        assert (limited.status_code, limited.headers["retry-after"]) == (429, "7")
        assert (await client.get("/crossref/works", params={"query.bibliographic": "apixaban"})).status_code == 200
        assert (await client.delete("/_faults")).json() == []
        assert (await client.get("/openalex/works", params={"search": "apixaban"})).status_code == 200
        assert (await client.post("/_faults", content="{}")).status_code == 400
        log = await client.get("/_log")
        assert [entry["path"] for entry in log.json()] == ["/openalex/works", "/crossref/works", "/openalex/works"]
        assert "not-logged" not in log.text


async def test_the_printed_settings_lead_every_adapter_here(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the services read them from the environment; the guard lets links to this server through."""
    for name, value in environment(server.url).items():
        monkeypatch.setenv(name, value)
    settings = Settings()
    for spec in SOURCES:
        assert settings.base_url(spec.adapter.value) == f"{server.url}{PATHS[spec.adapter.value.upper()]}"
        assert spec.needs is None or getattr(settings, spec.needs)
    assert settings.guard_allowed == {f"127.0.0.1:{server.port}"}


async def test_full_text_is_served_by_pmc_and_europe_pmc_and_parses(server: Server) -> None:
    work = next(work for work in load().works if work.pmcid and work.results)
    async with httpx.AsyncClient(base_url=server.url, trust_env=False) as client:
        both = [
            await client.get(f"{PATHS['EUROPEPMC']}/{work.pmcid}/fullTextXML"),
            await client.get(f"{PATHS['NCBI']}/efetch.fcgi", params={"db": "pmc", "id": work.pmcid}),
        ]
        missing = await client.get(f"{PATHS['EUROPEPMC']}/PMC1/fullTextXML")
    for answer in both:
        document = parse_jats(answer.content)
        assert work.parts[0].text[:60] in str(document)
    assert (missing.status_code, b"errMsg" in missing.content) == (404, True)


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        ('"atrial fibrillation"[mh] AND apixaban[tiab]', True),
        ("apixaban AND (warfarin OR aspirin)", True),
        ("apixaban NOT warfarin[tiab]", False),
        ("apixaban AND 2010:3000[dp]", True),
        ("apixaban AND 1990:2005[dp]", False),
        ("apixaban AND randomized controlled trial[pt] AND english[la]", True),
        ("apixaban AND case reports[pt]", False),
        ('apixaban AND "randomized controlled trial"[pt]', True),
        ('TITLE_ABS:"apixaban" AND PUB_YEAR:[2010 TO 3000]', True),
        ("(apixaban NOT (animals[mh] NOT humans[mh])) AND english[la]", True),
        ('("warfarin" | "heparin") + ("apixaban")', True),
        ("", False),
        ("((", False),
    ],
)
def test_the_engine_reads_the_query_languages(query: str, matches: bool) -> None:
    work = Work(
        key="w", title="Apixaban versus warfarin", year=2011, types=("Randomized Controlled Trial",),
        mesh=("Atrial Fibrillation",),
    )  # fmt: skip
    assert bool(parse(query).find([work])) is matches


@pytest.mark.data
async def test_recorded_articles_are_served_as_they_were_recorded(data_dir: Path) -> None:
    """A recorded PubMed record comes back through search and fetch, with what a rendered one would not have."""
    corpus = load(recorded=data_dir / "recorded")
    recorded = [work for work in corpus.works if work.raw is not None and work.abstract]
    assert len(recorded) > 50
    assert corpus.studies
    assert corpus.labels
    assert corpus.articles
    work = recorded[0]
    async with Server(build_app(corpus)) as server, httpx.AsyncClient(base_url=server.url, trust_env=False) as client:
        answer = await client.get(f"{PATHS['NCBI']}/efetch.fcgi", params={"db": "pubmed", "id": work.pmid or ""})
        found = await client.get(f"{PATHS['NCBI']}/esearch.fcgi", params={"term": f'"{work.title}"', "retmode": "json"})
    assert [record.source_id for record in parse_articles("pubmed", [answer.content], NOW)] == [work.pmid]
    assert work.pmid in found.json()["esearchresult"]["idlist"]
