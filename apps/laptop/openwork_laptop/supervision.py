"""Keeps an embedded nats-server storing where its disk was full.

nats-server 2.15.1 remembers a write that failed: that stream stores nothing any more, gives its publishers no answer,
and stays so when there is space again, until the server is restarted (SIGHUP does not help). What it acknowledged is
kept. A restart on a disk that is still full helps nothing, and makes it forget acknowledgements of consumers.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import shutil
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from openwork_contracts.errors import BusUnavailable, StorageFull

if TYPE_CHECKING:
    from openwork_laptop.embedded import EmbeddedServer

log = logging.getLogger(__name__)

ROOM_BYTES = 32 * 2**20
"""A disk with less is full: four of the largest messages fit into this much."""
_LOOK_S = 2.0
"""Between two looks at the server; well below the 15 s over which a publish is tried."""
_PAUSES_S = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0)
"""Least time after the first, second, ... restart before the next: what fills up again at once must not spin."""
_CALM_S = 600.0
"""A server that stored for so long has its first pause again."""


def free_bytes(folder: Path) -> int:
    """Space that is left on the disk of a folder, or of the nearest one above it that is there."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    return shutil.disk_usage(there).free


def require_room(folder: Path) -> None:
    """Refuse to start on a full disk: nats-server would not even get its configuration.

    Raises:
        StorageFull: less than `ROOM_BYTES` are free.
    """
    if (free := free_bytes(folder)) < ROOM_BYTES:
        raise StorageFull(
            f"{_full(folder, free)}: nats-server needs {_mb(ROOM_BYTES)} to start; make room, or choose another folder "
            "with OPENWORK_HOME"
        )


@asynccontextmanager
async def supervised(server: EmbeddedServer) -> AsyncIterator[None]:
    """Restart the server, as long as this lasts, whenever it stores no more and there is space for it to do so."""
    task = asyncio.create_task(Supervisor(server).run())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


class Supervisor:
    """Looks at one server and its disk. `look` is one look; `run` goes on until it is cancelled."""

    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server
        self._told_stuck: bool | None = None
        self._n_restarts = 0
        self._restarted_at = -_CALM_S

    async def run(self) -> None:
        """Look, every two seconds."""
        while True:
            await asyncio.sleep(_LOOK_S)
            try:
                await self.look()
            except (BusUnavailable, OSError) as error:
                log.error("nats-server could not be restarted and is tried again: %s", error)

    async def look(self) -> None:
        """Say once that the disk is full, and once that nothing is stored; restart the server where only that helps.

        Raises:
            BusUnavailable: it did not start; the next look tries again.
        """
        folder, free = self._server.folder, free_bytes(self._server.folder)
        words = await self._trouble()
        if free < ROOM_BYTES:
            if self._told_stuck is not (stuck := words is not None):
                then = f"nats-server stores nothing more ({words})" if stuck else "soon nothing more is stored"
                log.error("%s: %s; what was acknowledged is kept; make room", _full(folder, free), then)
                self._told_stuck = stuck
            return
        self._told_stuck = None
        if words is not None and self._pause_is_over():
            await self._restart()
            log.warning(
                "nats-server stored nothing more (%s); there is space under %s (%s free), and it was restarted",
                words,
                folder,
                _mb(free),
            )

    async def _trouble(self) -> str | None:
        """Why the server stores nothing; `None` = it does."""
        process = self._server.process
        if process is None or process.poll() is not None:
            return "it had ended"
        return await write_error(self._server.monitor_url)

    def _pause_is_over(self) -> bool:
        since_s = asyncio.get_running_loop().time() - self._restarted_at
        if since_s > _CALM_S:
            self._n_restarts = 0
        return self._n_restarts == 0 or since_s >= _PAUSES_S[min(self._n_restarts, len(_PAUSES_S)) - 1]

    async def _restart(self) -> None:
        self._n_restarts += 1
        self._restarted_at = asyncio.get_running_loop().time()
        await self._server.stop()
        await self._server.start()


async def write_error(monitor_url: str) -> str | None:
    """What the server says of a stream that it cannot write; `None` when it has none, or says nothing at all.

    Other complaints, such as the folder of an account that is no more, are none that a restart would help against.
    """
    with contextlib.suppress(OSError, ValueError):  # it is being restarted by somebody else, or has its hands full
        told = json.loads(await asyncio.to_thread(_body, f"{monitor_url}/healthz?details=true"))
        for fault in told.get("errors") or ():
            if "write error" in (words := str(fault.get("error"))):
                return words
    return None


def _body(url: str) -> bytes:
    """An answer's body, whatever its status."""
    try:
        with urllib.request.urlopen(url, timeout=3.0) as response:  # noqa: S310 - loopback
            return bytes(response.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.read()


def _full(folder: Path, free: int) -> str:
    return f"the disk under {folder} is full ({_mb(free)} free)"


def _mb(n_bytes: int) -> str:
    return f"{n_bytes / 2**20:.1f} MiB"
