"""Wiring of the query service."""

from __future__ import annotations

from openwork_bus.jetstream import JetStreamBus
from openwork_bus.service import Service
from openwork_contracts.subjects import consumer_named, lanes
from openwork_llm.client import LanguageModel

from openwork_query.domain.drug_names import RxNormLookup
from openwork_query.handlers import on_query_submitted
from openwork_query.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The query service, not yet started."""
    settings = settings or Settings()
    service = Service("query", settings)
    model = LanguageModel(settings, figures=service.figures)
    service.before_start(model.open)
    service.resources.push_async_callback(model.close)
    rxnorm = RxNormLookup(settings)

    async def open_rxnorm(bus: JetStreamBus) -> None:
        await service.resources.enter_async_context(await rxnorm.open(bus, service.telemetry, service.figures))

    if settings.asks_rxnorm:
        service.before_start(open_rxnorm)
    service.provide(settings=settings, model=model, rxnorm=rxnorm)
    for consumer in lanes([consumer_named("query")]):
        service.subscribe(consumer, on_query_submitted)
    return service
