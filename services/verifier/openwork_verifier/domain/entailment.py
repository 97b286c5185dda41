"""The soft part of the gate: is a claim without a hard fault borne out, denied, or neither?

A softmax over the figures of `likeness`; `tests/eval/fidelity/fit.py` makes the coefficients. It never overrules a
check by rule: it only says whether words that differ may mean the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from openwork_verifier.domain.coefficients import COEFFICIENTS, CONSTANT
from openwork_verifier.domain.likeness import FEATURES, Likeness, values_of

_ENTAILED = tuple(COEFFICIENTS[name][0] for name in FEATURES)
_REFUTED = tuple(COEFFICIENTS[name][1] for name in FEATURES)


@dataclass(frozen=True, slots=True)
class EntailmentShares:
    """Shares that add up to 1. They order claims; they are no measured probabilities outside the fitted data."""

    entailed: float
    refuted: float
    neutral: float


def entailment_of(likeness: Likeness) -> EntailmentShares:
    """How the figures weigh."""
    values = values_of(likeness)
    entailed = CONSTANT[0] + sum(c * v for c, v in zip(_ENTAILED, values, strict=True))
    refuted = CONSTANT[1] + sum(c * v for c, v in zip(_REFUTED, values, strict=True))
    top = max(entailed, refuted, 0.0)
    powers = (math.exp(entailed - top), math.exp(refuted - top), math.exp(-top))
    total = sum(powers)
    return EntailmentShares(*(p / total for p in powers))
