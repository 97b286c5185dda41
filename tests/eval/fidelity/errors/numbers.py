"""Numbers, counts, units, intervals, p values, doses and times."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

# A number that stands alone: not a part of a name (IL-6, p53), of a date, of a longer number.
_NUMBER = r"(?<![\w.,·/±–−-])(?P<n>\d{1,3}(?:,\d{3})+|\d+(?:[.·]\d+)?)(?![\w]|[.,·]\d|-\w|/\d)"
_P = re.compile(r"\b[Pp]\s?(?:-?value)?\s?(?P<op>[<=>≤≥])\s?(?P<p>0?[.·]\d+)")
_INTERVAL = re.compile(
    r"(?P<head>(?:\bCI|confidence interval|\bCI\)|95\s?%)[\s,:;=(\[]{0,3}(?:CI|confidence interval)?[\s,:;=(\[]{0,3})"
    r"(?P<low>[-−]?\d+(?:[.·]\d+)?)(?P<percent>\s?%?)(?P<to>\s?(?:to|–|-|,)\s?)(?P<high>[-−]?\d+(?:[.·]\d+)?)(?![\d.])"
)
_GROUPS = "patients|participants|women|men|children|subjects|cases|infants|adults|individuals|people|controls|eyes"
_PERCENT_OF = re.compile(rf"(?<![\d.–-])(?P<n>[1-9]\d?)\s?% of (?:the |all )?(?P<who>(?:\w+ )?(?:{_GROUPS}))\b")
_COUNT_OF = re.compile(
    r"(?<!\bof )(?<!\bof the )(?<!and )(?<!or )(?<!to )(?<!\d )(?<![\d.,=(–-])"
    rf"(?P<n>[1-9]\d?) (?P<who>(?:\w+ )?(?:{_GROUPS}))\b(?! years)"
)
_DOSE = re.compile(
    r"(?<![\d.,/±-])(?<!± )(?<!\+/- )(?<!\+/-)(?P<n>\d+(?:\.\d+)?)"
    r"(?P<unit>[\s-]?(?:mg|µg|μg|mcg|g|IU|mL|ml|MBq|Gy)\b(?:/(?:kg|day|d)\b)?)(?!\s?(?:/|per\b))"
)
_TIME = re.compile(
    r"(?<![\d.,/±-])(?<!± )(?<!\+/- )(?<!\+/-)(?P<n>\d+)"
    r"(?P<unit>[\s-](?:weeks?|months?|days?|years?|hours?|minutes?|wk|yrs?|h|min)\b)"
    r"(?!\s(?:old|of age|or older|and older|or younger))"
)
_BOUNDS = ((0.01, "P<0.01"), (0.001, "P<0.001"), (0.0001, "P<0.0001"))
_UNITS = (
    ("mg/dl", "mmol/l"), ("mmol/l", "mg/dl"), ("mmol/L", "mg/dL"), ("mg/dL", "mmol/L"), ("mg/kg", "g/kg"),
    ("mg", "g"), ("μg", "mg"), ("µg", "mg"), ("mcg", "mg"), ("ml", "l"), ("mL", "L"), ("kg", "g"), ("mmHg", "kPa"),
    ("mm Hg", "kPa"), ("cm", "mm"), ("mm", "cm"), ("weeks", "months"), ("months", "years"), ("days", "weeks"),
    ("years", "months"), ("hours", "days"), ("minutes", "hours"), ("week", "month"), ("month", "year"), ("day", "week"),
    ("nM", "mM"), ("μM", "mM"), ("µM", "mM"), ("ng/ml", "mg/ml"), ("ng/mL", "mg/mL"), ("kcal", "kJ"), ("points", "%"),
)  # fmt: skip


def number(text: str, abstract: str, random: Random) -> str | None:
    """One count, percentage or measure gets another value: not one that rounding or notation would explain."""
    taken = [m.span() for pattern in (_P, _INTERVAL) for m in pattern.finditer(text)]
    found = [
        m
        for m in re.finditer(_NUMBER, text)
        if not any(a <= m.start() < b for a, b in taken) and not _is_no_result(text, m)
    ]
    return _other_value(text, abstract, random, found, "n")


def count_for_fraction(text: str, abstract: str, random: Random) -> str | None:
    """ "45% of patients" becomes "45 patients", or the reverse."""
    swapped = [
        *((m, f"{m['n']} {m['who']}", rf"(?<![\d.]){m['n']}\b(?!\s?%|\.\d)") for m in _PERCENT_OF.finditer(text)),
        *((m, f"{m['n']}% of {m['who']}", rf"(?<![\d.]){m['n']}\s?%") for m in _COUNT_OF.finditer(text)),
    ]
    swapped = [(m, new, other) for m, new, other in swapped if not re.search(other, abstract)]
    if not swapped:
        return None
    m, new, _ = random.choice(swapped)
    return text[: m.start()] + new + text[m.end() :]


def unit(text: str, abstract: str, random: Random) -> str | None:
    """A number keeps its value and gets another unit."""
    found = [
        (m, m[1] + m[2] + new)
        for old, new in _UNITS
        for m in re.finditer(rf"(?<![\d.–-])(\d+(?:[.·]\d+)?)([\s-]?){re.escape(old)}(?![\w/])", text)
        if f"{m[1]} {new}" not in abstract and f"{m[1]}{new}" not in abstract
    ] or [
        (m, f"{m[1]} per 1,000")
        for m in re.finditer(r"(?<![\d.–-])(\d+(?:[.·]\d+)?)\s?%(?!\s?(?:CI|confidence))", text)
    ]
    if not found:
        return None
    m, new = random.choice(found)
    return text[: m.start()] + new + text[m.end() :]


def interval_bound(text: str, abstract: str, random: Random) -> str | None:
    """One end of a confidence interval gets another value."""
    return _other_value(text, abstract, random, list(_INTERVAL.finditer(text)), random.choice(("low", "high")))


def interval_exchanged(text: str, abstract: str, random: Random) -> str | None:
    """The two ends of a confidence interval change places."""
    found = [m for m in _INTERVAL.finditer(text) if m["low"] != m["high"] and "-" not in m["low"] + m["high"]]
    if not found:
        return None
    m = random.choice(found)
    return f"{text[: m.start('low')]}{m['high']}{m['percent']}{m['to']}{m['low']}{text[m.end('high') :]}"


def p_across(text: str, abstract: str, random: Random) -> str | None:
    """A p value moves to the other side of 0.05."""
    found = [m for m in _P.finditer(text) if _value(m["p"]) > 0 and m["op"] in "<="]
    if not found:
        return None
    m = random.choice(found)
    new = random.choice(("P=0.64", "P=0.21")) if _value(m["p"]) <= 0.05 else random.choice(("P<0.001", "P=0.01"))
    return text[: m.start()] + new + text[m.end() :]


def p_stronger(text: str, abstract: str, random: Random) -> str | None:
    """A weaker p value is told as a stronger one on the same side: P=0.04 as P<0.01."""
    choices = []
    for m in _P.finditer(text):
        value = _value(m["p"])
        stronger = [told for bound, told in _BOUNDS if bound < value]
        if m["op"] in "<=" and value <= 0.05 and stronger:
            choices.append((m, random.choice(stronger[:2])))
    if not choices:
        return None
    m, new = random.choice(choices)
    return text[: m.start()] + new + text[m.end() :]


def dose(text: str, abstract: str, random: Random) -> str | None:
    """A dose is doubled, halved or told ten times as high."""
    return _scaled(text, abstract, random, _DOSE, (2, 0.5, 10))


def time_point(text: str, abstract: str, random: Random) -> str | None:
    """A time gets another length in the same unit."""
    return _scaled(text, abstract, random, _TIME, (2, 3, 0.5))


KINDS: dict[str, Callable[[str, str, Random], str | None]] = {
    "number": number,
    "count told as fraction or the reverse": count_for_fraction,
    "unit": unit,
    "interval bound": interval_bound,
    "interval bounds exchanged": interval_exchanged,
    "p value across 0.05": p_across,
    "p value told stronger": p_stronger,
    "dose": dose,
    "time point": time_point,
}


def _value(digits: str) -> float:
    return float(digits.replace("·", ".").replace(",", "").replace("−", "-"))


def _is_no_result(text: str, m: re.Match[str]) -> bool:
    """A year, the level of an interval, a table or figure, a type or phase."""
    before, after = text[max(0, m.start() - 14) : m.start()], text[m.end() : m.end() + 14]
    return bool(
        re.fullmatch(r"(?:19|20)\d\d", m["n"])
        or re.match(r"\s?%?\s?(?:CI|confidence)", after)
        or re.search(
            r"(?:table|fig\.?|figure|type|phase|stage|grade|class|day|week|aged?|group|vitamin|exon|codon)\s?$",
            before,
            re.IGNORECASE,
        )
    )


def _other_value(text: str, abstract: str, random: Random, found: list[re.Match[str]], group: str) -> str | None:
    """One of the first two digits that count is changed; the result is far from the old one and not in the abstract."""
    random.shuffle(found)
    for m in found:
        old, start = m[group], m.start(group)
        places = [i for i, c in enumerate(old) if c.isdigit()]
        while len(places) > 1 and old[places[0]] == "0":
            places = places[1:]
        i = random.choice(places[:2])
        for digit in random.sample("123456789", 9):
            new = old[:i] + digit + old[i + 1 :]
            far = abs(_value(new) - _value(old)) >= 0.05 * abs(_value(old))
            if far and not re.search(rf"(?<![\d.·]){re.escape(new)}(?![\d]|[.·]\d)", abstract):
                return text[:start] + new + text[start + len(old) :]
    return None


def _scaled(
    text: str, abstract: str, random: Random, pattern: re.Pattern[str], factors: tuple[float, ...]
) -> str | None:
    """A number with its unit gets a multiple of its value that stands nowhere in the abstract with that unit."""
    found = [m for m in pattern.finditer(text) if not re.search(r"\b(?:ages?|aged)\b[^.;]{0,25}$", text[: m.start()])]
    random.shuffle(found)
    for m in found:
        for factor in random.sample(factors, len(factors)):
            value = float(m["n"]) * factor
            new = f"{value:g}"
            if value <= 0 or ("." in new and pattern is _TIME) or re.search(rf"(?<![\d.]){re.escape(new)}\b", abstract):
                continue
            return text[: m.start()] + new + m["unit"] + text[m.end() :]
    return None
