"""Measures of effect as contracts and sources write them: letters, and what a reader is told they are."""

from __future__ import annotations

RATIOS = frozenset({"HR", "SHR", "RR", "OR", "IRR"})
"""No effect at 1."""
DIFFERENCES = frozenset({"RD", "ARR", "MD", "SMD"})
"""No effect at 0."""
REDUCTIONS = frozenset({"RRR", "VE"})
"""In percent, 100 x (1 - ratio): no effect at 0, above it fewer events."""
_WORDS = {
    "HR": "hazard ratio",
    "SHR": "subdistribution hazard ratio",
    "RR": "risk ratio",
    "OR": "odds ratio",
    "IRR": "incidence rate ratio",
    "RD": "risk difference",
    "ARR": "absolute risk reduction",
    "MD": "mean difference",
    "SMD": "standardised mean difference",
    "RRR": "relative reduction",
    "VE": "efficacy",
}


def measure_in_words(measure: str) -> str:
    """ "hazard ratio"; the letters where they are no measure's, "effect" where there are none."""
    return _WORDS.get(measure.upper(), measure or "effect")
