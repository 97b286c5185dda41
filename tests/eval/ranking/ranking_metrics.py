"""Ranking metrics and their bootstrap intervals."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence


def ndcg(ranking: Sequence[str], gains: Mapping[str, int], depth: int = 10) -> float:
    """Normalised discounted cumulative gain, gain 2^g - 1. Source: Burges 2005, DOI 10.1145/1102351.1102363."""
    found = sum((2 ** gains.get(c, 0) - 1) / math.log2(i + 2) for i, c in enumerate(ranking[:depth]))
    ideal = sorted(gains.values(), reverse=True)[:depth]
    best = sum((2**g - 1) / math.log2(i + 2) for i, g in enumerate(ideal))
    return found / best if best else 0.0


def reciprocal_rank(ranking: Sequence[str], gains: Mapping[str, int]) -> float:
    """1 / place of the first relevant candidate, 0 when there is none."""
    return next((1 / (i + 1) for i, c in enumerate(ranking) if gains.get(c, 0) > 0), 0.0)


def recall(ranking: Sequence[str], gains: Mapping[str, int], depth: int = 20) -> float:
    """Share of the relevant candidates among the first `depth`, of those that could stand there."""
    relevant = {c for c, g in gains.items() if g > 0}
    return len(relevant & set(ranking[:depth])) / min(len(relevant), depth) if relevant else 0.0


def mean_interval(values: Sequence[float], *, resamples: int = 1000, seed: int = 7) -> tuple[float, float, float]:
    """Mean and its 95% percentile bootstrap interval over questions: (mean, low, high)."""
    chooser = random.Random(seed)
    n = len(values)
    means = sorted(sum(chooser.choices(values, k=n)) / n for _ in range(resamples))
    return sum(values) / n, means[int(0.025 * resamples)], means[int(0.975 * resamples) - 1]
