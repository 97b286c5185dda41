"""Where in a question an outcome's words begin and end: neighbours that are one, and what it is of behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_BECAUSE_OF = re.compile(r"\s+(?:for|from|due to|because of|related to|caused by|attributed to)\s+", re.IGNORECASE)
"""What an event is from: "hospitalisation for heart failure"."""
_KINDS = "non-?fatal|fatal|major|recurrent|CV|cardiovascular"
"""Words that make a kind of the event behind them in a list."""
_LISTED = re.compile(rf"\s*(?:,\s*(?:and|or)?|\bor\b|/)\s*(?:(?:{_KINDS}|first|new)\s+)*", re.IGNORECASE)
_LISTED_TOGETHER = re.compile(rf"\s*(?:,\s*(?:and|or)?|\b(?:and|or|plus)\b|/)\s*(?:(?:{_KINDS})\s+)*", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:(?:taken|counted|lumped|added|put) together|combined|composite|as one)\b", re.IGNORECASE)
"""Says that what "and" joins is one outcome."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a question: [start, end)."""

    start: int
    end: int


def meet(a: Span, b: Span) -> bool:
    """Whether two places overlap."""
    return a.start < b.end and b.start < a.end


def widest(spans: Iterable[Span]) -> list[Span]:
    """Of places that overlap the widest."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: s.start - s.end):
        if not any(meet(span, other) for other in kept):
            kept.append(span)
    return kept


_NOUNS = (
    r"(?:(?!(?:in|with|among|when|if|by|at|over|within|versus|vs|compared|than|on|after|during|as|is|are|and|or|go|goes"
    r"|went|rise|rises|fall|falls|drop|drops|up|down|does|do|did|be|been|get|gets|will|would|can|could|has|have)\b)"
    r"[\w'-]+(?:\s+|(?=\W|$))){1,5}"
)
_CAUSE = re.compile(
    r"\s+(?:from|due to|related to|caused by|because of|attributed to|attributable to|requiring|needing|leading to)\s+"
    + _NOUNS,
    re.IGNORECASE,
)
_NEEDED = re.compile(r"(?<=need|eeds|ment) for\s+" + _NOUNS, re.IGNORECASE)
_COUNTED_AS = re.compile(
    r"\s+(?:events?|episodes?|endpoints?|outcomes?|complications?|attacks?|exacerbations?|status)\b", re.IGNORECASE
)


def completed(span: Span, question: str, taken: Sequence[Span]) -> Span:
    """With what it is of behind it: "death [from cardiovascular causes]", "kidney disease [events]"."""
    for behind in (_COUNTED_AS, _CAUSE, _NEEDED):
        if match := behind.match(question, span.end):
            longer = Span(span.start, match.start() + len(match[0].rstrip()))
            if not any(meet(longer, other) and not meet(span, other) for other in taken):
                span = longer
    return span


def _is_one_event(between: str, text: str) -> bool:
    """ "HF hospitalisation": what somebody is admitted for, or dies of, before it."""
    return not between.strip() and _EVENT_OF.match(text) is not None


_EVENT_OF = re.compile(r"(?:hospitali[sz]|re-?admission|admission|death|visit|event)", re.IGNORECASE)


def in_lists(spans: list[Span], question: str) -> list[Span]:
    """Neighbours in one list are a composite: "CV death, MI or stroke"; what "and" joins are two outcomes."""
    joined: list[Span] = []
    link = _LISTED_TOGETHER if _TOGETHER.search(question) else _LISTED
    for span in spans:
        between = question[joined[-1].end : span.start] if joined else ""
        if joined and (
            _is_one_event(between, question[span.start : span.end])
            or link.fullmatch(between)
            or _BECAUSE_OF.fullmatch(between)
        ):
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return joined
