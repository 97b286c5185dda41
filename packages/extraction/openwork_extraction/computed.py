"""Numbers that are worked out from printed ones, marked as such, with the places of all that they come from."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

from openwork_contracts.cells import CellPlace, ResultCell
from openwork_effects import EffectError, FiveNumbers, Sample, sample_from_median

from openwork_extraction.printed import number

_DIGITS = Decimal("0.0001")


def count_from_percent(percent: ResultCell, n: ResultCell) -> ResultCell | None:
    """Events from a percentage and the people it is of; `None` where its rounding leaves more than one whole number.

    40.0 % of 26 can only be 10; 40 % of 1,000 may be 395 to 405, and none of these is printed.
    """
    share, people = number(percent.value), int(n.value.replace(",", ""))
    exponent = share.as_tuple().exponent
    half = Decimal(5).scaleb((exponent if isinstance(exponent, int) else 0) - 1)
    low, high = (share - half) * people / 100, (share + half) * people / 100
    first = int(low.to_integral_value(rounding="ROUND_CEILING"))
    last = int(high.to_integral_value(rounding="ROUND_FLOOR"))
    if first != last or not 0 <= first <= people:
        return None
    how = f"{percent.value} % of {n.value}"
    return percent.model_copy(
        update={
            "measure": "count",
            "value": str(first),
            "total": n.value,
            "unit": None,
            "computed": how,
            "computed_from": _places(percent, n),
            "place": None,
        }
    )


def deviation_from_error(error: ResultCell, n: ResultCell) -> ResultCell | None:
    """The standard deviation from the standard error of a mean: SE x sqrt(n) (Cochrane Handbook 6.5.2.2)."""
    try:
        sample = Sample.from_standard_error(0.0, float(number(error.value)), int(n.value.replace(",", "")))
    except EffectError:
        return None
    return _computed(error, "SD", sample.standard_deviation, f"SE {error.value} x square root of {n.value}", (error, n))


def deviation_from_interval(mean: ResultCell, n: ResultCell) -> ResultCell | None:
    """The standard deviation from the confidence interval of a mean (Cochrane Handbook 6.5.2.2)."""
    if mean.interval is None:
        return None
    low, high = number(mean.interval.low), number(mean.interval.high)
    level = float(number(mean.interval.level or "95")) / 100
    try:
        sample = Sample.from_interval(
            float(number(mean.value)), float(low), float(high), int(n.value.replace(",", "")), level
        )
    except EffectError:
        return None
    how = f"{mean.interval.level or '95'} % interval {mean.interval.low} to {mean.interval.high} of {n.value}"
    return _computed(mean, "SD", sample.standard_deviation, how, (mean, n))


def estimated_from_median(median: ResultCell, n: ResultCell) -> tuple[ResultCell, ResultCell] | None:
    """Mean and deviation estimated from a median with its quartiles or range (Wan 2014, Shi 2023); `None` = skewed."""
    if median.interval is None:
        return None
    low, high = float(number(median.interval.low)), float(number(median.interval.high))
    quartiles = median.measure == "median (IQR)"
    try:
        numbers = FiveNumbers(
            float(number(median.value)),
            int(n.value.replace(",", "")),
            q1=low if quartiles else None,
            q3=high if quartiles else None,
            minimum=None if quartiles else low,
            maximum=None if quartiles else high,
        )
        sample = sample_from_median(numbers).sample
    except EffectError:
        return None
    how = f"estimated from median {median.value} ({median.interval.low} to {median.interval.high}) of {n.value}"
    return (
        _computed(median, "mean", sample.mean, how, (median, n)),
        _computed(median, "SD", sample.standard_deviation, how, (median, n)),
    )


def _computed(base: ResultCell, measure: str, value: float, how: str, cells: tuple[ResultCell, ...]) -> ResultCell:
    shown = Decimal(value).quantize(_DIGITS, rounding=ROUND_HALF_EVEN).normalize()
    update = {
        "measure": measure,
        "value": f"{shown:f}",
        "interval": None,
        "computed": how,
        "computed_from": _places(*cells),
        "place": None,
    }
    return base.model_copy(update=update)


def _places(*cells: ResultCell) -> tuple[CellPlace, ...]:
    return tuple(cell.place for cell in cells if cell.place is not None)
