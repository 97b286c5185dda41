"""A composite is not its component: "stroke or systemic embolism occurred at 1.3%" says nothing of stroke alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from openwork_contracts.verdict import ReasonCode
from openwork_language.effects.words import CUE
from openwork_language.quantities.quantity import QuantityKind
from openwork_language.wording import concepts, is_common, near_match

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.naming import as_printed
from openwork_verifier.domain.rivals import Place

_K = QuantityKind
_WORDS = (
    r"(?:[A-Za-z][\w'-]*(?:\s+(?!or\b|and\b|was\b|were\b|is\b|are\b|had\b|in\b|at\b|with\b|by\b)[A-Za-z][\w'-]*){0,3})"
)
_EITHER = re.compile(rf"(?P<items>{_WORDS}(?:,\s+{_WORDS})*,?\s+(?:or|and/or|plus)\s+{_WORDS})", re.IGNORECASE)
_COMPOSITE = re.compile(r"\b(?:composite|combined|combination\s+of|mace|major\s+adverse)\b", re.IGNORECASE)
_SPLIT = re.compile(r",\s+(?:or\s+|and/or\s+)?|\s+(?:or|and/or|plus)\s+", re.IGNORECASE)
_LEAD_IN = re.compile(
    r"\s*(?:in|among|at|after|during|for|of|over)\b(?:(?!\b(?:was|were|had|reduc|increas|lower)\w*)[^,;.])*,\s+(?!\w+,)",
    re.IGNORECASE,
)
"""\"In adults with diabetes, ...\" is no item of the list that follows."""
_RESULTS = frozenset({_K.PERCENT, _K.FRACTION, _K.EFFECT, _K.RATE, _K.INTERVAL, _K.P_VALUE})
_REACH = 160
"""Characters before a number in which its outcome is named."""


def check_composites(text: str, rests_on: Sequence[Place]) -> tuple[Finding, ...]:
    """A finding for a number that the source has of "A or B" and the claim of one of them."""
    claimed = concepts(text)
    if _COMPOSITE.search(text):
        return ()
    for place in (p for p in rests_on if p.cell.quantity.kind in _RESULTS):
        start = place.cell.quantity.start
        before = place.sentence.text[max(0, start - _REACH) : start]
        before = before.partition(" ")[2] if start > _REACH else before
        for items in _coordinated(before):
            said = [_is_said(item, claimed) for item in items]
            if any(said) and not all(said):
                missing = as_printed(next(i for i, s in zip(items, said, strict=True) if not s), before)
                detail = (
                    f"[{place.passage.item.n}] has {place.cell.quantity.text!r} of a composite, with {missing!r} in it"
                )
                return (
                    Finding(ReasonCode.COMPOSITE_AS_COMPONENT, detail, passage=place.passage, sentence=place.sentence),
                )
    return ()


def _is_said(item: frozenset[str], claimed: frozenset[str]) -> bool:
    return any(word in claimed or near_match(word, claimed) for word in item)


@lru_cache(maxsize=4096)
def _coordinated(text: str) -> tuple[tuple[frozenset[str], ...], ...]:
    """The outcomes joined by "or", as specific concepts each; lists whose items say the same are none."""
    return tuple(_lists(text))


def _lists(text: str) -> Iterator[tuple[frozenset[str], ...]]:
    lead_in = _LEAD_IN.match(text)
    text = text[lead_in.end() :] if lead_in else text
    for match in _EITHER.finditer(text):
        cues = list(CUE.finditer(match["items"]))
        said = match["items"][cues[-1].end() :] if cues else match["items"]
        items = [frozenset(w for w in concepts(part) if not is_common(w)) for part in _SPLIT.split(said)]
        distinct = tuple(item for item in items if item)
        if len(distinct) > 1 and len(distinct) == len(items):
            yield distinct
