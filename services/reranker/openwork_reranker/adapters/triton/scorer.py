"""The cross-encoder on Triton: text pairs out, logits in, scores in [0, 1] to the caller."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_bus.figures import Figures
from openwork_serving.batching import CHARS_PER_TOKEN, estimate_tokens, plan_batches
from openwork_serving.client import Columns, ServedModel, TritonOptions
from openwork_serving.errors import Fault
from openwork_serving.numbers import new_text, to_scores

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

    def __init__(self, options: TritonOptions, figures: Figures | None = None) -> None:
        self._options = options
        self._model = ServedModel(MODEL, options, figures)
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
        batches = plan_batches(
            lengths, batch_tokens=self._options.batch_tokens or facts.batch_tokens, max_texts=facts.max_batch
        )
        requests: list[Columns] = [
            {"QUERY": [question] * len(batch), "PASSAGE": [passages[i] for i in batch]} for batch in batches
        ]
        inference = await self._model.infer(requests, "score", timeout_s=timeout_s)
        self._identity = ScorerIdentity(
            "triton",
            facts.weights or MODEL,
            inference.version,
            max_batch=facts.max_batch,
            minimum_score=facts.minimum_score,
        )
        scores = [0.0] * len(passages)
        for batch, output in zip(batches, inference.outputs, strict=True):
            for i, score in zip(batch, to_scores(MODEL, output.reshape(len(batch), -1).tolist(), facts), strict=True):
                scores[i] = score
        return ScoringResult(
            tuple(scores),
            self._identity,
            batch_sizes=tuple(map(len, batches)),
            queue_full=inference.faults.get(Fault.QUEUE_FULL, 0),
        )
