"""What a heading of a table is: a kind of number, a time, a count of people, an effect, or a name of something."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from openwork_knowledge.patterns import any_of
from openwork_knowledge.tables import words
from openwork_language.cells.cell import BEFORE
from openwork_language.cells.contrasts import phase_of
from openwork_language.cells.times import read_phase, read_times

from openwork_extraction.names import bare

_BLANK = re.compile(
    r"[\s—–\-−.*†‡·]*|n\.?/?a\.?|n\.?s\.?|n\.?r\.?|nd|none|not (?:applicable|available|reported)", re.IGNORECASE
)
_N = re.compile(r"\(?\s*\b[nN]\s*=\s*(?P<n>\d{1,3}(?:[,\s]\d{3})+|\d+)\s*\)?")
_ONLY_N = re.compile(r"[\s(\[]*[nN]\s*=\s*[\d,\s]+[\s)\]]*")
_P_VALUE = re.compile(
    r"\W*(?:adjusted\s+|unadjusted\s+|overall\s+)?p(?:\W*values?)?(?:[\s^]*(?:[a-d]\b|adj\.?\b|\d\b|[*†‡§#]+))*"
    r"(?:\s+(?:for|trend|between|within|interaction|group|time|control|vs)\b.*|\s*\(.*\).*)?\W*"
    r"|.*\bp[\s-]?values?\b.*|significance|sig\.?",
    re.IGNORECASE,
)
_TEST = re.compile(
    r"\b(?:chi-?square|t[\s-]tests?|anova|test\s+statistic|mann-whitney|wilcoxon|fisher|kruskal)\b|x²|χ2|\bF\s?\(",
    re.IGNORECASE,
)
_EFFECT = re.compile(
    r"\b(?:HR|OR|RR|IRR|MD|SMD|RD|ES)\b|β|(?i:\b(?:ratio\s*\(|odds\s+ratio|hazards?\s+ratio|rate\s+ratio|risk\s+ratio|relative\s+risk|"
    r"risk\s+difference|mean\s+difference|difference|treatment\s+effect|intervention\s+effect|effects?\s*\(|effect\s+size|effect\s+estimate|"
    r"cohen|coefficient|beta|efficacy\s*\()(?!\w))"
)
_STATISTIC = re.compile(
    r"^\W*(?:(?:arithmetic |geometric |adjusted |least squares? |ls )?means?|medians?|average|m|sd|s\.d\.|sem?|"
    r"s\.e\.m?\.?|iqr|i\.q\.r|inter-?quartile range|range|q1|q3|quartiles?|standard deviation|standard error|n|no\.?|"
    r"numbers?|count|freq(?:uency)?|%|percent(?:age)?|per cent|of|the|and|or|events?|from|baseline|changes?|scores?|"
    r"improvement|95|90|%?ci|cl\d*|confidence intervals?|min|max|±|\+/-|[\s,;:/()\[\]%±*†‡^–-]|\d)+\W*$",
    re.IGNORECASE,
)
_LEADING_TIME = re.compile(
    r"^\W*(?:at\s+|after\s+|by\s+)?(?:(?:the\s+)?end\s+of\s+(?:the\s+)?(?:study|treatment|intervention|trial|follow-?up)|final(?:\s+visit)?|endpoint|last\s+visit|"
    r"follow-?up|post|pre|t\d|visit\s*\d+|time\s*\d+|discharge|admission)\W*\d*\W*$",
    re.IGNORECASE,
)
_TIME_HEAD = re.compile(r"\b(?:weeks?|days?|months?|years?|hours?|h|min(?:utes?)?|time|visit|wk|yr)\b", re.IGNORECASE)
_COMPACT_TIME = re.compile(
    r"^\W*(?:0\s*-\s*)?(?P<n>\d+)\s*-?\s*(?P<unit>h|hrs?|d|wks?|w|mos?|m|yrs?|y|hours?|minutes?|min)\b\W*(?:follow-?up|post.*|later)?\W*$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"\b(?P<n>\d{1,3})(?:st|nd|rd|th)\s+(?:post-?\s?operative\s+)?(?P<unit>hours?|days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
"""A time that is counted: "the 48th hour"."""
_SPAN = re.compile(
    r"^\W*(?:total\s+|from\s+|during\s+)?(?P<first>\d+)\s*(?:-|–|—|to)\s*(?P<last>\d+)\s*-?\s*"
    r"(?P<unit>hours?|hrs?|h|days?|d|weeks?|wks?|months?|mos?|years?|yrs?)\b\W*$",
    re.IGNORECASE,
)
"""From one time to another: "4-12 months"."""
_WIDER = 1e-6
"""Of two spans with one end the wider one is the later: it holds the other."""
_NUMBER = re.compile(r"^\s*\d+(?:\.\d+)?\s*$")
_DATA = re.compile(r"^[\s(\[<>≤≥=~+±−–-]*\.?\d")
_LETTERS = re.compile(r"[^\W\d_]+")
_DATA_WORDS = frozenset(
    [
        "sd",
        "se",
        "sem",
        "ci",
        "to",
        "iqr",
        "of",
        "n",
        "p",
        "ns",
        "na",
        "vs",
        "x",
        "e",
        "and",
        "m",
        "f",
        "mg",
        "ml",
        "kg",
    ]
)
_BASELINE = re.compile(rf"\b{any_of(words('table-words', 'baseline'))}\b", re.IGNORECASE)
_AGAINST_BASELINE = re.compile(
    r"\b(?:from|to|versus|vs\.?|with|adjusted\s+for|and|over|between|against|than)\s+(?:the\s+)?baseline\b|\bbaseline[\s-]*(?:to|and|adjusted|vs\.?|versus|,)(?!\w)",
    re.IGNORECASE,
)
"""Where baseline is what something is compared with."""
_WHOLE = re.compile(
    rf"^\W*(?:{any_of(words('table-words', 'whole'))})\W*"
    r"(?:participants|patients|subjects|sample|population|cohort|score)?\W*$",
    re.IGNORECASE,
)
_BEGINS_WHOLE = re.compile(rf"^\W*(?:the\s+)?{any_of(words('table-words', 'whole'))}\b", re.IGNORECASE)
_TIME_WORDS = frozenset(words("table-words", "time"))
_UNITS_IN_DAYS = {"h": 1 / 24, "d": 1, "w": 7, "m": 30, "y": 365}


class LabelKind(StrEnum):
    """What a heading says."""

    NAME = "name"
    STATISTIC = "statistic"
    """What kind of number stands below it: "mean (SD)", "n (%)"."""
    PEOPLE = "people"
    """How many there are: "n = 27"."""
    TIME = "time"
    P_VALUE = "p_value"
    EFFECT = "effect"
    """A ratio or a difference of arms."""
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Time:
    """A time point of a heading."""

    text: str
    days: float | None
    """After the start; 0 = baseline; `None` = not known, as of "post"."""

    @property
    def is_baseline(self) -> bool:
        """Before anything was given."""
        return self.days == 0


def is_blank(text: str) -> bool:
    """Whether a cell says nothing: empty, a dash, "N/A"."""
    return _BLANK.fullmatch(text.strip()) is not None


def is_figure(text: str) -> bool:
    """Whether a cell holds figures: it begins with a number and has hardly any words."""
    shown = bare(text)
    if not _DATA.match(shown) or _ONLY_N.fullmatch(shown):
        return False
    letters = [word for word in _LETTERS.findall(shown) if word.lower() not in _DATA_WORDS]
    return sum(map(len, letters)) <= 3


def people_in(text: str) -> int | None:
    """N of "(n = 27)" in a heading; the last one where there are more."""
    found = [match["n"] for match in _N.finditer(text)]
    return int(re.sub(r"[,\s]", "", found[-1])) if found else None


@lru_cache(maxsize=16384)
def kind_of(text: str, above: str = "") -> LabelKind:
    """What a heading is.

    Args:
        above: the heading over it, or the head of its column: "Weeks" over "12".
    """
    shown = bare(text)
    if not shown:
        return LabelKind.PEOPLE if people_in(text) is not None else LabelKind.EMPTY
    if _P_VALUE.fullmatch(shown) or _TEST.search(shown):
        return LabelKind.P_VALUE
    if time_in(text, above) is not None:
        return LabelKind.TIME
    if _STATISTIC.match(shown) and not _NUMBER.match(shown):
        return LabelKind.STATISTIC
    return LabelKind.EFFECT if _EFFECT.search(shown) else LabelKind.NAME


@lru_cache(maxsize=16384)
def time_in(text: str, above: str = "") -> Time | None:
    """The time point that a heading is, and nothing else: "Day 270", "Baseline", "12" under "Weeks"; else `None`."""
    shown = plain_times(bare(text))
    if _NUMBER.match(shown):
        head = _TIME_HEAD.search(above)
        return _at(f"{head[0]} {shown}") if head else None
    span = _SPAN.match(shown)
    if span:
        first, last = float(span["first"]), float(span["last"])
        days = last * _UNITS_IN_DAYS.get(span["unit"][0].lower(), 1 / 24)
        return Time(shown, days * (1 + (last - first) / last * _WIDER)) if last > first else None
    compact = _COMPACT_TIME.match(shown)
    if compact:
        return Time(shown, float(compact["n"]) * _UNITS_IN_DAYS.get(compact["unit"][0].lower(), 1 / 24))
    if len(shown.split()) > 6:
        return None
    if _LEADING_TIME.match(shown):
        return Time(shown, 0 if re.search(r"\b(?:pre|t0|admission)\b", shown, re.IGNORECASE) else None)
    rest = re.sub(r"[\W\d]+", " ", _TIME_HEAD.sub(" ", shown)).split()
    read = _at(shown)
    if read is not None and all(word.lower() in _TIME_WORDS or phase_of(word) for word in rest):
        return read
    return None


def plain_times(text: str) -> str:
    """A text with the times that it counts as numbers: "at the 48th hour" is "at the 48 hour"."""
    return _ORDINAL.sub(r"\g<n> \g<unit>", text)


def _at(text: str) -> Time | None:
    """A time with its days, from a text that is known to be about a time."""
    bare_number = re.match(r"^\D*?(?P<n>\d+(?:\.\d+)?)\s*$", text)
    if bare_number and float(bare_number["n"]) == 0 and _TIME_HEAD.search(text):
        return Time(text, 0)
    read = read_times(f"at {text}") or read_times(f"at {re.sub('-', ' ', text)}")
    if read:
        return Time(text, float(read[-1][1].split()[0]))
    phase = read_phase(text) or phase_of(text)
    if phase:
        return Time(text, 0 if phase == BEFORE else None)
    return Time(text, None) if bare_number and _TIME_HEAD.search(text) else None


def says_baseline(text: str) -> bool:
    """Whether a caption or a heading is of the start of the study."""
    return _BASELINE.search(_AGAINST_BASELINE.sub(" ", text)) is not None


def is_whole(text: str) -> bool:
    """Whether a row is the sum of its group: "Overall", "Total"."""
    return _WHOLE.match(bare(text)) is not None


def begins_whole(text: str) -> bool:
    """Whether words name the whole of something: "full battery", "all segments"."""
    return _BEGINS_WHOLE.match(text) is not None
