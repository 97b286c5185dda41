"""A nats-server on which every service is a user of its own, with the generated permissions."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
from pathlib import Path

from openwork_laptop.embedded import server_binary

from deploy.permissions import accounts_config, password_variables


def password_of(user: str) -> str:
    """The password of a user of this server."""
    return f"p-{user}-{len(user)}"


class SecuredServer:
    """Starts nats-server with the accounts that the deployment has. JetStream's files outlive it."""

    def __init__(self, folder: Path, *, max_store: str = "8GB") -> None:
        self.folder = folder
        self.max_store = max_store
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"nats://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What the server logged so far."""
        return (self.folder / "nats.log").read_text()

    async def start(self) -> None:
        """Start it and wait until it accepts clients."""
        self.folder.mkdir(parents=True, exist_ok=True)
        config = self.folder / "nats.conf"
        (self.folder / "accounts.conf").write_text(accounts_config())
        jetstream = f'jetstream {{ store_dir: "{self.folder}/js", max_file_store: {self.max_store} }}'
        config.write_text(f"max_payload: 8MB\n{jetstream}\ninclude accounts.conf\n")
        (self.folder / "askers.conf").touch()
        prefix = "OPENWORK_NATS_PASSWORD_"
        env = {**os.environ, **{name: password_of(name.removeprefix(prefix).lower()) for name in password_variables()}}
        command = [server_binary(), "-c", str(config), "-a", "127.0.0.1", "-p", str(self.port or -1)]
        command += ["--ports_file_dir", str(self.folder), "-l", str(self.folder / "nats.log")]
        self.process = _started(command, env)
        ports = self.folder / f"nats-server_{self.process.pid}.ports"
        while True:
            with contextlib.suppress(FileNotFoundError, ValueError, KeyError, IndexError):
                self.port = int(json.loads(ports.read_text())["nats"][0].rsplit(":", 1)[1])
                return
            assert self.process.poll() is None, self.log
            await asyncio.sleep(0.01)

    async def stop(self) -> None:
        """Stop it."""
        if self.process is not None:
            self.process.terminate()
            await asyncio.to_thread(self.process.wait, 10)

    def kill(self) -> None:
        """End it at once: its store goes with its folder."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def _started(command: list[str], env: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, start_new_session=True)
