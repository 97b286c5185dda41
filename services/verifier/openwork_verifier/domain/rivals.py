"""Two cells of a source compete for a number of a claim: which one do the claim's words mean?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from openwork_language.cells.cell import ACTIVE, CONTROL, Cell
from openwork_language.quantities.compare import Agreement, Quantity, QuantityKind, compare

from openwork_verifier.domain.frequencies import rarity
from openwork_verifier.domain.passages import Passage, PassageSentence

_ROLES = frozenset({CONTROL, ACTIVE})
_K = QuantityKind
_TELLING = frozenset({_K.PERCENT, _K.MEASUREMENT, _K.RATE, _K.EFFECT, _K.FRACTION, _K.INTERVAL})
"""Of these a cell of another sentence may be meant; bare counts and durations are of anything."""
_OF_NOBODY = frozenset({_K.DURATION, _K.DOSE})
_FEW = 12
"""Counts up to this, "three readers", "6 clinics", are no other figure for a larger one."""
_BOUNDS = frozenset({">", ">=", "<", "<="})
LEAD = 0.4
"""By how much the words near a claim's number must fit a rival better: most of one specific word near both."""
PAIR_LEAD = 0.25
"""The same for two numbers of a claim that are two of the source."""
FAR_LEAD = 0.55
"""The same for a cell of another sentence."""
TIMES = 1.0
"""Weight of a time point that both name."""
ROW_LEAD = 0.15
"""By how much the label of another row of a table must fit better."""
LESS = 0.05
"""A cell of another sentence rivals only where that sentence has at most this much less of the claim."""
LEAST = 0.3
"""And at least so much in all."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cell of a source and where it stands."""

    passage: Passage
    sentence: PassageSentence
    cell: Cell


def fit(claim: Cell, source: Cell) -> float:
    """How well the words near a claim's number fit those near a source's: 1 for each specific word beside both.

    `fsum` here and elsewhere: sums over sets are the same in every process.
    """
    shared = {w for w in claim.words.keys() & source.words.keys() if w != "ci" and not _is_figure(w)}
    words = fsum(claim.words[w] * source.words[w] * rarity(w) for w in shared)
    times = 0.0
    if claim.times and source.times:
        times = TIMES if claim.times & source.times else 0.0
    return words + times


def _is_figure(word: str) -> bool:
    """A decimal beside a number is another result, no name of what it is of: "0.79 (0.66 to 0.95)"."""
    return word.startswith("#") and "." in word


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
        if (
            other is place
            or other.cell.attached != place.cell.attached
            or not _competes(claim.quantity, other.cell.quantity)
        ):
            continue
        if other.sentence is not place.sentence and other.sentence.row is not None and place.sentence.row is not None:
            if _row_fit(claim, other) < _row_fit(claim, place) + ROW_LEAD:
                continue
        elif other.sentence is not place.sentence and not _another_sentence_means(claim, place, other, shares):
            continue
        lead = fit(claim, other.cell) - own
        partner = next((c for c in claimed if compare(c.quantity, other.cell.quantity) is Agreement.SAME), None)
        if partner is not None:
            # Two numbers of a claim that are two of the source are compared as pairs: exchanged against straight.
            lead += fit(partner, place.cell) - fit(partner, other.cell)
        elif other.sentence is not place.sentence:
            return other
        if lead >= (LEAD if partner is None else PAIR_LEAD):
            return other
    return None


def _row_fit(claim: Cell, place: Place) -> float:
    """How well a row's own words fit a claim's number."""
    return fsum(claim.words.get(w, 0.0) * rarity(w) for w in place.cell.outcome)


def alike(claim: Quantity, source: Quantity) -> tuple[Quantity, Quantity]:
    """Both as percentages where one is per year and the other does not say: what a side leaves out is unknown."""
    if {claim.kind, source.kind} == {_K.PERCENT, _K.RATE} and "%" in claim.text and "%" in source.text:
        return replace(claim, kind=_K.PERCENT, unit="%"), replace(source, kind=_K.PERCENT, unit="%")
    return claim, source


def _competes(claim: Quantity, source: Quantity) -> bool:
    """Whether both could be the same figure, and are not."""
    claim, source = alike(claim, source)
    if compare(claim, source) is not Agreement.OTHER_VALUE:
        return False
    if claim.kind is _K.COUNT and source.kind in _OF_NOBODY and claim.value == claim.value.to_integral_value():
        return False  # 80 people are not another dose or time
    if claim.kind is _K.COUNT and source.value <= _FEW < claim.value and not _places(claim) and not _places(source):
        return False
    if claim.operator == "=" and source.operator in _BOUNDS and source.kind is not _K.P_VALUE:
        return False  # "90% or greater" says what is counted, and is no result
    units = {claim.unit, source.unit}
    if len(units) == 1 or units == {"%", "points"}:
        bare = claim.kind is _K.COUNT and abs(_places(claim) - _places(source)) > 1
        return claim.kind is source.kind and not bare
    return None in units and "%" not in units  # a unit that one side leaves out


def _places(quantity: Quantity) -> int:
    exponent = quantity.value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


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
