"""Wiring of the verifier."""

from __future__ import annotations

from functools import partial

from openwork_bus.service import Service
from openwork_contracts.answer import AnswerDrafted
from openwork_contracts.subjects import consumer_named
from openwork_llm.client import LanguageModel

from openwork_verifier.handlers import on_answer_drafted
from openwork_verifier.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The verifier, not yet started."""
    settings = settings or Settings()
    service = Service("verifier", settings)
    model = LanguageModel(settings)
    service.before_start(model.open)
    service.resources.push_async_callback(model.close)
    handler = partial(on_answer_drafted, model=model, thresholds=settings.gate)
    service.subscribe(consumer_named("verifier"), {AnswerDrafted: handler})
    return service
