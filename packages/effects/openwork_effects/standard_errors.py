"""The standard error behind a printed interval or p value."""

from __future__ import annotations

import math

from openwork_effects.checks import number, of_kind
from openwork_effects.distributions import normal_for, t_for, upper_normal, upper_t
from openwork_effects.errors import NoStandardError
from openwork_effects.estimates import Estimate, Ratio

SMALLEST_P = 1e-15
SMALLEST_RATIO = 1e-9


def standard_error_from_interval(effect: Estimate, degrees_of_freedom: float | None = None) -> float:
    """Half the width of the interval over its quantile; of a ratio, on the scale of its logarithm.

    Args:
        effect: with the level of its interval.
        degrees_of_freedom: of a mean difference in small groups, n1 + n2 - 2; `None`: the normal quantile.
    Returns:
        In the unit of the difference, or of log(ratio).
    Raises:
        NoStandardError: limits that are equal, or a ratio's limit at 0.
        ImpossibleNumber: degrees of freedom outside [1, 1e12].
        MixedKinds: no effect.
    Source: Cochrane Handbook 6.3.1 (differences), 6.3.2 (ratios) and 6.5.2.3 (means), DOI 10.1002/9781119536604.
    """
    of_kind(effect, Estimate, "the effect")
    quantile = normal_for(effect.level) if degrees_of_freedom is None else t_for(effect.level, _df(degrees_of_freedom))
    low, high = effect.low, effect.high
    if isinstance(effect, Ratio):
        if low < SMALLEST_RATIO:
            raise NoStandardError(f"a lower limit of {low:g} has no logarithm; look for counts or another statistic")
        low, high = math.log(low), math.log(high)
    if low == high:
        raise NoStandardError(f"both limits are {effect.low:g}: the printed digits hide the width; look for counts")
    return (high - low) / (2 * quantile)


def standard_error_of_difference_from_p(
    difference: float, p_value: float, degrees_of_freedom: float | None = None
) -> float:
    """|difference| over the quantile of a two-sided p value of a z or t test.

    Args:
        difference: not 0.
        p_value: two-sided, exact as printed. For "P < 0.001" the bound may be given: the error is then too large,
            which is the careful side. "P > 0.05" has none.
        degrees_of_freedom: n1 + n2 - 2 for a t test; `None`: a z test.
    Returns:
        In the unit of the difference.
    Raises:
        NoStandardError: a difference of 0, or p outside [1e-15, 1).
        ImpossibleNumber: not finite numbers; degrees of freedom outside [1, 1e12].
    Source: Cochrane Handbook 6.5.2.3, DOI 10.1002/9781119536604.
    """
    size = abs(number(difference, "the difference"))
    p = number(p_value, "the p value")
    if not SMALLEST_P <= p < 1 or size == 0:
        raise NoStandardError(
            f"a difference of {difference:g} with P = {p_value:g} gives no standard error; look for an interval"
        )
    quantile = upper_normal(p / 2) if degrees_of_freedom is None else upper_t(p / 2, _df(degrees_of_freedom))
    if quantile <= 0:
        raise NoStandardError(f"P = {p_value!r} is 1 but for rounding; look for an interval")
    return size / quantile


def standard_error_of_log_ratio_from_p(ratio: float, p_value: float) -> float:
    """|log ratio| over the normal quantile of a two-sided p value.

    Args:
        ratio: over 0, not 1.
        p_value: as in `standard_error_of_difference_from_p`.
    Raises:
        NoStandardError: a ratio of 1, or p outside [1e-15, 1).
        ImpossibleNumber: a ratio outside [1e-9, 1e12].
    Source: Cochrane Handbook 6.3.2, DOI 10.1002/9781119536604.
    """
    return standard_error_of_difference_from_p(math.log(number(ratio, "the ratio", SMALLEST_RATIO)), p_value)


def _df(degrees_of_freedom: float) -> float:
    return number(degrees_of_freedom, "degrees of freedom", 1.0)
