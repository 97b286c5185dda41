"""What every test may use: a real nats-server, a bus of its own, the recorded data where it is there."""

from __future__ import annotations

import gc
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings
from openwork_bus.connection import connect
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import ensure_topology

from tests.nats_server import OpenServer

ROOT = Path(__file__).resolve().parent.parent

# Hypothesis' limit of 200 ms for one example measures how busy the machine is: 78 of 82 property tests had it, and some
# of them failed under load. In CI the examples are the same ones every time, and a failure prints how to have it again.
hypothesis_settings.register_profile("local", deadline=None)
hypothesis_settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis_settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_configure() -> None:
    """No search for garbage while the tests are collected: what they are made of stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """From here on as ever, but for twelve thousand tests and all modules, which need not be looked through again."""
    gc.enable()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _offline() -> Iterator[None]:
    """No test asks an outside service or spends a key by itself: the library alone, unless the test says otherwise."""
    quiet = {"OPENWORK_SOURCES": "library", "OPENWORK_MODEL_PROVIDER": "none"}
    before = {name: os.environ.get(name) for name in quiet}
    os.environ.update(quiet)
    yield
    for name, value in before.items():
        os.environ.pop(name)
        if value is not None:
            os.environ[name] = value


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The recorded data beside the repository (or at OPENWORK_DATA); tests that need it are skipped without it."""
    folder = Path(os.environ.get("OPENWORK_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the recorded data is not here; set OPENWORK_DATA to its folder")
    return folder


@pytest.fixture
async def nats_server(tmp_path: Path) -> AsyncIterator[OpenServer]:
    """A nats-server with JetStream, on loopback and any free port, for one test."""
    server = OpenServer(tmp_path / "nats")
    await server.start()
    yield server
    server.kill()  # its store goes with the folder: nothing to close gently


@pytest.fixture
def settings(nats_server: OpenServer) -> ServiceSettings:
    """Settings that point to that server, with short pauses."""
    return ServiceSettings(nats_url=nats_server.url, retry_delays_s=(0.05, 0.1), publish_patience_s=10.0)


@pytest.fixture
async def bus(nats_server: OpenServer, settings: ServiceSettings) -> AsyncIterator[JetStreamBus]:
    """A bus on that server, its streams and consumers made."""
    connection = await connect(settings, name="test")
    await ensure_topology(connection.jetstream(timeout=10), settings)
    yield JetStreamBus(connection, settings)
    await connection.close()
