"""Wiring of the retrievers: one consumer per source. A deployment runs one source; a laptop runs all in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from openwork_bus.jetstream import JetStreamBus
from openwork_bus.service import Service
from openwork_contracts.subjects import LOOKUP_SUBJECT, lanes, retriever_consumer
from openwork_http.wiring import monthly_quota, shared_client

from openwork_retrievers.adapters.guidelines import GuidelinesSource
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.adapters.live import LiveSource, Outside
from openwork_retrievers.adapters.lookups import APIS, OutsideLookup
from openwork_retrievers.domain.registry import searches_at_once, source
from openwork_retrievers.domain.source import Source
from openwork_retrievers.handlers import on_exhausted, on_retrieval_requested
from openwork_retrievers.metrics import begin_searches
from openwork_retrievers.requests import AT_ONCE, Lookup, answer_lookup
from openwork_retrievers.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The retrievers of `settings.own_sources`, not yet started."""
    settings = settings or Settings()
    service = Service("retrievers", settings)
    outside = Outside(service.figures)
    sources = [create_source(name, settings, outside) for name in settings.own_sources]
    service.provide(sources={one.route: one for one in sources})
    begin_searches(service.figures, (one.route for one in sources))
    for consumer in lanes(retriever_consumer(one.route, concurrency=searches_at_once(one.route)) for one in sources):
        service.subscribe(consumer, on_retrieval_requested, on_exhausted=on_exhausted)

    async def read_library(_: JetStreamBus) -> None:
        """Begun while the service starts, and not waited for: the first search finds it read, or waits."""
        for one in sources:
            if isinstance(one, LibrarySource):
                asyncio.get_running_loop().run_in_executor(None, one.prepare)

    async def open_outside(bus: JetStreamBus) -> None:
        js = bus.connection.jetstream(timeout=settings.publish_timeout_s)
        client = await shared_client(settings, js, telemetry=service.telemetry, figures=service.figures)
        outside.open(await service.resources.enter_async_context(client))
        for live in sources:
            if isinstance(live, LiveSource) and live.per_month and live.service.budget:
                name = live.service.budget.name
                outside.quotas[live.route] = await monthly_quota(js, name, live.per_month)

    service.before_start(read_library)
    goes_out = any(settings.goes_out(name) for name in settings.own_sources)
    if goes_out:
        service.before_start(open_outside)
    if settings.looks_up:
        answer_lookups(service, create_lookup(settings, sources, outside if goes_out else None))
    return service


def answer_lookups(service: Service, lookup: Lookup) -> None:
    """Have a service answer `openwork.lookup`."""

    async def learn_size(bus: JetStreamBus) -> None:
        lookup.most_bytes = bus.connection.max_payload

    service.before_start(learn_size)
    service.respond(LOOKUP_SUBJECT, partial(answer_lookup, lookup=lookup), at_once=AT_ONCE, queued=AT_ONCE)


def create_lookup(settings: Settings, sources: Sequence[Source], outside: Outside | None) -> Lookup:
    """What looks identifiers up: the sources of this installation that know them, where this process goes out."""
    library = next((one for one in sources if isinstance(one, LibrarySource)), None)
    known = [OutsideLookup(route, settings, outside) for route in APIS if outside and route in settings.source_names]
    return Lookup(library or LibrarySource(settings.library_dir), known)


def create_source(name: str, settings: Settings, outside: Outside) -> Source:
    """The source of that route.

    Raises:
        UsageError: there is none of that name.
    """
    if name == LibrarySource.route:
        return LibrarySource(settings.library_dir, limit=settings.library_limit)
    live = LiveSource(source(name), settings, outside)
    if name == GuidelinesSource.route:
        return GuidelinesSource(settings.library_dir, live if settings.asks_ncbi else None)
    return live
