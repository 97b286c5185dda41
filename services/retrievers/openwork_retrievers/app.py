"""Wiring of the retrievers: one consumer per source. A deployment runs one source; a laptop runs all in one process."""

from __future__ import annotations

from openwork_bus.jetstream import JetStreamBus
from openwork_bus.service import Service
from openwork_contracts.subjects import lanes, retriever_consumer
from openwork_http.wiring import monthly_quota, shared_client

from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.adapters.live import LiveSource, Outside
from openwork_retrievers.domain.registry import searches_at_once, source
from openwork_retrievers.domain.source import Source
from openwork_retrievers.handlers import on_exhausted, on_retrieval_requested
from openwork_retrievers.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The retrievers of `settings.own_sources`, not yet started."""
    settings = settings or Settings()
    service = Service("retrievers", settings)
    outside = Outside()
    sources = [create_source(name, settings, outside) for name in settings.own_sources]
    service.provide(sources={one.route: one for one in sources})
    for consumer in lanes(retriever_consumer(one.route, concurrency=searches_at_once(one.route)) for one in sources):
        service.subscribe(consumer, on_retrieval_requested, on_exhausted=on_exhausted)

    async def open_outside(bus: JetStreamBus) -> None:
        js = bus.connection.jetstream(timeout=settings.publish_timeout_s)
        client = await shared_client(settings, js, telemetry=service.telemetry)
        outside.open(await service.resources.enter_async_context(client))
        for live in sources:
            if isinstance(live, LiveSource) and live.per_month and live.service.budget:
                name = live.service.budget.name
                outside.quotas[live.route] = await monthly_quota(js, name, live.per_month)

    if any(name != LibrarySource.route for name in settings.own_sources):
        service.before_start(open_outside)
    return service


def create_source(name: str, settings: Settings, outside: Outside) -> Source:
    """The source of that route.

    Raises:
        UsageError: there is none of that name.
    """
    if name == LibrarySource.route:
        return LibrarySource(settings.library_dir, limit=settings.library_limit)
    return LiveSource(source(name), settings, outside)
