"""How far two who labelled the same records agree, and how many relevant ones may have been missed.

Both are told only where somebody else labelled: a model, a person. Without, they are "not estimated".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from openwork_contracts.screening import LabelAgreement


def agreement(first: Sequence[bool], second: Sequence[bool]) -> LabelAgreement:
    """Agreement of two on the same records, in the same order.

    Raises:
        ValueError: no records, or not as many of each.
    Source: Cohen 1960, DOI 10.1177/001316446002000104; Gwet 2008, DOI 10.1348/000711006X126600.
    """
    if not first or len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} labels: the same records are needed of both, one at least")
    n = len(first)
    same = sum(one is other for one, other in zip(first, second, strict=True)) / n
    p, q = sum(first) / n, sum(second) / n
    chance = p * q + (1 - p) * (1 - q)
    mean = (p + q) / 2
    chance_of_gwet = 2 * mean * (1 - mean)
    kappa = (same - chance) / (1 - chance) if chance < 1 else None
    ac1 = (same - chance_of_gwet) / (1 - chance_of_gwet)
    return LabelAgreement(n=n, share=same, kappa=kappa, ac1=ac1)


@dataclass(frozen=True, slots=True)
class Missed:
    """What a second reading of a random sample of the excluded says of all of them."""

    sampled: int
    relevant: int
    """Of the sample, by the second reading."""
    excluded: int
    at_most: int
    """Relevant records among all excluded: the one-sided upper limit."""
    level: float


def missed_at_most(relevant: int, sampled: int, excluded: int, level: float = 0.95) -> Missed:
    """An upper bound of the relevant records that were excluded, from a simple random sample of the excluded.

    The greatest number of relevant ones among all excluded under which so few in the sample are not rarer than
    1 - level: exact, from the hypergeometric distribution, since the sample is drawn without putting back.

    Args:
        relevant: in the sample.
        sampled: drawn at random from the excluded, >= 1.
        excluded: all of them.
        level: of the one-sided bound, in (0, 1).
    Raises:
        ValueError: not 0 <= relevant <= sampled <= excluded, nothing sampled, or the level.
    Source: Buonaccorsi 1987, American Statistician 41:215 (exact limits of a finite population).
    """
    if not 0 <= relevant <= sampled <= excluded or sampled < 1 or not 0 < level < 1:
        raise ValueError(f"{relevant} of {sampled} sampled of {excluded} excluded, level {level}: impossible")
    low, high = relevant, excluded - (sampled - relevant)
    while low < high:  # the probability falls with the number: halve
        middle = (low + high + 1) // 2
        if _at_most_in_sample(relevant, sampled, middle, excluded) > 1 - level:
            low = middle
        else:
            high = middle - 1
    return Missed(sampled, relevant, excluded, low, level)


def _at_most_in_sample(found: int, sampled: int, relevant: int, all_: int) -> float:
    """P(at most `found` of the relevant ones are in the sample)."""
    total = _log_choose(all_, sampled)
    least = max(0, sampled - (all_ - relevant))
    return math.fsum(
        math.exp(_log_choose(relevant, k) + _log_choose(all_ - relevant, sampled - k) - total)
        for k in range(least, min(found, relevant) + 1)
    )


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
