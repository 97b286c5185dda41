"""Time points of a sentence, before and after among them, and which number each belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_language.cells.cell import AFTER, BEFORE
from openwork_language.quantities.compare import Quantity, QuantityKind, find_quantities
from openwork_language.quantities.units import base_unit

_K = QuantityKind
HARD_BREAK = re.compile(r"[;]|\.\s|\b(?:whereas|while|but)\b", re.IGNORECASE)
"""Ends of clauses."""
_TIME = re.compile(
    r"\b(?:at|after|by|over|during|within|for|through|to|until|from|of|in|first|last|follow-?up(?:\s+of)?)\s+"
    r"(?:(?:the|a|about|approximately|median|mean|average|follow-?up|up|to|of|first|least|period)\s+)*$",
    re.IGNORECASE,
)
_FOLLOW_UP = re.compile(
    r"[-\s](?:follow-?up|mortality|survival|period|post|after|later|visit|assessment|of\s+follow)", re.IGNORECASE
)
_DAY_N = re.compile(
    r"\b(?P<unit>day|week|month|year)s?\s+(?P<n>\d{1,4}(?:(?:\s?[-\u2013]\s?|,?\s+(?:and|or|to)\s+|,\s+)\d{1,4})*)"
    r"\b(?!\s?%|\.\d|\s?/\s?\d|\s+(?:patients|people|of|had|died))",
    re.IGNORECASE,
)
_NUMBERS_OF_DAYS = re.compile(r"(?P<from>\d+\s?(?:[-\u2013]|to)\s?)?(?P<n>\d+)")
_NAMES_AN_OUTCOME = re.compile(
    r"\d+-(?:day|week|month|year)\s+(?:[a-z-]+\s){0,2}?(?:mortality|survival|death|risk|rate|incidence)\b",
    re.IGNORECASE,
)
"""It is part of one outcome's name, "18-month survival", and says nothing of the others."""
_JOINED = re.compile(r"[^A-Za-z;]*(?:(?:and|versus|vs|v|compared with|or|per|year|n)\b[^A-Za-z;]*)*", re.IGNORECASE)
_PHASE_BEFORE = re.compile(
    r"\b(?:before|pre-?(?:treatment|intervention|test|op\w*)|baseline|preoperative\w*|initially|T0)\b", re.IGNORECASE
)
_PHASE_AFTER = re.compile(
    r"\b(?:after(?!\s+adjust)|post-?(?:treatment|intervention|test|op\w*)|postoperative\w*|at\s+the\s+end|follow-?up|T[1-9])\b",
    re.IGNORECASE,
)
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


def read_times(text: str) -> tuple[tuple[int, str], ...]:
    """(place, time) of each time point or follow-up of a sentence, as whole days: "84 day"."""
    found = [
        (quantity.start, _in_days(quantity))
        for quantity in find_quantities(text)
        if quantity.kind is _K.DURATION
        and quantity.unit
        and (_TIME.search(text, max(0, quantity.start - 40), quantity.start) or _FOLLOW_UP.match(text, quantity.end))
    ]
    for match in _DAY_N.finditer(text):  # "week 4", "weeks 4 and 8", of "days 1-15" the last
        numbers = list(_NUMBERS_OF_DAYS.finditer(match["n"]))
        places = [match.start(), *(match.start("n") + number.start("n") for number in numbers[1:])]
        days = _DAYS[match["unit"].lower()]
        found += [(at, f"{float(int(n['n']) * days):.4g} day") for at, n in zip(places, numbers, strict=True)]
    return tuple(sorted(set(found)))


def read_phase(text: str) -> str:
    """`BEFORE` or `AFTER` where a text names one of the two, and not both."""
    before, after = _PHASE_BEFORE.search(text), _PHASE_AFTER.search(text)
    if bool(before) == bool(after):
        return ""
    return BEFORE if before else AFTER


def _is_apart(text: str, place: int, quantity: Quantity, told: Sequence[int]) -> bool:
    """Whether a number is neither the first one behind a time nor joined to it."""
    first = next((start for start in told if start > place), quantity.start)
    return quantity.start < place or (quantity.start > first and not _JOINED.fullmatch(text, first, quantity.start))


def _in_days(quantity: Quantity) -> str:
    unit = quantity.unit or ""
    if unit in _DAYS:
        return f"{float(quantity.value * _DAYS[unit]):.4g} day"
    base, factor = base_unit(unit)
    if base == "sec":
        return f"{float(quantity.value * factor) / 86400:.4g} day"
    return f"{quantity.value * factor} {base}"


def times_of(
    text: str, quantity: Quantity, times: Sequence[tuple[int, str]], figures: Sequence[Quantity]
) -> frozenset[str]:
    """The time point of a number: the only one of the sentence, else its neighbour in its clause.

    Where every figure is followed by its time ("2% at 4 weeks and 3% at 8 weeks") the next one, where every time comes
    first the last one, else the nearest.
    """
    others = [(place, time) for place, time in times if not quantity.start <= place < quantity.end]
    places = [place for place, _ in times]
    told = [q.start for q in figures if q.start not in places] or [quantity.start]
    if len({time for _, time in others}) <= 1:
        names = [place for place, _ in others if len(others) == 1 and _NAMES_AN_OUTCOME.match(text, place)]
        if any(len(told) > 1 and _is_apart(text, place, quantity, told) for place in names):
            return frozenset()
        return frozenset(time for _, time in others)
    breaks = [m.start() for m in HARD_BREAK.finditer(text)]
    clause = [t for t in others if not any(min(t[0], quantity.start) < b < max(t[0], quantity.start) for b in breaks)]
    own = clause or others
    if told[0] < places[0] and told[-1] < places[-1]:
        own = [t for t in own if t[0] > quantity.start][:1] or own
    elif places[0] < told[0] and places[-1] < told[-1]:
        own = [t for t in own if t[0] < quantity.start][-1:] or own
    return frozenset({min(own, key=lambda t: abs(t[0] - quantity.start))[1]})
