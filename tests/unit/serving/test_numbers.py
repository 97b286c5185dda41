"""Rows that a model answered become scores, or are refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.errors import ModelAnswerRejected
from openwork_serving.client import ModelFacts
from openwork_serving.numbers import softmax, to_scores, to_shares

LOGITS = ModelFacts("test", 8)
PROBABILITIES = ModelFacts("test", 8, {"score_kind": "probability"})


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5))
def test_shares_sum_up_to_one_and_keep_the_order(logits: list[float]) -> None:
    shares = softmax(logits)
    assert sum(shares) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in shares)
    assert shares[logits.index(max(logits))] == max(shares)


def test_logits_are_turned_and_probabilities_are_left() -> None:
    assert to_scores("m", [[0.0]], LOGITS) == [0.5]
    assert to_scores("m", [[0.25]], PROBABILITIES) == [0.25]
    assert to_shares("m", [[0.0, 0.0]], 2, LOGITS) == [[0.5, 0.5]]
    assert to_shares("m", [[0.25, 0.75]], 2, PROBABILITIES) == [[0.25, 0.75]]


@pytest.mark.parametrize(
    ("rows", "facts"),
    [
        ([[1.0, 2.0, 3.0]], LOGITS),
        ([[1.0]], LOGITS),
        ([[1.0, math.nan]], LOGITS),
        ([[1.0, math.inf]], LOGITS),
        ([[0.5, 0.6]], PROBABILITIES),
        ([[-0.5, 1.5]], PROBABILITIES),
    ],
)
def test_other_shapes_and_numbers_are_refused(rows: list[list[float]], facts: ModelFacts) -> None:
    with pytest.raises(ModelAnswerRejected, match="'m'"):
        to_shares("m", rows, 2, facts)
