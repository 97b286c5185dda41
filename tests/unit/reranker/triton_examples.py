"""What the tests of model scorers share."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.errors import ModelUnavailable
from openwork_reranker.domain.focus import QuestionFocus, focus_of_text
from openwork_reranker.domain.results import ScoringResult
from openwork_reranker.domain.scoring import ScorableText, ScorerIdentity

FOCUS: QuestionFocus = focus_of_text("Does apixaban lower the risk of stroke?")


def texts_of_lengths(*lengths: int) -> list[ScorableText]:
    """Texts without a title; text i begins with its number, so that no two are the same."""
    return [ScorableText("", f"{i} ".ljust(length, "x")) for i, length in enumerate(lengths)]


class ScriptedScorer:
    """A primary whose next calls are scripted: an error to raise, or `None` to answer 0.9 for every text."""

    identity = ScorerIdentity("triton", "test/cross-encoder", "3")

    def __init__(self, *script: Exception | None) -> None:
        self.script = list(script)
        self.checks: list[Exception | None] = []
        self.n_scored = 0
        self.n_checked = 0

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        """See `Scorer.score`."""
        return list((await self.score_and_report(focus, texts)).scores)

    async def score_and_report(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> ScoringResult:
        """The next line of the script."""
        self.n_scored += 1
        wrong = self.script.pop(0) if self.script else None
        if wrong is not None:
            raise wrong
        return ScoringResult((0.9,) * len(texts), self.identity, batch_sizes=(len(texts),))

    async def check(self) -> None:
        """The next line of the checks' script."""
        self.n_checked += 1
        wrong = self.checks.pop(0) if self.checks else None
        if wrong is not None:
            raise wrong


def down() -> ModelUnavailable:
    """What a scorer raises when its server is away."""
    return ModelUnavailable("Triton gave no answer of model 'reranker': it cannot be reached")


class ForgetfulScores:
    """A `ScoreStore` that keeps nothing."""

    async def get(self, key: str) -> bytes | None:
        """Nothing is known."""
        return None

    async def put(self, key: str, value: bytes) -> None:
        """Forgotten at once."""
