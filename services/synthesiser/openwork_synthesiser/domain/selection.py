"""Which sentences to say, in which order, so that nothing is said twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from openwork_synthesiser.domain.statements import Statement
from openwork_synthesiser.domain.thresholds import SynthesisLimits

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def n_words(text: str) -> int:
    """Words as the answer's limit counts them."""
    return len(text.split())


def overlap(a: Statement, b: Statement) -> float:
    """Shared words over words of the shorter sentence."""
    shorter = min(len(a.tokens), len(b.tokens))
    return len(a.tokens & b.tokens) / shorter if shorter else 0.0


def figures(statement: Statement) -> frozenset[str]:
    """Its numbers as printed, without thousands separators."""
    return frozenset(_NUMBER.findall(statement.verbatim.replace(",", "")))


def likeness(a: Statement, b: Statement) -> float:
    """Shared words over all words of both (Jaccard)."""
    shared = len(a.tokens & b.tokens)
    union = len(a.tokens) + len(b.tokens) - shared
    return shared / union if union else 0.0


def is_repeated(statement: Statement, used: Iterable[Statement], limits: SynthesisLimits) -> bool:
    """Whether what is used already says this in nearly the same words.

    Two documents that give different figures report two results, however alike their words.
    """
    for other in used:
        if statement.verbatim == other.verbatim:
            return True
        if statement.n == other.n:
            if overlap(statement, other) >= limits.duplicate:
                return True
        elif figures(statement) == figures(other) and overlap(statement, other) >= limits.duplicate_elsewhere:
            return True
    return False


def select(
    statements: Sequence[Statement],
    used: Sequence[Statement],
    limits: SynthesisLimits,
    *,
    max_claims: int,
    max_words: int,
    diversity: float | None = None,
) -> list[Statement]:
    """The best statements by maximal marginal relevance, within the budget, one per document.

    Args:
        used: what stands before them and is not used again.
        diversity: instead of that of the limits.
    """
    weight = limits.diversity if diversity is None else diversity
    chosen: list[Statement] = []
    left = list(statements)
    while left and len(chosen) < max_claims:
        before = [*used, *chosen]
        best = max(left, key=lambda s: (_marginal(s, before, weight), s.relevance, -s.n, s.verbatim))
        left.remove(best)
        words = sum(n_words(s.text) for s in chosen) + n_words(best.text)
        if words > max_words or any(s.n == best.n for s in chosen):
            continue
        if not is_repeated(best, before, limits):
            chosen.append(best)
    return chosen


def _marginal(statement: Statement, before: Sequence[Statement], weight: float) -> float:
    closest = max((likeness(statement, other) for other in before), default=0.0)
    return statement.relevance - weight * closest
