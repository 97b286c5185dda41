"""Ages, kidney function and ejection fraction as intervals: does a sentence speak of the people asked about?

"Chronic kidney disease" in question and source may mean an eGFR of 40 here and dialysis there; only the figures tell.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from openwork_contracts.question import EntityKind
from openwork_knowledge.patterns import any_of
from openwork_knowledge.tables import table

from openwork_language.terms import find_terms

Interval = tuple[float, float]
Ranges = Mapping[str, Sequence[Interval]]

AGE, KIDNEY, EJECTION = "age", "kidney function", "ejection fraction"
"""Years; mL/min (eGFR per 1.73 m2 and creatinine clearance alike: they select nearly the same people); percent."""

_TOP = {AGE: 120.0, KIDNEY: 150.0, EJECTION: 100.0}
_MEASURE = {
    AGE: r"(?:aged?|ages|years of age)",
    KIDNEY: r"(?:e?GFR|glomerular filtration rate|creatinine clearance|CrCl|clearance)",
    EJECTION: r"(?:ejection fraction|LVEF|EF)",
}
_UNIT = {AGE: r"years?(?: of age)?", KIDNEY: r"m[lL]\s?/\s?min\S*(?: per 1\.73 ?m2)?", EJECTION: r"%"}
_MORE = r"(?:over|above|older than|more than|greater than|at least|exceeding|>|≥|>=)"
_LESS = r"(?:under|below|younger than|less than|up to|<|≤|<=)"
_OR_MORE = {
    AGE: r"(?:or|and) (?:older|over)",
    KIDNEY: r"or (?:more|higher|above)",
    EJECTION: r"or (?:more|higher|above)",
}
_OR_LESS = {
    AGE: r"(?:or|and) (?:younger|under)",
    KIDNEY: r"or (?:less|lower|below)",
    EJECTION: r"or (?:less|lower|below)",
}
_N = r"(\d{1,3})(?:\s?%)?"


def _patterns(measure: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """(side, pattern) for each way to print an interval, the most telling first."""
    near, unit = rf"\b{_MEASURE[measure]}\b[^.;()\d]{{0,30}}?", _UNIT[measure]
    between = rf"{_N}\s*(?:to|-|–|and)\s*(?:below |less than )?{_N}"
    # "80 or older" can only be an age; "50 or less" needs its measure before it.
    anchor = rf"(?:{near}|\b)" if measure == AGE else near
    forms = [
        ("between", rf"{near}{between}"),
        ("from", rf"{anchor}{_N}\s*(?:{unit})?\s+{_OR_MORE[measure]}\b"),
        ("to", rf"{anchor}{_N}\s*(?:{unit})?\s+{_OR_LESS[measure]}\b"),
        ("from", rf"{near}{_MORE}\s*{_N}"),
        ("to", rf"{near}{_LESS}\s*{_N}"),
    ]
    if measure != EJECTION:  # A bare percentage may be of anything.
        forms += [
            ("between", rf"{between}\s*{unit}"),
            ("from", rf"{_MORE}\s*{_N}\s*{unit}"),
            ("to", rf"{_LESS}\s*{_N}\s*{unit}"),
        ]
    if measure == AGE:
        people = r"(?:adults?|people|patients|persons|men|women|those|individuals) "
        forms += [("from", rf"{people}{_MORE}\s*{_N}(?! ?(?:%|m))"), ("to", rf"{people}{_LESS}\s*{_N}(?! ?(?:%|m))")]
    return tuple((side, re.compile(form, re.IGNORECASE)) for side, form in forms)


_PATTERNS = {measure: _patterns(measure) for measure in _MEASURE}


def _named() -> tuple[tuple[str, Interval, re.Pattern[str]], ...]:
    """(measure, interval, pattern) of the words that stand for an interval, as "stage 3b" does."""
    listed: dict[tuple[str, Interval, str], list[str]] = defaultdict(list)
    for measure, word, low, high, never_after in table("ranges").rows:
        listed[measure, (float(low), float(high)), never_after].append(word)
    return tuple((measure, interval, _words(found, after)) for (measure, interval, after), found in listed.items())


def _words(listed: Sequence[str], never_after: str) -> re.Pattern[str]:
    before = "" if never_after == "-" else "".join(rf"(?<!{re.escape(words)} )" for words in never_after.split(";"))
    return re.compile(rf"{before}\b{any_of(listed)}\b", re.IGNORECASE)


_WORDS = _named()


@lru_cache(maxsize=8192)  # the same sentences are asked about by gap analysis and synthesis, many times a run
def ranges_in(text: str) -> Ranges:
    """Every interval of each measure that a text names; a measure that it does not name is absent."""
    found: dict[str, list[Interval]] = defaultdict(list)
    for measure, patterns in _PATTERNS.items():
        taken: list[tuple[int, int]] = []
        for side, pattern in patterns:
            for match in pattern.finditer(text):
                if any(match.start() < end and match.end() > start for start, end in taken):
                    continue
                taken.append(match.span())
                numbers = [float(g) for g in match.groups()]
                found[measure].append(_interval(side, numbers, _TOP[measure]))
    for measure, interval, words in _WORDS:
        if (named := words.search(text)) and not (_is_stage(named[0]) and _is_of_another_disease(text, *named.span())):
            found[measure].append(interval)
    return MappingProxyType(dict(found))


def _is_stage(words: str) -> bool:
    """Whether words name a stage of kidney disease without the kidney: "stage III", "4 or 5"."""
    return words.lower().startswith("stage") or words[0].isdigit() or words.startswith("IV")


def _is_of_another_disease(text: str, start: int, end: int) -> bool:
    """Whether a stage stands beside a disease that is not the kidney's: "stage III colon cancer"."""
    beside = (t for t in find_terms(text) if 0 <= t.start - end <= _BESIDE or 0 <= start - t.end <= _BESIDE)
    return any(t.kind is EntityKind.DISEASE and not _KIDNEY_WORDS.search(f"{t.text} {t.name}") for t in beside)


_BESIDE = 3
"""Characters between a disease and its stage: a blank, a comma, a bracket."""
_KIDNEY_WORDS = re.compile(r"\b(?:kidney|renal|CKD|ESRD|ESKD|e?GFR|dialysis|h[ae]+modialysis|nephro)", re.IGNORECASE)


def _interval(side: str, numbers: Sequence[float], top: float) -> Interval:
    if side == "between":
        return min(numbers), max(numbers)
    return (numbers[0], top) if side == "from" else (0.0, numbers[0])


def agreement(asked: Ranges, told: Ranges) -> float:
    """From -1 (other people) over 0 (nothing told) to 1 (the people asked about), mean over the measures asked for.

    An interval agrees as far as it covers the one asked about: "50 or less" covers 30-50, stage 4 does not touch it.
    """
    if not asked:
        return 0.0
    return sum(_agreement(intervals, told.get(measure, ())) for measure, intervals in asked.items()) / len(asked)


def _agreement(asked: Sequence[Interval], told: Sequence[Interval]) -> float:
    if not told:
        return 0.0
    share = max(_covered(a, t) for a in asked for t in told)
    return 1.0 if share >= 0.5 else -1.0 if share < 0.1 else 0.3


def _covered(asked: Interval, told: Interval) -> float:
    width = max(asked[1] - asked[0], 1.0)
    return max(0.0, min(asked[1], told[1]) - max(asked[0], told[0])) / width
