"""Wiring of the gap analysis. The simplest service: a new one is copied from here (docs/adding-a-service.md)."""

from __future__ import annotations

from openwork_bus.service import Service
from openwork_contracts.subjects import consumer_named, lanes
from openwork_llm.client import LanguageModel

from openwork_gap.handlers import on_evidence_ranked
from openwork_gap.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The gap analysis, not yet started."""
    settings = settings or Settings()
    service = Service("gap", settings)
    model = LanguageModel(settings, figures=service.figures)
    service.before_start(model.open)
    service.resources.push_async_callback(model.close)
    service.provide(settings=settings, model=model)
    for consumer in lanes([consumer_named("gap")]):
        service.subscribe(consumer, on_evidence_ranked)
    return service
