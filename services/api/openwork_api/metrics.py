"""Figures of the HTTP door for Prometheus: requests by route and status, how long they took, readers of live events."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any

from fastapi import APIRouter, FastAPI, Response
from openwork_bus.figures import CONTENT_TYPE, Counter, Figures, Gauge, Histogram
from openwork_bus.metrics import READY, begin
from openwork_contracts.errors import BusUnavailable

from openwork_api.depend import Reader

Message = MutableMapping[str, Any]
REQUESTS = Counter("openwork_api_requests_total", ("method", "route", "status"), "Requests that were answered.")
REQUEST_SECONDS = Histogram(
    "openwork_api_request_seconds",
    ("route",),
    "From the first byte read to the last one sent; streams are not among them.",
    (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 30.0),
)
READERS = Gauge("openwork_api_stream_readers", (), "Who follows a run just now.")
METRICS = (REQUESTS, REQUEST_SECONDS, READERS)
_STREAM = "/events"
_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})
API_PREFIX = "/api/v1"
_PATIENCE_S = 1.0
"""A reading of the figures must not wait for a bus that is away."""


class Counted:
    """Middleware: counts what passes. Plain ASGI, since others would hold a stream back."""

    def __init__(self, app: Callable[..., Awaitable[None]], figures: Figures) -> None:
        self._app = app
        self._figures = figures

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        """Pass a request on, and count it when it is over."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        is_stream = scope["path"].endswith(_STREAM)
        if is_stream:
            self._figures.add(READERS, n=1)
        try:
            await self._app(scope, receive, noted)
        finally:
            route = _pattern(scope)
            method = scope["method"] if scope["method"] in _METHODS else "(other)"  # any word passes for one
            self._figures.count(REQUESTS, method, route, str(status))
            if is_stream:
                self._figures.add(READERS, n=-1)
            else:
                self._figures.observe(REQUEST_SECONDS, route, value=perf_counter() - begun)


def _pattern(scope: Message) -> str:
    """The route's pattern, never the path: a run id is no label, and a stranger's path no metric."""
    route = scope.get("route")
    if route is None:
        return "(none)"
    prefix = API_PREFIX if scope["path"].startswith(f"{API_PREFIX}/") else ""  # a route knows only its own part
    return f"{prefix}{route.path.removeprefix(prefix)}"


def install(app: FastAPI) -> None:
    """Count what an application answers, and tell it on /metrics."""
    app.state.figures = figures = Figures("api")
    begin(figures, app.state.settings.revision)
    figures.begin(READERS)
    router = APIRouter(tags=["health"])

    @router.get("/metrics", summary="Metrics", response_class=Response)
    async def tell(person: Reader) -> Response:
        """Figures for Prometheus. Without a key they are on the port of health, which only the cluster reaches."""
        return Response(await told(app), headers={"Content-Type": CONTENT_TYPE})

    app.include_router(router)
    app.add_middleware(Counted, figures=figures)


async def told(app: FastAPI) -> bytes:
    """The figures of an application as text; whether the bus answers is asked for a second at most."""
    figures: Figures = app.state.figures
    is_ready = True
    try:
        async with asyncio.timeout(_PATIENCE_S):
            await app.state.asker.check()
    except (BusUnavailable, TimeoutError):
        is_ready = False
    figures.set(READY, value=float(is_ready))
    return figures.text()
