"""Wiring of the synthesiser."""

from __future__ import annotations

from openwork_chassis.service import Service
from openwork_contracts.answer import RevisionRequested
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.subjects import consumer_named

from openwork_synthesiser.handlers import on_revision_requested, on_synthesis_requested
from openwork_synthesiser.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The synthesiser, not yet started."""
    settings = settings or Settings()
    service = Service("synthesiser", settings)
    service.subscribe(
        consumer_named("synthesiser"),
        {SynthesisRequested: on_synthesis_requested, RevisionRequested: on_revision_requested},
    )
    return service
