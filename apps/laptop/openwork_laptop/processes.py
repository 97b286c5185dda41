"""One process per service: started, watched, started again when one dies, drained together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Iterable

from openwork_bus.process import PARENT_PIPE

from openwork_laptop.logins import Logins
from openwork_laptop.stack import SERVICES

log = logging.getLogger(__name__)


class Processes:
    """The services as children of this process. Restarting is what an orchestrator would do."""

    def __init__(
        self,
        nats_url: str,
        names: Iterable[str] = SERVICES,
        *,
        replicas: int = 1,
        logins: Logins | None = None,
        health_port: int = 0,
    ) -> None:
        """
        Args:
            health_port: of the first process; the others have those behind it. 0 = any free one for each.
        """
        self._url = nats_url
        self._logins = logins
        self._keys = [f"{name}-{index}" for name in names for index in range(replicas)]
        self._health_ports = {key: health_port + n if health_port else 0 for n, key in enumerate(self._keys)}
        self._children: dict[str, asyncio.subprocess.Process] = {}
        self._watchers: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start every process. They wait for the bus by themselves."""
        for key in self._keys:
            await self._spawn(key)
            self._watchers.append(asyncio.create_task(self._watch(key)))

    async def stop(self, *, timeout_s: float = 75.0) -> None:
        """SIGTERM all, wait for their drain, SIGKILL what is left."""
        # The watchers first: none may start a process that nobody stops.
        for watcher in self._watchers:
            watcher.cancel()
        await asyncio.gather(*self._watchers, return_exceptions=True)
        for child in self._children.values():
            with contextlib.suppress(ProcessLookupError):
                child.terminate()
        waits = [asyncio.create_task(child.wait()) for child in self._children.values()]
        _, late = await asyncio.wait(waits, timeout=timeout_s)
        if late:
            for child in self._children.values():
                with contextlib.suppress(ProcessLookupError):
                    child.kill()
            await asyncio.wait(waits)

    def kill(self, key: str) -> bool:
        """SIGKILL one, e.g. `gap-0`; it is started again. False when it was not running."""
        child = self._children.get(key)
        if child is None or child.returncode is not None:
            return False
        try:
            os.kill(child.pid, signal.SIGKILL)
        except ProcessLookupError:  # gone since, and not yet noticed
            return False
        return True

    @property
    def keys(self) -> list[str]:
        """Names of the processes: service and replica."""
        return list(self._keys)

    @property
    def pids(self) -> dict[str, int]:
        """Key -> pid, of the processes as they were last started."""
        return {key: child.pid for key, child in self._children.items()}

    @property
    def health_ports(self) -> dict[str, int]:
        """Where each serves its health and its figures; 0 = any free port, which its log tells."""
        return dict(self._health_ports)

    async def _spawn(self, key: str) -> None:
        service = key.rsplit("-", 1)[0]
        login = self._logins.variables_of(service) if self._logins else {}
        own = {"OPENWORK_NATS_URL": self._url, "OPENWORK_HEALTH_PORT": str(self._health_ports[key]), PARENT_PIPE: "1"}
        env = {**os.environ, **login, **own}
        # The pipe on stdin closes when this process dies, whatever way: then the child stops by itself.
        self._children[key] = await asyncio.create_subprocess_exec(
            sys.executable, "-m", f"openwork_{service}", env=env, stdin=asyncio.subprocess.PIPE, start_new_session=True
        )

    async def _watch(self, key: str) -> None:
        while True:
            code = await self._children[key].wait()
            log.warning("%s ended with code %s; starting it again", key, code)
            if code not in (-signal.SIGKILL, -signal.SIGTERM, 0):
                await asyncio.sleep(1.0)  # a service that fails at its start must not spin
            await self._spawn(key)
