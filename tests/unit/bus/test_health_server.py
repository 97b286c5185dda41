"""The port of health: three routes, any free port where none is named, words where one is taken."""

from __future__ import annotations

import httpx
import pytest
from openwork_bus.health import HealthServer
from openwork_contracts.errors import BusUnavailable


class Something:
    """A service that is ready, or not."""

    name = "something"

    def __init__(self) -> None:
        self.trouble: str | None = None

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def check_consumers(self) -> None:
        if self.trouble:
            raise BusUnavailable(self.trouble)

    async def storage_warnings(self) -> list[str]:
        return []

    async def metrics(self) -> bytes:
        return b"openwork_ready 1\n"


async def test_it_answers_on_a_free_port_until_it_is_stopped() -> None:
    service = Something()
    health = HealthServer(service, host="127.0.0.1", port=0)
    await health.start()
    async with httpx.AsyncClient(base_url=health.url) as client:
        assert (await client.get("/healthz")).json() == {"status": "alive", "service": "something"}
        assert (await client.get("/readyz")).status_code == 200
        service.trouble = "NATS does not answer"
        assert (await client.get("/readyz")).status_code == 503
        told = await client.get("/metrics")
        assert (told.status_code, told.content) == (200, b"openwork_ready 1\n")
        assert (await client.get("/else")).json()["routes"] == "/healthz /readyz /metrics"
        await health.stop()
        with pytest.raises(httpx.ConnectError):
            await client.get("/healthz")


async def test_a_port_that_is_taken_is_told_with_the_setting_that_helps() -> None:
    first = HealthServer(Something(), host="127.0.0.1", port=0)
    await first.start()
    port = int(first.url.rpartition(":")[2])
    with pytest.raises(BusUnavailable, match="OPENWORK_HEALTH_PORT"):
        await HealthServer(Something(), host="127.0.0.1", port=port).start()
    await first.stop()


async def test_one_that_was_not_started_can_be_stopped() -> None:
    await HealthServer(Something(), host="127.0.0.1", port=0).stop()
