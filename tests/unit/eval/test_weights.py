"""How the weights of what is likely to be asked for are learned, on choices whose weights are known."""

from __future__ import annotations

import random

import pytest
from openwork_answers.likelihood import probabilities

from tests.eval.answers.weights import Choice, calibration, learned

TRUE = {"near": 2.0, "far": -1.0, "nothing": 0.0}


def drawn(n: int) -> list[Choice]:
    """Choices of four, the right one drawn by the probabilities of the true weights."""
    chance = random.Random(7)
    choices = []
    for _ in range(n):
        rows = [{name: chance.uniform(-1, 1) for name in TRUE} for _ in range(4)]
        right = chance.choices(range(4), probabilities(rows, TRUE))[0]
        choices.append(Choice([dict(row) for row in rows], [i == right for i in range(4)]))
    return choices


def test_the_weights_that_made_the_choices_are_found_again() -> None:
    found = learned(drawn(1500), tuple(TRUE))
    assert found == {name: pytest.approx(weight, abs=0.3) for name, weight in TRUE.items()}


def test_what_is_said_to_be_likely_comes_true_as_often() -> None:
    lines = list(calibration(drawn(1500), TRUE))
    for line in lines:
        n, likely, right = (float(part.split()[-1]) for part in line.split(": ")[1].split(", "))
        if n >= 100:
            assert right / n == pytest.approx(likely, abs=0.1)


def test_a_feature_that_is_the_same_everywhere_gets_no_weight() -> None:
    choices = [Choice([{"near": 1.0, "same": 3.0}, {"near": 0.0, "same": 3.0}], [True, False])] * 5
    assert learned(choices, ("near", "same"))["same"] == 0
