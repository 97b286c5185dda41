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


def health_app(service: Startable) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    """An ASGI application with the two routes."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        status, body = await _answer(service, scope["path"])
        await send(
            {"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]}
        )
        await send({"type": "http.response.body", "body": json.dumps(body).encode()})

    return app


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
