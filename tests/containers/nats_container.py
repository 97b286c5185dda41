"""nats-server as a container, with the interfaces of the servers of tests/integration: the same tests run on it."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from openwork_laptop.embedded import MAX_PAYLOAD_BYTES

from deploy.permissions import password_variables
from deploy.supply.bases import bases
from tests.containers.engine import Container, LogMessageWaitStrategy
from tests.integration.secured_server import SecuredServer, password_of
from tests.integration.test_compose_server import ComposeServer
from tests.nats_server import OpenServer

ROOT = Path(__file__).resolve().parents[2]
IMAGE = os.environ.get("NATS_IMAGE") or bases()["NATS_IMAGE"]
READY = "Server is ready"


def nats_container() -> Container:
    """The server's image; clients on a free port of loopback."""
    return Container(IMAGE).publish(4222).waiting_for(LogMessageWaitStrategy(READY).with_startup_timeout(60))


def compose_nats(overlay: str | None = None) -> Container:
    """The block `nats` of docker-compose.yml: its entry point, its files with the accounts of every deployment."""
    files = [ROOT / "docker-compose.yml", *([ROOT / f"deploy/compose/{overlay}.yml"] if overlay else [])]
    read = [yaml.safe_load(file.read_text()) for file in files]
    configs = {name: config for file in read for name, config in file.get("configs", {}).items()}
    block: dict[str, Any] = read[0]["services"]["nats"]
    container = nats_container().with_kwargs(entrypoint=block["entrypoint"], user=block["user"])
    container.with_tmpfs_mount("/data", "mode=1777")
    for mounted in block["configs"]:
        container.with_volume_mapping(ROOT / configs[mounted["source"]]["file"], mounted["target"])
    return container


class ContainerServer(OpenServer):
    """Starts, restarts, kills and stops one container. JetStream's files lie in the given folder and outlive it."""

    def __init__(self, folder: Path, *, port: int = 0) -> None:
        super().__init__(folder, port=port or _free_port())
        self._container: Container | None = None

    async def start(self, *, timeout_s: float = 60.0) -> None:
        """Start it on the same port as before, and wait until it accepts clients."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "accounts.conf").write_text(self.accounts())
        self._renew_askers()
        (self.folder / "nats.conf").write_text(
            f"max_payload: {MAX_PAYLOAD_BYTES}\njetstream {{ store_dir: /data }}\n"
            "no_auth_user: local\ninclude accounts.conf\n"
        )
        container = nats_container().publish(4222, self.port).with_envs(**self.logins.environment)
        container.with_volume_mapping(self.folder, "/data", "rw").with_command(["--config", "/data/nats.conf"])
        container.with_kwargs(user=f"{os.getuid()}:{os.getgid()}")  # who may remove the folder afterwards
        self._container = await asyncio.to_thread(container.start)

    async def stop(self, *, timeout_s: float = 10.0) -> None:
        """Stop it, gently first."""
        if (container := self._container) is not None:
            self._container = None
            await asyncio.to_thread(container.get_wrapped_container().stop, timeout=int(timeout_s))
            await asyncio.to_thread(container.stop)

    def kill(self) -> None:
        """SIGKILL."""
        if (container := self._container) is not None:
            self._container = None
            container.kill()
            container.stop()


class ContainerSecuredServer(SecuredServer):
    """Compose's server with its files as they are, nobody let in without credentials."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        prefix = "OPENWORK_NATS_PASSWORD_"
        passwords = {name: password_of(name.removeprefix(prefix).lower()) for name in password_variables()}
        self._container = compose_nats("secured").with_envs(**passwords)

    @property
    def log(self) -> str:
        """What the server logged so far."""
        return self._container.logged()

    async def start(self) -> None:
        """Start it and wait until it accepts clients."""
        await asyncio.to_thread(self._container.start)
        self.port = self._container.get_exposed_port(4222)

    async def stop(self) -> None:
        """Stop it."""
        await asyncio.to_thread(self._container.stop)


class ComposeContainer(ComposeServer):
    """The same with the passwords that Compose gives, with an overlay or without."""

    def __init__(self, root: Path, overlay: str | None = None, environ: dict[str, str] | None = None) -> None:
        super().__init__(root, overlay, environ)
        self._overlay = overlay
        self._container: Container | None = None

    async def start(self) -> None:
        self._container = compose_nats(self._overlay).with_envs(**self.passwords())
        await asyncio.to_thread(self._container.start)
        self.port = self._container.get_exposed_port(4222)

    def reload(self) -> None:
        assert self._container is not None
        self._container.kill("SIGHUP")

    def run(self, command: Sequence[str], stdin: str | None = None) -> str:
        """In the container, through the engine's own program: testcontainers gives a command no input."""
        assert self._container is not None
        words = ["docker", "exec", "-i", self._container.get_container_id(), *command]
        return subprocess.run(words, input=stdin or "", capture_output=True, text=True, check=True).stdout

    def stop(self) -> None:
        if self._container is not None:
            self._container.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
