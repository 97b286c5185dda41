"""A cross-encoder for natural language inference on Triton as judge: any, under the name that the settings give.

The model takes the texts `PREMISE` and `HYPOTHESIS` and answers one number per label as `logits`; its parameter
`score_kind` says whether these are logits or probabilities (triton_models/nli). It sees a few sentences of a source at
a time and names no arm: what it quotes is checked as anybody's quotation is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from openwork_bus.figures import Figures
from openwork_contracts.errors import FailureReason, ModelAnswerRejected, ModelUnavailable
from openwork_contracts.verdict import EvidenceItem
from openwork_llm.client import RunOfModel
from openwork_serving.availability import RETRY_AFTER_S, Availability
from openwork_serving.batching import CHARS_PER_TOKEN, estimate_tokens, plan_batches
from openwork_serving.client import Columns, ServedModel, TritonOptions
from openwork_serving.numbers import new_text, to_shares

from openwork_verifier.domain.judging.answers import JudgedAnswer, Judgement
from openwork_verifier.domain.judging.premises import Premise, hypothesis_of, premises_of
from openwork_verifier.domain.judging.questions import QuestionedClaim
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds

CHECK_TIMEOUT_S = 2.0
"""For the one pair that shows whether the model lives."""
ENTAILMENT, CONTRADICTION = "entailment", "contradiction"
_GENEROUS = 3
"""Texts are cut only where no tokenizer could read as far: at so many times the usual characters per token."""
Pair = tuple[str, str]
"""Premise and hypothesis."""


@dataclass(frozen=True, slots=True)
class NliOptions:
    """Which model, and what its numbers mean."""

    model: str
    labels: tuple[str, ...] = ("entailment", "neutral", "contradiction")
    """In the order of its numbers; `entailment` is among them, and `contradiction` where it tells that apart."""
    entailed: float = 0.9
    contradicted: float = 0.95
    doubted: float = 0.1
    max_pairs: int = 32
    """Most pairs of one request; the model's own limit may be lower."""
    sentences: int = 5
    """Sentences of the sources that are read for one claim, each alone and with either neighbour."""
    reserve_s: float = 5.0
    """Left of the run's time: the answer is put together in it."""
    retry_after_s: float = RETRY_AFTER_S


class NliJudge:
    """`Judge` over one served model. A server that failed is left alone for a while."""

    def __init__(
        self,
        triton: TritonOptions,
        options: NliOptions,
        *,
        thresholds: GateThresholds = THRESHOLDS,
        figures: Figures | None = None,
    ) -> None:
        self._triton = triton
        self._options = options
        self._thresholds = thresholds
        self._model = ServedModel(options.model, triton, figures)
        self._available = Availability(self.check, retry_after_s=options.retry_after_s)

    @property
    def name(self) -> str:
        """As readers are told."""
        return f"the inference model {self._options.model!r}"

    async def judge(
        self,
        claims: Sequence[QuestionedClaim],
        items: Sequence[EvidenceItem],
        run: RunOfModel,
        *,
        deadline_at: datetime | None,
    ) -> Sequence[JudgedAnswer]:
        """As `Judge.judge`. A question between the thresholds has no answer."""
        timeout_s = self._time_left(deadline_at)
        if not await self._available.may_ask():
            raise ModelUnavailable(f"the model is left alone for a while: {self._available.why}")
        asked = await asyncio.to_thread(self._asked, claims, {item.n: item for item in items})
        pairs = list(
            dict.fromkeys((words, hypothesis) for _, _, premises, hypothesis in asked for _, words in premises)
        )
        attributes: dict[str, str | int] = {
            "openwork.scorer.name": self._options.model,
            "openwork.nli.pairs": len(pairs),
        }
        try:
            with run.telemetry.span("judge claims", "EVALUATOR", attributes):
                shares = dict(zip(pairs, await self._infer(pairs, timeout_s), strict=True))
        except ModelUnavailable as error:
            self._available.leave_alone(error)
            raise
        found = [
            self._answer(claim, question, premises, hypothesis, shares)
            for claim, question, premises, hypothesis in asked
        ]
        return [answer for answer in found if answer is not None]

    async def has_judged(self, run: RunOfModel) -> bool:
        """As `Judge.has_judged`: asking again costs nothing and gives the same."""
        return False

    async def check(self) -> None:
        """One new pair: the only proof that the model lives, since readiness stays green when its process has ended."""
        await self._infer([(new_text(), "It is alive.")], min(CHECK_TIMEOUT_S, self._triton.timeout_s))

    async def close(self) -> None:
        """Close the connection."""
        await self._model.close()

    def _time_left(self, deadline_at: datetime | None) -> float:
        if deadline_at is None:
            return self._triton.timeout_s
        left_s = (deadline_at - datetime.now(UTC)).total_seconds() - self._options.reserve_s
        if left_s <= 0:
            raise ModelUnavailable("too little time is left before the run's deadline", reason=FailureReason.TIMEOUT)
        return min(self._triton.timeout_s, left_s)

    def _asked(
        self, claims: Sequence[QuestionedClaim], items: Mapping[int, EvidenceItem]
    ) -> list[tuple[int, int, tuple[Premise, ...], str]]:
        """Claim, question, premises and hypothesis of everything that is asked."""
        asked = []
        for one in claims:
            premises = premises_of(one.claim, items, sentences=self._options.sentences, thresholds=self._thresholds)
            asked += [(one.id, q.id, premises, hypothesis_of(one.claim, q)) for q in one.questions]
        return asked

    async def _infer(self, pairs: Sequence[Pair], timeout_s: float) -> list[tuple[float, float]]:
        """Shares of entailment and contradiction of each pair.

        Raises:
            ModelUnavailable, ModelAnswerRejected: there is no answer, or none of the model's shape.
        """
        if not pairs:
            return []
        facts = await self._model.facts(timeout_s=timeout_s)
        limit = self._triton.max_text_tokens
        cut = [tuple(text[: limit * CHARS_PER_TOKEN * _GENEROUS] for text in pair) for pair in pairs]
        lengths = [estimate_tokens(*pair, limit=limit) for pair in cut]
        most = min(facts.max_batch, self._options.max_pairs)
        batch_tokens = self._triton.batch_tokens or facts.batch_tokens
        batches = plan_batches(lengths, batch_tokens=batch_tokens, max_texts=most)
        requests: list[Columns] = [
            {"PREMISE": [cut[i][0] for i in batch], "HYPOTHESIS": [cut[i][1] for i in batch]} for batch in batches
        ]
        inference = await self._model.infer(requests, "logits", timeout_s=timeout_s)
        shares = [(0.0, 0.0)] * len(pairs)
        for batch, output in zip(batches, inference.outputs, strict=True):
            if output.ndim != 2:
                raise ModelAnswerRejected(
                    f"model {self._options.model!r} answered shape {output.shape}, not one row per pair"
                )
            rows = to_shares(self._options.model, output.tolist(), len(self._options.labels), facts)
            for i, row in zip(batch, rows, strict=True):
                shares[i] = self._by_label(row)
        return shares

    def _by_label(self, row: Sequence[float]) -> tuple[float, float]:
        by_label = dict(zip(self._options.labels, row, strict=True))
        return by_label[ENTAILMENT], by_label.get(CONTRADICTION, 0.0)

    def _answer(
        self,
        claim: int,
        question: int,
        premises: Sequence[Premise],
        hypothesis: str,
        shares: Mapping[Pair, tuple[float, float]],
    ) -> JudgedAnswer | None:
        """The premise that entails most decides; one that contradicts only where none entails."""
        if not premises:
            return None
        said = [(shares[words, hypothesis], n, words) for n, words in premises]
        (entails, _), n, words = max(said, key=lambda one: one[0][0])
        if entails >= self._options.entailed:
            return JudgedAnswer(claim, question, Judgement.ENTAILED, n, words)
        (_, contradicts), against_n, against = max(said, key=lambda one: one[0][1])
        if contradicts >= self._options.contradicted:
            return JudgedAnswer(claim, question, Judgement.CONTRADICTED, against_n, against)
        if entails <= self._options.doubted:
            return JudgedAnswer(claim, question, Judgement.NOT_ENTAILED, n, words)
        return None
