"""Figures of the HTTP door for Prometheus: requests by route and status, how long they took, readers of live events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any

from fastapi import APIRouter, FastAPI, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from openwork_api.depend import Reader

Message = MutableMapping[str, Any]
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 30.0)
_STREAM = "/events"
_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})
API_PREFIX = "/api/v1"


class Metrics:
    """The figures of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self.requests = Counter("openwork_api_requests", "Requests that were answered.", labels, registry=self.registry)
        self.seconds = Histogram(
            "openwork_api_request_seconds",
            "From the first byte read to the last one sent; streams are not among them.",
            ("route",),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.readers = Gauge("openwork_api_stream_readers", "Who follows a run just now.", registry=self.registry)

    def text(self) -> bytes:
        """All of them in Prometheus' text format."""
        return generate_latest(self.registry)


class Counted:
    """Middleware: counts what passes. Plain ASGI, since others would hold a stream back."""

    def __init__(self, app: Callable[..., Awaitable[None]], metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

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
            self._metrics.readers.inc()
        try:
            await self._app(scope, receive, noted)
        finally:
            route = _pattern(scope)
            method = scope["method"] if scope["method"] in _METHODS else "(other)"  # any word passes for one
            self._metrics.requests.labels(method, route, str(status)).inc()
            if is_stream:
                self._metrics.readers.dec()
            else:
                self._metrics.seconds.labels(route).observe(perf_counter() - begun)


def _pattern(scope: Message) -> str:
    """The route's pattern, never the path: a run id is no label, and a stranger's path no metric."""
    route = scope.get("route")
    if route is None:
        return "(none)"
    prefix = API_PREFIX if scope["path"].startswith(f"{API_PREFIX}/") else ""  # a route knows only its own part
    return f"{prefix}{route.path.removeprefix(prefix)}"


def install(app: FastAPI) -> None:
    """Count what an application answers, and tell it on /metrics."""
    app.state.metrics = metrics = Metrics()
    router = APIRouter(tags=["health"])

    @router.get("/metrics", summary="Metrics", response_class=Response)
    async def tell(person: Reader) -> Response:
        """Figures for Prometheus. Without a key they are on the port of health, which only the cluster reaches."""
        return Response(metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    app.include_router(router)
    app.add_middleware(Counted, metrics=metrics)
