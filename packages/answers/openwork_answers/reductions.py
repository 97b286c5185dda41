"""Relative reductions with an interval: "lowered stroke by 39% (95% CI 1% to 62%)", "efficacy 77.1%, 95% CI ...".

In percent, as printed. The interval has to hold the percentage, and the words beside it have to say that it is a
reduction: a share of people with an interval is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from openwork_language.quantities.quantity import Quantity, QuantityKind

_K = QuantityKind
_I = re.IGNORECASE
_EFFICACY = re.compile(
    r"\befficacy\b(?:[^.;()]|\.(?=\d)|\([^()]*\)){0,200}?(?:\b(?:was|were|of|to|and|against)\s+|[,:]\s+|\bby\s+|\s)(?:only\s+)?$",
    _I,
)
_BY = re.compile(
    r"\b(?:lower(?:ed|ing)?|reduc\w+|decreas\w+|cut|prevent\w+)\b.{3,260}?\bby\s+(?:about\s+|an?\s+|a\s+further\s+|some\s+)?$",
    _I,
)
_IS_REDUCTION = re.compile(
    r"\brelative(?:\s+risk)?\s+reduction(?:\s+of)?\s*[,:]?\s*$|\b(?:odds|risk)\s+reduction\s+of\s+$", _I
)
_LESS_BEHIND = re.compile(
    r"%?\s+(?:lower|less\s+frequent|fewer|(?:relative\s+)?reduction|(?:lower|reduced)\s+risk)\b", _I
)
_RELATIVE_BEHIND = re.compile(r"%?\s+in\s+relative\s+terms\b", _I)
_LAST_FIGURE = re.compile(r"%\)?|\)")
_OF_ANOTHER = re.compile(r"\b(?:was|were|is|are|occurred|had|developed|reported|found|seen)\b", _I)
"""Behind an efficacy and its figure, what has a verb of its own."""
_GREW = re.compile(r"\b(?:rais\w+|rose|increas\w+|improv\w+|grew|higher)\b", _I)
_MEASURED = re.compile(
    r"\b(?:cholesterol|weight|pressure|HbA1c|A1c|triglycerides?|density|volume|scores?|levels?|concentrations?|counts?|dose|days|stay"
    r"|duration|costs?|glucose|ferritin|creatinine|protein\w*)\b",
    _I,
)
"""What is measured and not counted: a percentage lower is no ratio of events."""
_IN_POINTS = re.compile(r"%?\s*(?:percentage\s+)?points?\b", _I)
_NEAR = 150
"""Characters from a percentage to its interval, with the figures of the arms between."""


def with_reductions(sentence: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """The quantities, those that are relative reductions with an interval as effects."""
    told = dict(_reductions(sentence, quantities))
    return [replace(q, kind=_K.EFFECT, measure=told[q.start]) if q.start in told else q for q in quantities]


def is_in_percent(sentence: str, q: Quantity) -> bool:
    """Whether a quantity is printed with its sign: a "relative risk reduction 0.39" is a share of one."""
    return "%" in sentence[q.start : q.end + 2]


def _reductions(sentence: str, quantities: Sequence[Quantity]) -> Iterator[tuple[int, str]]:
    """Where each stands, and RRR or VE."""
    taken: set[int] = set()
    for i, q in enumerate(quantities):
        if q.kind is not _K.PERCENT or q.operator not in {"=", "~"} or _IN_POINTS.match(sentence[q.end :]):
            continue
        interval = next((x for x in quantities[i + 1 :] if x.kind is _K.INTERVAL), None)
        if interval is None or interval.high is None or interval.start - q.end > _NEAR or interval.start in taken:
            continue
        between = [x for x in quantities[i + 1 :] if x.start < interval.start]
        if any(x.kind is _K.EFFECT for x in between) or not interval.low <= q.value <= interval.high:
            continue
        measure = _measure(sentence[: q.start], sentence[q.end :])
        if measure is not None:
            taken.add(interval.start)
            yield q.start, measure


def _measure(before: str, behind: str) -> str | None:
    told = _LAST_FIGURE.split(before)[-1]
    verbs = len(_OF_ANOTHER.findall(told[max(0, told.casefold().rfind("efficacy")) :]))
    if _EFFICACY.search(before) and verbs <= ("efficacy" in told.casefold()):
        return "VE"
    if _LESS_BEHIND.match(behind) or _RELATIVE_BEHIND.match(behind) or _IS_REDUCTION.search(before):
        return "RRR"
    by = _BY.search(before)
    return "RRR" if by and not _GREW.search(before, by.start()) and not _MEASURED.search(told) else None
