"""A scorer that never leaves a run without scores: the model while it answers, another scorer while it does not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Protocol

from openwork_contracts.errors import ModelAnswerRejected, ModelUnavailable, OpenWorkError

from openwork_reranker.domain.focus import QuestionFocus
from openwork_reranker.domain.results import ReportingScorer, ScoringResult, score_and_report
from openwork_reranker.domain.scoring import ScorableText, Scorer, ScorerIdentity

log = logging.getLogger(__name__)

RETRY_AFTER_S = 15.0
"""A server that restarts needs 8 to 10 s with its models; asking earlier costs every run a deadline."""


class CheckedScorer(ReportingScorer, Protocol):
    """A scorer behind which a server stands."""

    async def check(self) -> None:
        """Whether it lives, cheaply; raises as `score` does."""


class FallbackScorer:
    """The primary scorer, or the stand-in with a degradation that the reader sees.

    A primary that was unavailable is left alone for a while and then asked for one pair before it gets real work again.
    An answer that was rejected concerns its own input, so the next call is not held back.
    """

    def __init__(
        self,
        primary: CheckedScorer,
        stand_in: Scorer,
        *,
        retry_after_s: float = RETRY_AFTER_S,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._primary = primary
        self._stand_in = stand_in
        self._retry_after_s = retry_after_s
        self._clock = clock
        self._down_until: float | None = None
        """Earliest time of the next try; `None` = the last call was answered."""
        self._check = asyncio.Lock()
        self._why = ""

    @property
    def identity(self) -> ScorerIdentity:
        """The primary's; what a call really used is in its report."""
        return self._primary.identity

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        """As `Scorer.score`; fails only if the stand-in does."""
        return list((await self.score_and_report(focus, texts)).scores)

    async def score_and_report(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> ScoringResult:
        """As `Scorer.score`, saying who scored and why it was not the primary."""
        if await self._may_ask():
            try:
                return await self._primary.score_and_report(focus, texts)
            except ModelUnavailable as error:
                self._leave_alone(error)
            except ModelAnswerRejected as error:
                self._why = str(error)
                log.warning("the model's answer was rejected: %s", error)
        result = await score_and_report(self._stand_in, focus, texts)
        words = f"{_name(result.identity)} ranked instead of the model: {self._why}"
        return ScoringResult(result.scores, result.identity, degradation=words, from_cache=result.from_cache)

    async def _may_ask(self) -> bool:
        if self._down_until is None:
            return True
        if self._clock() < self._down_until or self._check.locked():
            return False
        async with self._check:
            try:
                await self._primary.check()
            except OpenWorkError as error:
                self._leave_alone(error)
                return False
        self._down_until = None
        log.info("the model answers again")
        return True

    def _leave_alone(self, error: OpenWorkError) -> None:
        self._why = str(error)
        self._down_until = self._clock() + self._retry_after_s
        log.warning("the model is left alone for %s s: %s", self._retry_after_s, error)


def _name(identity: ScorerIdentity) -> str:
    return "The lexical scorer" if identity.name == "lexical" else f"The local scorer ({identity.name})"
