"""Wiring of the screener: one lane for what comes in, and the deadlines."""

from __future__ import annotations

from openwork_bus.service import Service
from openwork_contracts.subjects import consumer_named, lanes
from openwork_llm.client import LanguageModel
from openwork_screening.criteria import default_criteria, read_criteria

from openwork_screener.handlers import (
    on_documents_ranked,
    on_records_screened,
    on_screening_arrival,
    on_screening_requested,
)
from openwork_screener.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The screener, not yet started.

    Raises:
        UsageError: the file of criteria cannot be read as one.
    """
    settings = settings or Settings()
    service = Service("screener", settings)
    own = settings.screening_criteria
    criteria = read_criteria(own.read_text("utf-8")) if own else default_criteria()
    model = LanguageModel(settings, figures=service.figures)
    service.before_start(model.open)
    service.resources.push_async_callback(model.close)
    service.provide(settings=settings, criteria=criteria, model=model)
    handlers = (on_documents_ranked, on_screening_requested, on_screening_arrival, on_records_screened)
    for consumer in lanes([consumer_named("screener")]):
        service.subscribe(consumer, *handlers)
    service.subscribe(consumer_named("screener-deadlines"), on_screening_arrival)
    return service
