"""Wiring of the extractor: one lane."""

from __future__ import annotations

from openwork_bus.service import Service
from openwork_contracts.subjects import consumer_named, lanes

from openwork_extractor.handlers import on_exhausted, on_extraction_requested, on_fulltext_completed
from openwork_extractor.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The extractor, not yet started."""
    settings = settings or Settings()
    service = Service("extractor", settings)
    service.provide(settings=settings)
    for consumer in lanes([consumer_named("extractor")]):
        service.subscribe(consumer, on_fulltext_completed, on_extraction_requested, on_exhausted=on_exhausted)
    return service
