"""Which arm, outcome and time point a number of a sentence belongs to.

Every number gets the words that stand nearest to it: those between its neighbours of the same kind, cut at clause
borders; for lists ("2.1% and 3.4% in the A and B groups, respectively") the list item in the same place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from openwork_language.quantities.compare import Quantity, QuantityKind, find_quantities

from openwork_verifier.domain.wording import concepts

_K = QuantityKind
# These belong to the number before them ("HR 0.79 (0.66-0.95; P=0.01)") and do not separate two figures.
_ATTACHED = frozenset({_K.INTERVAL, _K.P_VALUE, _K.RANGE})
_HARD_BREAK = re.compile(r"[;]|\.\s|\b(?:whereas|while|but|respectively)\b", re.IGNORECASE)
_COMPARED = re.compile(r"\b(?:versus|vs\.?|compared with|compared to|than|against)\b", re.IGNORECASE)
_PARTED = re.compile(r"\b(?:and|versus|vs\.?|compared with|compared to|than|or)\b|,", re.IGNORECASE)
_PARTED_AFTER = re.compile(r"\b(?:and|versus|vs\.?|compared with|compared to|than|or)\b|,(?=\s)", re.IGNORECASE)
# A number's arm and outcome stand this near to it, in words on either side.
_NEAREST_WORDS = 10
_JOIN = re.compile(r"\s*(?:,\s*)?(?:and|versus|vs\.?|or|compared (?:with|to)|,)\s*\(?\s*", re.IGNORECASE)
_ITEMS = re.compile(
    r"(?:\b(?:the|of|in|with|for|by|on|to|among|between|receiving|taking|given)\s+)?"
    r"(?P<items>(?:[\w+-]+(?:\s[\w+-]+){0,3},\s+)*[\w+-]+(?:\s[\w+-]+){0,3}?,?\s+(?:and|versus|vs\.?|or)\s+(?:the\s+)?[\w+-]+(?:\s[\w+-]+){0,3})",
    re.IGNORECASE,
)
_GROUP_WORD = re.compile(
    r"\b(?:groups?|arms?|patients|recipients|users|participants|cohorts?|respectively)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Slot:
    """One number with the words it is bound to."""

    quantity: Quantity
    near: frozenset[str]


@lru_cache(maxsize=8192)
def slots_of(text: str) -> tuple[Slot, ...]:
    """The numbers of a sentence, each with its nearest words, in order of place."""
    quantities = find_quantities(text)
    figures = [q for q in quantities if q.kind not in _ATTACHED]
    listed = _respectively(text, figures)
    slots = []
    owner: Quantity | None = None
    for quantity in quantities:
        if quantity.kind not in _ATTACHED:
            owner = quantity
        anchor = owner if quantity.kind in _ATTACHED and owner is not None else quantity
        near = listed.get(anchor.start) or concepts(_neighbourhood(text, anchor, figures))
        slots.append(Slot(quantity, near))
    return tuple(slots)


def _neighbourhood(text: str, anchor: Quantity, figures: list[Quantity]) -> str:
    """The words around one figure up to the figures of its kind on either side and to clause borders."""
    left, right = 0, len(text)
    for other in figures:
        if other is anchor or (other.kind is not anchor.kind and other.unit != anchor.unit):
            continue
        if other.end <= anchor.start:
            left = max(left, other.end)
        elif other.start >= anchor.end:
            right = min(right, other.start)
    breaks = list(_HARD_BREAK.finditer(text, left, anchor.start))
    if breaks:
        left = breaks[-1].end()
    after = _HARD_BREAK.search(text, anchor.end, right)
    if after:
        right = after.start()
    before = _side(text[left : anchor.start], before=True, first=left == 0)
    return f"{before} {_side(text[anchor.end : right], before=False, first=False)}"


def _side(words: str, *, before: bool, first: bool) -> str:
    """Between two figures the nearer half counts: "2.1% with A and 3.4% with B" gives "with A" to 2.1%."""
    if before:
        return " ".join((_COMPARED if first else _PARTED).split(words)[-1].split()[-_NEAREST_WORDS:])
    part = next((part for part in _PARTED_AFTER.split(words) if re.search(r"[A-Za-z]{2}", part)), "")
    return " ".join(part.split()[:_NEAREST_WORDS])


def _respectively(text: str, figures: list[Quantity]) -> dict[int, frozenset[str]]:
    """Figures of a list, by place, with the item of the other list that stands in the same place."""
    if "respectively" not in text.lower():
        return {}
    run: list[Quantity] = []
    runs: list[list[Quantity]] = []
    for quantity in figures:
        between = text[run[-1].end : quantity.start] if run else ""
        if run and (_JOIN.fullmatch(between) or re.fullmatch(r"\s*\([^)]*\)\s*,?\s*(?:and|versus|vs\.?)?\s*", between)):
            run.append(quantity)
            continue
        if len(run) > 1:
            runs.append(run)
        run = [quantity]
    if len(run) > 1:
        runs.append(run)
    bound: dict[int, frozenset[str]] = {}
    for run in runs:
        for match in _ITEMS.finditer(text):
            items = re.split(r",?\s+(?:and|versus|vs\.?|or)\s+|,\s+", match["items"])
            overlaps = any(match.start("items") < q.end and q.start < match.end("items") for q in run)
            if len(items) == len(run) and not overlaps:
                cleaned = [concepts(_GROUP_WORD.sub("", item)) for item in items]
                bound.update({q.start: words for q, words in zip(run, cleaned, strict=True) if words})
                break
    return bound
