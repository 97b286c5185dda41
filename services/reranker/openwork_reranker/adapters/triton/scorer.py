"""The cross-encoder on Triton: text pairs out, logits in, scores in [0, 1] to the caller."""

from __future__ import annotations

import math
from collections.abc import Sequence
from uuid import uuid4

from openwork_contracts.errors import ModelAnswerRejected

from openwork_reranker.adapters.batching import CHARS_PER_TOKEN, estimate_tokens, plan_batches
from openwork_reranker.adapters.triton.client import Columns, ModelFacts, ServedModel, TritonOptions
from openwork_reranker.adapters.triton.errors import Fault
from openwork_reranker.domain.focus import QuestionFocus
from openwork_reranker.domain.results import ScoringResult
from openwork_reranker.domain.scoring import ScorableText, ScorerIdentity

MODEL = "reranker"
CHECK_TIMEOUT_S = 2.0
"""For the one pair that shows whether the model lives; a CPU needs about a tenth of it."""
_GENEROUS = 3
"""Texts are cut only where no tokenizer could read as far: at so many times the usual characters per token."""


class TritonScorer:
    """`Scorer` over the model `reranker`. Raises instead of standing in; `FallbackScorer` does that."""

    def __init__(self, options: TritonOptions) -> None:
        self._options = options
        self._model = ServedModel(MODEL, options)
        self._identity = ScorerIdentity("triton", model=MODEL)

    @property
    def identity(self) -> ScorerIdentity:
        """As the server last described itself; before the first answer, the model's name alone."""
        return self._identity

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        """As `Scorer.score`."""
        return list((await self.score_and_report(focus, texts)).scores)

    async def score_and_report(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> ScoringResult:
        """As `Scorer.score`, with the batches that were sent and how often the queue was full."""
        if not texts:
            return ScoringResult((), self._identity)
        return await self._ask(focus.question, [text.whole for text in texts], self._options.timeout_s)

    async def check(self) -> None:
        """Score one pair: the only proof that the model lives, since readiness stays green when its process has ended.

        Raises:
            ModelUnavailable, ModelAnswerRejected: it does not.
        """
        await self._ask("Is it alive?", [new_text()], min(CHECK_TIMEOUT_S, self._options.timeout_s))

    async def close(self) -> None:
        """Close the connection."""
        await self._model.close()

    async def _ask(self, question: str, passages: Sequence[str], timeout_s: float) -> ScoringResult:
        facts = await self._model.facts(timeout_s=timeout_s)
        limit = self._options.max_text_tokens
        passages = [passage[: limit * CHARS_PER_TOKEN * _GENEROUS] for passage in passages]
        lengths = [estimate_tokens(question, passage, limit=limit) for passage in passages]
        batches = plan_batches(lengths, batch_tokens=self._options.batch_tokens, max_texts=facts.max_batch)
        requests: list[Columns] = [
            {"QUERY": [question] * len(batch), "PASSAGE": [passages[i] for i in batch]} for batch in batches
        ]
        inference = await self._model.infer(requests, "score", timeout_s=timeout_s)
        self._identity = ScorerIdentity("triton", facts.weights or MODEL, inference.version, max_batch=facts.max_batch)
        scores = [0.0] * len(passages)
        for batch, output in zip(batches, inference.outputs, strict=True):
            for i, score in zip(batch, to_scores(output.reshape(len(batch), -1).tolist(), facts), strict=True):
                scores[i] = score
        return ScoringResult(
            tuple(scores),
            self._identity,
            batch_sizes=tuple(map(len, batches)),
            queue_full=inference.faults.get(Fault.QUEUE_FULL, 0),
        )


def new_text() -> str:
    """A text never sent before: Triton's response cache goes on answering for a dead model."""
    return f"Sign of life {uuid4().hex}."


def to_scores(rows: Sequence[Sequence[float]], facts: ModelFacts) -> list[float]:
    """Scores in [0, 1]: the sigmoid of logits, probabilities as they are.

    Args:
        rows: shape (n, 1), what the model answered.
        facts: their parameter `score_kind` says which of the two it is; a logit when it says nothing.
    Raises:
        ModelAnswerRejected: another shape, not finite, or a probability outside [0, 1].
    """
    if any(len(row) != 1 for row in rows):
        raise ModelAnswerRejected(f"model {MODEL!r} answered {len(rows[0])} numbers per pair, not one")
    values = [float(row[0]) for row in rows]
    if not all(map(math.isfinite, values)):
        raise ModelAnswerRejected(f"model {MODEL!r} answered with a score that is not finite")
    if facts.parameters.get("score_kind", "logit") == "logit":
        return [sigmoid(value) for value in values]
    if not all(0 <= value <= 1 for value in values):
        raise ModelAnswerRejected(f"model {MODEL!r} answered a probability outside [0, 1]")
    return values


def sigmoid(logit: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    power = math.exp(logit)
    return power / (1 + power)
