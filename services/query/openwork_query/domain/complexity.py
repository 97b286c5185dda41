"""How many things a question asks about at once."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.question import Entity, EntityKind, Pico

from openwork_query.domain.thresholds import COMPLEXITY


def complexity_of(
    question: str, entities: Sequence[Entity], pico: Pico, *, n_qualifiers: int, compares: bool, guidance: bool
) -> float:
    """A number in [0, 1]: below 0.5 simple, below 0.8 moderate, above several fields; see `ComplexityWeights`."""
    weights = COMPLEXITY
    names = {e.name for e in entities}
    kinds = {e.kind for e in entities}
    diseases = {e.name for e in entities if e.kind is EntityKind.DISEASE}
    score = weights.base
    score += min(weights.per_entity * max(0, len(names) - 1), 4 * weights.per_entity)
    score += weights.per_kind * max(0, len(kinds) - 1)
    score += min(weights.per_disease * max(0, len(diseases) - 1), 2 * weights.per_disease)
    score += weights.comparison * (compares or bool(pico.comparison))
    score += min(weights.qualifier * n_qualifiers, 2 * weights.qualifier)
    score += (
        weights.outcome * bool(pico.outcome)
        + weights.guidance * guidance
        + weights.long * (len(question.split()) > weights.long_words)
    )
    return round(min(score, 1.0), 2)
