"""Figures of real services on a real server: what a run leaves behind, what is listed, and what a reading costs when
NATS is away."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from openwork_bus.figures import SERVICE
from openwork_bus.health import HealthServer
from prometheus_client import Metric

from deploy import metrics
from tests.api_stack import QUESTION, ApiStack, api_stack, asked, ended
from tests.reading_figures import families, samples, value

pytestmark = pytest.mark.nats


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[ApiStack]:
    """Every service, and the web app."""
    async with api_stack(tmp_path) as stack:
        yield stack


async def read(stack: ApiStack) -> bytes:
    """The figures of all services and of the web app, as they are scraped."""
    health = HealthServer(stack.services, host="127.0.0.1", port=0)
    await health.start()
    try:
        async with httpx.AsyncClient() as client:
            response = await client.get(f"{health.url}/metrics", timeout=30)
            assert response.status_code == 200
            assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
            return response.content
    finally:
        await health.stop()


async def test_a_run_is_counted_by_every_service_that_had_a_part_in_it(live: ApiStack) -> None:
    async with httpx.AsyncClient(base_url=live.url) as client:
        run_id = await asked(client)
        document = await ended(client, run_id)
        assert document["status"] == "answered"
        await live.services.stop()  # what is counted is counted before a message is acknowledged
        text = await read(live)
        web = await live.api.metrics()
    assert value(text, "openwork_runs_total", pipeline="answer", outcome="answered") == 1
    assert value(text, "openwork_questions_admitted_total", pipeline="answer") == 1
    assert value(text, "openwork_searches_total", source="library", outcome="completed") == 1
    assert value(text, "openwork_messages_total", consumer="verifier", event="answer-drafted", outcome="handled") == 1
    assert value(text, "openwork_claims_total", draft="first", verdict="supported")
    handlers = {one.labels["service"] for one in samples(text) if one.name == "openwork_handler_seconds_count"}
    assert handlers >= {"query", "retrievers", "normaliser", "reranker", "gap", "synthesiser", "verifier", "gateway"}
    assert value(web, "openwork_api_requests_total", method="POST", route="/api/v1/runs", status="202") == 1
    for shown in (text, web):
        assert run_id.encode() not in shown
        assert QUESTION.split()[1].encode() not in shown


def _listed_as(family: Metric) -> str:
    return f"{family.name}_total" if family.type == "counter" else family.name


async def test_what_is_shown_is_what_is_listed(live: ApiStack) -> None:
    """Name, type and labels of every series, against the list that docs/metrics.md is made of."""
    async with httpx.AsyncClient(base_url=live.url) as client:
        await ended(client, await asked(client))
    known = metrics.all_metrics()
    for text in (await read(live), await live.api.metrics()):
        for family in families(text):
            metric = known[_listed_as(family)]
            assert family.type == metrics.kind_of(metric)
            assert family.documentation == metric.meaning
            wanted = {SERVICE, *metric.labels}
            assert all(one.labels.keys() - {"le"} == wanted for one in family.samples), family.name


async def test_its_lag_its_streams_and_its_readiness_are_told(live: ApiStack) -> None:
    text = await read(live)
    ready = {one.labels["service"]: one.value for one in samples(text) if one.name == "openwork_ready"}
    assert ready == dict.fromkeys((service.name for service in live.services.services), 1)
    assert value(text, "openwork_consumer_pending_messages", consumer="gap") == 0
    shares = {one.labels["stream"] for one in samples(text) if one.name == "openwork_stream_used_ratio"}
    assert {"OPENWORK_EVENTS", "OPENWORK_RESULTS", "OPENWORK_TIMERS", "OPENWORK_DEAD"} <= shares


async def test_a_reading_while_nats_does_not_answer_neither_fails_nor_waits_for_it(live: ApiStack) -> None:
    assert live.server.process is not None
    live.server.process.send_signal(signal.SIGSTOP)
    try:
        text = await asyncio.wait_for(read(live), 20)
        web = await asyncio.wait_for(live.api.metrics(), 20)
    finally:
        live.server.process.send_signal(signal.SIGCONT)
    assert {one.value for one in samples(text) if one.name == "openwork_ready"} == {0}
    assert value(web, "openwork_ready") == 0
    assert not [one for one in samples(text) if one.name == "openwork_consumer_pending_messages"]
    assert value(text, "openwork_messages_total", consumer="gap", outcome="handled") == 0
