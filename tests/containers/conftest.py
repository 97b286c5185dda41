"""Compose with a project, a port and volumes of its own, where a container engine answers."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.containers.nats_container import ContainerServer
from tests.nats_server import OpenServer

ROOT = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Containers take minutes: they are for whoever asks for them."""
    if "containers" in config.option.markexpr:
        return
    for item in items:
        if item.get_closest_marker("containers"):
            item.add_marker(pytest.mark.skip(reason="containers take minutes; run with -m containers"))


class Compose:
    """One project of docker-compose.yml with the offline overlay: what is asked needs no network."""

    def __init__(self, program: list[str], port: int, api_port: int) -> None:
        self._program = program
        self._env = {**os.environ, "OPENWORK_NATS_PORT": str(port), "OPENWORK_API_PORT": str(api_port)}
        self.project = f"openwork-test-{os.getpid()}"
        self.url = f"nats://127.0.0.1:{port}"
        self.http_url = f"http://127.0.0.1:{api_port}"

    def __call__(self, *arguments: str, timeout_s: float = 600, stdin: str | None = None) -> str:
        """Run one command of docker compose; its output. The output is part of the error when it fails."""
        files = ["-f", "docker-compose.yml", "-f", "deploy/compose/offline.yml"]
        command = [*self._program, "-p", self.project, *files, *arguments]
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
def compose() -> Iterator[Compose]:
    """Everything built, up and healthy; removed afterwards with its data. OPENWORK_CONTAINERS_BUILD=no takes the images
    that are there."""
    program = compose_program()
    with socket.socket() as probe, socket.socket() as other:
        probe.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        compose = Compose(program, int(probe.getsockname()[1]), int(other.getsockname()[1]))
    try:
        build = [] if os.environ.get("OPENWORK_CONTAINERS_BUILD") == "no" else ["--build"]
        compose("up", "--detach", *build, "--wait", "--wait-timeout", "300", timeout_s=3600)
        yield compose
    finally:
        compose("down", "--volumes", "--timeout", "10")


@pytest.fixture
async def nats_server(tmp_path: Path) -> AsyncIterator[OpenServer]:
    """NATS in a container instead of the embedded one: everything else of the fixtures stays."""
    if reason := no_engine():
        pytest.skip(reason)
    server = ContainerServer(tmp_path / "nats")
    await server.start()
    yield server
    await server.stop()


def no_engine() -> str | None:
    """Why containers cannot be used here; `None` = they can."""
    if shutil.which("docker") is None:
        return "no container engine: there is no `docker`"
    answer = subprocess.run(["docker", "info"], capture_output=True, text=True, check=False)
    return f"no container engine answers: {answer.stderr.strip()[-200:]}" if answer.returncode else None


def compose_program() -> list[str]:
    """`docker compose`, or docker-compose v2 and later; skips with the reason where nothing answers."""
    if reason := no_engine():
        pytest.skip(reason)
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode == 0:
        return ["docker", "compose"]
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    pytest.skip("docker has no compose plugin and there is no docker-compose")
