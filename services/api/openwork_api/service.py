"""The service: its connections to the bus, and the HTTP server, started and stopped together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket

import uvicorn
from openwork_contracts.errors import BusUnavailable

from openwork_api.asker import BusAsker
from openwork_api.settings import Settings
from openwork_api.web import create_app

log = logging.getLogger(__name__)

STOP_S = 5
"""Seconds for requests in work; readers of a run that goes on come again elsewhere."""


class ApiService:
    """What a process, or the laptop's stack, starts: the same shape as the services on the bus have."""

    name = "api"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.asker = BusAsker(settings, with_local=settings.is_open)
        self._server: uvicorn.Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self.url = ""
        """Where it listens, once it is started."""

    async def start(self) -> None:
        """Connect, then listen.

        Raises:
            BusUnavailable: NATS cannot be used, or the port is taken.
        """
        await self.asker.open()
        app = create_app(self.asker, self.settings)
        config = uvicorn.Config(
            app,
            lifespan="off",
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=STOP_S,
        )
        listening = _listen(self.settings.api_host, self.settings.api_port)
        self.url = _address(self.settings.api_host, listening.getsockname()[1])
        self._server = server = uvicorn.Server(config)
        setattr(server, "capture_signals", contextlib.nullcontext)  # noqa: B010 - the signals are the process's
        self._serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started and not self._serving.done():  # noqa: ASYNC110 - it has no event to wait for
            await asyncio.sleep(0.005)
        log.info("listening on %s", self.url)

    async def stop(self) -> None:
        """Take nothing new, let requests in work finish, close the connections."""
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await self._serving
        await self.asker.close()

    async def check_consumers(self) -> None:
        """Whether the services answer: what readiness asks. Raises: BusUnavailable."""
        await self.asker.check()

    async def storage_warnings(self) -> list[str]:
        """It looks at no stream."""
        return []


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=512
        )
    except OSError as error:
        raise BusUnavailable(
            f"api: cannot listen on {host} port {port} ({error.strerror}); set OPENWORK_API_PORT to a free one"
        ) from error


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
