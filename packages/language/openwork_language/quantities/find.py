"""Finding quantities in text: composite forms first (interval, p value, n of N), then single numbers with units."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from openwork_knowledge.patterns import any_of, pattern
from openwork_knowledge.tables import table

from openwork_language.quantities.number_words import WORD_FINDERS, find_frequencies, find_shares, find_word_fractions
from openwork_language.quantities.quantity import Quantity, QuantityKind
from openwork_language.quantities.units import DOSED, DURATIONS, UNIT_PATTERN, canonical_unit

_K = QuantityKind
# Same length in, same length out: places found in the normalised text are places in the source.
_SAME_LENGTH = str.maketrans(
    dict.fromkeys("‐‑‒–—―−﹣－", "-")
    | {"$": " ", "€": " ", "£": " ", "\u00a0": " ", "⩽": "≤", "⩾": "≥", "µ": "μ", "\n": " ", "\t": " "}
)
_MIDDLE_DOT = re.compile(r"(?<=\d)[·∙](?=\d)")
_THIN_GROUP = re.compile(r"(?<=\d)[\u2009\u202f\u2008\u2006](?=\d{3}(?!\d))")
_SPACED_GROUP = re.compile(r"(?<![\d.,])(\d{2,3}) (?=\d{3}(?![\d.,%]| ?\d))")

_DIGITS = r"(?:\d{1,3}(?:[,_]\d{3})+(?!\d)(?:\.\d+)?|\d+\.\d+|(?<![^\s(\[=<>,;:≤≥~+-])\.\d+|0,\d{2,3}(?!\d)|\d+)"
_SIGNED = rf"[-+]?\s?{_DIGITS}"
_START = r"(?<![\w.])(?<![A-Za-z]-)(?<!\d,)"
_UNIT = rf"(?:{UNIT_PATTERN})"
_PERCENT = r"(?:%|per\s?cent(?:age)?(?:\s?points?)?\b|pct\b)"
_BOUNDS = table("numbers").values("bound")
_OP = r"(?:<=|>=|=<|=>|[<>≤≥=~≈])"

_INTERVAL = re.compile(
    r"(?:(?P<level>\d{2}(?:\.\d)?)\s?%?[\s-]*(?:two-sided\s|bayesian\s)?)?"
    r"(?:(?:confidence|credible|credibility|compatibility|prediction)\s+(?:intervals?|limits?)"
    r"(?:\s*[\[(]\s*C[rl]?I?s?\s*[\])])?|\bC[rl]?Is?\b(?:\s?95\s?%?)?|\bCI95\s?%?)(?:\s*[\])])?"
    r"(?:\s*(?:of|from|was|were|is|between|ranged|ranging|estimate))*[\s:=,;\[(]*"
    rf"(?P<low>{_SIGNED})\s*(?:%|(?!to\b|and\b)[a-zA-Zμ/]{{1,8}})?\s*(?:-|\bto\b|;|,|"
    rf"\band\b)\s*(?P<high>{_SIGNED})\s?(?P<unit>{_PERCENT})?",
    re.IGNORECASE,
)
_PAIR = re.compile(rf"[\[(]\s*(?P<low>{_SIGNED})\s*[,;]\s*(?P<high>{_SIGNED})\s*[\])]")
_P_VALUE = re.compile(
    rf"(?<![\w-])[Pp](?:[\s-]?values?)?(?:\s+(?:for|of)\s+[a-z -]{{3,25}}?)?\s*(?:was|were|of|is|,)?\s*"
    rf"(?P<op>{_OP}|less than|equal to)\s*(?P<value>{_DIGITS}(?:\s*[x×]\s*10\s*\^?\(?-\d+\)?|[eE]-\d+)?)"
)
_MEASURES: tuple[tuple[str, str], ...] = (
    ("HR", r"(?i:hazards?[\s-]ratios?)|\ba?HRs?\b"),
    ("OR", r"(?i:odds[\s-]ratios?)|\ba?ORs?\b"),
    ("IRR", r"(?i:(?:incidence[\s-])?rate[\s-]ratios?)|\bIRRs?\b"),
    ("RRR", r"(?i:relative\srisk\sreductions?)|\bRRRs?\b"),
    ("RR", r"(?i:relative[\s-]risks?|risk[\s-]ratios?)|\ba?RRs?\b"),
    ("SMD", r"(?i:standardi[sz]ed\smean\sdifferences?)|\bSMDs?\b"),
    ("MD", r"(?i:(?:weighted\s)?mean\sdifferences?)|\bW?MDs?\b"),
    ("RD", r"(?i:(?:absolute\s)?risk\s(?:differences?|reductions?))|\bRDs?\b|\bARRs?\b"),
    ("NNT", r"(?i:numbers?[\s-]needed[\s-]to[\s-]treat)|\bNNTs?\b"),
    ("NNH", r"(?i:numbers?[\s-]needed[\s-]to[\s-]harm)|\bNNHs?\b"),
    ("I2", r"\bI\s?(?:2|²|\^2)(?![\d.])"),
    ("AUC", r"(?i:area\sunder\sthe\s(?:\w+\s)?curve)|\bAUC\b|\bAUROC\b"),
)
_EFFECT = re.compile(
    "(?:"
    + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _MEASURES)
    + r")(?:\s*[\[(]\s*[A-Za-z]{2,5}\s*[\])])?(?:\s*[\[(,]?\s*(?:95|90|99)\s?%\s?(?:CI|confidence interval)\s*[\])]?)?"
    rf"(?:\s*(?:of|was|were|is)\b|\s*[=:,;≈~\[(])*\s*(?P<value>{_SIGNED})\s?(?P<unit>{_PERCENT})?(?![\w]|[.]\d)"
)
_FRACTION = re.compile(
    rf"{_START}(?P<value>{_DIGITS})(?:\s*\([\d.]+\s?%\))?\s*(?:/|\s(?:out\s)?of\s(?:the\s|a\stotal\sof\s)?|"
    r"\s[a-z]+\s(?:out\s)?of\s(?:the|a)\stotal\s(?:of\s)?|"
    rf"\samong\s)\s*"
    rf"(?P<total>{_DIGITS})(?![\w/]|\.\d|\s?mm|\s?%)"
)
_SAMPLE = re.compile(rf"(?<![\w])[Nn]\s*=\s*(?P<value>{_DIGITS})(?!\w)")
_RATE = re.compile(
    rf"{_START}(?P<value>{_DIGITS})\s?(?:%|[a-z]+(?:\s[a-z]+)?)?\s?(?:per|/)\s?"
    r"(?P<base>\d{1,3}(?:[,_ ]?\d{3})*|an?)?[\s-]?(?P<who>person|patient|participant|wom[ae]n|population)s?"
    r"[\s-]?(?P<time>year|month|day)?s?\b"
)
_YEARLY = re.compile(
    rf"{_START}(?P<value>{_DIGITS})\s?{_PERCENT}\s?(?:per|/|an?|each)\s?(?P<time>year|yr|annum|month|week|day)\b"
)
_PER_THOUSAND = re.compile(
    rf"{_START}(?P<value>{_DIGITS})\s?(?:[a-z]+\s)?per\s(?P<base>1(?:[,_ ]?000|00[,_ ]?000|0[,_ ]?000|00))\b(?![,.]\d)"
)
_RANGE = re.compile(
    rf"{_START}(?P<low>-?{_DIGITS})\s?(?P<unit1>{_PERCENT}|{_UNIT})?(?:\s?-\s?|\s+to\s+)(?P<high>-?{_DIGITS})"
    rf"(?:[\s-]?(?P<unit>{_PERCENT}|{_UNIT}))?(?![\w])"
)
_SINGLE = re.compile(
    rf"(?P<op>{_OP}|\b{any_of(_BOUNDS.keys() - {'equal to'})}\s)?"
    r"\s?"
    rf"{_START}(?P<value>(?<![\w)\]%]-)[-+]?{_DIGITS})(?P<exp>\s?[x×]\s?10\s?\^?\(?-?\d+\)?|[eE][-+]?\d+)?"
    rf"(?:\s?(?P<pct>{_PERCENT})|[\s-]?(?P<fold>fold\b|times\s(?=higher|lower|more|greater|less|as|the|likelier))|"
    rf"[\s-]?(?P<unit>{_UNIT})|(?![\w]|-[A-Za-z]{{2,}}))"
)
_NUMBERED_TIME = re.compile(
    r"\b(?P<unit>(?i:day|week|month|year))s?\s?(?P<value>\d{1,3})\b(?![.,]\d|\s?[-/%]|\s(?:and|to|or|through)\s\d)"
)
_COMPOUND_ADJECTIVE = re.compile(
    rf"{_START}(?P<value>{_DIGITS})-(?:point|lead|arm|item|step|centre|center|dose|cycle|stage)\b"
)
_CONNECTOR = re.compile(
    r"\s*\)?\s*(?:,|and|or|to|vs\.?|versus|±|/|compared (?:with|to)|against|than|,\s*and|\+/-)\s*\(?\s*", re.IGNORECASE
)
_LEVEL_OF_INTERVAL = re.compile(r"\s?(?:C[rl]?Is?\b|confidence|credible)", re.IGNORECASE)
# "factor 21", "type 2 diabetes", "chromosome 3": the number is part of a name.
_NAME_BEFORE = re.compile(rf"\b{pattern('number-names', 'before_number')}[\s-]$", re.IGNORECASE)
_OPERATORS = {"≤": "<=", "=<": "<=", "≥": ">=", "=>": ">=", "≈": "~", **_BOUNDS}
_HAS_NUMBER = re.compile(r"\d")


@lru_cache(maxsize=8192)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """All quantities of a text in order of place; no number is part of two of them."""
    found: list[Quantity] = []
    taken = bytearray(len(text))
    for finder in (find_frequencies, find_shares, find_word_fractions):
        for quantity in finder(text):
            _take(quantity, found, taken)
    if _HAS_NUMBER.search(text):
        normal = _normalise(text)
        for finder_pattern, build in _FINDERS:
            for match in finder_pattern.finditer(normal):
                built = build(match, text)
                if built is not None:
                    _take(built, found, taken)
    for word_finder in WORD_FINDERS:
        for quantity in word_finder(text):
            _take(quantity, found, taken)
    found.sort(key=lambda q: q.start)
    _units_after_brackets(found, text)
    _periods_behind(found, text)
    _bounds_behind(found, text)
    _share_measures(found, text)
    return tuple(_share_units(found, text))


def _take(quantity: Quantity, found: list[Quantity], taken: bytearray) -> None:
    if any(taken[quantity.start : quantity.end]):
        return
    if quantity.kind is _K.FRACTION and "(" in quantity.text:
        # "3 (37%) of 8": the percentage inside is a figure of its own.
        first, last = quantity.text.index("("), quantity.text.rindex(")") + 1
        taken[quantity.start : quantity.start + first] = b"\x01" * first
        taken[quantity.start + last : quantity.end] = b"\x01" * (len(quantity.text) - last)
    else:
        taken[quantity.start : quantity.end] = b"\x01" * (quantity.end - quantity.start)
    found.append(quantity)


def _normalise(text: str) -> str:
    if not text.isascii():
        text = text.translate(_SAME_LENGTH)
        text = _THIN_GROUP.sub("_", _MIDDLE_DOT.sub(".", text))
    else:
        text = text.replace("\n", " ").replace("\t", " ").replace("$", " ")
    return _SPACED_GROUP.sub(r"\1_", text)


def _number(text: str) -> Decimal:
    text = text.replace(" ", "").replace("_", "").lstrip("+")
    if text.startswith(("0,", "-0,")):
        text = text.replace(",", ".")
    return Decimal(text.replace(",", ""))


def _scaled(value: str, exponent: str | None) -> Decimal:
    number = _number(value)
    if exponent:
        power = re.sub(r"^\s?(?:[x×]\s?10\s?\^?\(?|[eE])", "", exponent).rstrip(")")
        # A larger power is an identifier or a misprint; Decimal would still carry it.
        if len(power.lstrip("+-")) <= 3:
            number = number.scaleb(int(power))
    return number


def _unit_of(percent: str | None, unit: str | None) -> str | None:
    if percent:
        return "%"
    return canonical_unit(unit) if unit else None


def kind_of_unit(unit: str | None) -> QuantityKind:
    """The kind of a single number with this canonical unit."""
    if unit is None:
        return _K.COUNT
    first, *rest = unit.split("/")
    if unit == "%":
        return _K.PERCENT
    if unit in DURATIONS:
        return _K.DURATION
    if first in DOSED and not {"L", "dL", "mL", "uL", "hour"} & set(rest):
        return _K.DOSE
    return _K.MEASUREMENT


def _span(match: re.Match[str], text: str, start: int, end: int) -> tuple[str, int, int]:
    while text[start : start + 1].isspace():
        start += 1
    while text[end - 1 : end].isspace():
        end -= 1
    return text[start:end], start, end


def _interval(match: re.Match[str], text: str) -> Quantity | None:
    # Ends in the wrong order are kept as printed: such an interval equals only the same misprint.
    low, high = _number(match["low"]), _number(match["high"])
    level = Decimal(match["level"]) if match["level"] else None
    where = _span(match, text, match.start(), match.end("high"))
    return Quantity(_K.INTERVAL, *where, value=low, high=high, level=level, unit="%" if match["unit"] else None)


def _pair(match: re.Match[str], text: str) -> Quantity | None:
    low, high = _number(match["low"]), _number(match["high"])
    if low >= high:
        return None
    return Quantity(_K.RANGE, *_span(match, text, match.start("low"), match.end("high")), value=low, high=high)


def _p_value(match: re.Match[str], text: str) -> Quantity | None:
    parts = re.fullmatch(rf"({_DIGITS})(.*)", match["value"])
    value = _scaled(parts.group(1), parts.group(2) or None) if parts else Decimal(-1)
    if not 0 <= value <= 1:
        return None
    operator = _OPERATORS.get(match["op"], match["op"])
    return Quantity(_K.P_VALUE, *_span(match, text, match.start(), match.end()), value=value, operator=operator)


def _effect(match: re.Match[str], text: str) -> Quantity:
    where = _span(match, text, match.start("value"), match.end("unit") if match["unit"] else match.end("value"))
    unit = "%" if match["unit"] else None
    measure = next(name for name, _ in _MEASURES if match[name])
    return Quantity(_K.EFFECT, *where, value=_number(match["value"]), measure=measure, unit=unit)


def _fraction(match: re.Match[str], text: str) -> Quantity | None:
    part, whole = _number(match["value"]), _number(match["total"])
    if part > whole or part != part.to_integral_value() or whole != whole.to_integral_value():
        return None
    return Quantity(_K.FRACTION, *_span(match, text, match.start(), match.end()), value=part, total=whole)


def _sample(match: re.Match[str], text: str) -> Quantity:
    return Quantity(
        _K.COUNT, *_span(match, text, match.start("value"), match.end("value")), value=_number(match["value"])
    )


def _rate(match: re.Match[str], text: str) -> Quantity | None:
    base = (match["base"] or "").strip().replace("_", "").replace(",", "").replace(" ", "")
    base = base if base.isdigit() else "1"
    if not match["time"] and not re.fullmatch(r"10+", base):
        return None  # "49/615 patients" is a fraction
    who = "person" if match["who"] in {"person", "patient", "participant", "population"} else "woman"
    unit = f"/{base} {who}" + (f"-{match['time']}" if match["time"] else "")
    where = _span(match, text, match.start(), match.end())
    return Quantity(_K.RATE, *where, value=_number(match["value"]), unit=unit)


def _per_thousand(match: re.Match[str], text: str) -> Quantity:
    """ "3.1 per 1,000", whatever is counted."""
    base = re.sub(r"\D", "", match["base"])
    where = _span(match, text, match.start(), match.end())
    return Quantity(_K.RATE, *where, value=_number(match["value"]), unit=f"/{base} person")


def _yearly(match: re.Match[str], text: str) -> Quantity:
    time = {"yr": "year", "annum": "year"}.get(match["time"], match["time"])
    where = _span(match, text, match.start(), match.end())
    return Quantity(_K.RATE, *where, value=_number(match["value"]), unit=f"%/{time}")


def _range(match: re.Match[str], text: str) -> Quantity | None:
    low, high = _number(match["low"]), _number(match["high"])
    if low >= high:
        return None
    unit = match["unit"] or match["unit1"]
    name = None if unit is None else "%" if re.match(_PERCENT, unit) else canonical_unit(unit)
    return Quantity(_K.RANGE, *_span(match, text, match.start("low"), match.end()), value=low, high=high, unit=name)


def _single(match: re.Match[str], text: str) -> Quantity | None:
    if match["pct"] and _LEVEL_OF_INTERVAL.match(text, match.end()):
        return None
    if (
        not match["unit"]
        and not match["pct"]
        and _NAME_BEFORE.search(text, max(0, match.start("value") - 24), match.start("value"))
    ):
        return None
    operator = " ".join((match["op"] or "=").lower().split())
    value = _scaled(match["value"], match["exp"])
    unit = "fold" if match["fold"] else _unit_of(match["pct"], match["unit"])
    kind = _K.FOLD if unit == "fold" else kind_of_unit(unit)
    if kind is _K.COUNT and not match["exp"] and re.fullmatch(r"(?:19|20)\d\d", match["value"]):
        kind = _K.YEAR
    where = _span(match, text, match.start("value"), match.end())
    return Quantity(kind, *where, value=value, unit=unit, operator=_OPERATORS.get(operator, operator))


def _adjective(match: re.Match[str], text: str) -> Quantity:
    return Quantity(
        _K.COUNT, *_span(match, text, match.start("value"), match.end("value")), value=_number(match["value"])
    )


def _numbered_time(match: re.Match[str], text: str) -> Quantity:
    """ "day 28", "week16": the time point that "28 days" and "16 weeks" are."""
    where = _span(match, text, match.start(), match.end())
    return Quantity(_K.DURATION, *where, value=_number(match["value"]), unit=match["unit"].lower())


_FINDERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], Quantity | None]], ...] = (
    (_INTERVAL, _interval),
    (_P_VALUE, _p_value),
    (_RATE, _rate),
    (_YEARLY, _yearly),
    (_PER_THOUSAND, _per_thousand),
    (_EFFECT, _effect),
    (_PAIR, _pair),
    (_SAMPLE, _sample),
    (_FRACTION, _fraction),
    (_NUMBERED_TIME, _numbered_time),
    (_RANGE, _range),
    (_SINGLE, _single),
    (_COMPOUND_ADJECTIVE, _adjective),
)


_BEHIND_SPREAD = re.compile(
    rf"\s?(?:\((?:SD\s?)?{_DIGITS}\)|[(\[](?:IQR:?\s?|range:?\s?)?{_SIGNED}\s?(?:[-\u2013,]|to)\s?{_SIGNED}[)\]]"
    rf"|(?:±|\+/?-)\s?{_DIGITS})\s?(?P<unit>{_UNIT})"
)
_PERIOD_BEHIND = re.compile(
    r"(?:\sof\s[a-z]+){0,1}\s(?:an?|each|every)\s(?P<time>hour|day|night|week|month|year|minute)\b", re.IGNORECASE
)
_PERIODS = {"night": "day", "minute": "min"}


def _units_after_brackets(found: list[Quantity], text: str) -> None:
    """ "12 (8) cm", "1968 [1644-2332] pg/mL", "40 ± 3 mg": the unit stands behind the spread."""
    for i, this in enumerate(found):
        if this.kind in {_K.COUNT, _K.YEAR} and (match := _BEHIND_SPREAD.match(text, this.end)):
            unit = canonical_unit(match["unit"])
            found[i] = replace(this, kind=kind_of_unit(unit), unit=unit)


def _periods_behind(found: list[Quantity], text: str) -> None:
    """ "560 mL a day", "2 mg of it every hour": the unit goes on."""
    for i, this in enumerate(found):
        if this.kind not in {_K.MEASUREMENT, _K.DOSE} or this.unit is None or "/" in this.unit:
            continue
        if match := _PERIOD_BEHIND.match(text, this.end):
            time = match["time"].lower()
            found[i] = replace(this, unit=f"{this.unit}/{_PERIODS.get(time, time)}")


_ALL_OF_IT = 100
"""Percent."""
_BOUND_BEHIND = re.compile(
    r"\s+or\s+(?:(?P<above>more|greater|higher|above|over|older|longer|later)|less|lower|fewer|below|under|younger|shorter)\b",
    re.IGNORECASE,
)


def _bounds_behind(found: list[Quantity], text: str) -> None:
    """ "90% or greater", "6 or less": bounds."""
    for i, this in enumerate(found):
        if this.operator == "=" and (match := _BOUND_BEHIND.match(text, this.end)):
            found[i] = replace(this, operator=">=" if match["above"] else "<=")


_NEXT_OF_A_LIST = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])?\s*,?\s*(?:and|or|versus|vs\.?|,)\s*", re.IGNORECASE)


def _share_measures(found: list[Quantity], text: str) -> None:
    """ "Hazard ratios of 2.35 (1.50-3.69) and 1.89 (1.26-2.84)": the second is one too."""
    for i, this in enumerate(found):
        if this.kind is not _K.EFFECT or this.measure is None:
            continue
        after = next((j for j in range(i + 1, len(found)) if found[j].kind in {_K.COUNT, _K.EFFECT}), None)
        if (
            after is not None
            and found[after].kind is _K.COUNT
            and _NEXT_OF_A_LIST.fullmatch(text, this.end, found[after].start)
        ):
            found[after] = replace(found[after], kind=_K.EFFECT, measure=this.measure)


def _is_of_its_own(this: Quantity, after: Quantity, text: str) -> bool:
    """ "$9423.34/2.8 days" is a price and a stay; "1001, 98.8%" are heads and their share."""
    return text[: this.start].rstrip()[-1:] in {"$", "€", "£"} or (after.unit == "%" and this.value > _ALL_OF_IT)


def _share_units(found: list[Quantity], text: str) -> Iterator[Quantity]:
    """A bare number takes the unit of the one it is joined to: "2.1 versus 3.4%", "5, 10 and 20 mg"."""
    for i in range(len(found) - 2, -1, -1):
        this, after = found[i], found[i + 1]
        if (
            this.unit == "%"
            and (after.unit or "").startswith("%/")
            and _CONNECTOR.fullmatch(text, this.end, after.start)
        ):
            found[i] = replace(this, kind=_K.RATE, unit=after.unit)
            continue
        if this.kind is not _K.COUNT or after.kind in {_K.YEAR, _K.COUNT} or after.unit in {None, "fold"}:
            continue
        if _CONNECTOR.fullmatch(text, this.end, after.start) and not _is_of_its_own(this, after, text):
            kind = after.kind if after.kind is not _K.RANGE else kind_of_unit(after.unit)
            found[i] = replace(this, kind=kind, unit=after.unit)
    yield from found
