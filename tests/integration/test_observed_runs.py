"""What the system did, on a real server: kept over restarts, the same of each gateway, for the API's account alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import nats
import pytest
from nats.aio.client import Client
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeoutError
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.service import Service
from openwork_contracts.answer import RunStatus
from openwork_contracts.buckets import STATISTICS
from openwork_contracts.errors import BusUnavailable
from openwork_contracts.subjects import OBSERVE_SUBJECT
from openwork_gateway import statistics
from openwork_gateway.app import create_service
from openwork_gateway.settings import Settings
from openwork_gateway.statistics import StoredStatistics

from tests.api_stack import ApiStack, api_stack, asked, ended
from tests.nats_server import OpenServer
from tests.observed_runs import failed_run, observed, run_id

pytestmark = pytest.mark.nats


@pytest.fixture
async def stack(tmp_path: Path) -> AsyncIterator[ApiStack]:
    async with api_stack(tmp_path) as found:
        yield found


@asynccontextmanager
async def another_gateway(server: OpenServer) -> AsyncIterator[Service]:
    service = create_service(server.logins.settings_of("gateway", Settings(nats_url=server.asker_url)))
    await service.start()
    try:
        yield service
    finally:
        await service.stop()


@asynccontextmanager
async def as_user(server: OpenServer, user: str | None) -> AsyncIterator[Client]:
    """A connection of an asker; `None` = without credentials."""

    async def ignore(_: Exception) -> None:
        """What is denied shows in that nobody answers."""

    login = {"user": user, "password": server.logins.passwords[user]} if user else {}
    client = await nats.connect(server.asker_url, error_cb=ignore, **login)
    try:
        yield client
    finally:
        await client.close()


async def figures(client: httpx.AsyncClient, runs: int) -> dict[str, Any]:
    """The figures of the last hour, when so many runs are among them; without the time at which they were made."""
    async with asyncio.timeout(60):
        while True:
            response = await client.get("/api/v1/observatory", params={"window": "hour"})
            assert response.status_code == 200, response.text
            found: dict[str, Any] = response.json()
            if found["runs"] >= runs:
                return {name: found[name] for name in found.keys() - {"begins_at", "ends_at", "slices"}}
            await asyncio.sleep(0.05)


async def test_figures_of_runs_outlive_their_gateway_and_are_the_same_of_each(stack: ApiStack) -> None:
    """One answered, one rejected, one out of time."""
    async with httpx.AsyncClient(base_url=stack.url, timeout=60) as client:
        answered = await ended(client, await asked(client))
        await ended(client, await asked(client, "and its side effects?"))
        body = {"question": "Do statins reduce stroke?", "options": {"sources": ["library"], "deadline_s": 0.01}}
        late = (await client.post("/api/v1/runs", json=body)).json()["run_id"]
        first = await figures(client, 3)
        async with another_gateway(stack.server):
            own = next(one for one in stack.services.services if one.name == "gateway")
            await own.stop()
            assert await figures(client, 3) == first
            await client.delete(f"/api/v1/runs/{answered['run_id']}")
            after = await figures(client, 3)
    assert first["outcomes"] == {"answered": 1, "rejected": 1, "failed": 1}
    assert first["claims"]["claims"] == answered["verification"]["claims"] > 0  # type: ignore[index]
    assert first["claims"]["shown_unsupported"] == 0
    assert first["retrieval"]["works"] == answered["method"]["counts"]["screened"]  # type: ignore[index]
    assert first["retrieval"]["cited"] == len(answered["references"])  # type: ignore[arg-type]
    assert first["seconds"]["p50_s"] == answered["timings"]["total_s"]  # type: ignore[index]
    assert {"query", "retrievers", "verifier"} <= {one["name"] for one in first["services"]}
    assert sum(answered["timings"]["services"].values()) == pytest.approx(answered["timings"]["total_s"], abs=0.01)  # type: ignore[index]
    (failure,) = first["failures"]
    assert (failure["reason"], failure["run_id"]) == ("deadline", late)
    assert failure["step"] not in (None, "gateway")
    assert after == first, "what a deleted run cost was spent all the same"


async def test_the_account_of_the_api_alone_is_answered(stack: ApiStack) -> None:
    """The server gives no other the subject, nor that of another account."""
    async with as_user(stack.server, "api") as api:
        reply = json.loads((await api.request(OBSERVE_SUBJECT, b"{}", timeout=30)).data)
        assert reply["observation"]["runs"] == 0
        with pytest.raises((NatsTimeoutError, NoRespondersError)):
            await api.request(f"{OBSERVE_SUBJECT}.api", b"{}", timeout=0.5)
    async with as_user(stack.server, None) as local:
        for subject in (OBSERVE_SUBJECT, f"{OBSERVE_SUBJECT}.api", f"{OBSERVE_SUBJECT}.local"):
            with pytest.raises((NatsTimeoutError, NoRespondersError)):
                await local.request(subject, b"{}", timeout=0.5)


# --- the bucket ------------------------------------------------------------------------------------------------------


def now() -> datetime:
    return datetime.now(UTC)


async def ids(statistics: StoredStatistics) -> list[str]:
    return [one.run_id for one in (await statistics.kept()).runs]


async def test_a_run_that_is_kept_twice_is_one_and_what_is_new_is_read_alone(
    bus: JetStreamBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = StoredStatistics(bus), StoredStatistics(bus)
    assert await ids(reader) == []
    for n in (1, 2, 1):
        await writer.put(observed(n, now=now()))
    assert await ids(reader) == [run_id(2), run_id(1)]
    read = []

    async def noted(self: StoredStatistics, sequence: int) -> object:
        read.append(sequence)
        return await whole(self, sequence)

    whole = StoredStatistics._entry
    monkeypatch.setattr(StoredStatistics, "_entry", noted)
    await writer.put(failed_run(3, now=now()))
    assert await ids(reader) == [run_id(2), run_id(1), run_id(3)]
    assert await ids(reader) == [run_id(2), run_id(1), run_id(3)]
    assert len(read) == 1
    kept = await StoredStatistics(bus).kept()
    assert [one.status for one in kept.runs] == [RunStatus.ANSWERED, RunStatus.ANSWERED, RunStatus.FAILED]
    assert kept.complete_from is None


async def test_of_very_many_the_newest_are_added_up_and_that_is_said(
    bus: JetStreamBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistics, "READ_AT_ONCE", 3)
    ended_at = now()
    for n in range(1, 11):
        await StoredStatistics(bus).put(observed(n, now=ended_at, ago=timedelta(minutes=20 - n)))
    kept = await StoredStatistics(bus, most=4).kept()
    assert [one.run_id for one in kept.runs] == [run_id(n) for n in (7, 8, 9, 10)]
    assert kept.complete_from == ended_at - timedelta(minutes=13)


async def test_what_is_too_old_or_cannot_be_read_is_left_out(bus: JetStreamBus) -> None:
    kept = StoredStatistics(bus)
    await kept.put(observed(1, now=now(), ago=timedelta(days=9)))
    await bus.publisher.store(STATISTICS.stream, f"$KV.{STATISTICS.name}.{run_id(2)}", b'{"run_id": 7}', {})
    await kept.put(observed(3, now=now()))
    assert await ids(kept) == [run_id(3)]


async def test_a_bucket_that_was_made_anew_is_read_from_its_beginning(bus: JetStreamBus) -> None:
    kept = StoredStatistics(bus)
    for n in (1, 2, 3):
        await kept.put(observed(n, now=now()))
    await ids(kept)
    js = bus.connection.jetstream()
    config = (await js.stream_info(STATISTICS.stream)).config
    await js.delete_stream(STATISTICS.stream)
    with pytest.raises(BusUnavailable):
        await kept.kept()
    await js.add_stream(config)
    await kept.put(observed(4, now=now()))
    assert await ids(kept) == [run_id(4)]
