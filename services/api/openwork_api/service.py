"""The service: its connections to the bus, and the HTTP server, started and stopped together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket

import uvicorn
from fastapi import FastAPI
from openwork_bus.tasks import end_tasks
from openwork_contracts.errors import BusUnavailable, OpenWorkError

from openwork_api.metrics import told
from openwork_api.pages.frame import warm_up
from openwork_api.security.middleware import protected
from openwork_api.security.quota import MeteredAsker
from openwork_api.security.wiring import Security, opened
from openwork_api.settings import Settings
from openwork_api.web import create_app

log = logging.getLogger(__name__)

STOP_S = 5
"""Seconds for requests in work; readers of a run that goes on come again elsewhere."""
_WARM_AFTER_S = 1.0


class ApiService:
    """What a process, or the laptop's stack, starts: the same shape as the services on the bus have."""

    name = "api"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.asker = MeteredAsker(settings, with_local=settings.is_open)
        self._security: Security | None = None
        self._app: FastAPI | None = None
        self._server: uvicorn.Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self._warming: asyncio.Task[None] | None = None
        self.url = ""
        """Where it listens, once it is started."""

    @property
    def security(self) -> Security:
        """Who may come, once it is started."""
        if self._security is None:
            raise RuntimeError("the service is not started")
        return self._security

    async def start(self) -> None:
        """Connect, then listen.

        Raises:
            BusUnavailable: NATS cannot be used, or the port is taken. UsageError: a setting cannot be used.
        """
        try:
            await self.asker.open()
            self._security = security = await opened(self.settings, self.asker.connection)
            self.asker.quota = security.quota
            app = create_app(self.asker, self.settings, security=security)
            self._app = app
            await self._listen(app, security)
            self._warming = asyncio.create_task(_warm_up())
        except OpenWorkError:
            await self._close()  # where it is tried again
            raise

    async def _listen(self, app: FastAPI, security: Security) -> None:
        proxies = self.settings.proxies
        config = uvicorn.Config(
            protected(app, self.settings, security.streams),
            lifespan="off",
            ws="none",
            proxy_headers=bool(proxies),
            forwarded_allow_ips=proxies,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=2 * STOP_S,  # what does not end although nobody is there any more
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
        self.asker.end_streams()
        if self._server is not None and self._serving is not None:
            await _ended(self._server, self._serving)
        await self._close()

    async def _close(self) -> None:
        if self._warming is not None:
            await end_tasks([self._warming])
        if self._app is not None:
            await self._app.state.mcp.stop()
        if self._security is not None:
            await self._security.close()
        await self.asker.close()

    async def check_consumers(self) -> None:
        """Whether the bus answers: what readiness asks. Raises: BusUnavailable."""
        await self.asker.check()

    async def storage_warnings(self) -> list[str]:
        """It looks at no stream."""
        return []

    async def metrics(self) -> bytes:
        """Its figures for Prometheus; none before it is started."""
        return await told(self._app) if self._app else b""


async def _warm_up() -> None:
    """Compile the templates, once what starts beside it has started; whoever comes before waits for those of a page."""
    await asyncio.sleep(_WARM_AFTER_S)
    await asyncio.to_thread(warm_up)


async def _ended(server: uvicorn.Server, serving: asyncio.Task[None]) -> None:
    """Stop; whoever does not read, or came while it stopped, is let go after `STOP_S`."""
    server.should_exit = True
    await asyncio.wait((serving,), timeout=STOP_S)
    for connection in list(server.server_state.connections):
        if connection.transport is not None:
            connection.transport.abort()
    await serving


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
