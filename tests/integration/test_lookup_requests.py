"""`openwork.lookup` on a real server: from the library alone, from sources outside, from none; who answers it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import nats
import pytest
from openwork_contracts.requests import LookupRequest, MissingKind
from openwork_contracts.subjects import LOOKUP_SUBJECT
from openwork_http.client import HttpClient
from openwork_http.settings import HttpSettings
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.adapters.live import Outside
from openwork_retrievers.adapters.lookups import APIS, OutsideLookup
from openwork_retrievers.requests import Lookup
from openwork_retrievers.settings import Settings

from tests.api_stack import api_stack
from tests.fakes.upstream.app import PATHS, upstream
from tests.fakes.upstream.corpus import Part, Work
from tests.live import HASTY, Live, running

pytestmark = pytest.mark.nats

RECOVERY, DAPA_HF = "32678530", "31535829"
RETRACTED = Work(
    key="retracted",
    title="A trial that was taken back",
    year=2020,
    pmid="90000001",
    doi="10.9999/taken.back",
    types=("Journal Article", "Retracted Publication"),
    parts=(Part(None, "Everybody was cured."),),
)
WITHOUT_ABSTRACT = Work(key="bare", title="A letter", year=2020, pmid="90000002")
SOURCES = ("library", "europepmc", "clinicaltrials")


@pytest.fixture
async def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Live]:
    async with running(tmp_path, monkeypatch, SOURCES, works=(RETRACTED, WITHOUT_ABSTRACT)) as stack:
        yield stack


async def looked_up(live: Live, *ids: str) -> dict[str, Any]:
    """As whoever sits at this machine asks, who needs no credentials."""
    server = live.bus.connection.connected_url
    assert server is not None
    asker = await nats.connect(f"nats://{server.hostname}:{server.port}", inbox_prefix="_INBOX")
    try:
        message = await asker.request(LOOKUP_SUBJECT, json.dumps({"ids": ids}).encode(), timeout=20)
    finally:
        await asker.close()
    reply: dict[str, Any] = json.loads(message.data)
    assert reply["error"] is None
    return reply


async def test_without_a_network_the_library_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over HTTP, as the page and other programs ask."""
    monkeypatch.setenv("OPENWORK_SOURCES", "library")
    async with api_stack(tmp_path, services=("retrievers",)) as stack, httpx.AsyncClient(base_url=stack.url) as client:
        ids = [f"PMID {RECOVERY}", f"https://pubmed.ncbi.nlm.nih.gov/{DAPA_HF}/", "99999999"]
        response = await client.post("/api/v1/lookup", json={"ids": ids})
    assert response.status_code == 200
    body = response.json()
    assert [one["item"]["pmid"] for one in body["found"]] == [RECOVERY, DAPA_HF]
    assert {(one["item"]["source"], one["item"]["text_origin"]) for one in body["found"]} == {
        ("library", "our_summary")
    }
    assert [(one["asked"], one["reason"]) for one in body["missing"]] == [
        ("99999999", "the library has no record of PMID 99999999, and Europe PMC is not asked here")
    ]


async def test_where_nobody_looks_up_the_api_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A retriever of another source does not answer in place of that of Europe PMC, which is away."""
    monkeypatch.setenv("OPENWORK_SOURCES", "library,europepmc")
    monkeypatch.setenv("OPENWORK_RETRIEVER_SOURCES", "library")
    async with api_stack(tmp_path, services=("retrievers",)) as stack, httpx.AsyncClient(base_url=stack.url) as client:
        response = await client.post("/api/v1/lookup", json={"ids": [RECOVERY]})
    assert response.status_code == 503
    assert "looks identifiers up" in response.json()["detail"]


async def test_the_sources_own_words_come_first(live: Live) -> None:
    ids = (RECOVERY, "doi:10.1056/NEJMoa1911303", "NCT04381936", RETRACTED.doi or "", "90000002", "99999999")
    reply = await looked_up(live, *ids)
    items = {one["asked"]: one["item"] for one in reply["found"]}
    assert [(items[i]["source"], items[i]["text_origin"]) for i in ids[:4]] == [
        ("europepmc", "publisher"),
        ("europepmc", "publisher"),
        ("clinicaltrials", "registry"),
        ("europepmc", "publisher"),
    ]
    assert (items[ids[1]]["pmid"], items[ids[2]]["nct_id"]) == (DAPA_HF, "NCT04381936")
    assert [items[i]["status"] for i in (RECOVERY, ids[3])] == ["none", "retracted"]
    assert [(one["asked"], one["kind"]) for one in reply["missing"]] == [
        ("90000002", "no_text"),
        ("99999999", "nothing_found"),
    ]
    assert reply["degradations"] == []
    assert (live.server.count("europepmc"), live.server.count("clinicaltrials")) == (1, 1)


async def test_a_source_that_hangs_costs_only_what_the_library_has_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path, monkeypatch, SOURCES, environ=HASTY) as live:
        live.server.fault("hang", path="europepmc")
        reply = await looked_up(live, RECOVERY, "99999999", "NCT04381936")
    assert [(one["asked"], one["item"]["source"]) for one in reply["found"]] == [
        (RECOVERY, "library"),
        ("NCT04381936", "clinicaltrials"),
    ]
    assert [(one["asked"], one["kind"]) for one in reply["missing"]] == [("99999999", "not_reached")]
    assert reply["degradations"][0].startswith("Europe PMC did not answer in time")


async def test_a_reply_comes_in_time_whatever_drips() -> None:
    """No read ever times out here: it is the time for the whole lookup that ends it, and the library still answers."""
    settings = HttpSettings(reachability_file=None)
    async with upstream(recorded=False) as server, HttpClient(settings) as http:
        server.fault("drip")
        outside = Outside()
        outside.open(http)
        places = {f"{name.lower()}_base_url": f"{server.url}{PATHS[name]}" for name in ("EUROPEPMC", "CLINICALTRIALS")}
        asked = [OutsideLookup(route, Settings.model_validate(places), outside) for route in APIS]
        async with asyncio.timeout(30):  # the drip goes on for hours
            request = LookupRequest(ids=(RECOVERY, "99999999", "NCT99999999"))
            reply = await Lookup(LibrarySource(), asked).reply(request, within_s=0.5)
    assert [one.item.source for one in reply.found] == ["library"]
    assert {one.kind for one in reply.missing} == {MissingKind.NOT_REACHED}


async def test_fifty_identifiers_have_their_answer(live: Live) -> None:
    reply = await looked_up(live, *(str(n) for n in range(90_000_001, 90_000_051)))
    assert len(reply["found"]) + len(reply["missing"]) == 50
    assert [one["asked"] for one in reply["found"]] == [RETRACTED.pmid]
