"""`openwork up`: NATS and every service, until Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import Annotated

import typer
from openwork_chassis import loop


def up(
    processes: Annotated[
        bool, typer.Option("--processes", help="One process per service instead of one for all.")
    ] = False,
    replicas: Annotated[int, typer.Option(min=1, max=8, help="With --processes: replicas of every service.")] = 1,
    nats_port: Annotated[int, typer.Option(help="Port of NATS on loopback; 0 = any free one.")] = 4222,
    server: Annotated[str | None, typer.Option(help="Use this NATS instead of an embedded one.")] = None,
) -> int:
    """Run NATS and all services on this machine; other commands find them by themselves."""
    loop.run(_up(processes=processes, replicas=replicas, port=nats_port, server=server))
    return 0


async def _up(*, processes: bool, replicas: int, port: int, server: str | None) -> None:
    from openwork_chassis.logs import configure_logging
    from openwork_chassis.settings import ChassisSettings

    from openwork_local.embedded import EmbeddedServer
    from openwork_local.home import Home, RunningServer
    from openwork_local.processes import Processes
    from openwork_local.stack import Stack, prepare

    configure_logging("up", ChassisSettings())
    stop = asyncio.Event()
    for signum in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signum, stop.set)
    home = Home()
    with home.owned():
        embedded = None if server else EmbeddedServer(home.folder, port=port)
        if embedded:
            await embedded.start()
        url = server or (embedded.url if embedded else "")
        await prepare(url)
        services = Processes(url, replicas=replicas) if processes else Stack(url)
        await services.start()
        home.announce(RunningServer(pid=_own_pid(), url=url, stays=True))
        _greet(url)
        try:
            await stop.wait()
        finally:
            home.withdraw()
            await services.stop()
            if embedded:
                await embedded.stop()


def _own_pid() -> int:
    import os

    return os.getpid()


def _greet(url: str) -> None:
    sys.stdout.write(
        f"NATS       {url}\n"
        'ask        openwork ask "..."      (in another terminal)\n'
        f'any client nats -s {url} req openwork.ask \'{{"question": "..."}}\'\n'
        "Ctrl-C stops, after the runs in work have finished.\n"
    )
    sys.stdout.flush()
