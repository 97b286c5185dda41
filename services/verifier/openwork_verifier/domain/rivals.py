"""Two cells of a source compete for a number of a claim: which one do the claim's words mean?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openwork_language.cells.cell import ACTIVE, CONTROL, Cell
from openwork_language.quantities.compare import Agreement, Quantity, QuantityKind, compare

from openwork_verifier.domain.frequencies import rarity
from openwork_verifier.domain.passages import Passage, PassageSentence

_ROLES = frozenset({CONTROL, ACTIVE})
_K = QuantityKind
_TELLING = frozenset({_K.PERCENT, _K.MEASUREMENT, _K.RATE, _K.EFFECT, _K.FRACTION, _K.INTERVAL})
"""Of these a cell of another sentence may be meant; bare counts and durations are of anything."""
LEAD = 0.4
"""By how much the words near a claim's number must fit a rival better: most of one specific word near both."""
FAR_LEAD = 0.55
"""The same for a cell of another sentence."""
TIMES = 1.0
"""Weight of a time point that both name."""
LESS = 0.05
"""A cell of another sentence rivals only where that sentence has at most so much less of the claim, as a share of it."""
LEAST = 0.3
"""And at least so much in all."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cell of a source and where it stands."""

    passage: Passage
    sentence: PassageSentence
    cell: Cell


def fit(claim: Cell, source: Cell) -> float:
    """How well the words near a claim's number fit those near a source's: 1 for each specific word beside both."""
    shared = claim.words.keys() & source.words.keys()
    words = sum(claim.words[w] * source.words[w] * rarity(w) for w in shared)
    times = 0.0
    if claim.times and source.times:
        times = TIMES if claim.times & source.times else 0.0
    return words + times


def rival_of(
    claim: Cell, place: Place, places: Sequence[Place], claimed: Sequence[Cell], shares: Mapping[int, float]
) -> Place | None:
    """Another cell of the same kind that the claim's words mean, and not the one that has the claim's value.

    Args:
        place: a cell of the source with the claim's value.
        claimed: the other cells of the claim.
        shares: share of the claim in each sentence of the sources, by `id`.
    """
    own = fit(claim, place.cell)
    for other in places:
        if other is place or not _competes(claim.quantity, other.cell.quantity):
            continue
        if other.sentence is not place.sentence:
            if _another_sentence_means(claim, place, other, shares):
                return other
            continue
        lead = fit(claim, other.cell) - own
        partner = next((c for c in claimed if compare(c.quantity, other.cell.quantity) is Agreement.SAME), None)
        if partner is not None:
            # Two numbers of a claim that are two of the source are compared as pairs: exchanged against straight.
            lead += fit(partner, place.cell) - fit(partner, other.cell)
        if lead >= LEAD:
            return other
    return None


def _competes(claim: Quantity, source: Quantity) -> bool:
    """Whether both could be the same figure, and are not."""
    units = {claim.unit, source.unit}
    if claim.kind is _K.COUNT and claim.value.as_tuple().exponent != source.value.as_tuple().exponent:
        return False
    return (len(units) == 1 or units == {"%", "points"}) and claim.kind is source.kind and compare(claim, source) is Agreement.OTHER_VALUE


def _another_sentence_means(claim: Cell, place: Place, rival: Place, shares: Mapping[int, float]) -> bool:
    here, there = shares.get(id(place.sentence), 0.0), shares.get(id(rival.sentence), 0.0)
    if claim.quantity.kind not in _TELLING and not (claim.quantity.kind is _K.P_VALUE and claim.times):
        return False
    return there >= LEAST and there >= here - LESS and fit(claim, rival.cell) - fit(claim, place.cell) >= FAR_LEAD


def is_identical(claim: Cell, source: Cell) -> bool:
    """Whether arm, outcome and time are read on both sides and are the same, and kind and unit too."""
    arm, outcome = claim.arm - _ROLES, claim.outcome
    if not arm or not source.arm or not outcome or not source.outcome:
        return False
    if claim.quantity.kind is not source.quantity.kind or claim.quantity.unit != source.quantity.unit:
        return False
    if claim.times != source.times:
        return False
    return arm <= source.arm and source.outcome <= outcome
