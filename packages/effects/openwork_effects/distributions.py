"""Quantiles and tails without SciPy: normal, Student's t, chi-squared, and the exact limits of a Poisson mean.

Equal to SciPy's within a relative 1e-9 over the ranges that are named; tests/unit/effects holds the comparison.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

_NORMAL = NormalDist()
_STEPS = 100_000
_TINY = 1e-300
_EXPANSION_FROM_DF = 2000.0
"""Over it the t expansion is exact to 1e-9 for tails down to 1e-15."""
_EXPANSION_FROM_COUNT = 10_000
"""Over it the expansion of the Poisson limits is exact to 1e-9, and as many terms are not worth their time."""


def upper_normal(tail: float) -> float:
    """z with P(Z > z) = tail, for tail in (0, 1)."""
    return -_NORMAL.inv_cdf(tail)


def normal_for(level: float) -> float:
    """z of a two-sided interval: 1.96 for 0.95."""
    return upper_normal((1 - level) / 2)


@lru_cache(maxsize=4096)
def upper_t(tail: float, degrees_of_freedom: float) -> float:
    """t with P(T > t) = tail.

    Args:
        tail: in [1e-15, 0.5].
        degrees_of_freedom: >= 1, not necessarily whole (Welch).
    Source: the tail is half an incomplete beta function (Abramowitz and Stegun 26.7.1, 26.5.8); from 2,000 degrees of
        freedom on the expansion 26.7.5.
    """
    if tail >= 0.5:
        return 0.0
    if degrees_of_freedom > _EXPANSION_FROM_DF:
        return _t_expansion(upper_normal(tail), degrees_of_freedom)
    return math.exp(rising_root(lambda x: tail - _t_tail(math.exp(x), degrees_of_freedom), -80.0, 80.0))


def t_for(level: float, degrees_of_freedom: float) -> float:
    """t of a two-sided interval: 2.228 for 0.95 and 10 degrees of freedom."""
    return upper_t((1 - level) / 2, degrees_of_freedom)


def t_tail(t: float, degrees_of_freedom: float) -> float:
    """P(|T| > |t|), the two-sided p value of a t statistic, in [0, 1].

    Args:
        degrees_of_freedom: >= 1.
    """
    return min(1.0, 2 * _t_tail(abs(t), degrees_of_freedom)) if t else 1.0


def chi_squared_tail(value: float, degrees_of_freedom: int) -> float:
    """P(X > value), the p value of a chi-squared statistic, in [0, 1].

    Args:
        degrees_of_freedom: >= 1.
    Source: the incomplete gamma function (Abramowitz and Stegun 26.4.19).
    """
    return min(1.0, max(0.0, _gamma_over(value / 2, degrees_of_freedom / 2)))


def poisson_limits(events: int, level: float) -> tuple[float, float]:
    """Exact (central) limits of the mean of a Poisson count.

    Args:
        events: in [0, 10**10].
    Returns:
        (low, high); low is 0 for no events.
    Source: Garwood 1936, DOI 10.1093/biomet/28.3-4.437; from 10,000 events on the expansion of the gamma quantile of
        Cornish and Fisher 1938, DOI 10.2307/1400905.
    """
    tail = (1 - level) / 2
    low = 0.0 if events == 0 else _gamma_quantile(float(events), tail, lower=True)
    return low, _gamma_quantile(events + 1.0, tail, lower=False)


def rising_root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function is zero: halved until the middle no longer moves."""
    while True:
        middle = (low + high) / 2
        if not low < middle < high or high - low <= 1e-15 * max(abs(low), abs(high)):
            return middle
        if rising(middle) < 0:
            low = middle
        else:
            high = middle


def _t_tail(t: float, df: float) -> float:
    """P(T > t) for t > 0."""
    t_squared = t * t
    x, complement = df / (df + t_squared), t_squared / (df + t_squared)
    return _incomplete_beta(x, complement, df / 2, 0.5) / 2


def _incomplete_beta(x: float, complement: float, a: float, b: float) -> float:
    """I_x(a, b), `complement` being 1 - x without its rounding."""
    if x <= 0.0 or complement <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(complement)
    front = math.exp(log_front) if log_front > -745 else 0.0
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a
    return 1 - front * _beta_fraction(complement, b, a) / b


def _beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's method."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d, c = 1 / _away(1 + term * d), _away(1 + term / c)
            result *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return result


def _away(value: float) -> float:
    """`value`, never zero."""
    return value if abs(value) > _TINY else _TINY


def _t_expansion(z: float, df: float) -> float:
    s = z * z
    first = z * (s + 1) / 4
    second = z * (s * (5 * s + 16) + 3) / 96
    third = z * (s * (s * (3 * s + 19) + 17) - 15) / 384
    fourth = z * (s * (s * (s * (79 * s + 776) + 1482) - 1920) - 945) / 92160
    return z + first / df + second / df**2 + third / df**3 + fourth / df**4


def _gamma_quantile(shape: float, tail: float, *, lower: bool) -> float:
    """Quantile of a gamma distribution of scale 1 that has `tail` under it (lower) or over it."""
    z = upper_normal(tail) * (-1 if lower else 1)
    guess = _gamma_expansion(z, shape)
    if shape >= _EXPANSION_FROM_COUNT:
        return guess
    highest = 2 * max(guess, shape) + 60
    if lower:
        return math.exp(rising_root(lambda x: _gamma_under(math.exp(x), shape) - tail, -80.0, math.log(highest)))
    return rising_root(lambda x: tail - _gamma_over(x, shape), 0.0, highest)


def _gamma_expansion(z: float, shape: float) -> float:
    root = math.sqrt(shape)
    return (
        shape
        + z * root
        + (z * z - 1) / 3
        + (z**3 - 7 * z) / (36 * root)
        - (3 * z**4 + 7 * z * z - 16) / (810 * shape)
        + (9 * z**5 + 256 * z**3 - 433 * z) / (38880 * shape * root)
    )


def _gamma_under(x: float, shape: float) -> float:
    """P(G < x): the series where it is fast, the fraction elsewhere."""
    if x <= 0:
        return 0.0
    return _gamma_series(x, shape) if x < shape + 1 else 1 - _gamma_fraction(x, shape)


def _gamma_over(x: float, shape: float) -> float:
    """P(G > x), with its own precision in the tail."""
    if x <= 0:
        return 1.0
    return _gamma_fraction(x, shape) if x >= shape + 1 else 1 - _gamma_series(x, shape)


def _gamma_front(x: float, shape: float) -> float:
    log_front = shape * math.log(x) - x - math.lgamma(shape)
    return math.exp(log_front) if log_front > -745 else 0.0


def _gamma_series(x: float, shape: float) -> float:
    term = total = 1 / shape
    for n in range(1, _STEPS):
        term *= x / (shape + n)
        total += term
        if term < total * 1e-17:
            break
    return total * _gamma_front(x, shape)


def _gamma_fraction(x: float, shape: float) -> float:
    """Abramowitz and Stegun 6.5.31, by Lentz's method."""
    b = x + 1 - shape
    c, d = 1 / _TINY, 1 / _away(b)
    result = d
    for n in range(1, _STEPS):
        term, b = -n * (n - shape), b + 2
        d, c = 1 / _away(term * d + b), _away(b + term / c)
        result *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return result * _gamma_front(x, shape)
