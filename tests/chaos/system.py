"""The system under test: a real nats-server with three askers' accounts, and every service as a process."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from openwork_bus.accounts import asker_account
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import ensure_inbox
from openwork_contracts.accounts import LOCAL_ACCOUNT
from openwork_laptop.accounts.askers import FILE as ASKERS_FILE
from openwork_laptop.processes import Processes
from openwork_laptop.stack import client, prepare

from tests.chaos.asker import Asker
from tests.nats_server import OpenServer

ACCOUNTS = (LOCAL_ACCOUNT, "clinic", "ward")
"""The first comes without credentials, the others as their own users."""
SETTINGS = {
    "OPENWORK_SOURCES": "library",
    "OPENWORK_LOG_LEVEL": "ERROR",
    "OPENWORK_RETRY_DELAYS_S": "[0.2, 0.5, 1.0]",
    "OPENWORK_GRACEFUL_TIMEOUT_S": "3",
}


class ServerWithAskers(OpenServer):
    """With the accounts beside `local`; their users have passwords, which no user of a real one has."""

    def accounts(self) -> str:
        """With the askers'."""
        blocks = [asker_account(name, f"user: {name}, password: p-{name}") for name in ACCOUNTS[1:]]
        include = f"include {ASKERS_FILE}"
        return super().accounts().replace(include, "".join(blocks) + include)


class ChildProcesses(Processes):
    """Services whose processes can be stopped and woken too."""

    def send(self, key: str, number: signal.Signals) -> None:
        """A signal to one of them."""
        self._children[key].send_signal(number)


@dataclass
class System:
    """What a scenario has to do with."""

    server: OpenServer
    services: ChildProcesses
    bus: JetStreamBus
    """Of a user who may look at everything."""
    askers: dict[str, Asker]

    async def restart_server(self) -> None:
        """Kill nats-server and start it again, on its port and its files."""
        self.server.kill()
        await self.server.start()

    async def last_result(self) -> int:
        """Sequence of the newest message of the results."""
        info = await self.bus.connection.jetstream(timeout=10).stream_info("OPENWORK_RESULTS")
        return info.state.last_seq


@asynccontextmanager
async def running(folder: Path, *, replicas: int = 1) -> AsyncIterator[System]:
    """A server and every service as a process of its own, ready to answer."""
    os.environ |= SETTINGS
    server = ServerWithAskers(folder)
    await server.start()
    await prepare(server.url)
    services = ChildProcesses(server.asker_url, replicas=replicas, logins=server.logins)
    await services.start()
    askers: dict[str, Asker] = {}
    try:
        async with client(server.url) as bus:
            for name in ACCOUNTS[1:]:
                await ensure_inbox(bus.connection.jetstream(timeout=10), name, ServiceSettings())
            for name in ACCOUNTS:
                askers[name] = await Asker.connect(name, server.asker_url, with_login=name != LOCAL_ACCOUNT)
            await _answering(askers)
            yield System(server, services, bus, askers)
    finally:
        for asker in askers.values():
            await asker.close()
        await services.stop(timeout_s=15)
        await server.stop()


async def _answering(askers: dict[str, Asker]) -> None:
    """Everything is up when each account had an answer, by either door."""
    text = "Do SGLT2 inhibitors reduce hospitalisation in heart failure with preserved ejection fraction?"
    for asker in askers.values():
        for door in (asker.ask, asker.publish):
            question = await door(text, deadline_s=120.0)
            await asyncio.wait_for(asker.answer_to(question), 120)
