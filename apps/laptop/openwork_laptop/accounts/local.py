"""Accounts of the server that `openwork up` runs on this machine."""

from __future__ import annotations

import fcntl
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import nats
from nats.errors import Error as NatsError
from openwork.home import RunningServer
from openwork_bus.connection import connect
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import add_inbox
from openwork_contracts.errors import BusUnavailable, UsageError

from openwork_laptop.accounts.askers import FILE
from openwork_laptop.accounts.files import write_private
from openwork_laptop.accounts.places import Address, changed_meanwhile
from openwork_laptop.home import Home
from openwork_laptop.logins import Logins, logins_in

_TIMEOUT_S = 5.0


class LocalPlace:
    """The folder of `openwork up`, and its server."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._path = home.folder / FILE
        self.where = str(self._path)

    async def read(self) -> str:
        """The file; empty when there is none."""
        return self._path.read_text(encoding="utf-8") if self._path.exists() else ""

    async def replace(self, old: str, new: str) -> None:
        """Write it anew, whole or not at all."""
        with self._locked():
            if await self.read() != old:
                raise changed_meanwhile(self.where)
            write_private(self._path, new)

    async def make_inbox(self, account: str, *, again: bool) -> None:
        """As the user who makes streams."""
        settings = ServiceSettings(nats_url=self._server().url)
        settings = self._logins().settings_of("topology", settings)
        connection = await connect(settings, name="topology")
        try:
            await add_inbox(connection.jetstream(timeout=10), account, settings, again=again)
        finally:
            await connection.close()

    async def reload(self) -> None:
        """As the user of the system account, who is told whether the server took it; a signal has no answer.

        Raises:
            BusUnavailable: the server refuses its configuration and goes on with the one it has.
        """
        if self._running() is None:
            return  # it will read the file when it starts
        password = self._logins().passwords["sys"]
        try:
            options = {"user": "sys", "password": password, "max_reconnect_attempts": 1, "connect_timeout": 3}
            connection = await nats.connect(self._server().url, **options)
            try:
                subject = f"$SYS.REQ.SERVER.{connection._server_info['server_id']}.RELOAD"
                reply = json.loads((await connection.request(subject, b"{}", _TIMEOUT_S)).data)
            finally:
                await connection.close()
        except (NatsError, OSError, TimeoutError, ValueError) as error:
            raise BusUnavailable(f"the server could not be told to read its configuration: {error!r}") from error
        if "error" in reply:
            raise BusUnavailable(f"the server refuses its configuration: {reply['error'].get('description')}")

    @asynccontextmanager
    async def reached(self) -> AsyncIterator[Address]:
        """On loopback."""
        yield Address(self._server().url)

    def plan(self, account: str) -> list[str]:
        """In words: nothing else is started."""
        return [
            f"make the stream of {account}'s inbox, as the user `topology` of {self._server().url}",
            f"write the block of {account} to {self.where}",
            "have the server read it twice, as the user `sys`",
            f"log in as {account}, ask its inbox and the gateway",
        ]

    def _running(self) -> RunningServer | None:
        running = self._home.running()
        return running if running and running.stays else None

    def _server(self) -> RunningServer:
        if (running := self._running()) is None:
            raise UsageError(
                f"no `openwork up` runs on {self._home.folder}; start it, or say --target compose or kubernetes"
            )
        # Where it says on which port it listens: `openwork up --server` uses one that is not its own.
        ports = "".join(file.read_text() for file in self._home.folder.glob("nats-server_*.ports"))
        if f":{running.url.rpartition(':')[2]}" not in ports:
            raise UsageError(f"the server at {running.url} is not one of `openwork up`: make accounts where it runs")
        return running

    def _logins(self) -> Logins:
        return logins_in(self._home.folder)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._home.folder.mkdir(parents=True, exist_ok=True)
        with (self._home.folder / f"{FILE}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
