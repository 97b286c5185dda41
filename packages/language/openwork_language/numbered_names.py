"""Names that a number is part of: COVID-19, omega-3, type 2 diabetes, IL-6, stage III. The number counts nothing.

`find_quantities` leaves most of them out; here they are, since another number makes another name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from openwork_knowledge.patterns import pattern
from openwork_knowledge.tables import words

from openwork_language.tokens import fold

_NAME_WORDS = pattern("number-names", "apart")
"""After these a number stands apart and is still part of the name."""
_NOT_NAMES = frozenset(words("number-names", "not_a_name"))
_HYPHENS = "-‐‑–"
_NUMBER = r"(?:\d{1,3}(?:\.\d+)?|X{0,2}(?:IX|IV|V?I{1,3}|V|X))"
"""Arabic, or Roman to XXIX."""
_ITEM = rf"{_NUMBER}[a-dA-D]?\b"
# A number after "and" may be the next thing said: "in COVID-19, 28-day mortality", "grade 3 and 12 weeks".
_NO_COUNT = (
    rf"(?!\s?%|[{_HYPHENS}](?:day|week|month|year|fold|point)|\s(?:of|days?|weeks?|months?|years?|hours?)\b|[.,]\d)"
)
_LIST = rf"(?P<more>(?:\s?(?:,\s?(?:and|or)\s|,\s|/|[{_HYPHENS}]|\s(?:and|or|to|through)\s)\s?{_ITEM}{_NO_COUNT})*)"
_JOINED = re.compile(
    rf"(?<![\w.{_HYPHENS}])(?P<stem>[A-Za-z]{{1,20}})[{_HYPHENS}](?P<number>\d{{1,3}}(?:\.\d+)?)(?P<suffix>)"
    rf"(?P<more>(?:/\d{{1,3}}|\s(?:and|or)\s[{_HYPHENS}]\d{{1,3}})*)(?!\d|\.\d|[{_HYPHENS}]?(?:day|week|month|year))"
)
_APART = re.compile(
    rf"\b(?P<stem>(?i:{_NAME_WORDS}))(?P<plural>(?i:e?s))?\s(?P<number>{_NUMBER})(?P<suffix>[a-dA-D]?)\b(?!\.\d){_LIST}"
)
_CODE = re.compile(
    r"\b(?P<stem>[A-Z][A-Za-z]{1,9})(?P<number>\d{1,2})(?P<suffix>)(?P<more>(?:/\d{1,2}\b)*)(?![\w.]*\w)"
)
"""HER2, SGLT2, IL6."""
_ALTERNATIVES = re.compile(rf"/|[{_HYPHENS}]|\b(?:or|to|through)\b")
_ANY = re.compile(rf"({_NUMBER})([a-dA-D]?)")
_RANGE = re.compile(rf"({_NUMBER})[a-dA-D]?\s?(?:to|through|[{_HYPHENS}])\s?({_NUMBER})")
_ROMAN = {"i": 1, "v": 5, "x": 10}


@dataclass(frozen=True, slots=True)
class NumberedName:
    """One such name, or several that share their word: "stages 3 and 4"."""

    stem: str
    """Folded, without the number: "covid", "type"."""
    numbers: frozenset[str]
    """Roman ones as Arabic, letters kept ("3b"); of a range all whole numbers in it."""
    ends: frozenset[str]
    """The numbers that are printed; of a range its ends."""
    start: int
    end: int


@lru_cache(maxsize=4096)
def find_numbered_names(text: str) -> tuple[NumberedName, ...]:
    """Every such name in order of place."""
    found = []
    for expression in (_JOINED, _APART, _CODE):
        for match in expression.finditer(text):
            stem = fold(match["stem"])
            if stem not in _NOT_NAMES:
                found.append(_name(stem, match))
    return tuple(sorted(found, key=lambda name: name.start))


def _name(stem: str, match: re.Match[str]) -> NumberedName:
    more = match["more"]
    if match.re is _APART and not (match["plural"] or _ALTERNATIVES.search(more) or not re.search(r"\d", more)):
        more = ""  # "a phase 3, 12-centre trial": after a single name only alternatives are more of its numbers
    whole = f"{match['number']}{match['suffix']}{more}"
    ends = frozenset(f"{arabic(number)}{letter.lower()}" for number, letter in _ANY.findall(whole))
    numbers = set(ends)
    for low, high in _RANGE.findall(whole):
        first, last = float(arabic(low)), float(arabic(high))
        if first.is_integer() and last.is_integer() and 0 < last - first < 20:
            numbers |= {str(n) for n in range(int(first), int(last) + 1)}
    return NumberedName(stem, frozenset(numbers), ends, match.start(), match.start("more") + len(more))


def arabic(number: str) -> str:
    """A Roman number in digits; digits as they are.

    >>> arabic("XIV"), arabic("9.4")
    ('14', '9.4')
    """
    if number[0].isdigit():
        return number
    values = [_ROMAN[letter] for letter in number.lower()]
    return str(sum(-v if any(v < w for w in values[i + 1 :]) else v for i, v in enumerate(values)))
