"""Limits and answers shared by processes through a real nats-server."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from nats.js import JetStreamContext
from openwork_bus.buckets import ensure_buckets
from openwork_bus.connection import connect
from openwork_bus.settings import ServiceSettings
from openwork_contracts.buckets import ANSWERS, LIMITS
from openwork_contracts.errors import BusUnavailable, FailureReason, SourceUnavailable
from openwork_http.cache import SharedCache
from openwork_http.limits import MonthlyQuota, SharedRateLimiter
from openwork_http.messages import Answer
from openwork_http.silence import SharedSilence
from openwork_http.terms import RateBudget

from tests.integration.rate_budget import measure
from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats


@pytest.fixture
async def js(nats_server: OpenServer, settings: ServiceSettings) -> AsyncIterator[JetStreamContext]:
    connection = await connect(settings, name="test")
    context = connection.jetstream(timeout=2)
    await ensure_buckets(context, ServiceSettings())
    yield context
    with contextlib.suppress(ConnectionError):  # some tests stop the server
        await connection.close()


async def test_four_processes_never_exceed_the_budget_and_use_nine_tenths_of_it(
    js: JetStreamContext, nats_server: OpenServer
) -> None:
    """From the recorded start times of all four: the fullest one-second window, and the mean over the run."""
    measured = await measure(nats_server.url, 10, seconds=5)
    print(measured)
    assert measured.worst_window <= 10
    assert measured.used >= 0.9
    assert all(measured.by_process)


async def test_creating_the_buckets_again_changes_nothing(js: JetStreamContext) -> None:
    kv = await js.key_value(LIMITS.name)
    await kv.put("rate.x", b"1.0")
    await asyncio.gather(*(ensure_buckets(js, ServiceSettings()) for _ in range(3)))
    assert (await kv.get("rate.x")).value == b"1.0"


async def test_a_hold_of_one_process_holds_the_others(js: JetStreamContext) -> None:
    one, other = [SharedRateLimiter(await js.key_value(LIMITS.name)) for _ in range(2)]
    budget = RateBudget("pubmed.anonymous", 10)
    await one.hold(budget, 60)
    with pytest.raises(SourceUnavailable, match="used up"):
        await other.acquire(budget, within_s=5)


async def test_a_key_that_was_deleted_can_be_booked_again(js: JetStreamContext) -> None:
    kv = await js.key_value(LIMITS.name)
    limiter, budget = SharedRateLimiter(kv), RateBudget("a", 1000)
    await limiter.acquire(budget, within_s=1)
    await kv.delete("rate.a")
    await limiter.acquire(budget, within_s=1)


async def test_a_bus_that_is_gone_is_told_as_such(js: JetStreamContext, nats_server: OpenServer) -> None:
    limiter = SharedRateLimiter(await js.key_value(LIMITS.name))
    await nats_server.stop()
    with pytest.raises(BusUnavailable, match=r"rate\.a"):
        await limiter.acquire(RateBudget("a", 1000), within_s=1)


async def test_a_monthly_quota_is_counted_exactly_by_all_together(js: JetStreamContext) -> None:
    """30 takers for 20 calls: 20 get one, 10 are told when the next month starts."""
    kv, now = await js.key_value(LIMITS.name), datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
    quotas = [MonthlyQuota(kv, "tavily.anonymous", 20) for _ in range(30)]
    results = await asyncio.gather(*(quota.take(now) for quota in quotas), return_exceptions=True)
    left = sorted(result for result in results if isinstance(result, int))
    refused = [result for result in results if isinstance(result, SourceUnavailable)]
    assert left == list(range(20))
    assert len(refused) == 10
    assert all("2027-01-01" in str(error) and error.reason is FailureReason.OWN_LIMIT for error in refused)
    assert await quotas[0].used(now) == 20
    assert await quotas[0].take(datetime(2027, 1, 1, tzinfo=UTC)) == 19


async def test_an_answer_kept_by_one_replica_is_given_by_another(js: JetStreamContext) -> None:
    one, other = [SharedCache(await js.key_value(ANSWERS.name)) for _ in range(2)]
    answer = Answer(200, {"content-type": "text/xml"}, (b"<a>", b"x" * 100_000, b"</a>"))
    await one.put("k", answer, 60)
    found = await other.get("k")
    assert found is not None
    assert b"".join(found.pieces) == b"".join(answer.pieces)
    await other.forget("k")
    assert await one.get("k") is None


async def test_an_answer_is_not_given_after_its_time(js: JetStreamContext) -> None:
    now = [time.time()]
    cache = SharedCache(await js.key_value(ANSWERS.name), lambda: now[0])
    await cache.put("k", Answer(200, {}, (b"x",)), 60)
    now[0] += 61
    assert await cache.get("k") is None


async def test_a_cache_without_bus_is_an_empty_one(js: JetStreamContext, nats_server: OpenServer) -> None:
    cache = SharedCache(await js.key_value(ANSWERS.name))
    await nats_server.stop()
    await cache.put("k", Answer(200, {}, (b"x",)), 60)
    assert await cache.get("k") is None


async def test_what_one_process_waited_for_in_vain_all_know_of_the_same_run(js: JetStreamContext) -> None:
    """Written at the same time by several, none of it is lost."""
    memories = [SharedSilence(await js.key_value(LIMITS.name)) for _ in range(3)]
    await asyncio.gather(
        *(m.remember(f"run-{n}", "api.example.org:443", "in vain", 60) for n, m in enumerate(memories))
    )
    assert [await memories[0].known(f"run-{n}", "api.example.org:443") for n in range(4)] == ["in vain"] * 3 + [None]
    assert await memories[1].known("run-0", "ncbi") is None


async def test_a_bus_that_is_away_makes_nobody_forget_to_ask(js: JetStreamContext, nats_server: OpenServer) -> None:
    memory = SharedSilence(await js.key_value(LIMITS.name))
    await nats_server.stop()
    await memory.remember("run-1", "ncbi", "in vain", 60)
    assert await memory.known("run-1", "ncbi") is None
