"""All services in one process, on one event loop. The same `create_service` as every deployment uses."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import cache

from openwork.home import RunningServer
from openwork_bus.connection import connect
from openwork_bus.figures import merged
from openwork_bus.former import has_former
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_bus.startable import Startable
from openwork_bus.topology import ensure_topology
from openwork_gateway.results import StoredResults
from openwork_gateway.settings import Settings as GatewaySettings
from openwork_gateway.upgrade import in_words, take_over

from openwork_laptop.embedded import EmbeddedServer
from openwork_laptop.home import Home
from openwork_laptop.installed import asker_names, factory, service_names, settings_class
from openwork_laptop.logins import Logins, logins_in

log = logging.getLogger(__name__)

OPERATOR = "operator"
"""The user of a person who runs the system."""
SERVICES = service_names()
"""Every service that is installed and works on the bus."""
ASKERS = asker_names()
"""Every one that is an asker: the web app."""


def _askable(sources: str) -> str:
    """The configured sources without those that lack their key or address: here, unlike in a cluster, both are seen."""
    from openwork_retrievers.adapters.live import askable_sources
    from openwork_retrievers.settings import Settings

    kept = ",".join(askable_sources(Settings(sources=sources)))
    return kept or sources  # nothing left: the sources themselves say what each of them lacks


def create(
    name: str, nats_url: str, logins: Logins | None = None, askable: Callable[[str], str] = _askable
) -> Startable:
    """One service with its settings from the environment, on the given server.

    Args:
        logins: of a server on this machine; `None` = user and password are in the environment too.
        askable: which of the configured sources can be asked.
    """
    settings = settings_class(name)(nats_url=nats_url)
    settings = logins.settings_of(name, settings) if logins else settings
    settings = settings.model_copy(update={"sources": askable(settings.sources)})
    if getattr(settings, "library_dir", True) is None:  # it reads the library, and nobody said where that is
        settings = settings.model_copy(update={"library_dir": Home().library})
    if getattr(settings, "retractions_dir", True) is None:
        settings = settings.model_copy(update={"retractions_dir": Home().library})
    return factory(name)(settings)


@contextmanager
def _no_collection() -> Iterator[None]:
    """While modules are imported, which make objects by the hundred thousand to stay: to look through them for garbage
    again and again is a sixth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Stack:
    """Services that are started and stopped together, and whose health and figures are those of one."""

    name = "openwork"

    def __init__(self, nats_url: str, names: Iterable[str] = SERVICES, *, logins: Logins | None = None) -> None:
        askable = cache(_askable)  # it is the same for all of them, and takes as long as to make one
        with _no_collection():
            self.services = [create(name, nats_url, logins, askable) for name in names]

    async def start(self) -> None:
        """Start all; when one fails, or on Ctrl-C, stop those that run."""
        starting = [asyncio.create_task(service.start()) for service in self.services]
        try:
            await asyncio.gather(*starting)
        except BaseException:
            # `gather` ends with the first of them: one that goes on starting while it is stopped would ask its closed
            # connection for messages for ever, and let nobody else have a turn.
            for task in starting:
                task.cancel()
            await asyncio.gather(*starting, return_exceptions=True)
            await self.stop()
            raise

    async def stop(self) -> None:
        """Drain all."""
        await asyncio.gather(*(service.stop() for service in self.services), return_exceptions=True)

    async def check_consumers(self) -> None:
        """See `Startable`: of every service."""
        await asyncio.gather(*(service.check_consumers() for service in self.services))

    async def storage_warnings(self) -> list[str]:
        """See `Startable`: each line once."""
        told = await asyncio.gather(*(service.storage_warnings() for service in self.services))
        return list(dict.fromkeys(line for lines in told for line in lines))

    async def metrics(self) -> bytes:
        """See `Startable`: of every service."""
        return merged(await asyncio.gather(*(service.metrics() for service in self.services)))


async def prepare(nats_url: str, logins: Logins | None = None) -> None:
    """Make streams and consumers on a server."""
    settings = ServiceSettings(nats_url=nats_url)
    settings = logins.settings_of("topology", settings) if logins else settings
    connection = await connect(settings, name="topology")
    try:
        js = connection.jetstream(timeout=10)
        await ensure_topology(js, settings)
        former = await has_former(js)
    finally:
        await connection.close()
    if former:
        await _take_over_former(nats_url, logins)


async def _take_over_former(nats_url: str, logins: Logins | None) -> None:
    """Documents for the runs of the former layout: as the gateway, which alone may write them."""
    settings = GatewaySettings(nats_url=nats_url)
    settings = logins.settings_of("gateway", settings) if logins else settings
    connection = await connect(settings, name="gateway")
    try:
        bus = JetStreamBus(connection, settings)
        if counted := await take_over(bus, StoredResults(bus)):
            log.warning("%s", in_words(counted))
    finally:
        await connection.close()


@asynccontextmanager
async def client(nats_url: str, logins: Logins | None = None) -> AsyncIterator[JetStreamBus]:
    """A bus for a command of an operator."""
    settings = ServiceSettings(nats_url=nats_url)
    settings = logins.settings_of(OPERATOR, settings) if logins else settings
    connection = await connect(settings, name=OPERATOR, attempts=3)
    try:
        yield JetStreamBus(connection, settings)
    finally:
        await connection.close()


@asynccontextmanager
async def session(
    server: str | None, *, home: Home | None = None, services: Sequence[str] = SERVICES
) -> AsyncIterator[JetStreamBus]:
    """A bus to work on: a server that was named, one that `openwork up` runs, else an embedded one.

    Args:
        server: URL of a server whose services run elsewhere; `None` = find or start one.
        services: what to start on an embedded one.
    """
    home = home or Home()
    running = home.running()
    url = server or (running.url if running and running.stays else None)
    async with AsyncExitStack() as stack:
        if url is None:
            url = await stack.enter_async_context(embedded(home, services=services))
        yield await stack.enter_async_context(client(url, None if server else logins_in(home.folder)))


@asynccontextmanager
async def embedded(home: Home | None = None, *, services: Sequence[str] = SERVICES) -> AsyncIterator[str]:
    """URL of a server of this process's own, with these services on it, stopped at the end.

    Raises:
        OpenWorkError: another process holds the folder for long. BusUnavailable: the server does not start.
    """
    home = home or Home()
    with home.owned():
        server = EmbeddedServer(home.folder)
        try:
            await server.start()
            home.announce(RunningServer(server.pid, server.url, stays=False))
            await prepare(server.url, server.logins)
            running = Stack(server.url, services, logins=server.logins)
            await running.start()
            try:
                yield server.url
            finally:
                await running.stop()
        finally:
            home.withdraw()
            await server.stop()
