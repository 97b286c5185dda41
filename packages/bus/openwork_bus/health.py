"""Health over HTTP: /healthz says the process lives, /readyz asks NATS whether the consumers are as they should be,
/metrics has the figures for Prometheus.

Liveness is a plain 200 on purpose: a probe that asked NATS would restart every pod when NATS restarts. Of a stream that
fills, readiness only warns: a service that is taken away empties no disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from openwork_contracts.errors import BusUnavailable

from openwork_bus.figures import CONTENT_TYPE
from openwork_bus.startable import Startable

if TYPE_CHECKING:
    import uvicorn

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_PROMETHEUS = CONTENT_TYPE.encode()


def health_app(service: Startable) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    """An ASGI application with the three routes."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if scope["path"] == "/metrics":
            await _send(send, 200, _PROMETHEUS, await service.metrics())
            return
        status, body = await _answer(service, scope["path"])
        await _send(send, status, b"application/json", json.dumps(body).encode())

    return app


async def _send(send: Send, status: int, media_type: bytes, body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", media_type)]})
    await send({"type": "http.response.body", "body": body})


async def _answer(service: Startable, path: str) -> tuple[int, dict[str, str | list[str]]]:
    if path == "/healthz":
        return 200, {"status": "alive", "service": service.name}
    if path == "/readyz":
        try:
            await service.check_consumers()
        except BusUnavailable as error:
            return 503, {"status": "not ready", "service": service.name, "reason": str(error)}
        warnings = await service.storage_warnings()
        return 200, {"status": "ready", "service": service.name, "warnings": warnings}
    return 404, {"status": "not found", "routes": "/healthz /readyz /metrics"}


class HealthServer:
    """Serves the health of one service, or of several as one, on a port of its own."""

    def __init__(self, service: Startable, *, host: str, port: int) -> None:
        self._service = service
        self._host = host
        self._port = port
        self._server: uvicorn.Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self.url = ""
        """Where it listens, once it is started."""

    async def start(self) -> None:
        """Listen.

        Raises:
            BusUnavailable: the port is taken.
        """
        import uvicorn

        listening = _listen(self._host, self._port)
        name = f"[{self._host}]" if ":" in self._host else self._host
        self.url = f"http://{name}:{listening.getsockname()[1]}"
        config = uvicorn.Config(health_app(self._service), lifespan="off", log_level="warning")
        self._server = server = uvicorn.Server(config)
        setattr(server, "capture_signals", contextlib.nullcontext)  # noqa: B010 - the signals are the process's
        self._serving = asyncio.create_task(server.serve(sockets=[listening]))
        log.info("health and figures on %s", self.url)

    async def stop(self) -> None:
        """Take no request any more."""
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await self._serving


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise BusUnavailable(
            f"health: cannot listen on {host} port {port} ({error.strerror}); set OPENWORK_HEALTH_PORT to a free one"
        ) from error
