"""When an outcome is asked about ("at 90 days") and how much of a treatment ("80 mg", "low-dose aspirin")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from openwork_contracts.question import Entity, EntityKind

from openwork_language.asking.figures import figures_in
from openwork_language.asking.words import asking
from openwork_language.quantities.find import find_quantities
from openwork_language.quantities.quantity import QuantityKind

_BEFORE_TIME = re.compile(
    r"\b(?:(?:at|within|by|after|over|for|during|in|up to|from|beyond|before|until|less than|more than|at least|longer"
    r" than|the first|the last|first|every|through|about|approximately|only)\s+)+$",
    re.IGNORECASE,
)
_NOT_OUTCOME_TIME = re.compile(r"\b(?:last|past|recent|previous)\s*$", re.IGNORECASE)


@cache
def _named_times() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){asking('time')}(?![\w-])", re.IGNORECASE)


@cache
def _levels() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){asking('dose')}(?:\s+of)?(?![\w-])", re.IGNORECASE)


def times_of(question: str) -> tuple[str, ...]:
    """Points and spans of time in the question, in its words with the preposition; ages and calendar years are none."""
    found: list[tuple[int, int]] = []
    ages = [(figure.start, figure.end) for figure in figures_in(question)]
    for quantity in find_quantities(question):
        if quantity.kind is not QuantityKind.DURATION and not (
            quantity.kind is QuantityKind.RANGE and quantity.unit in _TIME_UNITS
        ):
            continue
        if any(s < quantity.end and quantity.start < e for s, e in ages):
            continue
        before = question[: quantity.start]
        if _NOT_OUTCOME_TIME.search(before):
            continue
        lead = _BEFORE_TIME.search(before)
        found.append((lead.start() if lead else quantity.start, quantity.end))
    for match in _named_times().finditer(question):
        if not any(s < match.end() and match.start() < e for s, e in found):
            found.append(match.span())
    return tuple(question[s:e].strip() for s, e in sorted(found))


def doses_of(question: str, entities: Sequence[Entity]) -> tuple[str, ...]:
    """Amounts, frequencies and levels of a treatment in the question; an amount in a figure of a person is none."""
    taken = [(figure.start, figure.end) for figure in figures_in(question)]
    found = [
        (quantity.start, _with_rhythm(question, quantity.end))
        for quantity in find_quantities(question)
        if quantity.kind in (QuantityKind.DOSE, QuantityKind.FREQUENCY)
        and not any(s < quantity.end and quantity.start < e for s, e in taken)
        and not (quantity.unit or "").endswith(("/L", "/dL", "/mL"))
    ]
    for match in _levels().finditer(question):
        drugs = (
            e for e in entities if e.kind is EntityKind.DRUG and e.start <= match.end() + 1 and e.end > match.end()
        )
        drug = next(drugs, None)
        found.append((match.start(), drug.end if drug else match.end()))
    kept = [a for a in found if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in found)]
    return tuple(dict.fromkeys(question[s:e].strip() for s, e in sorted(kept)))


_RHYTHM = re.compile(
    r"(?:\s(?:once|twice|three times))?\s(?:daily|a day|per day|weekly|a week|monthly)\b", re.IGNORECASE
)


def _with_rhythm(question: str, end: int) -> int:
    """The end of an amount with how often it is given: "20 mg [once daily]"."""
    found = _RHYTHM.match(question, end)
    return found.end() if found else end


_TIME_UNITS = frozenset({"day", "week", "month", "year", "h", "hour", "min"})
