"""Wiring of the reranker: two consumers, one scorer."""

from __future__ import annotations

from openwork_bus.service import Service
from openwork_contracts.pipelines import ANSWER, REVIEW
from openwork_contracts.subjects import consumer_named, lanes

from openwork_reranker.adapters.choice import choose_scorer
from openwork_reranker.adapters.score_cache import JetStreamScores
from openwork_reranker.handlers import on_evidence_normalised, on_evidence_of_review, on_text_arrival
from openwork_reranker.settings import Settings

_STAGE_1 = {ANSWER: on_evidence_normalised, REVIEW: on_evidence_of_review}


def create_service(settings: Settings | None = None) -> Service:
    """The reranker, not yet started."""
    settings = settings or Settings()
    service = Service("reranker", settings)
    store = JetStreamScores(lambda: service.bus.connection)
    scorer = choose_scorer(settings, service.resources, store, service.figures, service.telemetry)
    service.provide(scorer=scorer, settings=settings)
    for consumer in lanes([consumer_named("reranker-documents")]):
        service.subscribe(consumer, _STAGE_1[consumer.pipelines[0]])
    for consumer in (*lanes([consumer_named("reranker-passages")]), consumer_named("reranker-deadlines")):
        service.subscribe(consumer, on_text_arrival)
    return service
