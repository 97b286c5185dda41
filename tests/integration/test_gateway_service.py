"""The gateway as a service with its own rights: a question through each door, waiting, refused, shown and listed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import nats
import pytest
from nats.aio.client import Client
from openwork_bus.connection import connect
from openwork_bus.run_ids import new_run_id
from openwork_bus.service import Service
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import ensure_topology
from openwork_gateway.app import create_service
from openwork_gateway.settings import Settings

from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[OpenServer]:
    server = OpenServer(tmp_path / "nats")
    await server.start()
    settings = ServiceSettings(nats_url=server.url)
    connection = await connect(settings, name="test")
    await ensure_topology(connection.jetstream(timeout=10), settings, accounts=["local"])
    await connection.close()
    yield server
    await server.stop()


@pytest.fixture
async def gateway(server: OpenServer) -> AsyncIterator[Service]:
    """With nobody who works on what it lets in, and four seconds for a run."""
    settings = server.logins.settings_of("gateway", Settings(nats_url=server.asker_url, answer_deadline_s=4))
    service = create_service(settings)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def asker(server: OpenServer) -> AsyncIterator[Client]:
    client = await nats.connect(server.asker_url)
    yield client
    await client.close()


async def request(asker: Client, subject: str, **body: object) -> dict[str, Any]:
    reply = await asker.request(subject, json.dumps(body).encode(), timeout=35)
    found: dict[str, Any] = json.loads(reply.data)
    return found


async def test_a_question_that_nobody_works_on_ends_by_its_deadline_and_is_shown_and_listed(
    gateway: Service, asker: Client
) -> None:
    asked = await request(asker, "openwork.ask", question="Why?")
    assert asked["error"] is None
    run_id = asked["run_id"]
    running = await request(asker, "openwork.show", run_id=run_id)
    assert running["document"]["status"] == "running"
    again = await request(asker, "openwork.ask", question="Why?", run_id=run_id)
    assert again["already_known"]
    edited = await request(asker, "openwork.ask", question="Why not?", run_id=run_id)
    assert edited["error_type"] == "UsageError"
    ended = await request(asker, "openwork.show", run_id=run_id, wait_s=20)
    assert ended["document"]["status"] == "failed"
    assert "time limit" in ended["document"]["answer"]["markdown"]
    assert [run["run_id"] for run in (await request(asker, "openwork.list"))["runs"]] == [run_id]
    events = (await request(asker, "openwork.events", run_id=run_id))["events"]
    assert [event["name"] for event in events] == ["query-submitted", "end"]
    assert (await request(asker, "openwork.cancel", run_id=run_id))["cancelled"] is False


async def test_a_question_in_an_inbox_is_let_in_and_told_of(gateway: Service, asker: Client) -> None:
    good, bad = new_run_id(), new_run_id()
    heard: dict[str, list[str]] = {}
    both = asyncio.Event()

    async def hear(message: Any) -> None:
        kind = message.headers["Openwork-Result"]
        heard.setdefault(message.subject.rpartition(".")[2], []).append(kind)
        if {good, bad} <= heard.keys():
            both.set()

    await asker.subscribe("openwork.results.*", cb=hear)
    await asker.request(f"openwork.inbox.{good}", b'{"question": "Why?"}', timeout=5)
    await asker.request(f"openwork.inbox.{bad}", b"garbage", timeout=5)
    await asyncio.wait_for(both.wait(), 20)
    assert heard == {good: ["document"], bad: ["document"]}
    assert (await request(asker, "openwork.show", run_id=bad))["document"]["status"] == "refused"


async def test_a_question_that_waits_for_its_turn_is_shown_as_such(gateway: Service, asker: Client) -> None:
    """Sixteen are let in before there is a measurement of services that nobody has seen."""
    asked = [await request(asker, "openwork.ask", question=f"Why {n}?") for n in range(40)]
    waiting = [reply["run_id"] for reply in asked if reply["waiting"]]
    assert waiting
    shown = await asyncio.gather(*(request(asker, "openwork.show", run_id=run_id) for run_id in waiting))
    waits = [reply for reply in shown if "waits for its turn" in reply["document"]["answer"]["markdown"]]
    assert {reply["document"]["status"] for reply in waits} == {"running"}
    ended = await asyncio.gather(
        *(request(asker, "openwork.show", run_id=reply["run_id"], wait_s=25) for reply in asked if reply["run_id"])
    )
    assert {reply["document"]["status"] for reply in ended} <= {"failed", "refused"}


async def test_a_gateway_that_stops_answers_those_who_wait(server: OpenServer, asker: Client) -> None:
    settings = server.logins.settings_of("gateway", Settings(nats_url=server.asker_url))
    service = create_service(settings)
    await service.start()
    run_id = (await request(asker, "openwork.ask", question="Why?"))["run_id"]
    waiting = asyncio.create_task(request(asker, "openwork.show", run_id=run_id, wait_s=30))
    await asyncio.sleep(1)  # until it waits there
    await asyncio.wait_for(service.stop(), 30)
    reply = await asyncio.wait_for(waiting, 20)
    assert reply["document"]["status"] == "running"
