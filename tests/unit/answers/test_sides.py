"""Whether a result compares what a question compares: its two sides, and titles of pooled results that have none."""

from __future__ import annotations

import pytest
from openwork_answers.sides import Sides, sides_of
from openwork_contracts.conclusion import Fit

from tests.unit.answers.made import question


@pytest.mark.parametrize(
    ("asked", "title", "fit"),
    [
        ("Does dipyridamole reduce death after stroke?",
         "Dipyridamole plus aspirin versus aspirin alone after stroke: a meta-analysis", Fit.WIDER),
        # what both sides have is not what is compared
        ("Does aspirin reduce death after stroke?",
         "Dipyridamole plus aspirin versus aspirin alone after stroke: a meta-analysis", Fit.OTHER),
        ("Does aspirin reduce death after stroke?", "Aspirin after stroke: a meta-analysis of trials", Fit.ASKED),
        # of two given together a title that names one tells nothing
        ("Does aspirin plus dipyridamole reduce death after stroke?",
         "Aspirin after stroke: a meta-analysis of trials", Fit.OTHER),
    ],
)  # fmt: skip
def test_a_pooled_result_is_of_what_its_title_sets_against_something(asked: str, title: str, fit: Fit) -> None:
    assert sides_of(question(asked), (), title) == Sides(fit)
