"""Every adapter, the real client and a local server that speaks the outside APIs: found, nothing found, each fault.

Needs neither network nor bus. What differs from the real world is the base URL and the corpus, nothing else.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from openwork_contracts.errors import FailureReason, OpenWorkError, SourceChanged, SourceRefused, SourceUnavailable
from openwork_contracts.evidence import Identifiers
from openwork_contracts.question import Entity, EntityKind, Intent, QuestionAnalysis
from openwork_fulltext.domain.plan import Attempt, Progress, Services, Step, next_request, read_unpaywall
from openwork_http.client import HttpClient
from openwork_http.guard import GuardedClient
from openwork_http.settings import HttpSettings
from openwork_http.source_port import SourcePort
from openwork_http.terms import OutsideService
from openwork_language.searching.ladder import strategy_of
from openwork_retrievers.adapters.ports import Identity, SearchRequest, SourceResult
from openwork_retrievers.domain.registry import SOURCES, SourceSpec, build_adapter

from tests.fakes.upstream.app import PATHS, environment, upstream
from tests.fakes.upstream.corpus import load
from tests.fakes.upstream.server import Server

NOW = datetime(2026, 5, 4, tzinfo=UTC)
IDENTITY = Identity(contact="tests@example.org", api_key="test-key")
ONE_OF_EACH = {spec.adapter: spec for spec in reversed(SOURCES)}
SPECS = [pytest.param(spec, id=spec.route) for spec in ONE_OF_EACH.values()]
QUICK = {"http_backoff_s": 0.01, "http_timeout_s": 20.0, "http_read_timeout_s": 3.0, "reachability_file": None}


def analysis(drug: str, disease: str) -> QuestionAnalysis:
    question = f"{drug} versus warfarin in {disease}"
    kinds = ((EntityKind.DRUG, drug), (EntityKind.DISEASE, disease))
    entities = tuple(
        Entity(kind=kind, text=text, start=question.index(text), end=question.index(text) + len(text), name=text)
        for kind, text in kinds
    )
    return QuestionAnalysis(
        question=question,
        intent=Intent.COMPARATIVE_ANALYSIS,
        entities=entities,
        search_variants=(question, f"{disease}: {drug}", f"{drug} for {disease}"),
        complexity=0.5,
        sources=("pubmed",),
    )


@dataclass
class World:
    """The server, and a client that reaches nothing else."""

    server: Server
    client: HttpClient

    def port(self, spec: SourceSpec) -> SourcePort:
        return self.client.port(OutsideService(spec.route))

    async def search(
        self, spec: SourceSpec, drug: str = "apixaban", disease: str = "atrial fibrillation"
    ) -> SourceResult:
        adapter = build_adapter(spec, IDENTITY, f"{self.server.url}{PATHS[spec.adapter.value.upper()]}")
        asked = analysis(drug, disease)
        request = SearchRequest(spec.route, asked, strategy_of(asked), limit=20, retrieved_at=NOW)
        return await adapter.search(request, self.port(spec))


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with upstream(recorded=False) as server:
        settings = HttpSettings.model_validate(QUICK | {"http_max_response_bytes": 2_000_000, "circuit_failures": 100})
        async with HttpClient(settings, rng=random.Random(1)) as client:
            yield World(server, client)


@pytest.mark.parametrize("spec", SPECS)
async def test_each_adapter_finds_what_the_world_holds(world: World, spec: SourceSpec) -> None:
    found = await world.search(spec)
    assert found.records
    assert found.log
    text = " ".join(f"{r.title} {' '.join(p.text for p in r.abstract)}".lower() for r in found.records)
    assert "apixaban" in text or "eliquis" in text


@pytest.mark.parametrize("spec", SPECS)
async def test_each_adapter_tells_nothing_found_from_a_failure(world: World, spec: SourceSpec) -> None:
    found = await world.search(spec, "zzyzxumab", "qwertyosis")
    assert found.records == ()
    assert found.log
    assert world.server.count()


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("kind", "times"), [("429", 2), ("503", 2), ("cut", 1), ("truncated", 1)])
async def test_a_passing_fault_is_not_noticed(world: World, spec: SourceSpec, kind: str, times: int) -> None:
    world.server.fault(kind, times=times)
    assert (await world.search(spec)).records


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(
    ("kind", "error", "reason"),
    [
        ("429", SourceUnavailable, FailureReason.RATE_LIMITED),
        ("500", SourceUnavailable, FailureReason.UNREACHABLE),
        ("403", SourceRefused, FailureReason.REFUSED),
        ("redirect", SourceRefused, FailureReason.REFUSED),
        ("cut", SourceUnavailable, FailureReason.UNREACHABLE),
        ("truncated", SourceChanged, FailureReason.CHANGED),
        ("html", SourceChanged, FailureReason.CHANGED),
        ("xml-bomb", SourceChanged, FailureReason.CHANGED),
        ("huge", SourceChanged, FailureReason.TOO_LARGE),
        ("gzip-bomb", SourceChanged, FailureReason.TOO_LARGE),
    ],
)
async def test_a_lasting_fault_is_named_for_what_it_is(
    world: World, spec: SourceSpec, kind: str, error: type[OpenWorkError], reason: FailureReason
) -> None:
    """Never an empty result: what failed does not look like what found nothing."""
    world.server.fault(kind)
    with pytest.raises(error) as told:
        await world.search(spec)
    assert told.value.reason is reason
    assert "test-key" not in str(told.value)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("kind", ["hang", "drip"])
async def test_a_source_that_never_ends_ends_at_its_deadline(world: World, spec: SourceSpec, kind: str) -> None:
    world.server.fault(kind)
    adapter = build_adapter(spec, IDENTITY, f"{world.server.url}{PATHS[spec.adapter.value.upper()]}")
    asked = analysis("apixaban", "stroke")
    request = SearchRequest(spec.route, asked, strategy_of(asked), limit=20, retrieved_at=NOW)
    with pytest.raises(SourceUnavailable) as told:
        await adapter.search(request, world.client.port(OutsideService(spec.route), within_s=0.2))
    assert told.value.reason is FailureReason.TIMEOUT


async def test_an_open_copy_is_found_and_fetched_through_the_guard(world: World) -> None:
    """From a DOI by way of Unpaywall to a PDF; without the allow-list the same link leads nowhere."""
    places = Services(unpaywall_url=f"{world.server.url}{PATHS['UNPAYWALL']}", contact=IDENTITY.contact)
    work = next(work for work in load().works if work.pmcid and work.doi)
    looked_up = (Attempt(Step.LOOKUP, "no PMCID is known for it"),)
    call = next_request(Progress(Identifiers(doi=work.doi), looked_up), places)
    assert call is not None
    assert call.step is Step.UNPAYWALL
    answer = await world.client.port(OutsideService("Unpaywall")).send(call.http)
    found = read_unpaywall(Progress(Identifiers(doi=work.doi)), await answer.read())
    assert found.pdf_urls
    allowed = HttpSettings(guard_allow=environment(world.server.url)["OPENWORK_GUARD_ALLOW"])
    async with GuardedClient(allowed) as guard:
        got = await guard.fetch(found.pdf_urls[0], accept={"application/pdf"})
    assert got.body.startswith(b"%PDF-")
    async with GuardedClient(HttpSettings()) as guard:
        with pytest.raises(SourceRefused, match="only 80"):
            await guard.fetch(found.pdf_urls[0], accept={"application/pdf"})
