"""`openwork up`: NATS and every service, until Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import AsyncExitStack
from typing import Annotated

import typer

from openwork_laptop.errors import as_client_errors


@as_client_errors()
def up(
    processes: Annotated[
        bool, typer.Option("--processes", help="One process per service instead of one for all.")
    ] = False,
    replicas: Annotated[int, typer.Option(min=1, max=8, help="With --processes: replicas of every service.")] = 1,
    nats_port: Annotated[int, typer.Option(help="Port of NATS on loopback; 0 = any free one.")] = 4222,
    server: Annotated[str | None, typer.Option(help="Use this NATS instead of an embedded one.")] = None,
) -> int:
    """Run NATS and all services on this machine; other commands find them by themselves."""
    from openwork_bus import loop

    loop.run(_up(processes=processes, replicas=replicas, port=nats_port, server=server))
    return 0


async def _up(*, processes: bool, replicas: int, port: int, server: str | None) -> None:
    from openwork.home import RunningServer
    from openwork_bus.logs import configure_logging
    from openwork_bus.settings import ServiceSettings

    from openwork_laptop.embedded import EmbeddedServer
    from openwork_laptop.home import Home
    from openwork_laptop.processes import Processes
    from openwork_laptop.stack import Stack, prepare
    from openwork_laptop.supervision import supervised

    configure_logging("up", ServiceSettings())
    stop = asyncio.Event()
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(signum, stop.set)
    home = Home()
    async with AsyncExitStack() as stack:
        stack.enter_context(home.owned())
        url, logins = server or "", None
        if not server:
            embedded = EmbeddedServer(home.folder, port=port)
            stack.push_async_callback(embedded.stop)  # before the start: what was started is stopped, whatever comes
            await embedded.start()
            await stack.enter_async_context(supervised(embedded))
            url, logins = embedded.url, embedded.logins
        await prepare(url, logins)
        services = Processes(url, replicas=replicas, logins=logins) if processes else Stack(url, logins=logins)
        stack.push_async_callback(services.stop)
        await services.start()
        stack.callback(home.withdraw)
        home.announce(RunningServer(pid=os.getpid(), url=url, stays=True))
        _greet(url)
        await stop.wait()


def _greet(url: str) -> None:
    sys.stdout.write(
        f"NATS       {url}\n"
        'ask        openwork ask "..."      (in another terminal)\n'
        f'any client nats -s {url} req openwork.ask \'{{"question": "..."}}\'\n'
        "Ctrl-C stops, after the runs in work have finished.\n"
    )
    sys.stdout.flush()
