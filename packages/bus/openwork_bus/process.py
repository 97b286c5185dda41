"""One service as one process: start, serve health, drain on SIGTERM. What `python -m openwork_<service>` runs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable

from openwork_contracts.errors import BusUnavailable

from openwork_bus import loop
from openwork_bus.health import HealthServer
from openwork_bus.logs import configure_logging
from openwork_bus.settings import ServiceSettings
from openwork_bus.startable import Startable

log = logging.getLogger(__name__)

PARENT_PIPE = "OPENWORK_PARENT_PIPE"
"""Set by a parent that keeps a pipe on our stdin: when it closes, the parent is gone and we stop."""
_START_PATIENCE_S = 60.0
"""How long a process waits for NATS and its consumers before it gives up; the orchestrator starts it again."""


def run_process(create: Callable[[], Startable], settings: ServiceSettings) -> None:
    """Run one service until SIGTERM or SIGINT. Exit code 0 after a drain, 69 (EX_UNAVAILABLE) without a bus."""
    service = create()
    configure_logging(service.name, settings)
    try:
        loop.run(_serve(service, settings))
    except BusUnavailable as error:
        log.error("giving up: %s", error)
        sys.exit(69)


async def _serve(service: Startable, settings: ServiceSettings) -> None:
    stop = asyncio.Event()
    running = asyncio.get_running_loop()
    for signum in (signal.SIGTERM, signal.SIGINT):
        running.add_signal_handler(signum, stop.set)
    if os.environ.get(PARENT_PIPE):
        running.add_reader(sys.stdin.fileno(), stop.set)
    if not await _start(service, stop):
        return
    health = HealthServer(service, host=settings.health_host, port=settings.health_port)
    try:
        await health.start()
        await stop.wait()
        log.info("stopping: no new messages, handlers in work may finish")
    finally:
        await service.stop()
        await health.stop()


async def _start(service: Startable, stop: asyncio.Event) -> bool:
    """Start the service, or be stopped while NATS is away; False when it was stopped.

    Raises:
        BusUnavailable: patience ended.
    """
    give_up = asyncio.get_running_loop().time() + _START_PATIENCE_S
    stopped = asyncio.create_task(stop.wait())
    said = ""
    try:
        while not stopped.done():
            left_s = give_up - asyncio.get_running_loop().time()
            starting = asyncio.create_task(service.start())
            await asyncio.wait((starting, stopped), timeout=max(1.0, left_s), return_when=asyncio.FIRST_COMPLETED)
            try:
                if await _outcome(starting):
                    return True
                error = BusUnavailable(f"{service.name}: NATS did not let it connect within {_START_PATIENCE_S:.0f} s")
            except BusUnavailable as unavailable:
                error = unavailable
            if stopped.done():
                break
            if asyncio.get_running_loop().time() > give_up:
                raise error
            if str(error) != said:
                said = str(error)
                log.warning("not started yet: %s", said)
            await asyncio.wait((stopped,), timeout=1.0)
        return False
    finally:
        stopped.cancel()


async def _outcome(starting: asyncio.Task[None]) -> bool:
    """Whether it started. One that still tries is ended: nats-py's first connection is tried for ever."""
    if not starting.done():
        starting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await starting
        return False
    await starting
    return True
