"""What a service logs while its server is away: that it is, that it is back, and no line per attempt."""

from __future__ import annotations

import asyncio
import logging

import pytest
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_gap.app import create_service
from openwork_gap.settings import Settings

from tests.builders import planned, run_on
from tests.nats_server import OpenServer
from tests.waiting import until

pytestmark = pytest.mark.nats

AWAY_S = 3.0


async def test_a_server_that_is_away_is_told_once_and_its_return_once(
    bus: JetStreamBus, nats_server: OpenServer, settings: ServiceSettings, caplog: pytest.LogCaptureFixture
) -> None:
    """Also by a service that has something to publish all the while."""
    service = create_service(Settings(**{**settings.model_dump(), "publish_timeout_s": 0.5}))
    await service.start()
    try:
        caplog.set_level(logging.INFO)
        caplog.clear()
        nats_server.kill()
        run = run_on(service.bus)
        publishing = asyncio.create_task(run.publish(planned(run, ("a",))))
        await until(lambda: caplog.records)
        await asyncio.sleep(AWAY_S)
        meanwhile = len(caplog.records)
        assert 1 <= meanwhile <= 3, caplog.messages
        await nats_server.start()
        assert await asyncio.wait_for(publishing, 60)
        async with asyncio.timeout(60):
            while not [m for m in caplog.messages if "nats is connected after" in m]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert len(caplog.records) <= meanwhile + 1, caplog.messages
    finally:
        await service.stop()
