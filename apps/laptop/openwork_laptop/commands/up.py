"""`openwork up`: NATS and every service, until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from contextlib import AsyncExitStack
from typing import Annotated

import typer

from openwork_laptop.errors import as_client_errors

WEB_PORT = 8000
NO_WEB = -1


@as_client_errors()
def up(
    processes: Annotated[
        bool, typer.Option("--processes", help="One process per service instead of one for all.")
    ] = False,
    replicas: Annotated[int, typer.Option(min=1, max=8, help="With --processes: replicas of every service.")] = 1,
    nats_port: Annotated[int, typer.Option(help="Port of NATS on loopback; 0 = any free one.")] = 4222,
    web_port: Annotated[
        int | None,
        typer.Option(help="Port of the web app on loopback; without it 8000, or any free one. -1 = no web app."),
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="Use this NATS instead of an embedded one; then there is no web app.")
    ] = None,
) -> int:
    """Run NATS, all services and the web app on this machine; other commands find them by themselves."""
    from openwork_bus import loop

    web = choose_port(web_port) if server is None and web_port != NO_WEB else None
    loop.run(_up(processes=processes, replicas=replicas, port=nats_port, server=server, web=web))
    return 0


def choose_port(wanted: int | None) -> int:
    """The port that was asked for, else that of OPENWORK_API_PORT, else 8000 where it is free, else one that is.

    Raises:
        UsageError: the one that was asked for is taken.
    """
    from openwork.errors import UsageError

    said = os.environ.get("OPENWORK_API_PORT")
    fixed = wanted if wanted is not None else int(said) if said and said.isdigit() else None
    for port in (fixed,) if fixed is not None else (WEB_PORT, 0):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)) as tried:
            return int(tried.getsockname()[1])
    raise UsageError(f"port {fixed} of this machine is taken; choose another with --web-port, or leave it out")


async def _up(*, processes: bool, replicas: int, port: int, server: str | None, web: int | None) -> None:
    from openwork.home import RunningServer
    from openwork_bus.logs import configure_logging
    from openwork_bus.settings import ServiceSettings

    from openwork_laptop.embedded import EmbeddedServer
    from openwork_laptop.home import Home
    from openwork_laptop.processes import Processes
    from openwork_laptop.stack import ASKERS, SERVICES, Stack, prepare
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
        askers = ASKERS if web is not None else ()
        if web is not None:
            os.environ["OPENWORK_API_PORT"] = str(web)  # also of a process of its own
        parts: list[Stack | Processes]
        if processes:
            parts = [Processes(url, SERVICES, replicas=replicas, logins=logins)]
            parts += [Processes(url, askers, logins=logins)] if askers else []  # one port, so one of it
        else:
            parts = [Stack(url, (*SERVICES, *askers), logins=logins)]
        for part in parts:
            stack.push_async_callback(part.stop)
            await part.start()
        stack.callback(home.withdraw)
        address = f"http://127.0.0.1:{web}" if web is not None else None
        home.announce(RunningServer(pid=os.getpid(), url=url, stays=True, web=address))
        _greet(url, address)
        await stop.wait()


def _greet(url: str, web: str | None) -> None:
    sys.stdout.write(
        (f"web        {web}\n" if web else "") + f"NATS       {url}\n"
        'ask        openwork ask "..."      (in another terminal)\n'
        f'any client nats -s {url} req openwork.ask \'{{"question": "..."}}\'\n'
        "Ctrl-C stops, after the runs in work have finished.\n"
    )
    sys.stdout.flush()
