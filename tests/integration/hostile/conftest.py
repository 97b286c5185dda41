"""One server with all services for each module: who attacks must not be able to change what the next one finds."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.integration.hostile.world import ALICE, BOB, MALLORY, Asker, World


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """The server, its accounts, all services."""
    found = World(tmp_path_factory.mktemp("hostile") / "nats")
    await found.start()
    yield found
    await found.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def alice(world: World) -> AsyncIterator[Asker]:
    """Who only asks."""
    async with world.asker(ALICE) as asker:
        yield asker


@pytest_asyncio.fixture(loop_scope="module")
async def bob(world: World) -> AsyncIterator[Asker]:
    """Who attacks, with the rights of an asker."""
    async with world.asker(BOB) as asker:
        yield asker


@pytest_asyncio.fixture(loop_scope="module", params=[BOB, MALLORY])
async def attacker(world: World, request: pytest.FixtureRequest) -> AsyncIterator[Asker]:
    """Who attacks: with the rights of an asker, and with every right within an account of its own."""
    async with world.asker(request.param) as asker:
        yield asker


@pytest.fixture(autouse=True)
def _nothing_crashes(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No service logs a traceback, whatever comes."""
    yield
    crashes = [r.getMessage() for r in caplog.get_records("call") if r.levelno >= logging.ERROR and r.exc_info]
    assert not crashes
