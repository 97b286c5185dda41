"""Wiring of the synthesiser."""

from __future__ import annotations

from openwork_bus.service import Service
from openwork_contracts.subjects import consumer_named, lanes
from openwork_llm.client import LanguageModel

from openwork_synthesiser.handlers import on_revision_requested, on_synthesis_requested
from openwork_synthesiser.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The synthesiser, not yet started."""
    settings = settings or Settings()
    service = Service("synthesiser", settings)
    model = LanguageModel(settings, figures=service.figures)
    service.before_start(model.open)
    service.resources.push_async_callback(model.close)
    service.provide(model=model, limits=settings.synthesis)
    for consumer in lanes([consumer_named("synthesiser")]):
        service.subscribe(consumer, on_synthesis_requested, on_revision_requested)
    return service
