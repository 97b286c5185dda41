"""Units of medical quantities: how they are written, what they mean, which of them convert exactly.

Only conversions that need no further knowledge are made: mass, volume, amount of substance, fixed time spans.
mg/dL to mmol/L needs the substance and is not made; nor months to weeks, which have no fixed ratio.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from openwork_knowledge.patterns import any_of
from openwork_knowledge.tables import table

_ROWS = table("units").rows
_NAME_OF = {
    " ".join(spelling.split()): canonical
    for _, canonical, _, _, spellings in _ROWS
    for spelling in spellings.split("; ")
}
_ANY = any_of(_NAME_OF)
_PER = r"(?:\s?/\s?|\sper\s|\s?·\s?|\s(?=(?:day|week|month|min|h|kg|dL|L|mL|m2|m²)\s?[-⁻]1))(?:1\.73\s?)?"
UNIT_PATTERN = rf"{_ANY}(?![A-Za-z0-9])(?:{_PER}{_ANY}(?![A-Za-z])){{0,3}}"
"""Source of a regular expression for one unit, simple or compound ("mL/min/1.73 m2"); case matters."""

_FACTORS = {canonical: (base, Decimal(factor)) for _, canonical, base, factor, _ in _ROWS if base != "-"}
DURATIONS = frozenset(canonical for kind, canonical, *_ in _ROWS if kind == "time")
DOSED = frozenset(canonical for kind, canonical, *_ in _ROWS if kind in {"mass", "activity"})
"""In these a substance is dosed."""
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
        names.append(prefix + _NAME_OF.get(" ".join(bare.split()), bare))
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
