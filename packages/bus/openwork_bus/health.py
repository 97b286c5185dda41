"""Health over HTTP: /healthz says the process lives, /readyz asks NATS whether the consumers are as they should be.

Liveness is a plain 200 on purpose: a probe that asked NATS would restart every pod when NATS restarts. Of a stream that
fills, readiness only warns: a service that is taken away empties no disk.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from openwork_contracts.errors import BusUnavailable

from openwork_bus.startable import Startable

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_PROMETHEUS = b"text/plain; version=0.0.4; charset=utf-8"


def health_app(service: Startable) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    """An ASGI application with the two routes, and /metrics of a service that has figures."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if scope["path"] == "/metrics" and (figures := service.metrics()) is not None:
            await _send(send, 200, _PROMETHEUS, figures)
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
    return 404, {"status": "not found", "routes": "/healthz /readyz"}
