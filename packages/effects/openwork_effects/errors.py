"""What the arithmetic refuses, named by what to do next. None of them is a fault of the program.

EffectError               a ValueError: the numbers do not give what was asked
  ImpossibleCounts        events > n, n = 0, a negative count  -> read the cell again
  ImpossibleNumber        not finite, out of its range         -> read the number again
  ImpossibleInterval      low > estimate, a level of 95        -> read the interval again
  ProportionUnclear       "15" without a unit                  -> say the unit, or read the cell's header
  MixedKinds              a rate where a risk is asked         -> use the function of that kind
  RatioUndefined          nobody, or everybody, had the event  -> print the counts and the risk difference
  NoStandardError         an interval or p value without one   -> look for another statistic of the same result
  BaselineRefused         the effect takes the risk over 1     -> state a lower baseline risk, or print none
  NothingToPool           under two studies, or another measure -> print the studies, each by itself
  SkewedData              a median that is no mean             -> print the median; do not pool it with means
"""

from __future__ import annotations


class EffectError(ValueError):
    """Root of this package's errors; the message says what, which value, and what to do."""


class ImpossibleCounts(EffectError):  # noqa: N818 - named by what happened, see the tree above
    """Counts that no group of people has. Read the cell again: arms, columns or time points may be swapped."""


class ImpossibleNumber(EffectError):  # noqa: N818
    """A number that is not finite or outside the range that it must lie in. Read the number again."""


class ImpossibleInterval(EffectError):  # noqa: N818
    """Limits that do not hold their estimate, or a level that is no fraction. Read the interval again."""


class ProportionUnclear(EffectError):  # noqa: N818
    """A printed number that may be a percentage or a fraction. Say its unit; never guess it from its size."""


class MixedKinds(EffectError):  # noqa: N818
    """A rate per person-time where a risk is needed, or the other way round. Use the function of its kind."""


class RatioUndefined(EffectError):  # noqa: N818
    """The counts give no ratio. Print them, with the difference of risks or rates."""


class NoStandardError(EffectError):
    """No standard error follows from what was given. Look for another statistic of the same result."""


class BaselineRefused(EffectError):  # noqa: N818
    """This effect and this baseline risk do not go together. State another baseline, or print no absolute effect."""


class NothingToPool(EffectError):  # noqa: N818
    """Studies that give no pooled effect together. Print them, each by itself, with the reason."""


class SkewedData(EffectError):  # noqa: N818
    """Quartiles that are too skewed for a mean and a deviation. Print the median; do not pool it with means."""
