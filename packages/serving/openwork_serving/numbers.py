"""Rows of numbers that a model answered, as scores; what cannot be a score is refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from uuid import uuid4

from openwork_contracts.errors import ModelAnswerRejected

from openwork_serving.client import ModelFacts

_SUM_TOLERANCE = 0.01
"""By how much probabilities may miss a sum of 1; half precision misses it by a thousandth."""


def new_text() -> str:
    """A text never sent before: Triton's response cache goes on answering for a dead model."""
    return f"Sign of life {uuid4().hex}."


def to_scores(model: str, rows: Sequence[Sequence[float]], facts: ModelFacts) -> list[float]:
    """One score in [0, 1] per row: the sigmoid of logits, probabilities as they are.

    Args:
        rows: shape (n, 1), what the model answered.
        facts: their parameter `score_kind` says which of the two it is; a logit when it says nothing.
    Raises:
        ModelAnswerRejected: another shape, not finite, or a probability outside [0, 1].
    """
    values = [row[0] for row in _checked(model, rows, 1, facts)]
    return [sigmoid(value) for value in values] if _are_logits(facts) else values


def to_shares(model: str, rows: Sequence[Sequence[float]], width: int, facts: ModelFacts) -> list[list[float]]:
    """Probabilities of `width` classes per row: the softmax of logits, probabilities as they are.

    Args:
        rows: shape (n, width), what the model answered.
        facts: as for `to_scores`.
    Raises:
        ModelAnswerRejected: another shape, not finite, or probabilities that are none.
    """
    checked = _checked(model, rows, width, facts)
    if _are_logits(facts):
        return [softmax(row) for row in checked]
    if any(abs(sum(row) - 1) > _SUM_TOLERANCE for row in checked):
        raise ModelAnswerRejected(f"model {model!r} answered probabilities that do not sum up to 1")
    return checked


def _are_logits(facts: ModelFacts) -> bool:
    return facts.parameters.get("score_kind", "logit") == "logit"


def _checked(model: str, rows: Sequence[Sequence[float]], width: int, facts: ModelFacts) -> list[list[float]]:
    wrong = next((row for row in rows if len(row) != width), None)
    if wrong is not None:
        wanted = "one" if width == 1 else str(width)
        raise ModelAnswerRejected(f"model {model!r} answered {len(wrong)} numbers per pair, not {wanted}")
    numbers = [[float(value) for value in row] for row in rows]
    if not all(math.isfinite(value) for row in numbers for value in row):
        raise ModelAnswerRejected(f"model {model!r} answered with a score that is not finite")
    if not _are_logits(facts) and not all(0 <= value <= 1 for row in numbers for value in row):
        raise ModelAnswerRejected(f"model {model!r} answered a probability outside [0, 1]")
    return numbers


def sigmoid(logit: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    power = math.exp(logit)
    return power / (1 + power)


def softmax(logits: Sequence[float]) -> list[float]:
    """e^x of each over their sum, without overflow."""
    top = max(logits)
    powers = [math.exp(value - top) for value in logits]
    total = sum(powers)
    return [power / total for power in powers]
