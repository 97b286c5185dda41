"""Names that a number is part of: COVID-19, omega-3, type 2 diabetes, IL-6, stage 3. The number counts nothing.

`find_quantities` leaves them out; here they are, since another number makes another name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from openwork_language.tokens import fold

_NAME_WORDS = (
    "type|subtype|factor|interleukin|protein|receptor|kinase|chromosome|caspase|exon|isoform|collagen|virus|variant|"
    "serotype|genotype|codon|omega|stage|grade|class|phase|category"
)
"""After these a number stands apart and is still part of the name."""
_OTHER_WORDS = (
    "day days week weeks month months year years hour hours min age aged mid pre post over under vs p ci hr or rr "
    "about to by of in at than table figure fig ref section visit"
)
_NOT_NAMES = frozenset(_OTHER_WORDS.split())
_HYPHENS = "-‐‑–"
_JOINED = re.compile(
    rf"(?<![\w.{_HYPHENS}])(?P<stem>[A-Za-z]{{1,20}})[{_HYPHENS}](?P<number>\d{{1,3}}(?:\.\d+)?)"
    rf"(?P<more>(?:\s*(?:,|and|or|/|&|to)\s*[{_HYPHENS}]?\d{{1,3}}(?!\s?%|\d))*)(?!\d|\.\d)"
)
_APART = re.compile(
    rf"\b(?P<stem>{_NAME_WORDS})s?\s(?P<number>\d{{1,3}}(?:\.\d+)?|[IVX]{{1,4}}\b)"
    rf"(?P<more>(?:\s*(?:,|and|or|/|&|to|[{_HYPHENS}])\s*\d{{1,3}}(?!\s?%|\d))*)(?!\d|\.\d)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_RANGE = re.compile(rf"(\d+)\s*(?:to|[{_HYPHENS}])\s*(\d+)")
_ROMAN = {
    "i": "1",
    "ii": "2",
    "iii": "3",
    "iv": "4",
    "v": "5",
    "vi": "6",
    "vii": "7",
    "viii": "8",
    "ix": "9",
    "x": "10",
}


@dataclass(frozen=True, slots=True)
class NumberedName:
    """One such name, or several that share their word: "stages 3 and 4"."""

    stem: str
    """Folded, without the number: "covid", "type"."""
    numbers: frozenset[str]
    """As printed, Roman ones as Arabic; of a range all whole numbers in it."""
    start: int
    end: int


@lru_cache(maxsize=4096)
def find_numbered_names(text: str) -> tuple[NumberedName, ...]:
    """Every such name in order of place."""
    found = []
    for pattern in (_JOINED, _APART):
        for match in pattern.finditer(text):
            stem = fold(match["stem"])
            if stem not in _NOT_NAMES:
                found.append(NumberedName(stem, _numbers(match), match.start(), match.end("more")))
    return tuple(sorted(found, key=lambda name: name.start))


def _numbers(match: re.Match[str]) -> frozenset[str]:
    first = _ROMAN.get(match["number"].lower(), match["number"])
    rest = match["more"]
    numbers = {first, *_NUMBER.findall(rest)}
    for low, high in _RANGE.findall(first + rest):
        if 0 < int(high) - int(low) < 20:
            numbers |= {str(n) for n in range(int(low), int(high) + 1)}
    return frozenset(numbers)
