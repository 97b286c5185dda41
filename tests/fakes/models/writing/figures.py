"""Figures of a sentence: what stands in a bracket after a result, read strictly, and said again by right rounding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from random import Random

_N = r"[-−]?\d[\d,]*(?:\.\d+)?"
MEASURES = {
    "hazard ratio": "HR",
    "odds ratio": "OR",
    "relative risk": "relative risk",
    "risk ratio": "risk ratio",
    "rate ratio": "rate ratio",
    "hr": "HR",
    "or": "OR",
    "rr": "RR",
    "adjusted odds ratio": "adjusted OR",
    "adjusted hazard ratio": "adjusted HR",
}
_LONG = {"HR": "a hazard ratio of", "OR": "an odds ratio of", "adjusted OR": "an adjusted odds ratio of"}
_OF = {
    "HR": "hazard",
    "OR": "odds",
    "RR": "relative risk",
    "relative risk": "relative risk",
    "risk ratio": "relative risk",
}
_PAIR = re.compile(
    rf"({_N}) ?(%|percent)?(?: of \w+)? ?(?:vs\.?|versus|compared (?:with|to)|against) ?({_N}) ?(%|percent)?"
    r"((?: (?:per year|per 100 (?:patient|person|participant)-years|people|women|men|patients|days|weeks|months|years"
    r"|minutes|kg|mg/dl|mg/dL|mmol/L|mm Hg|mmHg|cm|mm|mL|ml|hours|points|events per 100 patient-years))?)",
    re.IGNORECASE,
)
_RATIO = re.compile(
    rf"({'|'.join(sorted(map(re.escape, MEASURES), key=len, reverse=True))})\b(?: \(\w+\))?[,:=\s]{{0,3}}({_N})", re.I
)
_CI = re.compile(
    rf"\[?\(?(\d{{2}})(?:\.0)? ?%,? ?(?:CI|confidence interval|confidence intervals)(?: \[CI\]| "
    rf"\(CI\))?[,:=\s]{{0,3}}\[?\(?"
    rf"({_N}) ?%?(?: to |, |; | ?[-–—] ?)({_N}) ?%?[\])]*",
    re.IGNORECASE,
)
_P = re.compile(r"P(?:[- ]value)? ?([<>=≤]|&lt;) ?(0?\.\d+)(?: for (?:trend|interaction))?", re.IGNORECASE)


@dataclass(frozen=True)
class Figures:
    """The figures of one finding. Numbers are as printed."""

    pair: tuple[str, str] | None = None
    """Of the first and of the other arm."""
    unit: str = ""
    """Of the pair: "%", "% per year", " days"."""
    measure: str = ""
    ratio: str = ""
    low: str = ""
    high: str = ""
    level: str = "95"
    p: str = ""
    """With its sign: "<0.001"."""

    @property
    def crosses_one(self) -> bool:
        """Whether the interval of a ratio holds no effect."""
        return bool(self.low and self.measure) and number(self.low) <= 1 <= number(self.high)

    @property
    def is_null(self) -> bool:
        """Whether p or the interval says that nothing was shown."""
        return self.crosses_one or (self.p[:1] in {"=", ">"} and number(self.p[1:]) >= Decimal("0.05"))

    @property
    def is_shown(self) -> bool:
        """Whether p or the interval says that there is a difference."""
        if self.p:
            return self.p[0] in "<=≤" and number(self.p[1:]) <= Decimal("0.05") and not self.is_null
        return bool(self.low and self.measure) and not self.crosses_one


def number(text: str) -> Decimal:
    """The value of a printed number."""
    return Decimal(text.replace(",", "").replace("−", "-"))


def tidy(text: str) -> str:
    """Printed habits made one: middle dots, typographic signs, thin spaces."""
    text = re.sub(r"(?<=\d)[·∙](?=\d)", ".", text)
    return re.sub(
        r"\s+", " ", text.replace("\u2009", " ").replace("\u00a0", " ").replace("&lt;", "<").replace("‐", "-")
    )


def read_figures(text: str) -> Figures | None:
    """The figures of a bracket when nothing else stands in it, else `None`."""
    rest = text
    figures: dict[str, str] = {}
    if match := _CI.search(rest):
        figures |= {"level": match[1], "low": match[2], "high": match[3]}
        rest = rest.replace(match[0], " ")
    if match := _P.search(rest):
        if "for" in match[0]:
            return None
        figures["p"] = match[1].replace("&lt;", "<") + (match[2] if match[2].startswith("0") else f"0{match[2]}")
        rest = rest.replace(match[0], " ")
    if match := _RATIO.search(rest):
        figures |= {"measure": MEASURES[match[1].lower()], "ratio": match[2]}
        rest = rest.replace(match[0], " ")
    pair = None
    if match := _PAIR.search(rest):
        percent = "%" if match[2] or match[4] else ""
        pair, figures["unit"] = (match[1], match[3]), percent + match[5]
        rest = rest.replace(match[0], " ")
    if re.sub(r"\brespectively\b|[\s,;:\[\]()]", "", rest) or not (figures or pair):
        return None
    if "low" in figures and "ratio" not in figures:
        return None
    return Figures(pair=pair, **figures)


def rounded(text: str, places: int) -> str:
    """A printed number with fewer places, halves up."""
    return str(number(text).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def percent_of(k: str, n: str) -> str | None:
    """k of n in percent with one place; `None` when impossible."""
    if number(n) <= 0 or number(k) > number(n):
        return None
    return str((number(k) * 100 / number(n)).quantize(Decimal("0.1"), ROUND_HALF_UP))


_PARTS = (
    (Decimal(50), "half"),
    (Decimal(100) / 3, "a third"),
    (Decimal(200) / 3, "two thirds"),
    (Decimal(25), "a quarter"),
    (Decimal(75), "three quarters"),
    (Decimal(20), "a fifth"),
    (Decimal(10), "a tenth"),
)
_NEAR = Decimal("1.5")
_FAR = Decimal(8)  # two shares so far apart stay apart when each is rounded in its own way


def part(percent: str) -> str | None:
    """ "about a third", where the percentage is within 1.5 points of it (1 for a tenth)."""
    for value, words in _PARTS:
        if abs(number(percent) - value) <= (_NEAR if value > 10 else Decimal("0.6")):
            return words if number(percent) == value else f"about {words}"
    return None


def say_percent(percent: str, random: Random) -> str:
    """A share in the writer's way, still true."""
    ways = [f"{percent}%", f"{percent} percent"]
    if (words := part(percent)) is not None:
        ways += [words, words]
    if "." in percent and number(percent) >= 3:
        ways += [f"{rounded(percent, 0)}%", f"about {rounded(percent, 0)}%"]
    return random.choice(ways)


def say_pair(pair: tuple[str, str], unit: str, random: Random) -> tuple[str, str]:
    """Two figures in one way, still different from one another where they were."""
    one, two = pair
    if not unit.startswith("%"):
        return f"{one}{unit}", f"{two}{unit}"
    more = unit[1:]
    if not more and random.random() < 0.3:
        if abs(number(one) - number(two)) >= _FAR:
            return say_percent(one, random), say_percent(two, random)
        return f"{one} percent", f"{two} percent"
    places = [rounded(x, 0) for x in pair]
    if (
        all("." in x for x in pair)
        and number(places[0]) != number(places[1])
        and random.random() < 0.5
        and min(map(number, pair)) >= 3
    ):
        return f"{places[0]}%{more}", f"{places[1]}%{more}"
    return f"{one}%{more}", f"{two}%{more}"


def say_figures(figures: Figures, random: Random, *, pair: bool = True) -> str:
    """A bracket or a trailing clause; empty when there is nothing to say."""
    parts = []
    if pair and figures.pair:
        one, two = say_pair(figures.pair, figures.unit, random)
        parts.append(f"{one} {random.choice(('versus', 'against', 'as against', 'vs'))} {two}")
    if figures.ratio:
        parts.append(_ratio(figures, random))
    if figures.p and (not parts or random.random() < 0.3):
        parts.append(f"p {figures.p[0]} {figures.p[1:]}")
    return f" ({random.choice((', ', '; ')).join(parts)})" if parts else ""


def _ratio(figures: Figures, random: Random) -> str:
    measure, value = figures.measure, figures.ratio
    if measure in _OF and not figures.is_null and number(value) != 1 and random.random() < 0.25:
        return _times(number(value), _OF[measure])
    if re.fullmatch(r"\d\.\d\d", value) and random.random() < 0.2 and rounded(value, 1) not in {"1.0", "0.0"}:
        value = f"about {rounded(value, 1)}"
    said = f"{_LONG[measure]} {value}" if measure in _LONG and random.random() < 0.4 else f"{measure} {value}"
    if figures.low and random.random() < 0.6:
        said += f", {figures.level}% CI {figures.low} to {figures.high}"
    return said


def _times(ratio: Decimal, of: str) -> str:
    """A ratio as a change in percent, or as a multiple from 2 on."""
    if ratio >= 2:
        return f"{ratio} times the {of}"
    change = (abs(1 - ratio) * 100).normalize()
    return f"{change:f}% {'lower' if ratio < 1 else 'higher'} {of}"
