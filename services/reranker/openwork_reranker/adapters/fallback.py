"""A scorer that never leaves a run without scores: the model while it answers, another scorer while it does not."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Protocol

from openwork_contracts.errors import ModelAnswerRejected, ModelUnavailable
from openwork_serving.availability import RETRY_AFTER_S, Availability

from openwork_reranker.domain.focus import QuestionFocus
from openwork_reranker.domain.results import ReportingScorer, ScoringResult, score_and_report
from openwork_reranker.domain.scoring import ScorableText, Scorer, ScorerIdentity

log = logging.getLogger(__name__)


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
        self._available = Availability(primary.check, retry_after_s=retry_after_s, clock=clock)

    @property
    def identity(self) -> ScorerIdentity:
        """The primary's; what a call really used is in its report."""
        return self._primary.identity

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        """As `Scorer.score`; fails only if the stand-in does."""
        return list((await self.score_and_report(focus, texts)).scores)

    async def score_and_report(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> ScoringResult:
        """As `Scorer.score`, saying who scored and why it was not the primary."""
        if await self._available.may_ask():
            try:
                return await self._primary.score_and_report(focus, texts)
            except ModelUnavailable as error:
                self._available.leave_alone(error)
            except ModelAnswerRejected as error:
                self._available.why = str(error)
                log.warning("the model's answer was rejected: %s", error)
        result = await score_and_report(self._stand_in, focus, texts)
        words = f"{_name(result.identity)} ranked instead of the model: {self._available.why}"
        return ScoringResult(result.scores, result.identity, degradation=words, from_cache=result.from_cache)


def _name(identity: ScorerIdentity) -> str:
    return "The lexical scorer" if identity.name == "lexical" else f"The local scorer ({identity.name})"
