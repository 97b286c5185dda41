"""A server with every service on it; and which of these tests are slow.

Slow are those that start commands, wait for deadlines, fill disks or flood doors, and those of which each test has
whole runs on a server and with stand-ins of its own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from openwork_bus.jetstream import JetStreamBus
from openwork_laptop.stack import Stack, client, prepare

from tests.nats_server import OpenServer

HERE = Path(__file__).parent
SLOW = frozenset(
    {
        "test_accounts",
        "test_api_security",
        "test_api_store",
        "test_cli",
        "test_cli_client",
        "test_client_over_http_service",
        "test_compose_server",
        "test_crowd",
        "test_docs",
        "test_full_disk",
        "test_full_disk_heals",
        "test_gap_search",
        "test_gateway_service",
        "test_http_docs",
        "test_interrupts",
        "test_live_runs",
        "test_make_ask",
        "test_mcp",
        "test_model_runs",
        "test_new_service",
        "test_rate_limit_shared",
        "test_readiness",
        "test_retracted_works",
        "test_server_away",
        "test_sources_over_http",
        "test_storage_answers",
        "test_survival",
        "test_upgrade",
        "test_upgrade_layout",
    }
)
"""Files; those of `hostile/` are slow too. Together they take as long as all others."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them."""
    for item in items:
        if HERE in item.path.parents and (item.path.stem in SLOW or item.path.parent.name == "hostile"):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def server(nats_server: OpenServer) -> OpenServer:
    """The test's own nats-server; nothing is on it yet."""
    return nats_server


@pytest.fixture
async def stack(server: OpenServer) -> AsyncIterator[JetStreamBus]:
    """Every service on that server, and the bus of somebody who may see all."""
    async with stack_on(server) as bus:
        yield bus


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_stack(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[JetStreamBus]:
    """The same for all tests of a module that ask and look at their own run; they need the module's event loop."""
    server = OpenServer(tmp_path_factory.mktemp("shared") / "nats")
    await server.start()
    async with stack_on(server) as bus:
        yield bus
    await server.stop()


@asynccontextmanager
async def stack_on(server: OpenServer) -> AsyncIterator[JetStreamBus]:
    await prepare(server.url)
    services = Stack(server.asker_url, logins=server.logins)
    await services.start()
    async with client(server.url) as bus:
        yield bus
    await services.stop()
