"""The HTTP API on a real bus: a question from its asking to its end, told live, resumed, deleted; services that go."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import nats
import pytest
import pytest_asyncio

from tests.api_stack import ApiStack, api_stack, asked, ended
from tests.waiting import until

pytestmark = pytest.mark.nats
shared = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
async def stack(tmp_path: Path) -> AsyncIterator[ApiStack]:
    async with api_stack(tmp_path) as found:
        yield found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_stack(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ApiStack]:
    """For tests that ask and look at their own runs."""
    async with api_stack(tmp_path_factory.mktemp("shared")) as found:
        yield found


@pytest_asyncio.fixture(loop_scope="module")
async def shared_client(shared_stack: ApiStack) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=shared_stack.url, timeout=60) as found:
        yield found


@pytest.fixture
async def client(stack: ApiStack) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=stack.url, timeout=60) as found:
        yield found


async def _events(
    client: httpx.AsyncClient, run_id: str, *, last: str | None = None, found: list[dict[str, str]] | None = None
) -> list[dict[str, str]]:
    """The events of a run until its stream ends, as they come in `found`."""
    found = [] if found is None else found
    headers = {"Last-Event-ID": last} if last else {}
    async with client.stream("GET", f"/api/v1/runs/{run_id}/events", headers=headers) as response:
        if response.status_code == 204:
            return []
        event: dict[str, str] = {}
        async for line in response.aiter_lines():
            if not line and event:
                found.append(event)
                event = {}
            elif line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                event[name] = value
    return found


@shared
async def test_a_run_is_followed_to_its_end_and_its_answer_is_there(shared_client: httpx.AsyncClient) -> None:
    run_id = await asked(shared_client)
    events = await _events(shared_client, run_id)
    assert events[-1]["event"] == "document"
    assert json.loads(events[-1]["data"])["status"] == "answered"
    ids = [int(event["id"]) for event in events]
    assert ids == sorted(set(ids))
    document = await ended(shared_client, run_id)
    assert document["conclusion"]["verdict"] == "benefit"  # type: ignore[index]
    assert document["record"]["passages"]  # type: ignore[index]


@shared
async def test_whoever_comes_again_hears_the_end_once(shared_client: httpx.AsyncClient) -> None:
    run_id = await asked(shared_client)
    await ended(shared_client, run_id)
    (event,) = await _events(shared_client, run_id)
    assert event["event"] == "document"
    assert await _events(shared_client, run_id, last=event["id"]) == []


@shared
async def test_readers_through_two_web_apps_hear_the_same_end(
    shared_stack: ApiStack, shared_client: httpx.AsyncClient
) -> None:
    second = shared_stack.another()
    await second.start()
    try:
        async with httpx.AsyncClient(base_url=second.url, timeout=60) as other:
            run_id = await asked(shared_client)
            one, two = await asyncio.gather(_events(shared_client, run_id), _events(other, run_id))
    finally:
        await second.stop()
    assert one[-1] == two[-1]


@shared
async def test_the_terminal_and_the_browser_of_a_machine_see_the_same_runs(
    shared_stack: ApiStack, shared_client: httpx.AsyncClient
) -> None:
    run_id = await asked(shared_client)
    await ended(shared_client, run_id)
    connection = await nats.connect(shared_stack.server.asker_url)
    try:
        reply = json.loads((await connection.request("openwork.list", b"{}", timeout=10)).data)
    finally:
        await connection.close()
    assert run_id in [run["run_id"] for run in reply["runs"]]


@shared
async def test_a_deleted_run_is_gone_from_the_server_too(
    shared_stack: ApiStack, shared_client: httpx.AsyncClient
) -> None:
    """One message that says so takes the place of all that was stored; the other runs are untouched."""
    gone, kept = (
        await asked(shared_client),
        await asked(shared_client, "Does apixaban reduce stroke in atrial fibrillation?"),
    )
    await asyncio.gather(ended(shared_client, gone), ended(shared_client, kept))
    assert (await shared_client.delete(f"/api/v1/runs/{gone}")).status_code == 204
    for path in ("", "/history", "/evidence", "/events", "/searches"):
        assert (await shared_client.get(f"/api/v1/runs/{gone}{path}")).status_code == 404, path
    listed = {run["run_id"] for run in (await shared_client.get("/api/v1/runs")).json()["runs"]}
    assert listed & {gone, kept} == {kept}
    trusted = await nats.connect(shared_stack.server.url)
    try:
        info = await trusted.jetstream().stream_info("OPENWORK_RESULTS", subjects_filter=">")
    finally:
        await trusted.close()
    counts = {subject.rpartition(".")[2]: n for subject, n in (info.state.subjects or {}).items()}
    assert counts[gone] == 1
    assert counts[kept] >= 1


async def test_a_run_that_is_cancelled_ends_for_whoever_follows_it(client: httpx.AsyncClient, stack: ApiStack) -> None:
    await next(s for s in stack.services.services if s.name == "synthesiser").stop()
    run_id = await asked(client)
    heard: list[dict[str, str]] = []
    following = asyncio.create_task(_events(client, run_id, found=heard))
    await until(lambda: heard)
    assert (await client.post(f"/api/v1/runs/{run_id}/cancel", json={"reason": "enough"})).json()["cancelled"]
    events = await following
    assert json.loads(events[-1]["data"])["status"] == "cancelled"
    assert any(event["event"] == "progress" for event in events)


async def test_a_server_that_was_away_costs_a_reader_nothing(client: httpx.AsyncClient, stack: ApiStack) -> None:
    synthesiser = next(s for s in stack.services.services if s.name == "synthesiser")
    await synthesiser.stop()
    run_id = await asked(client)
    heard: list[dict[str, str]] = []
    following = asyncio.create_task(_events(client, run_id, found=heard))
    await until(lambda: heard)
    stack.server.kill()
    await stack.server.start()
    async with asyncio.timeout(60):
        while (await client.get("/readyz")).status_code != 200:  # noqa: ASYNC110 - another process has no event to set
            await asyncio.sleep(0.1)
    await client.post(f"/api/v1/runs/{run_id}/cancel")
    assert (await asyncio.wait_for(following, 60))[-1]["event"] == "document"


async def test_without_services_every_request_says_so(tmp_path: Path) -> None:
    async with api_stack(tmp_path, services=()) as stack, httpx.AsyncClient(base_url=stack.url) as client:
        answers = [await client.get("/api/v1/runs"), await client.post("/api/v1/runs", json={"question": "Statins?"})]
        ready = await client.get("/readyz")
        stack.server.kill()
        gone = await client.get("/readyz")
        await stack.server.start()
        while (await client.get("/readyz")).status_code != 200:  # noqa: ASYNC110 - nothing is closed while it connects
            await asyncio.sleep(0.1)
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(503, "BusUnavailable")] * 2
    assert (ready.status_code, gone.status_code) == (200, 503)


async def test_whoever_does_not_read_does_not_hold_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openwork_api.service.STOP_S", 0.2)
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    narrow.setblocking(False)
    async with api_stack(tmp_path, services=()) as stack:
        host, _, port = stack.url.removeprefix("http://").partition(":")
        await asyncio.get_running_loop().sock_connect(narrow, (host, int(port)))
        reader, writer = await asyncio.open_connection(sock=narrow, limit=1024)
        writer.write(f"GET /api/openapi.json HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode() * 100)
        await reader.readline()
        await asyncio.wait_for(stack.api.stop(), 10)
        server = stack.api._server
        assert server is not None
        assert not server.server_state.connections
    writer.close()
