"""Wiring of the verifier."""

from __future__ import annotations

from functools import partial

from openwork_bus.service import Service
from openwork_contracts.subjects import VERIFY_SUBJECT, consumer_named, lanes
from openwork_llm.client import LanguageModel

from openwork_verifier.adapters.choice import choose_judge
from openwork_verifier.handlers import on_answer_drafted
from openwork_verifier.metrics import begin_claims
from openwork_verifier.requests import TextVerifier, answer_verify
from openwork_verifier.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The verifier, not yet started."""
    settings = settings or Settings()
    service = Service("verifier", settings)
    model = LanguageModel(settings, figures=service.figures)
    service.before_start(model.open)
    service.resources.push_async_callback(model.close)
    judge = choose_judge(settings, model, service.resources, service.figures)
    service.provide(model=model, judge=judge, thresholds=settings.gate)
    begin_claims(service.figures)
    for consumer in lanes([consumer_named("verifier")]):
        service.subscribe(consumer, on_answer_drafted)
    service.respond(VERIFY_SUBJECT, partial(answer_verify, texts=TextVerifier()))
    return service
