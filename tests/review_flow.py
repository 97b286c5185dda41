"""The services of a deep review on a memory bus: whole reviews without a server, a model, or a full text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from openwork_appraiser.handlers import on_extraction_arrival
from openwork_appraiser.settings import Settings as AppraiserSettings
from openwork_bus.figures import Figures
from openwork_bus.memory import MemoryBus, MemoryRunner
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.extraction import ExtractionRequested, StudyExtracted
from openwork_contracts.plan import DeadlineReached, RetrievalCompleted, RetrievalFailed, RetrievalRequested
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.ranking import DocumentsRanked, FulltextCompleted
from openwork_contracts.screening import RecordsScreened, ScreeningCompleted, ScreeningRequested, StudiesSelected
from openwork_extractor.handlers import on_extraction_requested, on_fulltext_completed
from openwork_extractor.settings import Settings as ExtractorSettings
from openwork_llm.client import LanguageModel
from openwork_normaliser.adapters.statuses import StatusCheck
from openwork_normaliser.handlers import on_arrival
from openwork_normaliser.settings import Settings as NormaliserSettings
from openwork_query.domain.drug_names import RxNormLookup
from openwork_query.handlers import on_query_submitted
from openwork_query.settings import Settings as QuerySettings
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.handlers import on_evidence_of_review
from openwork_reranker.settings import Settings as RerankerSettings
from openwork_retrievers.domain.source import Source
from openwork_retrievers.handlers import on_retrieval_requested
from openwork_screener.handlers import (
    on_documents_ranked,
    on_records_screened,
    on_screening_arrival,
    on_screening_requested,
)
from openwork_screener.settings import Settings as ScreenerSettings
from openwork_screening.criteria import default_criteria

from tests.flow import no_model


def review_services(
    bus: MemoryBus,
    sources: Mapping[str, Source],
    screener: ScreenerSettings | None = None,
    model: LanguageModel | None = None,
) -> MemoryRunner:
    """Every service of a review but the gateway and the full texts, on this bus."""
    model, figures = model or no_model(), Figures("none")
    query, joining = QuerySettings(sources=",".join(sources)), NormaliserSettings(check_status=False)
    screening = screener or ScreenerSettings(fulltext=False)
    extracting = ExtractorSettings()
    join_sources = partial(on_arrival, settings=joining, statuses=StatusCheck(joining))
    tabulate = partial(on_extraction_arrival, settings=AppraiserSettings())
    arrived = partial(on_screening_arrival, model=model)
    joiners = {"normaliser": join_sources, "screener": arrived, "appraiser": tabulate}

    async def on_deadline(event: DeadlineReached, run: object) -> None:
        if (handler := joiners.get(event.joiner)) is not None:
            await handler(event, run)

    ask = partial(on_query_submitted, settings=query, model=model, rxnorm=RxNormLookup(query))
    order = partial(on_evidence_of_review, scorer=LexicalScorer(), settings=RerankerSettings())
    return MemoryRunner(
        bus,
        {
            QuerySubmitted: ("query", ask),
            RetrievalRequested: ("retrievers", partial(on_retrieval_requested, sources=sources, figures=figures)),
            RetrievalCompleted: ("normaliser", join_sources),
            RetrievalFailed: ("normaliser", join_sources),
            DeadlineReached: ("joiner", on_deadline),
            EvidenceNormalised: ("reranker", order),
            DocumentsRanked: ("screener", partial(on_documents_ranked, settings=screening)),
            ScreeningRequested: ("screener", partial(on_screening_requested, criteria=default_criteria(), model=model)),
            ScreeningCompleted: ("screener", arrived),
            RecordsScreened: ("screener", partial(on_records_screened, settings=screening)),
            StudiesSelected: ("appraiser", tabulate),
            FulltextCompleted: ("extractor", partial(on_fulltext_completed, settings=extracting)),
            ExtractionRequested: ("extractor", partial(on_extraction_requested, settings=extracting)),
            StudyExtracted: ("appraiser", tabulate),
        },
    )
