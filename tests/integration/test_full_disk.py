"""A JetStream whose storage is used up: one clear error within the patience, no hang, and all well again with space."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from nats.js import JetStreamContext
from nats.js.errors import APIError
from openwork_bus.connection import connect
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import stream_config
from openwork_contracts.errors import BusUnavailable
from openwork_contracts.streams import STREAMS
from openwork_contracts.subjects import DEAD_PREFIX
from pydantic import SecretStr

from tests.builders import run_on, submitted
from tests.integration.secured_server import SecuredServer, password_of

pytestmark = pytest.mark.nats


async def bus_of(user: str, server: SecuredServer) -> JetStreamBus:
    settings = ServiceSettings(
        nats_url=server.url, nats_user=user, nats_password=SecretStr(password_of(user)), publish_patience_s=1.0
    )
    return JetStreamBus(await connect(settings, name=user), settings)


async def fill(js: JetStreamContext) -> None:
    """Store what there is room for, and a little more."""
    for _ in range(200):
        await js.publish(f"{DEAD_PREFIX}.gap", bytes(100_000))


async def test_a_full_store_is_a_clear_error_and_heals_with_more_space(tmp_path: Path) -> None:
    server = SecuredServer(tmp_path / "nats", max_store="3MB")
    await server.start()
    owner, bus = await bus_of("topology", server), await bus_of("gateway", server)
    try:
        for spec in STREAMS:
            config = stream_config(spec, ServiceSettings())
            config.max_bytes = -1  # the server's own limit comes first
            await owner.connection.jetstream().add_stream(config)
        js = bus.connection.jetstream(timeout=5)
        with pytest.raises(APIError):
            await fill(js)
        run = run_on(bus)
        with pytest.raises(BusUnavailable, match=r"was not acknowledged .*(storage|insufficient)"):
            await asyncio.wait_for(bus.publish(submitted(run)), 15)
        await server.stop()
        server.max_store = "100MB"
        await server.start()
        assert await asyncio.wait_for(bus.publish(submitted(run)), 15)
    finally:
        await owner.connection.close()
        await bus.connection.close()
        await server.stop()
