"""What every check of a GPU asks and times: the same question, batches and bounds; imports nothing of ours."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

BUCKETS = (64, 128, 256, 512)
"""Tokens."""
BATCHES = (1, 8, 32, 64)
"""Pairs."""
QUESTION = "Does apixaban cause less major bleeding than warfarin?"
TF32 = 0.02
"""Largest difference of a logit: CUDA multiplies FP32 in TF32, 10 bits of mantissa as FP16 has, from Ampere on."""
_SENTENCE = "Major bleeding was rarer with apixaban than with warfarin, and stroke as rare. "
_LENGTHS = (1, 2, 3, 4, 6, 8, 11, 15, 20, 28, 60)
"""In sentences."""
PAIRS = tuple((QUESTION, _SENTENCE * n) for n in _LENGTHS)
"""One text in lengths of every bucket."""


def median_and_95th(values: Sequence[float]) -> tuple[float, float]:
    """Of at least one value; the 95th percentile is the nearest rank's."""
    ordered = sorted(values)
    return statistics.median(ordered), ordered[max(0, -(-95 * len(ordered) // 100) - 1)]
