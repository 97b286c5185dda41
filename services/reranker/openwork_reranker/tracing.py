"""What a trace says of a ranking: the texts as they came, the texts in their new order, and who scored them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from openwork_bus.telemetry import DOCUMENTS_IN_SPAN, Attribute, ShownDocument, Telemetry, document_attributes

from openwork_reranker.domain.hybrid import Similarity
from openwork_reranker.domain.results import ScoringResult
from openwork_reranker.domain.scoring import ScorableText, ScorerIdentity


def scoring_attributes(
    result: ScoringResult, texts: Mapping[str, ScorableText], scores: Sequence[float]
) -> dict[str, Attribute]:
    """Attributes of one scoring.

    Args:
        texts: by id, in the order in which they came.
        scores: of each, tie-breaker blended in.
    """
    identity = result.identity
    came = list(texts.items())
    places = sorted(range(len(came)), key=lambda place: -scores[place])[:DOCUMENTS_IN_SPAN]
    return {
        "reranker.model_name": identity.model or identity.name,
        "reranker.top_k": len(came),
        "openwork.scorer.name": identity.name,
        "openwork.scorer.version": identity.version or "",
        "openwork.scorer.degradation": result.degradation or "",
        "openwork.scorer.from_cache": result.from_cache,
        "openwork.scorer.batch_sizes": list(result.batch_sizes),
        "openwork.scorer.queue_full": result.queue_full,
        **document_attributes(
            "reranker.input_documents", [ShownDocument(name, text.whole) for name, text in came[:DOCUMENTS_IN_SPAN]]
        ),
        **document_attributes(
            "reranker.output_documents",
            [
                ShownDocument(came[place][0], came[place][1].whole, scores[place], {"place_before": place + 1})
                for place in places
            ],
        ),
    }


class TracedSimilarity:
    """Another bi-encoder, each of its calls a span. Vectors are never in it."""

    def __init__(self, similarity: Similarity, telemetry: Telemetry) -> None:
        self._similarity = similarity
        self._telemetry = telemetry

    @property
    def identity(self) -> ScorerIdentity:
        """See `Similarity.identity`."""
        return self._similarity.identity

    async def similarities(self, question: str, texts: Sequence[str]) -> list[float]:
        """See `Similarity.similarities`."""
        with self._telemetry.span("embed texts", "EMBEDDING") as span:
            found = await self._similarity.similarities(question, texts)
            if self._telemetry.enabled:
                span.set_attributes(_embedding_attributes(self.identity, question, texts))
            return found

    async def check(self) -> None:
        """See `Similarity.check`."""
        await self._similarity.check()


def _embedding_attributes(identity: ScorerIdentity, question: str, texts: Sequence[str]) -> dict[str, Attribute]:
    shown = [question, *texts[: DOCUMENTS_IN_SPAN - 1]]
    return {
        "embedding.model_name": identity.model or identity.name,
        "openwork.n_texts": len(texts) + 1,
        **{f"embedding.embeddings.{place}.embedding.text": text for place, text in enumerate(shown)},
    }
