"""Time from the beginning of an illness to its treatment: "3 to 4.5 hours after onset", "on day 9 of symptoms".

A treatment that helps early may not later, so that a trial of one window tells nothing of another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from openwork_contracts.conclusion import Fit
from openwork_contracts.question import EntityKind, PopulationKind, PopulationTerm, QuestionAnalysis

_FIGURE = r"\d+(?:\.\d+)?"
_HOURS = r"[\s-]?(?:hours?|hrs?|h)\b"
_UNIT = r"[\s-]?(?P<{}>hours?|hrs?|h|days?)\b"
_WINDOW = re.compile(
    rf"(?:between\s+)?(?P<low>{_FIGURE})(?:{_HOURS})?\s*(?:to|-|\u2013|and)\s*(?P<high>{_FIGURE}){_UNIT.format('a')}"
    r"|(?:within|under|up to|less than|no later than|in|<|\u2264)\s*(?:the first\s+)?"
    rf"(?P<until>{_FIGURE}){_UNIT.format('b')}"
    r"|(?:beyond|past|after|more than|over|later than|longer than|outside|>|\u2265)\s*"
    rf"(?P<since>{_FIGURE}){_UNIT.format('c')}"
    rf"|at\s+(?P<at>{_FIGURE}){_HOURS}"
    r"|(?:on\s+)?day\s+(?P<day>\d{1,2})\b",
    re.IGNORECASE,
)
_OF_ONSET = re.compile(
    r"[^.;()]{0,40}?\b(?:onset|symptoms?|illness|last (?:known|seen)"
    r"|(?:after|of|from)\s+(?:an?\s+|the\s+)?(?:[\w-]+\s+){0,2}"
    r"(?:stroke|infarction|bleed(?:ing)?|ha?emorrhage|injury|arrest|overdose|ingestion|presentation))\b",
    re.IGNORECASE,
)
"""From when the time is counted, behind it."""
_GIVEN = re.compile(
    r"\s*,?\s*(?:(?:was|is|if|when)\s+)?(?:(?:given|started|administered|initiated|begun|done|performed)\s+)?"
)


@dataclass(frozen=True, slots=True)
class Window:
    """Hours from an onset, (low, high); `high` may be infinite."""

    low: float
    high: float


def fit_of_window(term: PopulationTerm, text: str) -> Fit | None:
    """How the windows of a text stand to that of a term: ASKED, WIDER where they overlap, OTHER where none does,
    NOT_TOLD where the text has none; `None` = the term has none."""
    is_asked = term.kind is PopulationKind.TIME_COURSE and term.wanted
    asked = next(_windows(term.text, counted=term.name is not None), None) if is_asked else None
    if asked is None:
        return None
    told = list(_windows(text, counted=True))
    if any(asked.low <= one.low and one.high <= asked.high for one in told):
        return Fit.ASKED
    if any(_overlap(asked, one) for one in told):
        return Fit.WIDER
    return Fit.OTHER if told else Fit.NOT_TOLD


def _overlap(asked: Window, told: Window) -> bool:
    """Whether they share more than an end; one moment is shared where it lies in the other."""
    if asked.low == asked.high:
        return told.low <= asked.low <= told.high
    return min(asked.high, told.high) > max(asked.low, told.low)


def windows_asked(analysis: QuestionAnalysis, people: Sequence[PopulationTerm]) -> tuple[PopulationTerm, ...]:
    """Terms for windows that stand right behind a treatment and in no term: "alteplase [beyond 4.5 hours]"."""
    found = []
    for entity in analysis.entities:
        if entity.kind is EntityKind.DISEASE:
            continue
        given = _GIVEN.match(analysis.question, entity.end)
        match = _WINDOW.match(analysis.question, given.end() if given else entity.end)
        if match is None or any(t.start < match.end() and match.start() < t.end for t in people):
            continue
        onset = _OF_ONSET.match(analysis.question, match.end())
        if onset is None and _in_days(match):
            continue
        end = onset.end() if onset else match.end()
        found.append(
            PopulationTerm(
                text=analysis.question[match.start() : end],
                start=match.start(),
                end=end,
                kind=PopulationKind.TIME_COURSE,
                is_detail=True,
            )
        )
    return tuple(found)


def _windows(text: str, *, counted: bool = False) -> Iterator[Window]:
    """The windows that a text names; `counted` = those alone of which it says from when they are counted."""
    for match in _WINDOW.finditer(text):
        if counted and not _OF_ONSET.match(text, match.end()):
            continue
        if match["day"]:
            yield Window((float(match["day"]) - 1) * _DAY, float(match["day"]) * _DAY)
            continue
        if match["at"]:
            yield Window(float(match["at"]), float(match["at"]))
            continue
        hours = _DAY if _in_days(match) else 1.0
        yield Window(
            float(match["low"] or match["since"] or 0) * hours, float(match["high"] or match["until"] or inf) * hours
        )


_DAY = 24.0
"""Hours."""


def _in_days(match: re.Match[str]) -> bool:
    unit = match["a"] or match["b"] or match["c"] or ("day" if match["day"] else "hours")
    return unit.casefold().startswith("day")
