"""Quantities: numbers bound to their units, found in text and compared.

`find_quantities` reads percentages, counts, effect measures, intervals, p values, durations, doses, rates and other
measurements, with minus signs, thousand separators and number words. `compare` says whether a claim's quantity is the
source's: equal, equal after an exact unit conversion, or the source correctly rounded, never the other way round.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from enum import StrEnum

from openwork_language.quantities.find import find_quantities
from openwork_language.quantities.quantity import Quantity, QuantityKind
from openwork_language.quantities.units import base_unit

__all__ = ["Agreement", "Quantity", "QuantityKind", "compare", "find_quantities", "matches", "same_slot"]

_K = QuantityKind
_BARE = frozenset({_K.COUNT, _K.YEAR})
_DIFFERENCES = frozenset({"MD", "RD"})
# "Half" and "two thirds" stand for a percentage within this many points.
_SHARE_TOLERANCE_POINTS = Decimal("2.5")
_BEYOND = Decimal("0.3")
"""Share of "half" or "a third" that a figure said to be over or under it may be away from it."""
_DAYS = {"day": Decimal(1), "week": Decimal(7), "month": Decimal("30.4"), "year": Decimal("365.25")}
_HOURS = {"hour": Decimal(1), "day": Decimal(24), "week": Decimal(168)}
_ABOUT_A_TIME = Decimal("0.06")
"""Months have no fixed length: "about five months" of 155 days, "a year" of 52 weeks."""
_CONVENTIONAL = Decimal("0.05")
_OF_A_PART = Decimal("0.11")
"""And within this share of it: "nearly half" of 45%."""
# "About", "more than" and a number with trailing zeros may be this far from the source, as a share of it.
_ABOUT = Decimal("0.05")


class Agreement(StrEnum):
    """How a claim's quantity stands to one quantity of the source."""

    SAME = "same"
    OTHER_UNIT = "other_unit"
    """The same number with another unit or measure."""
    OTHER_VALUE = "other_value"
    """Comparable, and not the same."""
    INCOMPARABLE = "incomparable"


def matches(claim: Quantity, source: Quantity) -> bool:
    """Whether the source's quantity bears out the claim's. Not symmetric: a claim may round, it may not add digits."""
    return compare(claim, source) is Agreement.SAME


def compare(claim: Quantity, source: Quantity) -> Agreement:
    """How a claim's quantity stands to a source's; see `Agreement`."""
    if claim.kind is _K.P_VALUE or source.kind is _K.P_VALUE:
        return _compare_p(claim, source)
    if claim.high is not None:
        return _compare_intervals(claim, source)
    if source.kind is _K.INTERVAL:
        return Agreement.INCOMPARABLE
    if source.high is not None:
        ends = (_compare_value(claim, source.value, source.unit), _compare_value(claim, source.high, source.unit))
        return Agreement.SAME if Agreement.SAME in ends else Agreement.INCOMPARABLE
    if claim.kind is _K.FRACTION or source.kind is _K.FRACTION:
        return _compare_fractions(claim, source)
    if claim.kind is _K.EFFECT or source.kind is _K.EFFECT:
        return _compare_effects(claim, source)
    if claim.kind is _K.FREQUENCY or source.kind is _K.FREQUENCY:
        return _compare_frequencies(claim, source)
    if source.kind is _K.YEAR and claim.kind is not _K.YEAR and claim.value != source.value:
        return Agreement.INCOMPARABLE
    agreement = _compare_value(claim, source.value, source.unit)
    if agreement is Agreement.SAME and {claim.operator[0], source.operator[0]} == {"<", ">"}:
        return Agreement.OTHER_VALUE
    return agreement


def same_slot(claim: Quantity, source: Quantity) -> bool:
    """Whether the two could be the same figure by kind and unit, whatever their values."""
    return compare(claim, source) in {Agreement.SAME, Agreement.OTHER_VALUE}


_MOST_ROUNDED = Decimal("0.5")
"""Rounding to whole numbers, the coarsest that is not "about", moves a number no further than this."""


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _agree(claim: Decimal, source: Decimal, operator: str = "=", *, in_words: bool = False) -> bool:
    """Whether `source` is `claim`, or rounds to it at the precision that the claim shows."""
    if claim == source:
        return True
    gap = abs(claim - source)
    near = gap <= abs(source) * _ABOUT
    if claim == 0 or (gap > _MOST_ROUNDED and not near and not in_words):
        return False
    places = _decimals(claim)
    if places < _decimals(source):
        step = Decimal(1).scaleb(-places)
        if claim in {source.quantize(step, ROUND_HALF_UP), source.quantize(step, ROUND_HALF_EVEN)}:
            return True
    if in_words and operator == "~":
        return gap <= max(_SHARE_TOLERANCE_POINTS, claim * _OF_A_PART) if claim > 10 else gap * 10 <= claim
    if in_words and operator in {"<", "<=", ">", ">="}:
        # "More than half" of 56%, "under half" of 45.5%: on that side, and not so far that another part were meant.
        beyond = source - claim if operator in {">", ">="} else claim - source
        return 0 <= beyond <= claim * _BEYOND
    rounded_figure = claim == claim.to_integral_value() and (claim % 10 == 0 or claim % 5 == 0)
    if operator == "~" and places <= _decimals(source) and rounded_figure:
        return near
    if operator in {">", ">="} and rounded_figure and source >= claim:
        return near
    if operator in {"<", "<="} and rounded_figure and source <= claim:
        return near
    return abs(claim) >= 1000 and claim % 100 == 0 and near and _rounds_whole(claim, source)


def _rounds_whole(claim: Decimal, source: Decimal) -> bool:
    """18,000 for 18,201: at least two figures are kept."""
    digits = str(int(abs(claim)))
    zeros = len(digits) - len(digits.rstrip("0"))
    step = Decimal(1).scaleb(min(zeros, len(digits) - 2))
    return (source / step).quantize(Decimal(1), ROUND_HALF_UP) * step == claim


def _compare_value(claim: Quantity, value: Decimal, unit: str | None) -> Agreement:
    same_number = _agree(claim.value, value, claim.operator, in_words=claim.in_words)
    if claim.unit == unit:
        return Agreement.SAME if same_number else Agreement.OTHER_VALUE
    if claim.unit is None or unit is None:
        # A unit that one side leaves out is unknown, which is no disagreement; but 12 patients are no 12%.
        told = claim.unit or unit or ""
        if told != "%" and not told.startswith("/"):
            return Agreement.SAME if same_number else Agreement.OTHER_VALUE
        if claim.unit is None and _decimals(claim.value):
            # "(-0.49 vs -0.52)" of percentages: no heads are counted in decimals.
            return Agreement.SAME if same_number else Agreement.OTHER_VALUE
        return Agreement.OTHER_UNIT if same_number else Agreement.INCOMPARABLE
    if claim.unit in _DAYS and unit in _DAYS and "month" in {claim.unit, unit}:
        mine, theirs = claim.value * _DAYS[claim.unit], value * _DAYS[unit]
        near = abs(mine - theirs) <= theirs * _ABOUT_A_TIME
        if near and (claim.value == claim.value.to_integral_value()):
            return Agreement.SAME
    claim_base, claim_factor = base_unit(_without_period(claim.unit))
    base, factor = base_unit(_without_period(unit))
    if claim_base != base:
        return Agreement.OTHER_UNIT if same_number else Agreement.INCOMPARABLE
    if _agree(claim.value, value * factor / claim_factor, claim.operator, in_words=claim.in_words):
        return Agreement.SAME
    return Agreement.OTHER_UNIT if same_number else Agreement.OTHER_VALUE


def _without_period(unit: str) -> str:
    """Without what writers leave out: per day, per 1.73 m² of body surface."""
    return unit.removesuffix("/day").removesuffix("/1.73m2").removesuffix("/1.73")


def _compare_p(claim: Quantity, source: Quantity) -> Agreement:
    if claim.kind is not source.kind:
        return Agreement.INCOMPARABLE
    below = claim.operator in {"<", "<="}
    if claim.operator == source.operator and _agree(claim.value, source.value):
        return Agreement.SAME
    if below and source.operator == "=" and source.value <= claim.value <= _CONVENTIONAL:
        return Agreement.SAME  # "P<0.05" of P=0.03 says less, and says it truly
    if claim.operator in {">", ">="} and source.operator in {"=", ">", ">="} and source.value >= claim.value:
        return Agreement.SAME
    return Agreement.OTHER_VALUE


def _compare_intervals(claim: Quantity, source: Quantity) -> Agreement:
    if source.high is None or claim.high is None:
        return Agreement.INCOMPARABLE
    if claim.kind is _K.RANGE and source.kind is _K.RANGE and claim.unit and source.unit and claim.unit != source.unit:
        claim_base, claim_factor = base_unit(claim.unit)
        base, factor = base_unit(source.unit)
        if claim_base != base:
            return (
                Agreement.OTHER_UNIT
                if (claim.value, claim.high) == (source.value, source.high)
                else Agreement.INCOMPARABLE
            )
        same = claim.value * claim_factor == source.value * factor and claim.high * claim_factor == source.high * factor
        return Agreement.SAME if same else Agreement.OTHER_VALUE
    if claim.unit and source.unit and claim.unit != source.unit:
        return Agreement.OTHER_UNIT
    if claim.level is not None and source.level is not None and claim.level != source.level:
        return Agreement.OTHER_VALUE
    same = _agree(claim.value, source.value) and _agree(claim.high, source.high)
    return Agreement.SAME if same else Agreement.OTHER_VALUE


def _compare_fractions(claim: Quantity, source: Quantity) -> Agreement:
    if claim.kind is _K.FRACTION and source.kind is _K.FRACTION:
        same = claim.value == source.value and claim.total == source.total
        return Agreement.SAME if same else Agreement.OTHER_VALUE
    if claim.kind is _K.FRACTION:
        return Agreement.INCOMPARABLE
    if claim.kind is _K.PERCENT and source.total:
        share = 100 * source.value / source.total
        places = Decimal(1).scaleb(-_decimals(claim.value))
        same = share.quantize(places, ROUND_HALF_UP) == claim.value or _agree(
            claim.value, share, claim.operator, in_words=claim.in_words
        )
        return Agreement.SAME if same else Agreement.OTHER_VALUE
    if claim.kind in _BARE and source.total is not None and claim.value in {source.value, source.total}:
        return Agreement.SAME
    return Agreement.INCOMPARABLE


def _compare_effects(claim: Quantity, source: Quantity) -> Agreement:
    same = _agree(claim.value, source.value, claim.operator, in_words=claim.in_words)
    if claim.kind is source.kind:
        if claim.measure == source.measure:
            return Agreement.SAME if same else Agreement.OTHER_VALUE
        return Agreement.OTHER_UNIT if same else Agreement.INCOMPARABLE
    other = source if claim.kind is _K.EFFECT else claim
    effect = claim if claim.kind is _K.EFFECT else source
    if claim.kind is _K.COUNT and claim.value == claim.value.to_integral_value():
        # Four patients are not a hazard ratio of 3.76, rounded.
        same = claim.value == source.value
    in_unit = effect.measure in _DIFFERENCES and effect.unit in {None, other.unit}
    if other.kind in _BARE or other.kind is _K.FOLD or in_unit or (effect.unit and effect.unit == other.unit):
        # Tables and lists give the number without its measure; differences carry the unit of their outcome.
        return Agreement.SAME if same else Agreement.INCOMPARABLE
    return Agreement.INCOMPARABLE


def _compare_frequencies(claim: Quantity, source: Quantity) -> Agreement:
    if claim.kind is not source.kind:
        return Agreement.INCOMPARABLE
    mine, theirs = _hours_between(claim), _hours_between(source)
    if mine is not None and theirs is not None:
        return Agreement.SAME if mine == theirs else Agreement.OTHER_VALUE
    if claim.unit != source.unit:
        return Agreement.OTHER_VALUE
    return Agreement.SAME if claim.value == source.value else Agreement.OTHER_VALUE


def _hours_between(frequency: Quantity) -> Decimal | None:
    """ "Twice daily" is every 12 hours, "every two days" every 48; of months and years `None`."""
    often, _, span = (frequency.unit or "").partition("every-")
    hours = _HOURS.get(span or often.removeprefix("/"))
    if hours is None or not frequency.value:
        return None
    return hours * frequency.value if span else hours / frequency.value
