"""The services on a memory bus: whole runs in milliseconds, no server; no model, and the lexical scorer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from openwork_bus.figures import Figures
from openwork_bus.memory import MemoryBus, MemoryRunner
from openwork_contracts.answer import AnswerDrafted, RevisionRequested
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.plan import DeadlineReached, RetrievalCompleted, RetrievalFailed, RetrievalRequested
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.ranking import DocumentsRanked, EvidenceRanked, FulltextCompleted
from openwork_gap.handlers import on_evidence_ranked
from openwork_gap.settings import Settings as GapSettings
from openwork_llm.client import LanguageModel
from openwork_llm.settings import ModelSettings
from openwork_normaliser.adapters.statuses import StatusCheck
from openwork_normaliser.handlers import on_arrival
from openwork_normaliser.settings import Settings as NormaliserSettings
from openwork_query.domain.drug_names import RxNormLookup
from openwork_query.handlers import on_query_submitted
from openwork_query.settings import Settings as QuerySettings
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.handlers import on_evidence_normalised, on_text_arrival
from openwork_reranker.settings import Settings as RerankerSettings
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.domain.source import Source
from openwork_retrievers.handlers import on_retrieval_requested
from openwork_synthesiser.domain.thresholds import LIMITS
from openwork_synthesiser.handlers import on_revision_requested, on_synthesis_requested
from openwork_verifier.domain.thresholds import THRESHOLDS
from openwork_verifier.handlers import on_answer_drafted


def no_model() -> LanguageModel:
    """A client without a provider: every step is done by rules."""
    return LanguageModel(ModelSettings(model_provider="none"))


def services(
    bus: MemoryBus,
    *,
    sources: Mapping[str, Source] | None = None,
    query: QuerySettings | None = None,
    gap: GapSettings | None = None,
    reranker: RerankerSettings | None = None,
) -> MemoryRunner:
    """Every service but the gateway and the full texts, on this bus."""
    model, scorer, figures = no_model(), LexicalScorer(), Figures("none")
    query_settings = query or QuerySettings(sources="library")
    ranking = reranker or RerankerSettings()
    rank_texts = partial(on_text_arrival, scorer=scorer, settings=ranking)
    joining = NormaliserSettings()
    join_sources = partial(on_arrival, settings=joining, statuses=StatusCheck(joining))
    draft = partial(on_synthesis_requested, model=model, limits=LIMITS)

    async def on_deadline(event: DeadlineReached, run: object) -> None:
        handler = {"normaliser": join_sources, "reranker-passages": rank_texts}.get(event.joiner)
        if handler is not None:
            await handler(event, run)

    return MemoryRunner(
        bus,
        {
            QuerySubmitted: (
                "query",
                partial(on_query_submitted, settings=query_settings, model=model, rxnorm=RxNormLookup(query_settings)),
            ),
            RetrievalRequested: (
                "retrievers",
                partial(on_retrieval_requested, sources=sources or {"library": LibrarySource()}, figures=figures),
            ),
            RetrievalCompleted: ("normaliser", join_sources),
            RetrievalFailed: ("normaliser", join_sources),
            DeadlineReached: ("joiner", on_deadline),
            EvidenceNormalised: ("reranker", partial(on_evidence_normalised, scorer=scorer, settings=ranking)),
            DocumentsRanked: ("reranker", rank_texts),
            FulltextCompleted: ("reranker", rank_texts),
            EvidenceRanked: ("gap", partial(on_evidence_ranked, settings=gap or GapSettings(), model=model)),
            SynthesisRequested: ("synthesiser", draft),
            RevisionRequested: ("synthesiser", partial(on_revision_requested, model=model, limits=LIMITS)),
            AnswerDrafted: (
                "verifier",
                partial(on_answer_drafted, model=model, judge=None, thresholds=THRESHOLDS, figures=figures),
            ),
        },
    )
