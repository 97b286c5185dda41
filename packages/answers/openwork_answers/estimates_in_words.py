"""Computed effects as they are printed: in the summary of a review, its tables and its forest plots."""

from __future__ import annotations

from openwork_contracts.tabulation import EffectValue


def estimate_in_words(effect: EffectValue) -> str:
    """ "0.74 (95 % CI 0.65 to 0.85)"."""
    return f"{figure(effect.value)} ({100 * effect.level:g} % CI {figure(effect.low)} to {figure(effect.high)})"


def figure(value: float) -> str:
    """Two decimals; two digits where two decimals would leave less."""
    return f"{value:.2f}" if abs(value) >= 0.095 or value == 0 else f"{value:.2g}"
