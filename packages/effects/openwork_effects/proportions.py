"""A printed proportion as a fraction. What 15 is, is read from the cell's words and never guessed from its size."""

from __future__ import annotations

import re
from enum import Enum
from fractions import Fraction

from openwork_effects.errors import ImpossibleNumber, MixedKinds, ProportionUnclear


class Unit(Enum):
    """What a number of a column is, where the column says it and the cell does not: how many make a whole."""

    FRACTION = 1
    PERCENT = 100
    PER_1000 = 1000


_NUMBER = re.compile(r"\s*(?P<sign>[-−–+]?)\s*(?P<digits>[0-9]+(?:[.,·][0-9]+)*|[.·][0-9]+)\s*", re.ASCII)
_UNIT = re.compile(r"(?P<percent>%|percent\b|per\s+cent\b)|(?:per|in|/)\s*(?P<whole>[0-9][0-9,\s]*)", re.IGNORECASE)
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?", re.ASCII)
_LONGEST = 80


def read_proportion(text: str, unit: Unit | None = None) -> float:
    """A proportion as a fraction, from the text of its cell.

    Read are "15 %", "15.3%", "15·3 per cent", "153 per 1,000", "1 in 20"; a bare "15" or "0.15" only with the `unit`
    that its column states. A comma is decimal unless it groups thousands.

    Args:
        text: one number with its unit, as printed.
        unit: of the column; must agree with a unit in the text.
    Returns:
        In [0, 1], correctly rounded.
    Raises:
        ProportionUnclear: no unit, two that differ, or more than one number with its unit.
        MixedKinds: per time ("1.7 %/year", "15 per 100 person-years"): a rate, no proportion.
        ImpossibleNumber: outside [0, 1] after its unit.
    """
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise ProportionUnclear(f"a proportion is one printed number of at most {_LONGEST} characters, with its unit")
    if unit is not None and not isinstance(unit, Unit):
        raise ProportionUnclear(f"the unit is {unit!r}; it is one of {', '.join(u.name for u in Unit)}")
    found = _NUMBER.match(text)
    if found is None:
        raise ProportionUnclear(f"{text!r} does not begin with a number; give the cell's number and unit alone")
    value = _value(found["digits"], text) * (-1 if found["sign"] in ("-", "−", "–") else 1)
    whole = _whole(text, found.end(), unit)
    proportion = value / whole
    if not 0 <= proportion <= 1:
        raise ImpossibleNumber(
            f"{text!r} as parts of {whole} is {float(proportion):g}, outside [0, 1]; read number and unit again"
        )
    return float(proportion)


def _value(digits: str, text: str) -> Fraction:
    if _THOUSANDS.fullmatch(digits):
        digits = digits.replace(",", "")
    plain = re.sub("[,·]", ".", digits)
    if plain.count(".") > 1:
        raise ProportionUnclear(f"{text!r} is not one number; give the cell's number and unit alone")
    return Fraction(plain)


def _whole(text: str, start: int, unit: Unit | None) -> int:
    """How many make a whole, from the words after the number and the unit of the column."""
    rest = text[start:].strip()
    found = _UNIT.match(rest)
    after = rest[found.end() :].strip() if found else rest
    if after:
        if found and re.match(r"(?:/|per\b|a\b|p\.|person|patient|year)", after, re.IGNORECASE):
            raise MixedKinds(f"{text!r} is per {after.lstrip('/ ')!r}: a rate per time, no proportion; use PersonTime")
        raise ProportionUnclear(f"{text!r}: {after!r} after the number is not read; give its number and unit alone")
    if found is None:
        if unit is None:
            raise ProportionUnclear(f"{text!r} may be a percentage or a fraction; say the unit its column states")
        return int(unit.value)
    whole = 100 if found["percent"] else int(re.sub(r"[,\s]", "", found["whole"]))
    if whole == 0 or (unit is not None and whole != unit.value):
        raise ProportionUnclear(f"{text!r} says parts of {whole}, its column {unit and unit.name}; read both again")
    return whole
