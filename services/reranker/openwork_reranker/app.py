"""Wiring of the reranker: two consumers, one scorer."""

from __future__ import annotations

from functools import partial

from openwork_bus.service import Service
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.ranking import DocumentsRanked, FulltextCompleted
from openwork_contracts.subjects import consumer_named

from openwork_reranker.adapters.choice import choose_scorer
from openwork_reranker.adapters.score_cache import JetStreamScores
from openwork_reranker.handlers import on_evidence_normalised, on_text_arrival
from openwork_reranker.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The reranker, not yet started."""
    settings = settings or Settings()
    service = Service("reranker", settings)
    scorer = choose_scorer(settings, service.resources, JetStreamScores(lambda: service.bus.connection))
    on_documents = partial(on_evidence_normalised, scorer=scorer, settings=settings)
    on_texts = partial(on_text_arrival, scorer=scorer, settings=settings)
    service.subscribe(consumer_named("reranker-documents"), {EvidenceNormalised: on_documents})
    service.subscribe(
        consumer_named("reranker-passages"),
        {DocumentsRanked: on_texts, FulltextCompleted: on_texts, DeadlineReached: on_texts},
    )
    return service
