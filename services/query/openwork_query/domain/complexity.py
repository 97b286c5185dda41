"""How many things a question asks about at once."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.question import Entity, EntityKind, Pico

BASE = 0.2
PER_ENTITY = 0.1
PER_KIND = 0.05
PER_DISEASE = 0.05
COMPARISON = 0.15
QUALIFIER = 0.1
OUTCOME = 0.05
GUIDANCE = 0.1
LONG_WORDS = 30
LONG = 0.1


def complexity_of(
    question: str, entities: Sequence[Entity], pico: Pico, *, n_qualifiers: int, compares: bool, guidance: bool
) -> float:
    """A number in [0, 1]: below 0.5 simple, below 0.8 moderate, above several fields at once.

    0.2 + 0.1 per entity after the first (at most 0.4) + 0.05 per further kind of entity + 0.05 per disease after the
    first (at most 0.1) + 0.15 for a comparison + 0.1 per numeric qualifier (at most 0.2) + 0.05 for a stated outcome
    + 0.1 for guidance of a country or body + 0.1 for more than 30 words; cut at 1. Our own weights, set so that the
    bands of the design ("one topic", "a comparison", "several fields") come out apart; not fitted to data.
    """
    names = {e.name for e in entities}
    kinds = {e.kind for e in entities}
    diseases = {e.name for e in entities if e.kind is EntityKind.DISEASE}
    score = BASE
    score += min(PER_ENTITY * max(0, len(names) - 1), 4 * PER_ENTITY)
    score += PER_KIND * max(0, len(kinds) - 1)
    score += min(PER_DISEASE * max(0, len(diseases) - 1), 2 * PER_DISEASE)
    score += COMPARISON * (compares or bool(pico.comparison))
    score += min(QUALIFIER * n_qualifiers, 2 * QUALIFIER)
    score += OUTCOME * bool(pico.outcome) + GUIDANCE * guidance + LONG * (len(question.split()) > LONG_WORDS)
    return round(min(score, 1.0), 2)
