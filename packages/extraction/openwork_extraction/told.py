"""The numbers of a sentence by their form: "12 of 40", "12 (30%)", "4.2 ± 1.1", "30%"."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUM = r"-?\d+(?:\.\d+)?"
_INT = r"\d[\d,]*"
_PERCENT = r"(?P<p>\d+(?:\.\d+)?)\s?%"
PAIR = 2
"""Numbers that are compared: one of each arm."""
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "fraction",
        re.compile(
            rf"(?<![\d.])(?P<x>{_INT})\s*(?:/|\s(?:out\s+)?of\s(?:the\s)?)\s*(?P<n>{_INT})(?![\d/])(?:\s*[a-z]{{0,14}}\s*[(\[]\s*{_PERCENT}\s*[)\]])?"
        ),
    ),
    ("fraction", re.compile(rf"(?<![\d.]){_PERCENT}\s*[(\[]\s*(?P<x>{_INT})\s*(?:/|\s?of\s?)\s*(?P<n>{_INT})\s*[)\]]")),
    ("count", re.compile(rf"(?<![\d./])(?P<x>{_INT})(?:\s+[a-z]+){{0,2}}\s*[(\[]\s*{_PERCENT}\s*[)\]]")),
    ("count", re.compile(rf"(?<![\d.]){_PERCENT}\s*[(\[]\s*(?:[nN]\s*=\s*)?(?P<x>{_INT})\s*[)\]]")),
    ("mean", re.compile(rf"(?<![\d.])(?P<m>{_NUM})\s?%?\s*(?:±|\+/-)\s*(?P<s>\d+(?:\.\d+)?)")),
    (
        "mean",
        re.compile(
            rf"(?<![\d.])(?P<m>{_NUM})\s*(?:[A-Za-z/%]{{1,6}}\s*)?[(\[]\s*(?:SD|S\.D\.|standard\s+deviation)\s*[=:,]?\s*(?P<s>\d+(?:\.\d+)?)\s*[)\]]"
        ),
    ),
)
_MEAN_SD = re.compile(r"\bmean\s*[(\[,±]\s*(?:\+/-\s*)?(?:SD|standard\s+deviation)", re.IGNORECASE)
_BARE_PAIR = re.compile(rf"(?<![\d.])(?P<m>{_NUM})\s*[(\[]\s*(?P<s>\d+(?:\.\d+)?)\s*[)\]]")
_PERCENT_ALONE = re.compile(
    rf"(?<![\d.])(?<!\d \()(?<!\d\(){_PERCENT}(?!\s*(?:CI\b|confidence|credible|power|[A-Z]\w*\d))"
)
"""A percentage that is no level of confidence and no strength ("100% O2")."""


@dataclass(frozen=True, slots=True)
class ToldNumber:
    """One number of a sentence with what it is."""

    form: str
    start: int
    end: int
    x: str = ""
    n: str = ""
    p: str = ""
    m: str = ""
    s: str = ""

    @property
    def value(self) -> str:
        """What is compared: the mean, the percentage, or the count as a share of its people."""
        if self.m or self.p:
            return self.m or self.p
        x = self.x.replace(",", "")
        return str(int(x) / int(self.n.replace(",", ""))) if self.n and int(self.n.replace(",", "")) else x


def numbers_of(text: str, form: str) -> list[ToldNumber]:
    """All numbers of a form ("fraction", "count", "mean", "percent") in order; of overlapping ones the first."""
    found: list[ToldNumber] = []
    for name, pattern in _FORMS:
        if name == form:
            found += [
                ToldNumber(form, m.start(), m.end(), **{k: v for k, v in m.groupdict().items() if v})
                for m in pattern.finditer(text)
            ]
    if form == "percent":
        found = [ToldNumber(form, m.start(), m.end(), p=m["p"]) for m in _PERCENT_ALONE.finditer(text)]
    if form == "mean" and not found and _MEAN_SD.search(text):
        found = [ToldNumber(form, m.start(), m.end(), m=m["m"], s=m["s"]) for m in _BARE_PAIR.finditer(text)]
    found.sort(key=lambda one: (one.start, -one.end))
    return [one for i, one in enumerate(found) if not any(o.start <= one.start < o.end for o in found[:i])]
