"""The bi-encoder on Triton, as a `Similarity`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from openwork_bus.figures import Figures
from openwork_contracts.errors import ModelAnswerRejected
from openwork_serving.batching import estimate_tokens, plan_batches
from openwork_serving.client import Columns, ServedModel, TritonOptions
from openwork_serving.numbers import new_text

from openwork_reranker.adapters.triton.scorer import CHECK_TIMEOUT_S
from openwork_reranker.domain.scoring import ScorerIdentity

MODEL = "embedder"
_UNIT_TOLERANCE = 0.01
"""By how much the length of a vector may miss 1; rounding misses it by a millionth."""


class TritonEmbedder:
    """Asks the model `embedder` for unit vectors and compares them here."""

    def __init__(self, options: TritonOptions, figures: Figures | None = None) -> None:
        self._options = options
        self._model = ServedModel(MODEL, options, figures)
        self._identity = ScorerIdentity("triton", model=MODEL)

    @property
    def identity(self) -> ScorerIdentity:
        """As the server last described itself; before the first answer, the model's name alone."""
        return self._identity

    async def similarities(self, question: str, texts: Sequence[str]) -> list[float]:
        """See `Similarity.similarities`."""
        vectors = await self._embed([question, *texts], self._options.timeout_s)
        return [sum(a * b for a, b in zip(vectors[0], v, strict=True)) for v in vectors[1:]]

    async def check(self) -> None:
        """Embed one text; see `Similarity.check`."""
        await self._embed([new_text()], min(CHECK_TIMEOUT_S, self._options.timeout_s))

    async def close(self) -> None:
        """Close the connection."""
        await self._model.close()

    async def _embed(self, texts: Sequence[str], timeout_s: float) -> list[list[float]]:
        facts = await self._model.facts(timeout_s=timeout_s)
        lengths = [estimate_tokens(text, limit=self._options.max_text_tokens) for text in texts]
        batches = plan_batches(
            lengths, batch_tokens=self._options.batch_tokens or facts.batch_tokens, max_texts=facts.max_batch
        )
        requests: list[Columns] = [{"TEXT": [texts[i] for i in batch]} for batch in batches]
        inference = await self._model.infer(requests, "embedding", timeout_s=timeout_s)
        self._identity = ScorerIdentity("triton", facts.weights or MODEL, inference.version, max_batch=facts.max_batch)
        vectors: list[list[float]] = [[]] * len(texts)
        for batch, output in zip(batches, inference.outputs, strict=True):
            for i, vector in zip(batch, output.tolist(), strict=True):
                vectors[i] = _checked(vector)
        return vectors


def _checked(vector: object) -> list[float]:
    if not isinstance(vector, list) or not all(isinstance(x, float) for x in vector):
        raise ModelAnswerRejected(f"model {MODEL!r} answered something else than one vector per text")
    length = math.sqrt(sum(x * x for x in vector))
    if not abs(length - 1) < _UNIT_TOLERANCE:  # so written, NaN fails too
        raise ModelAnswerRejected(f"model {MODEL!r} answered a vector of length {length:.3g}, not 1")
    return vector
