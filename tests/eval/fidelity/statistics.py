"""Wilson intervals and macro F1."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

_Z = 1.959963984540054  # two-sided 95%


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's 95% interval of a proportion (10.1080/01621459.1927.10502953)."""
    if n == 0:
        return 0.0, 1.0
    p = hits / n
    centre = p + _Z * _Z / (2 * n)
    half = _Z * math.sqrt(p * (1 - p) / n + _Z * _Z / (4 * n * n))
    return max(0.0, (centre - half) / (1 + _Z * _Z / n)), min(1.0, (centre + half) / (1 + _Z * _Z / n))


def share_line(name: str, hits: int, n: int) -> str:
    """One line of a report: name, share, interval, counts."""
    low, high = wilson(hits, n)
    share = hits / n if n else 0.0
    return f"{name:<26} {share:7.1%}  [{low:.1%}, {high:.1%}]  {hits}/{n}"


def macro_f1(pairs: Iterable[tuple[str, str]], labels: Sequence[str]) -> float:
    """Mean of the labels' F1 over (truth, said) pairs; a label never said and never true counts as 0."""
    counts = Counter(pairs)
    scores = []
    for label in labels:
        hit = counts[(label, label)]
        said = sum(n for (_, s), n in counts.items() if s == label)
        true = sum(n for (t, _), n in counts.items() if t == label)
        scores.append(2 * hit / (said + true) if said + true else 0.0)
    return sum(scores) / len(scores)


def confusion(pairs: Iterable[tuple[str, str]], truths: Sequence[str], said: Sequence[str]) -> str:
    """A table, a row per truth."""
    counts = Counter(pairs)
    lines = [" " * 14 + "".join(f"{s:>18}" for s in said)]
    lines += [f"{t:<14}" + "".join(f"{counts[(t, s)]:>18}" for s in said) for t in truths]
    return "\n".join(lines)
