"""Wiring of the appraiser: one lane, and its deadline."""

from __future__ import annotations

from openwork_bus.service import Service
from openwork_contracts.subjects import consumer_named, lanes

from openwork_appraiser.handlers import on_extraction_arrival
from openwork_appraiser.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The appraiser, not yet started."""
    settings = settings or Settings()
    service = Service("appraiser", settings)
    service.provide(settings=settings)
    for consumer in (*lanes([consumer_named("appraiser")]), consumer_named("appraiser-deadlines")):
        service.subscribe(consumer, on_extraction_arrival)
    return service
