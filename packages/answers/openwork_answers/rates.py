"""Rates of arms: "1.65% versus 2.19% per year", "12.4 per 100 person-years with A and 14.3 with B"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from openwork_language.quantities.quantity import Quantity, QuantityKind

from openwork_answers.reported import Arm
from openwork_answers.shares import Share

_I = re.IGNORECASE
_NUMBER = r"(?<![\w.,/-])\d[\d,]*(?:\.\d+)?"
_OF_TIME = (
    r"(?:per\s+(?:(?P<of{0}>[\d,]+)\s+)?(?:(?P<who{0}>person|patient|participant|woman|women|child)[- ])?"
    r"(?P<unit{0}>year|month|week|day)s?|(?P<a{0}>a)\s+(?P<aunit{0}>year|month))\b"
)
_PAIR = re.compile(
    rf"(?P<first>{_NUMBER})\s?(?P<percent>%)?\s+(?:versus|vs\.?|and|against)\s+(?P<second>{_NUMBER})\s?%?\s+"
    rf"(?:[a-z]+\s+){{0,5}}?{_OF_TIME.format('')}",
    _I,
)
_FIRST = re.compile(rf"(?P<first>{_NUMBER})\s?(?P<percent>%)?\s+(?:[a-z]+\s+){{0,2}}?{_OF_TIME.format('')}", _I)
_OTHER = re.compile(
    rf"(?P<second>{_NUMBER})(?!\s?%|[\d.,]*\d)(?:\s+(?:[a-z]+\s+){{0,2}}?per\s+[\d,]*\s*[\w-]+)?(?=\s+(?:with|on|in|after|without)\b)",
    _I,
)
_ANNUAL = re.compile(rf"\b(?:annual|yearly)\s+rates?\b[^;()]*?\s(?:was|were)\s+(?P<first>{_NUMBER})(?!\s?%)\s", _I)
_NEAR = 90
"""Characters between two rates of one comparison."""


def rates_in(sentence: str) -> Iterator[Share]:
    """Each as the share of an arm whose name is still to be found; its `per` is the time."""
    pairs = list(_PAIR.finditer(sentence))
    for pair in pairs:
        per = _time(pair)
        yield _rate(pair, "first", per)
        yield _rate(pair, "second", per)
    taken = [(pair.start(), pair.end()) for pair in pairs]
    firsts = [m for m in _FIRST.finditer(sentence) if not any(a <= m.start() < b for a, b in taken)]
    if not firsts and (annual := _ANNUAL.search(sentence)) is not None:
        firsts = [annual]
    for i, first in enumerate(firsts):
        per = "year" if first.re is _ANNUAL else _time(first)
        yield _rate(first, "first", per)
        end = first.end("first")
        until = firsts[i + 1].start() if i + 1 < len(firsts) else len(sentence)
        while (other := _OTHER.search(sentence, end, min(end + _NEAR, until))) and ";" not in sentence[
            end : other.start()
        ]:
            yield _rate(other, "second", per)
            end = other.end("second")


def _rate(match: re.Match[str], which: str, per: str) -> Share:
    value = match[which].replace(",", "")
    start, end = match.span(which)
    quantity = Quantity(QuantityKind.RATE, match[which], start, end, Decimal(value), unit=per)
    return Share(Arm("", percent=value, per=per), start, end, quantity)


def _time(match: re.Match[str]) -> str:
    """The time of a rate, "100 person-year": of a percentage a year that of a hundred people."""
    if match["a"]:
        return str(match["aunit"])
    unit = (
        f"{match['who'] or 'person'}-{match['unit']}"
        if match["who"] or match["percent"] or match["of"]
        else match["unit"]
    )
    of = match["of"] or ("100" if match["percent"] else "")
    return f"{of} {unit}" if of else unit
