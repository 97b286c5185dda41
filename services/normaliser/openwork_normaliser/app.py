"""Wiring of the normaliser."""

from __future__ import annotations

from openwork_bus.jetstream import JetStreamBus
from openwork_bus.service import Service
from openwork_contracts.subjects import consumer_named, lanes

from openwork_normaliser.adapters.statuses import StatusCheck
from openwork_normaliser.handlers import on_arrival
from openwork_normaliser.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The normaliser, not yet started."""
    settings = settings or Settings()
    service = Service("normaliser", settings)
    statuses = StatusCheck(settings)

    async def open_crossref(bus: JetStreamBus) -> None:
        await service.resources.enter_async_context(await statuses.open(bus, service.telemetry, service.figures))

    if settings.asks_crossref:
        service.before_start(open_crossref)
    service.provide(settings=settings, statuses=statuses)
    for consumer in (*lanes([consumer_named("normaliser")]), consumer_named("normaliser-deadlines")):
        service.subscribe(consumer, on_arrival)
    return service
