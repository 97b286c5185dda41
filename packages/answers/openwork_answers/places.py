"""Where something stands in a question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def places_of(texts: Iterable[str], question: str) -> list[tuple[int, int]]:
    """Where texts first stand in a question, [start, end); what does not stand there is left out."""
    return [(at, at + len(text)) for text in texts if (at := question.find(text)) >= 0]


def is_within(at: int, places: Sequence[tuple[int, int]]) -> bool:
    """Whether a place stands in one of some, [start, end)."""
    return any(start <= at < end for start, end in places)
