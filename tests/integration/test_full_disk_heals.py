"""A full disk under an embedded nats-server: said in words, nothing acknowledged is lost, and it mends itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from openwork_bus.connection import connect
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import ensure_topology
from openwork_contracts.errors import BusUnavailable, StorageFull
from openwork_contracts.meta import Event
from openwork_laptop.supervision import supervised, write_error

from tests.builders import planned, requested, run_on, submitted
from tests.integration.small_disk import fill, small_disk
from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", size_mb=64) as folder:
        yield folder


@pytest.fixture
async def server(disk: Path) -> AsyncIterator[OpenServer]:
    server = OpenServer(disk)
    await server.start()
    async with supervised(server):
        yield server
    await server.stop()


async def bus_on(server: OpenServer, *, patience_s: float) -> JetStreamBus:
    settings = ServiceSettings(nats_url=server.url, publish_timeout_s=1.0, publish_patience_s=patience_s)
    return JetStreamBus(await connect(settings, name="test"), settings)


async def publish_until_refused(bus: JetStreamBus) -> tuple[list[Event], BusUnavailable]:
    """What was acknowledged, and the error that came then."""
    kept: list[Event] = []
    for _ in range(500):
        event = submitted(run_on(bus))
        try:
            assert await asyncio.wait_for(bus.publish(event), 60)
        except BusUnavailable as error:
            return kept, error
        kept.append(event)
    raise AssertionError("the disk did not get full")


async def test_a_full_disk_is_told_in_words_and_mends_itself_with_space(
    server: OpenServer, disk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Twice over: publishers hear of it within their patience, and go on without anybody's help once there is room."""
    short, patient = await bus_on(server, patience_s=2.0), await bus_on(server, patience_s=60.0)
    await ensure_topology(short.connection.jetstream(timeout=10), ServiceSettings())
    kept: list[Event] = []
    try:
        for _ in range(2):
            fill(disk / "somebody-elses", leave_kb=64)
            stored, error = await publish_until_refused(short)
            kept += stored
            assert "NATS answers, but stores nothing" in str(error)
            run = run_on(short)
            with pytest.raises(BusUnavailable, match="its disk full"):
                await asyncio.wait_for(short.publish_all([planned(run, ("pubmed",)), requested(run, "pubmed")]), 60)
            assert "no space left" in (await write_error(server.monitor_url) or "")
            pid, waiting = server.pid, submitted(run)
            publication = asyncio.create_task(patient.publish(waiting))
            await asyncio.sleep(3)
            assert server.pid == pid  # as long as the disk is full a restart would not help
            (disk / "somebody-elses").unlink()
            assert await asyncio.wait_for(publication, 60)
            assert await asyncio.wait_for(short.publish(submitted(run_on(short))), 30)
            kept.append(waiting)
        for event in kept:
            assert await short.get(event.meta.event_id)
    finally:
        await short.connection.close()
        await patient.connection.close()
    lines = [r.getMessage() for r in caplog.records if r.name == "openwork_laptop.supervision"]
    assert sum("is full" in line and "no space left" in line for line in lines) == 2
    assert sum("it was restarted" in line for line in lines) == 2
    assert all(r.levelno >= logging.WARNING for r in caplog.records if r.name == "openwork_laptop.supervision")


async def test_a_server_is_not_started_on_a_full_disk(disk: Path) -> None:
    fill(disk / "somebody-elses")
    with pytest.raises(StorageFull, match=r"disk under .* is full .* make room"):
        await OpenServer(disk / "not" / "there" / "yet").start()
