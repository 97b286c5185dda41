"""What a question ends with behind a colon, a dash or the last comma: "apixaban vs warfarin: [brain bleeds]?"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from openwork_answers.outcome_spans import Span, meet
from openwork_answers.unread import says_what

_BEHIND = re.compile(r"(?:\w[:;]\s+|\s[-–—]+\s+)(?P<what>[^:;?]{2,80}?)\s*\??\s*$")
_BEHIND_COMMA = re.compile(
    r"\b(?:vs\.?|versus|compared (?:with|to)|against)\s[^,?]{2,80},\s+(?P<what>[^,?]{2,50}?)\s*\?\s*$", re.IGNORECASE
)
_COMPARES = re.compile(
    r"\b(?:vs?\.?|versus|compared|against|than|or|which|what|how|does|do|is|are|can|should)\b", re.IGNORECASE
)
_OPENS = re.compile(
    r"(?:(?:any|the|an?|is there|effects? on|effects?|impact on|risks? of|risks?|rates? of|on|for|in terms of|"
    r"differences? in|differences?|what about|more|less|fewer|better|worse|lower|higher|good|bad)\s+)+",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\s+(?:(?:at|by|over|within|after|in|up to)\s+(?:\d+|one|two|three|six|twelve)\s?-?"
    r"(?:min|minutes?|h|hours?|d|days?|wk|weeks?|mo|months?|y|yr|years?)"
    r"|rates?|risk|data|evidence|outcomes?|HR|RR|OR|CI)\s*$",
    re.IGNORECASE,
)


def last_segment(question: str) -> Span | None:
    """Where it begins and ends; `None` = the question has none, or sets something against something in it."""
    match = _BEHIND.search(question) or _BEHIND_COMMA.search(question)
    if match is None or _COMPARES.search(match["what"]):
        return None
    start, end = match.span("what")
    if opening := _OPENS.match(question, start, end):
        start = opening.end()
    while closing := _CLOSES.search(question, start, end):
        end = closing.start()
    return Span(start, end) if end > start else None


def outcome_in(segment: Span, question: str, taken: Sequence[Span]) -> Span | None:
    """What of it is nothing else of the question: its words up to the first that are; `None` = nothing is left."""
    inside = sorted((t for t in taken if meet(t, segment)), key=lambda t: t.start)
    end = inside[0].start if inside else segment.end
    text = question[segment.start : end].rstrip(" ,")
    text = re.sub(r"\s+(?:in|among|with|for|of|on|after|during)$", "", text, flags=re.IGNORECASE)
    telling = any(says_what(word) for word in re.findall(r"[^\W_][\w'-]*", text))
    return Span(segment.start, segment.start + len(text)) if telling else None


def before(spans: Iterable[Span], segment: Span) -> bool:
    """Whether any of these stands before the segment."""
    return any(span.end <= segment.start for span in spans)
