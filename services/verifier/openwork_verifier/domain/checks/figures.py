"""Direction by arithmetic: what a claim says must fit the ratio, its interval, and the figures of the arms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from openwork_contracts.verdict import ReasonCode
from openwork_language.cells.cell import Cell
from openwork_language.effects.find import Direction, EffectStatement, conflict, find_effects, reverse
from openwork_language.quantities.compare import Quantity, QuantityKind, find_quantities, matches

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.support import Scored, Support
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds
from openwork_language.wording import concept_of

_D = Direction
_K = QuantityKind
_RATIOS = frozenset({"HR", "RR", "OR", "IRR"})
_ARM_FIGURES = frozenset({_K.PERCENT, _K.RATE, _K.DURATION, _K.MEASUREMENT})
_ONE = Decimal(1)
# Ratios are of the bad event as a rule; of a good outcome ("survival") the ratio does not tell the direction.
_GOOD_OUTCOME = re.compile(
    r"\b(?:surviv|respon|remission|cure|recover|benefi|improv|efficac|effective|succes|adheren|complet|clearance|safe|better|worse)\w*",
    re.IGNORECASE,
)
_NOT_SURE = re.compile(
    r"\b(?:numerically|non-?significant|not\s+(?:statistically\s+)?significant|trend|no\s+significant)", re.IGNORECASE
)


def check_figures(text: str, support: Support, thresholds: GateThresholds = THRESHOLDS) -> tuple[Finding, ...]:
    """A finding where a claim's direction is against the figures of the sentence it rests on."""
    claims = [e for e in find_effects(text) if e.net in {_D.LOWER, _D.HIGHER}]
    directions = {e.net for e in claims}
    if len(directions) != 1 or _GOOD_OUTCOME.search(text):
        return ()
    claim = claims[0]
    quantities = find_quantities(text)
    for scored in support.sentences:
        if scored.share < thresholds.topical_share or _agrees(claim, scored):
            return ()
        for derived, quoted in (*_by_arms(claim, scored), *_by_ratio(claim, scored, quantities)):
            if conflict(claim.net, derived):
                code = ReasonCode.DIRECTION_REVERSED
                if derived is _D.NO_DIFFERENCE:
                    if _NOT_SURE.search(text):
                        continue
                    code = ReasonCode.CERTAINTY_OVERSTATED
                figures = (
                    f"the figures of [{scored.passage.item.n}] say {derived.value.replace('_', ' ')!r}: {quoted!r}"
                )
                detail = f"the claim says {claim.net.value!r}; {figures}"
                return (Finding(code, detail),)
    return ()


def _agrees(claim: EffectStatement, scored: Scored) -> bool:
    """Whether the sentence states the claim's direction in words."""
    return any(effect.net is claim.net for effect in scored.sentence.effects)


def _by_arms(claim: EffectStatement, scored: Scored) -> Iterator[tuple[Direction, str]]:
    """Directions that follow from two figures of one kind, each bound to one of the claim's arms."""
    mine = {concept_of(t) for t in claim.intervention | claim.outcome}
    against = {concept_of(t) for t in claim.comparator}
    if not against:
        return
    slots = [s for s in scored.sentence.cells if s.quantity.kind in _ARM_FIGURES]
    for one, other in pairwise(slots):
        if one.quantity.unit != other.quantity.unit or one.quantity.value == other.quantity.value:
            continue
        quoted = scored.sentence.text[one.quantity.start : other.quantity.end]
        lower = one.quantity.value < other.quantity.value
        first, second = _side(one, other), _side(other, one)
        if first & mine and second & against and not first & against:
            yield (_D.LOWER if lower else _D.HIGHER), quoted
        elif first & against and second & mine and not second & against:
            yield (_D.HIGHER if lower else _D.LOWER), quoted


def _by_ratio(
    claim: EffectStatement, scored: Scored, quantities: tuple[Quantity, ...]
) -> Iterator[tuple[Direction, str]]:
    """The direction of the ratio that the claim itself cites, with its interval in the source."""
    ratios = [q for q in quantities if q.measure in _RATIOS]
    if len(ratios) != 1:
        return
    found = scored.sentence.quantities
    for i, source in enumerate(found):
        if source.measure not in _RATIOS or not matches(ratios[0], source):
            continue
        interval = next((q for q in found[i + 1 : i + 2] if q.high is not None), None)
        if interval is None or interval.high is None:
            continue
        quoted = scored.sentence.text[source.start : interval.end]
        if interval.low <= _ONE <= interval.high:
            yield _D.NO_DIFFERENCE, quoted
        else:
            derived = _D.LOWER if interval.high < _ONE else _D.HIGHER
            yield (reverse(derived) if _other_way(claim, scored) else derived), quoted


def _other_way(claim: EffectStatement, scored: Scored) -> bool:
    """Whether the source names the claim's comparator first, so that its ratio may be the other way round."""
    words = [concept_of(t) for t in claim.comparator]
    text = scored.sentence.text.lower()
    mine = [text.find(t[:5]) for t in claim.intervention if text.find(t[:5]) >= 0]
    theirs = [text.find(w[:5]) for w in words if text.find(w[:5]) >= 0]
    return bool(mine and theirs) and min(theirs) < min(mine)


def _side(cell: Cell, other: Cell) -> frozenset[str]:
    """The words that stand clearly nearer to one number than to another."""
    return frozenset(word for word, near in cell.words.items() if near > 1.5 * other.words.get(word, 0.0))
