"""Wiring of the retrievers: one consumer per source. A deployment runs one source; a laptop runs all in one process."""

from __future__ import annotations

from functools import partial

from openwork_chassis.bus import Bus
from openwork_chassis.http.buckets import ANSWERS_BUCKET, LIMITS_BUCKET
from openwork_chassis.http.cache import SharedCache
from openwork_chassis.http.client import HttpClient
from openwork_chassis.http.limits import SharedRateLimiter
from openwork_chassis.service import Service
from openwork_contracts.plan import RetrievalRequested
from openwork_contracts.subjects import retriever_consumer

from openwork_retrievers.handlers import on_exhausted, on_retrieval_requested
from openwork_retrievers.library.source import LibrarySource
from openwork_retrievers.live import LiveSource, Outside
from openwork_retrievers.port import Source
from openwork_retrievers.settings import Settings
from openwork_retrievers.sources.registry import source


def create_service(settings: Settings | None = None) -> Service:
    """The retrievers of `settings.own_sources`, not yet started."""
    settings = settings or Settings()
    service = Service("retrievers", settings)
    outside = Outside()
    for name in settings.own_sources:
        handler = partial(on_retrieval_requested, source=create_source(name, settings, outside))
        service.subscribe(
            retriever_consumer(name, concurrency=2), {RetrievalRequested: handler}, last_resort=on_exhausted
        )

    async def open_client(bus: Bus) -> None:
        js = bus.connection.jetstream(timeout=settings.publish_timeout_s)
        limiter = SharedRateLimiter(await js.key_value(LIMITS_BUCKET), jitter_s=settings.rate_jitter_s)
        cache = SharedCache(await js.key_value(ANSWERS_BUCKET))
        client = HttpClient(settings, limiter=limiter, cache=cache, telemetry=service.telemetry)
        outside.open(await service.resources.enter_async_context(client))

    if any(name != LibrarySource.route for name in settings.own_sources):
        service.before_start(open_client)
    return service


def create_source(name: str, settings: Settings, outside: Outside) -> Source:
    """The source of that route.

    Raises:
        UsageError: there is none of that name.
    """
    if name == LibrarySource.route:
        return LibrarySource(settings.library_dir, limit=settings.library_limit)
    return LiveSource(source(name), settings, outside)
