"""nats-server as a container, with the interface of `OpenServer`, so that the same tests run on both."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import uuid
from pathlib import Path

from openwork_laptop.embedded import MAX_PAYLOAD_BYTES

from tests.nats_server import OpenServer

IMAGE = os.environ.get("NATS_IMAGE", "nats:2.15.1-alpine")


class ContainerServer(OpenServer):
    """Starts, restarts, kills and stops one container. JetStream's files lie in the given folder and outlive it."""

    def __init__(self, folder: Path, *, port: int = 0) -> None:
        super().__init__(folder, port=port or _free_port())
        self._name = f"openwork-test-nats-{uuid.uuid4().hex[:8]}"

    async def start(self, *, timeout_s: float = 30.0) -> None:
        """Start and wait until it accepts clients."""
        self.folder.mkdir(parents=True, exist_ok=True)
        config = self.folder / "nats.conf"
        config.write_text(f"max_payload: {MAX_PAYLOAD_BYTES}\njetstream {{ store_dir: /data }}\n")
        mounts = ["-v", f"{self.folder}:/data", "-v", f"{config}:/etc/nats/test.conf:ro"]
        command = ["docker", "run", "-d", "--rm", "--name", self._name, "-p", f"127.0.0.1:{self.port}:4222", *mounts]
        await asyncio.to_thread(_run, [*command, IMAGE, "--config", "/etc/nats/test.conf"])
        async with asyncio.timeout(timeout_s):
            while not await asyncio.to_thread(self._greets):  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    async def stop(self, *, timeout_s: float = 10.0) -> None:
        """Stop it, gently first."""
        await asyncio.to_thread(_run, ["docker", "stop", "-t", str(int(timeout_s)), self._name], check=False)

    def kill(self) -> None:
        """SIGKILL."""
        _run(["docker", "kill", self._name], check=False)

    def _greets(self) -> bool:
        # The engine's proxy accepts connections before the server does: only its greeting shows that it is there.
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                return connection.recv(5) == b"INFO "
        except OSError:
            return False


def _run(command: list[str], *, check: bool = True) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, done.stderr[-1000:]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
