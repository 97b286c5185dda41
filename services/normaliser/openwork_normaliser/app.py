"""Wiring of the normaliser."""

from __future__ import annotations

from openwork_bus.service import Service
from openwork_contracts.plan import DeadlineReached, RetrievalCompleted, RetrievalFailed
from openwork_contracts.subjects import consumer_named

from openwork_normaliser.handlers import on_arrival
from openwork_normaliser.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The normaliser, not yet started."""
    settings = settings or Settings()
    service = Service("normaliser", settings)
    service.subscribe(
        consumer_named("normaliser"),
        {RetrievalCompleted: on_arrival, RetrievalFailed: on_arrival, DeadlineReached: on_arrival},
    )
    return service
