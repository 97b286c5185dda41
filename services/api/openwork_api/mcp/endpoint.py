"""`/mcp`: the server over streamable HTTP, without sessions, so that any replica answers any request.

Who asks is whoever the API's guard says, for every request. The SDK is imported, and its task group started, when
somebody comes; `Endpoint.stop` ends it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.routing import Route

from openwork_api.people import Person
from openwork_api.security.guard import Guard
from openwork_api.settings import Settings

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.types import Receive, Scope, Send

PATH = "/mcp"


class Endpoint:
    """An ASGI application for one path."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._lock = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._over = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request. Raises what the guard does."""
        request = Request(scope, receive)
        guard: Guard = self._app.state.guard
        request.state.mcp_person = await guard.person(request)
        manager = await self._running()
        await manager.handle_request(scope, receive, send)

    async def stop(self) -> None:
        """End what was begun. Nobody is to come any more."""
        self._over.set()
        if self._keeping is not None:
            await self._keeping

    async def _running(self) -> StreamableHTTPSessionManager:
        async with self._lock:
            if self._manager is None:
                manager = await asyncio.to_thread(_manager, self._app)
                begun = asyncio.Event()
                self._keeping = asyncio.create_task(self._keep(manager, begun))
                await begun.wait()
                self._manager = manager
            return self._manager

    async def _keep(self, manager: StreamableHTTPSessionManager, begun: asyncio.Event) -> None:
        """The SDK's task group is entered and left by one task."""
        try:
            async with manager.run():
                begun.set()
                await self._over.wait()
        finally:
            begun.set()  # what could not begin is told by the requests themselves


def install(app: FastAPI) -> None:
    """Serve it; `app.state.mcp.stop` is called when the service stops."""
    app.state.mcp = Endpoint(app)
    app.router.routes.append(Route(PATH, app.state.mcp, methods=["POST"], include_in_schema=False))


def _manager(app: FastAPI) -> StreamableHTTPSessionManager:
    """The SDK's part, which takes half a second to import."""
    from mcp.server.transport_security import TransportSecuritySettings

    from openwork_api.mcp.server import create_server

    settings: Settings = app.state.settings
    server = create_server(app.state.asker, _whose)
    server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=settings.api_body_bytes,
        # Hosts and origins are judged before any route, by one rule: `security/middleware.py`.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return server.session_manager


def _whose(ctx: Context[Any, Any]) -> Person:
    request = ctx.request_context.request
    assert isinstance(request, Request)
    person: Person = request.state.mcp_person
    return person
