""" "Significant", or a plain effect, over figures that show none: the claim's own figures speak against it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.verdict import ReasonCode
from openwork_language.effects.find import Direction
from openwork_language.quantities.quantity import QuantityKind

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.rivals import Place
from openwork_verifier.domain.stances import is_significant, null_of, stances_in
from openwork_verifier.domain.support import Support

_D = Direction
_SIGNED = frozenset({_D.LOWER, _D.HIGHER, _D.BETTER, _D.WORSE})
_SIGNIFICANT = re.compile(
    r"(?<!not )(?<!non)(?<!non-)(?<!no )(?<!no statistically )(?<!not statistically )\bsignifican(?:t|tly|ce)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not?|n't|neither|nor|without|non-?|fail\w*|lack\w*|never|numerically|trend\w*|tend\w*|slightly|nearly|"
    r"similar\w*|comparable|same|as\s+\w+\s+as)\b",
    re.IGNORECASE,
)
_SOURCE_SIGNIFICANT = re.compile(r"\bsignifican|\bP\s?[<≤]\s?0?\.0|\bP\s?=\s?0?\.0[0-4]|\bstatistical", re.IGNORECASE)


def check_significance(text: str, support: Support, rests_on: Sequence[Place]) -> tuple[Finding, ...]:
    """A finding where the figures that a claimed effect rests on show no difference, or nothing says "significant"."""
    if _DENIED.search(text):
        return ()
    signed = any(stance.net in _SIGNED and not stance.open and not stance.by_figures for stance in stances_in(text))
    significant = _SIGNIFICANT.search(text) is not None
    if signed or significant:
        for place in rests_on:
            shown = _shows_none(place)
            if shown:
                detail = f"the claim states an effect; its figures in [{place.passage.item.n}] show none: {shown!r}"
                return (Finding(ReasonCode.NULL_RESULT, detail, passage=place.passage, sentence=place.sentence),)
    if significant and not any(_SOURCE_SIGNIFICANT.search(s.sentence.text) for s in support.ranked[:6]):
        best = support.ranked[0] if support.ranked else None
        return (
            Finding(
                ReasonCode.NULL_RESULT,
                "'significant': no cited sentence on this says so",
                passage=best.passage if best else None,
                sentence=best.sentence if best else None,
            ),
        )
    return ()


def _shows_none(place: Place) -> str | None:
    """The p value or interval right behind a figure that shows no difference."""
    cells = place.sentence.cells
    at = next((i for i, cell in enumerate(cells) if cell.quantity is place.cell.quantity), None)
    if at is None:
        return None
    if null_of(place.cell):
        return place.cell.quantity.text
    for cell in cells[at + 1 : at + 4]:
        quantity = cell.quantity
        if quantity.kind is QuantityKind.P_VALUE:
            between = place.sentence.text[place.cell.quantity.end : quantity.start]
            broken = re.search(r";|\.\s|\b(?:and|but|whereas|while)\s+(?:the\s+)?[a-z]{5,}", between) is not None
            return None if broken or is_significant(quantity) else quantity.text
    return None
