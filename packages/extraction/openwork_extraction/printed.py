"""The numbers of one cell of a table, by its form and by what its headings and notes say it is.

"12 (3.4)" may be a count with its percentage or a mean with its deviation. Words decide (the cell's own, its row's, its
column's, a note's that the row points to, then the caption's and the other notes'), and arithmetic: a whole number over
the people of the arm that comes to the printed percentage is a count. Where both are silent nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

_DASHES = str.maketrans(
    dict.fromkeys("−–‐‑‒—﹣－", "-") | {"·": ".", "∙": ".", "\u00a0": " ", "\u2009": " ", "\u202f": " "}
)
_NUM = r"[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+,\d{1,2}(?!\d)|\d+(?:\.\d+)?|\.\d+)"
_DECIMAL_COMMA = re.compile(r"(\d),(?=\d{1,2}$)")
_MARK = r"(?:\s*(?:\^\S+|[*†‡§¶#+]+|[a-z](?![a-z])))*"
_FRACTION = re.compile(
    rf"^(?P<x>\d[\d,]*)\s*(?:/|of)\s*(?P<n>\d[\d,]*){_MARK}\s*(?:[(\[]?\s*(?P<p>{_NUM})\s?%?\s*[)\]]?)?{_MARK}$"
)
_FRACTION_BEHIND = re.compile(
    rf"^(?P<p>{_NUM})\s?%?\s*[(\[]\s*(?P<x>\d[\d,]*)\s*(?:/|of)\s*(?P<n>\d[\d,]*)\s*[)\]]{_MARK}$"
)
_PAIR = re.compile(
    rf"^(?P<a>{_NUM})\s?(?P<ap>%?){_MARK}\s*[(\[]\s*(?P<word>(?:[A-Za-z][A-Za-z.]*)?)[\s,=:±]*(?P<b>{_NUM})\s?(?P<bp>%?)\s*[)\]]{_MARK}$"
)
_SPREAD = re.compile(
    rf"^(?P<a>{_NUM})\s?%?{_MARK}\s*(?:±|\+/-|\+-)\s*(?P<b>{_NUM})\s?%?{_MARK}\s*(?:[(\[][^()\[\]]*[)\]]{_MARK})?$"
)
_SLASH = re.compile(rf"^(?P<a>{_NUM})\s*/\s*(?P<b>{_NUM}){_MARK}$")
_BETWEEN = re.compile(
    rf"^(?P<a>{_NUM})\s?%?{_MARK}\s*[(\[]\s*(?P<word>[A-Za-z ,:%\d]*?)[\s:,=]*"
    rf"(?P<low>{_NUM})\s?%?\s*(?:-|to|,|;|\.\.)\s*(?P<high>{_NUM})\s?%?\s*[)\]]{_MARK}$"
)
_ONE = re.compile(rf"^(?P<a>{_NUM})\s?(?P<ap>%?){_MARK}$")
_SD = re.compile(r"\bS\.?D\.?s?\b|(?:[(±/]|\+/-)\s*s\.?d\b|(?i:\bstandard\s+deviations?\b|\bstd\.?\s*dev)")
_SE = re.compile(r"\bS\.?E\.?(?:M\.?)?s?\b|(?:[(±/]|\+/-)\s*s\.?e\.?m?\b|(?i:\bstandard\s+errors?\b)")
_MEAN = re.compile(r"\bmeans?\b|\baverage\b|\bM\b(?=\s*(?:\(|±|/|,))", re.IGNORECASE)
_MEDIAN = re.compile(r"\bmedians?\b", re.IGNORECASE)
_QUARTILES = re.compile(r"\bIQR\b|\binter-?\s?quartile|\bquartiles?\b|\bQ1\b|25th", re.IGNORECASE)
_RANGE = re.compile(r"\brange\b|\bmin(?:imum)?\b", re.IGNORECASE)
_INTERVAL = re.compile(r"\bC[IL]\d*\b|\bconfidence\b|\bcredible\b", re.IGNORECASE)
_COUNT = re.compile(
    r"(?:^|[\s(,;:])(?:n|no\.?|nos\.?|number|numbers|counts?|frequency|freq)\s*(?:\(|,|/|and\b|\[)?\s*(?:of\s+\w+\s*)?(?:\(\s*)?(?:%|per\s?cent|percentages?)|\bn\s*\(|n\s*/\s*N|%\s*\(\s*[nN]\s*\)|\bnumbers?\s*\(percentages?\)",
    re.IGNORECASE,
)
_COUNT_SLASH_PERCENT = re.compile(r"\b(?:n|no\.?|number)\s*/\s*%", re.IGNORECASE)
_PERCENT = re.compile(r"%|\bper\s?cent|\bpercentages?\b|\bproportion", re.IGNORECASE)
_ONLY_N = re.compile(r"^\W*(?:n|no\.?|number|count|freq\w*|events?)\W*$", re.IGNORECASE)
_ONLY_PERCENT = re.compile(r"^\W*(?:%|per\s?cent|percent(?:age)?)\W*$", re.IGNORECASE)
_ONLY_MEAN = re.compile(r"^\W*(?:m|means?|average|x̅)\W*$", re.IGNORECASE)
_ONLY_SD = re.compile(r"^\W*(?:s\.?d\.?|standard\s+deviation)\W*$", re.IGNORECASE)
_ONLY_SE = re.compile(r"^\W*(?:s\.?e\.?m?\.?|standard\s+error(?:\s+of\s+the\s+mean)?)\W*$", re.IGNORECASE)
_POINTS_TO = re.compile(r"\^(?P<mark>[a-z]|\d|[*†‡§¶#]+)|(?P<sign>\*+|†+|‡+|§+|¶+|#+)|(?<=\))(?P<digit>\d)\b")
_BEGINS = re.compile(r"^\s*\(?(?P<mark>[a-z](?=[A-Z\s)])|\d(?=\s|[A-Z])|\*+|†+|‡+|§+|¶+|#+)\)?\s*")


class Kind(StrEnum):
    """What the numbers of a cell are."""

    COUNT = "count"
    PERCENT = "percent"
    MEAN = "mean"
    DEVIATION = "SD"
    STANDARD_ERROR = "SE"
    MEDIAN = "median"
    PEOPLE = "n"


class Spread(StrEnum):
    """What two limits are."""

    CONFIDENCE = "CI"
    QUARTILES = "IQR"
    RANGE = "range"


@dataclass(frozen=True, slots=True)
class Printed:
    """Numbers of a cell as printed, each under its kind."""

    numbers: tuple[tuple[Kind, str], ...]
    total: str | None = None
    """N of a fraction."""
    low: str | None = None
    high: str | None = None
    spread: Spread | None = None
    assumed: bool = False
    """Nothing says what the spread is: it is read as a standard deviation, since the text names neither."""


@dataclass(frozen=True, slots=True)
class Told:
    """What words say a cell's numbers are, nearest first."""

    near: tuple[str, ...]
    """Headings of column and row, the notes that the row points to."""
    table: tuple[str, ...] = ()
    """The caption and the other notes."""
    text: tuple[str, ...] = ()
    """Sentences of the methods."""

    def first(self, *patterns: re.Pattern[str]) -> int | None:
        """Which of the patterns the nearest words hold; `None` where none does, or several at the same distance."""
        for group in (self.near, self.table, self.text):
            found = {i for text in group for i, pattern in enumerate(patterns) if pattern.search(text)}
            if found:
                return found.pop() if len(found) == 1 else None
        return None

    @property
    def names_no_error(self) -> bool:
        """Whether neither table nor methods speak of a standard error or a deviation."""
        every = (*self.near, *self.table, *self.text)
        return not any(pattern.search(text) for text in every for pattern in (_SD, _SE))

    def says(self, pattern: re.Pattern[str], *, near: bool = False) -> bool:
        """Whether any words hold the pattern."""
        return any(pattern.search(text) for text in (self.near if near else (*self.near, *self.table)))


def number(text: str) -> Decimal:
    """The value of a printed number."""
    shown = text.translate(_DASHES)
    return Decimal(_DECIMAL_COMMA.sub(r"\1.", shown).replace(",", ""))


def pointed_notes(label: str, notes: Sequence[str]) -> tuple[str, ...]:
    """Notes that the marks of a heading point to."""
    marks = {m["mark"] or m["sign"] or m["digit"] for m in _POINTS_TO.finditer(label)}
    return tuple(note for note in notes if (begins := _BEGINS.match(note)) and begins["mark"] in marks)


def names_kind(note: str) -> bool:
    """Whether a note says what kind of number something is; many only say who was left out."""
    return any(pattern.search(note) for pattern in (_SD, _SE, _MEAN, _MEDIAN, _QUARTILES, _INTERVAL, _COUNT))


def read_cell(text: str, told: Told, people: int | None, column: str = "") -> Printed | None:
    """The numbers of a cell; `None` where form and words do not say what they are.

    Args:
        people: N of the arm, where it is known.
        column: the heading of the column alone where it names a kind of number ("Mean", "SD", "n", "%").
    """
    shown = " ".join(text.translate(_DASHES).split())
    fraction = _FRACTION.match(shown) or _FRACTION_BEHIND.match(shown)
    if (slash := _SLASH.match(shown)) and told.says(_COUNT_SLASH_PERCENT, near=True):
        return _of_count_and_percent(slash, people)
    if fraction and not _is_mean_and_deviation(told):
        return _of_fraction(fraction)
    for pattern, read in ((_SPREAD, _of_spread), (_SLASH, _of_spread), (_BETWEEN, _of_between), (_PAIR, _of_pair)):
        match = pattern.match(shown)
        if match:
            return read(match, told, people)
    one = _ONE.match(shown)
    return _of_one(one, told, people, column) if one else None


def _of_count_and_percent(match: re.Match[str], people: int | None) -> Printed | None:
    """ "14/19.2" under "n/%": a count and its percentage, where they fit the people of the arm."""
    x = match["a"].replace(",", "")
    if not x.isdigit() or people is None or not is_percent_of(int(x), people, match["b"]):
        return None
    return Printed(((Kind.COUNT, x), (Kind.PERCENT, match["b"])))


def _is_mean_and_deviation(told: Told) -> bool:
    return any(re.search(r"mean\s*/\s*s\.?d", words, re.IGNORECASE) for words in told.near)


def _of_fraction(match: re.Match[str]) -> Printed | None:
    x, n = match["x"].replace(",", ""), match["n"].replace(",", "")
    if not int(n) > 0 or int(x) > int(n):
        return None
    percent = match["p"]
    if percent is not None and not is_percent_of(int(x), int(n), percent):
        return None  # no count and its percentage: systolic over diastolic, say
    numbers = [(Kind.COUNT, x)]
    if percent is not None:
        numbers.append((Kind.PERCENT, percent))
    return Printed(tuple(numbers), total=n)


def is_percent_of(events: int, n: int, printed: str) -> bool:
    """Whether a printed percentage is events over n, within its rounding and half a unit more of its last digit."""
    value = number(printed)
    places = -int(value.as_tuple().exponent) if isinstance(value.as_tuple().exponent, int) else 0
    return n > 0 and abs(Decimal(100 * events) / n - value) <= Decimal("1.01") * Decimal(10) ** -max(places, 0)


def spread_told(told: Told) -> Kind | None:
    """Standard deviation or standard error, by the nearest words that name one of them alone."""
    which = told.first(_SD, _SE)
    return None if which is None else (Kind.DEVIATION, Kind.STANDARD_ERROR)[which]


def _of_spread(match: re.Match[str], told: Told, people: int | None) -> Printed | None:
    """ "12.1 ± 3.4": of a mean, once words say what stands behind it."""
    del people
    if "/" in match[0] and "±" not in match[0] and "+/-" not in match[0] and not _is_mean_and_deviation(told):
        return None
    if number(match["b"]) < 0:
        return None
    kind = spread_told(told)
    # "±" alone may be a deviation or an error (Cochrane Handbook 6.5.2). Where the whole text names neither, it is
    # read as a deviation and marked; where it names both, the mean is sure and its spread is not.
    if kind is None and told.names_no_error:
        return Printed(((Kind.MEAN, match["a"]), (Kind.DEVIATION, match["b"])), assumed=True)
    spread = () if kind is None else ((kind, match["b"]),)
    return Printed(((Kind.MEAN, match["a"]), *spread))


def _of_between(match: re.Match[str], told: Told, people: int | None) -> Printed | None:
    """ "12 (8-17)", "3.1 (2.0, 4.4)": limits of a mean or a median, once words say which."""
    del people
    own = Told((match["word"],)) if match["word"].strip() else told
    which = own.first(_QUARTILES, _INTERVAL, _RANGE)
    if which is None:
        which = told.first(_QUARTILES, _INTERVAL, _RANGE)
    if which is None or not number(match["low"]) <= number(match["a"]) <= number(match["high"]):
        return None
    spread = (Spread.QUARTILES, Spread.CONFIDENCE, Spread.RANGE)[which]
    middle = told.first(_MEDIAN, _MEAN)
    if middle is None and spread is Spread.QUARTILES:
        middle = 0
    if middle is None:
        return None
    kind = Kind.MEDIAN if middle == 0 else Kind.MEAN
    return Printed(((kind, match["a"]),), low=match["low"], high=match["high"], spread=spread)


def _of_pair(match: re.Match[str], told: Told, people: int | None) -> Printed | None:
    """ "12 (3.4)": a count and its percentage, the reverse, or a mean and its deviation."""
    a, b = match["a"], match["b"]
    word = match["word"]
    if word:
        kind = Kind.DEVIATION if _SD.search(word) else Kind.STANDARD_ERROR if _SE.search(word) else None
        return Printed(((Kind.MEAN, a), (kind, b))) if kind and number(b) >= 0 else None
    counted = _counts(a, b, people, in_percent=bool(match["bp"]) and not match["ap"], told=told)
    turned = _counts(b, a, people, in_percent=bool(match["ap"]) and not match["bp"], told=told)
    if counted and turned and people is not None:  # words say that one of the two is a count: arithmetic says which
        counted, turned = _is_share(a, b, people), _is_share(b, a, people)
    if counted != turned or (counted and number(a) == number(b)):  # 15 (15) of a hundred is the same both ways
        x, p = (a, b) if counted else (b, a)
        return Printed(((Kind.COUNT, x.replace(",", "")), (Kind.PERCENT, p)))
    if match["bp"] and not match["ap"]:
        return None
    kind = spread_told(told)
    assumed = kind is None and told.says(_MEAN, near=True) and told.names_no_error
    kind = Kind.DEVIATION if assumed else kind
    if kind is None or told.first(_MEDIAN, _MEAN) == 0 or number(b) < 0:
        return None
    named = told.says(_MEAN, near=True) or told.says(_SD, near=True) or told.says(_SE, near=True)
    if told.says(_COUNT, near=True) and not named:
        return None
    if told.says(_COUNT) and not named and a.replace(",", "").isdigit() and number(b) <= 100:
        return None  # "mean (SD) or n (%)": a whole number may be either, and does not come to its percentage
    return Printed(((Kind.MEAN, a), (kind, b)), assumed=assumed)


def _is_share(x: str, percent: str, people: int) -> bool:
    return is_percent_of(int(x.replace(",", "")), people, percent)


def _counts(x: str, percent: str, people: int | None, *, in_percent: bool, told: Told) -> bool:
    """Whether the first number is a count and the second its percentage."""
    if not x.replace(",", "").isdigit() or not 0 <= number(percent) <= 100:
        return False
    n = int(x.replace(",", ""))
    if people is not None and n <= people and is_percent_of(n, people, percent):
        return True
    says = in_percent or (told.first(_COUNT, _SD, _SE, _QUARTILES) == 0)
    # A percentage of those who answered: near the arm's, and never more people than it has.
    return says and (people is None or n <= people)


def _of_one(match: re.Match[str], told: Told, people: int | None, column: str) -> Printed | None:
    """One number alone: its column names it, or it carries its unit."""
    a = match["a"]
    if _ONLY_N.match(column) or (re.match(r"^\W*n\s*=\s*\d+\W*$", column) and a.isdigit()):
        return Printed(((Kind.COUNT, a.replace(",", "")),)) if a.replace(",", "").isdigit() else None
    for pattern, kind in (
        (_ONLY_PERCENT, Kind.PERCENT),
        (_ONLY_MEAN, Kind.MEAN),
        (_ONLY_SD, Kind.DEVIATION),
        (_ONLY_SE, Kind.STANDARD_ERROR),
    ):
        if pattern.match(column):
            return Printed(((kind, a),))
    if match["ap"] and not told.says(_MEAN, near=True):
        return Printed(((Kind.PERCENT, a),))
    del people
    return None
