"""Results that are of the outcome and not what was asked of it: a change, another kind of number, another time.

A change that a table prints may be a fall without its sign, and what is left at the end cannot be told from it; a share
of people over some limit is no level, and a mean is no share. Such a result is refused, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openwork_knowledge.patterns import pattern
from openwork_language.cells.cell import AFTER, BEFORE
from openwork_language.cells.times import read_phase, read_times

from openwork_extraction.labels import time_in
from openwork_extraction.names import CHANGED, Names
from openwork_extraction.outcomes import without_times
from openwork_extraction.printed import number
from openwork_extraction.results import ArmNumbers, Source, StudyResult
from openwork_extraction.study import Asked

_MEASURED = re.compile(
    rf"\b{pattern('table-words', 'measured')}"
    r"(?=\s*(?:$|[(,;]|(?:of|in|at|after|during|between|from|on|for|by|with|over)\b))"
    r"|^\W*(?:the\s+)?(?:mean|average|median)\b|\btime\s+(?:to|until|of)\b",
    re.IGNORECASE,
)
"""Of an outcome that is a level: "zinc level", "pressure at rest", and never "pressure ulcers" or "weight gain"."""
_BOUNDED = re.compile(rf"\b{pattern('table-words', 'bounded')}\b|[<>≤≥%]|\bn\s*=", re.IGNORECASE)
"""Of a level that people reach or not: "low birth weight", "pain score over 3"."""
_WHO = r"(?:patients|participants|subjects|women|men|children|infants|people|students)"
_SHARE = re.compile(
    rf"\b{pattern('table-words', 'share')}\b|\b(?:numbers?|proportions?|percent(?:ages?)?)\s+of\s+(?:the\s+)?{_WHO}\b"
    rf"|^\W*(?:the\s+)?{_WHO}\s+(?:with|who|having)\b",
    re.IGNORECASE,
)
"""Of an outcome that is how many people: never "pain in patients with diabetes"."""
_CHANGED = re.compile(
    r"\b(?:changes?|reductions?|decreases?|increases?|improvements?|gains?|loss|differences?|declines?|delta)\b|[Δ∆]",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")
MOST_WORDS_LISTED = 4
"""Of a part of a list: longer ones are clauses."""
_EXPLAINED = re.compile(r"\b(?:such\s+as|including|defined|i\.?e\.?|e\.?g\.?|which|that)\b|[(;:]", re.IGNORECASE)
"""From here an outcome is explained, and the commas part no outcomes."""
LEAST_LISTED = 3
"""Parts of a list; of two, "nausea and vomiting", one row is often both."""
_SUMMED = re.compile(r"\bAUC\b|\barea\s+under\b", re.IGNORECASE)
_SAME_TIME = 0.1
"""Share by which two spellings of one time may differ: 3 months are 12 weeks, 13 weeks and 90 days."""


def unlike(result: StudyResult, asked: Asked, asked_days: float | None, names: Names) -> str | None:
    """Why a complete result is not what was asked; `None` = nothing speaks against it.

    Args:
        asked_days: the time that is asked, in days after the start; `None` = none is.
    """
    outcome = without_times(asked.outcome)
    if _is_one_of_several(result, outcome, names):
        return f"{_where(result)} is one of several outcomes that were asked together"
    is_mean = any(arm.mean is not None or arm.median is not None for arm in result.arms)
    if is_mean and _is_change(result, names) and not _asks_change(outcome, names):
        return f"{_where(result)} is a change, and the value itself was asked"
    if is_mean and _SUMMED.search(result.outcome) and not _SUMMED.search(asked.outcome):
        return f"{_where(result)} is an area under a curve, and the value itself was asked"
    if result.is_counted and _MEASURED.search(outcome) and not (_SHARE.search(outcome) or _BOUNDED.search(outcome)):
        return f"{_where(result)} counts people, and a level was asked"
    if is_mean and _SHARE.search(outcome):
        return f"{_where(result)} is a mean, and how many people was asked"
    if result.is_counted and all(_is_everybody(arm) for arm in result.arms):
        return f"{_where(result)} has as many events as people in both arms, and no share beside them"
    if read_phase(asked.outcome) == BEFORE and any(read_phase(text) == AFTER for text in _headings(result)):
        return f"{_where(result)} is of after what was asked of before"
    days = _days(result)
    if asked_days and days is not None and not _tells_time(result, days, asked_days):
        return f"{_where(result)} is of {result.time}, and another time was asked"
    return None


def _is_one_of_several(result: StudyResult, outcome: str, names: Names) -> bool:
    """Whether a row names one outcome of a list of three and more: "count, volume and motility"."""
    listed = _LISTED.split(_EXPLAINED.split(outcome, maxsplit=1)[0].strip(" ,"))
    parts = [names.words(part) for part in listed]
    if result.source is not Source.TABLE or len(parts) < LEAST_LISTED or not all(parts):
        return False
    if max(len(part.split()) for part in listed) > MOST_WORDS_LISTED:
        return False
    said = frozenset().union(*map(names.words, _headings(result)))
    return sum(bool(part & said) for part in parts) < len(parts)


def _asks_change(outcome: str, names: Names) -> bool:
    return CHANGED in names.words(outcome) or _CHANGED.search(outcome) is not None


def _is_change(result: StudyResult, names: Names) -> bool:
    """Whether the headings over a mean say that it is a change; sentences are read for that elsewhere."""
    return result.source is Source.TABLE and any(CHANGED in names.words(text) for text in _headings(result))


def _headings(result: StudyResult) -> Iterator[str]:
    for arm in result.arms:
        for cell in (arm.mean, arm.median, arm.events, arm.percent):
            if cell is not None and cell.place is not None:
                yield from (*cell.place.row_path, *cell.place.column_path)


def _is_everybody(arm: ArmNumbers) -> bool:
    """Whether a count that stands alone is the number of people once more."""
    if arm.events is None or arm.n is None or arm.percent is not None or arm.events.total is not None:
        return False
    return number(arm.events.value) == number(arm.n.value)


def _days(result: StudyResult) -> float | None:
    time = time_in(result.time) if result.time else None
    return time.days if time is not None else None


def _tells_time(result: StudyResult, days: float, asked_days: float) -> bool:
    """Whether the time of a result, or one that its row names itself, is the asked one."""
    named = [float(time.split()[0]) for text in (result.outcome, *_headings(result)) for _, time in read_times(text)]
    return any(abs(told - asked_days) <= _SAME_TIME * asked_days for told in (days, *named))


def _where(result: StudyResult) -> str:
    return f"{result.source}, {result.outcome[:80]}"
