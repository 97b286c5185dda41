"""An effect, or "significant", over figures that show none."""

from __future__ import annotations

import pytest
from openwork_contracts.verdict import ReasonCode, Verdict
from verdicts import judged

LITHIUM = (
    "Relapse occurred in 18% of the lithium group and 22% of the placebo group (P=0.34). "
    "Suicide attempts occurred in 2% of the lithium group and 6% of the placebo group (P=0.01). "
    "Weight gain was seen in 24% of the lithium group (HR 1.12, 95% CI 0.84 to 1.49)."
)
YOGA = "Pain scores fell with yoga in adults with back pain."


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Relapse did not differ between lithium and placebo (18% versus 22%).", LITHIUM),
        ("Suicide attempts were fewer with lithium than with placebo (2% versus 6%).", LITHIUM),
        ("Suicide attempts were significantly fewer with lithium than with placebo (2% versus 6%).", LITHIUM),
        ("Lithium did not increase weight gain (HR 1.12).", LITHIUM),
        ("Yoga lowered pain scores in adults with back pain.", YOGA),
    ],
)
def test_what_the_figures_show_is_supported(text: str, source: str) -> None:
    found = judged(text, source)
    assert found.verdict is Verdict.SUPPORTED, found.reasons


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Relapse was lower with lithium than with placebo (18% versus 22%).", LITHIUM),
        ("Relapse was significantly lower with lithium than with placebo (18% versus 22%).", LITHIUM),
        ("Lithium increased weight gain (HR 1.12).", LITHIUM),
        ("Yoga significantly lowered pain scores in adults with back pain.", YOGA),
    ],
)
def test_an_effect_that_the_figures_do_not_show_is_doubted(text: str, source: str) -> None:
    found = judged(text, source)
    assert {reason.code for reason in found.reasons} == {ReasonCode.NULL_RESULT}
    assert found.verdict is Verdict.NOT_CONFIRMED


def test_the_doubt_points_at_the_figure() -> None:
    found = judged("Relapse was lower with lithium than with placebo (18% versus 22%).", LITHIUM)
    assert all(reason.look_at is not None and "P=0.34" in reason.look_at.quote for reason in found.reasons)
