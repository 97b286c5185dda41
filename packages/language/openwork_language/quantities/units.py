"""Units of medical quantities: how they are written, what they mean, which of them convert exactly.

Only conversions that need no further knowledge are made: mass, volume, amount of substance, fixed time spans.
mg/dL to mmol/L needs the substance and is not made; nor months to weeks, which have no fixed ratio.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

_SPELLINGS: dict[str, str] = {
    # mass
    "kg": "kg|kilograms?",
    "g": "g|gm|grams?",
    "mg": "mg|milligrams?",
    "ug": "ug|μg|µg|mcg|micrograms?",
    "ng": "ng|nanograms?",
    "pg": "pg|picograms?",
    # volume
    "L": "L|l|lit(?:er|re)s?",
    "dL": "dL|dl|decilit(?:er|re)s?",
    "mL": "mL|ml|cc|millilit(?:er|re)s?",
    "uL": "uL|μL|µL|μl|µl|microlit(?:er|re)s?",
    # amount and activity
    "mol": "mol|moles?",
    "mmol": "mmol|millimoles?",
    "umol": "umol|μmol|µmol|micromoles?",
    "nmol": "nmol|nanomoles?",
    "pmol": "pmol",
    "mM": "mM",
    "uM": "uM|μM|µM",
    "nM": "nM",
    "mEq": "mEq|meq",
    "IU": "IU|international units?",
    "U": "units?|U",
    "copies": "copies",
    "cells": "cells",
    # length, pressure, others
    "m": "m|met(?:er|re)s?",
    "km": "km",
    "cm": "cm|centimet(?:er|re)s?",
    "mm": "mm|millimet(?:er|re)s?",
    "um": "μm|µm",
    "nm": "nm",
    "m2": "m2|m²|m\\^2",
    "mmHg": "mm\\s?Hg",
    "cmH2O": "cm\\s?H2O",
    "kPa": "kPa",
    "bpm": "bpm|beats",
    "kcal": "kcal",
    "Gy": "Gy",
    "C": "°\\s?C",
    "points": "points?",
    "fold": "fold",
    # time
    "sec": "seconds?|secs?",
    "min": "minutes?|mins?|min",
    "hour": "hours?|hrs?|h",
    "day": "days?|d",
    "week": "weeks?|wks?|wk",
    "month": "months?|mos?|mo",
    "year": "years?|yrs?|yr|y",
}
_NAME_OF: list[tuple[re.Pattern[str], str]] = [(re.compile(f"(?:{s})"), name) for name, s in _SPELLINGS.items()]
_ANY = "|".join(sorted((p for s in _SPELLINGS.values() for p in re.split(r"\|(?![^(]*\))", s)), key=len, reverse=True))
_PER = r"(?:\s?/\s?|\sper\s|\s?·\s?|\s(?=(?:day|week|month|min|h|kg|dL|L|mL|m2|m²)\s?[-⁻]1))(?:1\.73\s?)?"
UNIT_PATTERN = rf"(?:{_ANY})(?![A-Za-z0-9])(?:{_PER}(?:{_ANY})(?![A-Za-z])){{0,3}}"
"""Source of a regular expression for one unit, simple or compound ("mL/min/1.73 m2"); case matters."""

_FACTORS: dict[str, tuple[str, Decimal]] = {
    "kg": ("g", Decimal(1000)),
    "g": ("g", Decimal(1)),
    "mg": ("g", Decimal("1e-3")),
    "ug": ("g", Decimal("1e-6")),
    "ng": ("g", Decimal("1e-9")),
    "pg": ("g", Decimal("1e-12")),
    "L": ("L", Decimal(1)),
    "dL": ("L", Decimal("0.1")),
    "mL": ("L", Decimal("1e-3")),
    "uL": ("L", Decimal("1e-6")),
    "mol": ("mol", Decimal(1)),
    "mmol": ("mol", Decimal("1e-3")),
    "umol": ("mol", Decimal("1e-6")),
    "nmol": ("mol", Decimal("1e-9")),
    "pmol": ("mol", Decimal("1e-12")),
    "km": ("m", Decimal(1000)),
    "m": ("m", Decimal(1)),
    "cm": ("m", Decimal("0.01")),
    "mm": ("m", Decimal("1e-3")),
    "um": ("m", Decimal("1e-6")),
    "nm": ("m", Decimal("1e-9")),
    "sec": ("sec", Decimal(1)),
    "min": ("sec", Decimal(60)),
    "hour": ("sec", Decimal(3600)),
    "day": ("sec", Decimal(86400)),
    "week": ("sec", Decimal(604800)),
    "month": ("month", Decimal(1)),
    "year": ("month", Decimal(12)),
    "IU": ("U", Decimal(1)),
    "U": ("U", Decimal(1)),
}
DURATIONS = frozenset({"sec", "min", "hour", "day", "week", "month", "year"})
MASSES = frozenset({"kg", "g", "mg", "ug", "ng", "pg", "IU", "U"})
_SPLIT = re.compile(r"\s?/\s?|\sper\s|\s?·\s?")


@lru_cache(maxsize=4096)
def canonical_unit(text: str) -> str:
    """The one name of a unit: "micrograms" -> "ug", "mg per day" -> "mg/day", "ml/min/1.73 m²" -> "mL/min/1.73m2"."""
    names = []
    for part in _SPLIT.split(text.strip().replace("µ", "μ")):
        bare = part.strip()
        prefix = ""
        if bare.startswith("1.73"):
            prefix, bare = "1.73", bare[4:].strip()
        name = next((n for pattern, n in _NAME_OF if pattern.fullmatch(bare.replace("µ", "μ"))), bare)
        names.append(prefix + name)
    return "/".join(names)


@lru_cache(maxsize=4096)
def base_unit(unit: str) -> tuple[str, Decimal]:
    """The base of a canonical unit and the factor to it: "mg/dL" -> ("g/L", 0.01), "week" -> ("sec", 604800)."""
    factor = Decimal(1)
    bases = []
    for i, part in enumerate(unit.split("/")):
        base, part_factor = _FACTORS.get(part, (part, Decimal(1)))
        factor = factor * part_factor if i == 0 else factor / part_factor
        bases.append(base)
    return "/".join(bases), factor
