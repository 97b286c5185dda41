"""Wiring of the verifier."""

from __future__ import annotations

from openwork_chassis.service import Service
from openwork_contracts.answer import AnswerDrafted
from openwork_contracts.subjects import consumer_named

from openwork_verifier.handlers import on_answer_drafted
from openwork_verifier.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The verifier, not yet started."""
    settings = settings or Settings()
    service = Service("verifier", settings)
    service.subscribe(consumer_named("verifier"), {AnswerDrafted: on_answer_drafted})
    return service
