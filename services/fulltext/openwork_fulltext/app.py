"""Wiring of the full-text service."""

from __future__ import annotations

from openwork_bus.buckets import open_key_value
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.objects import Objects
from openwork_bus.service import Service
from openwork_contracts.buckets import LIMITS, TEXTS
from openwork_contracts.subjects import consumer_named, lanes
from openwork_http.client import HttpClient
from openwork_http.guard import GuardedClient
from openwork_http.limits import SharedRateLimiter
from openwork_http.silence import SharedSilence

from openwork_fulltext.adapters.store import TextStore
from openwork_fulltext.handlers import Library, on_exhausted, on_fulltext_requested
from openwork_fulltext.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The full-text service, not yet started."""
    settings = settings or Settings()
    service = Service("fulltext", settings)
    library = Library(settings)

    async def open_library(bus: JetStreamBus) -> None:
        js = bus.connection.jetstream(timeout=settings.publish_timeout_s)
        limits = await open_key_value(js, LIMITS)
        limiter = SharedRateLimiter(limits, jitter_s=settings.rate_jitter_s)
        client = HttpClient(
            settings,
            limiter=limiter,
            silence=SharedSilence(limits),
            telemetry=service.telemetry,
            figures=service.figures,
        )
        library.client = await service.resources.enter_async_context(client)
        library.guard = await service.resources.enter_async_context(GuardedClient(settings))
        if settings.fulltext_cache:
            library.store = TextStore(Objects(js, TEXTS))

    service.before_start(open_library)
    service.provide(library=library)
    for consumer in lanes([consumer_named("fulltext")]):
        service.subscribe(consumer, on_fulltext_requested, on_exhausted=on_exhausted)
    return service
