"""Our images, and Compose with a project, a port and volumes of its own, where a container engine answers."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.containers.engine import leave_out, no_engine, required
from tests.containers.nats_container import ContainerServer
from tests.nats_server import OpenServer

ROOT = Path(__file__).resolve().parents[2]
COMPOSE_FILE = "docker-compose.yml:deploy/compose/offline.yml"
"""The library is the only source: what is asked needs no network."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Containers take minutes: they are for whoever asks for them."""
    if "containers" in config.option.markexpr:
        return
    for item in items:
        if item.get_closest_marker("containers"):
            item.add_marker(pytest.mark.skip(reason="containers take minutes; run with -m containers"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Where there is no engine, what took its place."""
    if "containers" in config.option.markexpr and (reason := no_engine()):
        terminalreporter.write_line(f"IN NO CONTAINER: {reason}; NATS was an embedded nats-server")


@pytest.fixture(scope="session", autouse=True)
def _asked_for() -> None:
    """Containers that were asked for and cannot be had are a failure of every test here."""
    if required() and (reason := no_engine()):
        leave_out(reason)


def compose_program() -> list[str]:
    """`docker compose`, or docker-compose v2 and later; skips with the reason where nothing answers."""
    if reason := no_engine():
        leave_out(reason)
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode == 0:
        return ["docker", "compose"]
    if not shutil.which("docker-compose"):
        leave_out("docker has no compose plugin and there is no docker-compose")
    return ["docker-compose"]


def up_script(*arguments: str, **environ: str) -> str:
    """Run scripts/up.sh as people do; its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COMPOSE_")}
    done = subprocess.run(
        ["bash", "scripts/up.sh", *arguments],
        cwd=ROOT,
        env={**kept, "OPENWORK_UP": "containers", **environ},
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(arguments)}: {done.stdout[-1000:]} {done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="session")
def blocks() -> dict[str, Any]:
    """The blocks of Compose with traces and without a network, their images built as `make up` builds them.

    OPENWORK_CONTAINERS_BUILD=no takes the images that are there.
    """
    program = compose_program()
    files = f"docker-compose.yml:deploy/compose/observability.yml:{COMPOSE_FILE.rpartition(':')[2]}"
    if os.environ.get("OPENWORK_CONTAINERS_BUILD") != "no":
        up_script("build", COMPOSE_FILE=files)
    command = [*program, "config", "--format", "json"]
    environ = {**os.environ, "COMPOSE_FILE": files}
    told = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(told.stdout)["services"]
    return found


class Compose:
    """One project of docker-compose.yml with the offline overlay: what is asked needs no network."""

    def __init__(self, program: list[str], port: int, api_port: int) -> None:
        self._program = program
        self.project = f"openwork-test-{os.getpid()}"
        self.environ = {
            "OPENWORK_NATS_PORT": str(port),
            "OPENWORK_API_PORT": str(api_port),
            "COMPOSE_PROJECT_NAME": self.project,
        }
        self._env = {**os.environ, **self.environ, "COMPOSE_FILE": COMPOSE_FILE}
        self.url = f"nats://127.0.0.1:{port}"
        self.http_url = f"http://127.0.0.1:{api_port}"

    def __call__(self, *arguments: str, timeout_s: float = 600, stdin: str | None = None) -> str:
        """Run one command of docker compose; its output. The output is part of the error when it fails."""
        command = [*self._program, *arguments]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=self._env,
            input=stdin or "",
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert done.returncode == 0, f"{' '.join(arguments)}: {done.stderr[-2000:]}"
        return done.stdout

    def kill_process(self, service: str) -> None:
        """SIGKILL the service's process itself: `docker kill` would count as wanted and not be restarted."""
        container = self("ps", "-q", service).split()[0]
        found = subprocess.run(
            ["docker", "inspect", "-f", "{{.State.Pid}}", container],
            env=self._env,
            capture_output=True,
            text=True,
            check=True,
        )
        os.kill(int(found.stdout), 9)


@pytest.fixture(scope="module")
def compose(blocks: dict[str, Any]) -> Iterator[Compose]:
    """Everything up and healthy; removed afterwards with its data."""
    with socket.socket() as probe, socket.socket() as other:
        probe.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        compose = Compose(compose_program(), int(probe.getsockname()[1]), int(other.getsockname()[1]))
    try:
        up_script("up", **compose.environ, COMPOSE_FILE=COMPOSE_FILE)
        yield compose
    finally:
        compose("down", "--volumes", "--timeout", "10")


@pytest.fixture
async def nats_server(tmp_path: Path) -> AsyncIterator[OpenServer]:
    """NATS in a container instead of the embedded one, where there is an engine; other fixtures stay as they are."""
    server = OpenServer(tmp_path / "nats") if no_engine() else ContainerServer(tmp_path / "nats")
    await server.start()
    yield server
    await server.stop()
