"""`openwork up`: NATS and every service, until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from openwork_laptop.errors import as_client_errors

if TYPE_CHECKING:
    from openwork_bus.health import HealthServer

    from openwork_laptop.logins import Logins
    from openwork_laptop.processes import Processes
    from openwork_laptop.stack import Stack

    Part = Stack | Processes | HealthServer

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
    health_port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65535,
            help="Port of /healthz, /readyz and /metrics on loopback; 0 = none. With --processes the first of as many "
            "ports as there are processes.",
        ),
    ] = 0,
    server: Annotated[
        str | None, typer.Option(help="Use this NATS instead of an embedded one; then there is no web app.")
    ] = None,
) -> int:
    """Run NATS, all services and the web app on this machine; other commands find them by themselves."""
    from openwork_bus import loop

    web = choose_port(web_port) if server is None and web_port != NO_WEB else None
    loop.run(_up(Run(processes, replicas, health_port), port=nats_port, server=server, web=web))
    return 0


@dataclass(frozen=True, slots=True)
class Run:
    """How the services are run."""

    processes: bool
    replicas: int
    health_port: int


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


async def _up(run: Run, *, port: int, server: str | None, web: int | None) -> None:
    from openwork.home import RunningServer
    from openwork_bus.logs import configure_logging
    from openwork_bus.settings import ServiceSettings

    from openwork_laptop.embedded import EmbeddedServer
    from openwork_laptop.home import Home
    from openwork_laptop.stack import ASKERS, prepare
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
        for part in _parts(run, url, logins, askers):
            stack.push_async_callback(part.stop)
            await part.start()
        stack.callback(home.withdraw)
        address = f"http://127.0.0.1:{web}" if web is not None else None
        home.announce(RunningServer(pid=os.getpid(), url=url, stays=True, web=address))
        _greet(url, address)
        await stop.wait()


def _parts(run: Run, url: str, logins: Logins | None, askers: Sequence[str]) -> list[Part]:
    """What is started, in its order."""
    from openwork_bus.health import HealthServer

    from openwork_laptop.processes import Processes
    from openwork_laptop.stack import SERVICES, Stack

    if run.processes:
        services = Processes(url, SERVICES, replicas=run.replicas, logins=logins, health_port=run.health_port)
        behind = run.health_port and run.health_port + len(services.keys)
        # One web app: it has one port.
        return [services, *([Processes(url, askers, logins=logins, health_port=behind)] if askers else [])]
    stack = Stack(url, (*SERVICES, *askers), logins=logins)
    port = run.health_port
    return [stack, *([HealthServer(stack, host="127.0.0.1", port=port)] if port else [])]


def _greet(url: str, web: str | None) -> None:
    sys.stdout.write(
        (f"web        {web}\n" if web else "") + f"NATS       {url}\n"
        'ask        openwork ask "..."      (in another terminal)\n'
        f'any client nats -s {url} req openwork.ask \'{{"question": "..."}}\'\n'
        "Ctrl-C stops, after the runs in work have finished.\n"
    )
    sys.stdout.flush()
