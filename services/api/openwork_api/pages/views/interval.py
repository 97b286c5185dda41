"""The interval of a relative effect as a small picture: where it lies beside "no difference"."""

from __future__ import annotations

import math
from dataclasses import dataclass

from openwork_answers.figures_in_words import effect_in_words, short_arm
from openwork_contracts.conclusion import StudyResult
from openwork_contracts.measures import RATIOS

WIDTH = 400
_LEAST = math.log(2.0)


@dataclass(frozen=True, slots=True)
class Interval:
    """Places on a logarithmic line of `WIDTH` units, "no difference" in its middle."""

    low: float
    high: float
    at: float
    left: str
    """What the left side means, where that is known."""
    right: str
    words: str


def interval_of(result: StudyResult) -> Interval | None:
    """`None` where there is no ratio with both ends."""
    effect = result.effect
    if effect is None or effect.measure.upper() not in RATIOS or effect.ci_low is None or effect.ci_high is None:
        return None
    if not 0 < effect.ci_low <= effect.estimate <= effect.ci_high < math.inf:
        return None
    low, at, high = (math.log(value) for value in (effect.ci_low, effect.estimate, effect.ci_high))
    reach = max(_LEAST, abs(low), abs(high)) * 1.15
    low, high, at = (round(WIDTH / 2 * (1 + value / reach), 1) for value in (low, high, at))
    arm = short_arm(result.comparison[0]) if len(result.comparison) == 2 else ""
    left, right = (f"fewer with {arm}", f"more with {arm}") if arm else ("fewer", "more")
    return Interval(low, high, at, left=left, right=right, words=f"{effect_in_words(effect)}; 1 is no difference")
