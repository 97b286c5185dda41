"""What a writer may compute from the cells of one source: a percentage from counts, a difference, a reduction.

Only within one fact or one pair of arms: fractions are never put together across arms. Every figure is computed by
code and rounded as the claim prints it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from openwork_contracts.measures import RATIOS
from openwork_language.cells.cell import Cell
from openwork_language.quantities.compare import Quantity, QuantityKind, matches

from openwork_verifier.domain.passages import Passage
from openwork_verifier.domain.table_rows import shares_of_rows

_K = QuantityKind
_LOWER = re.compile(
    r"\b(?:lower\w*|reduc\w*|fewer|less\w*|cut|decreas\w*|drop\w*|fell|declin\w*|smaller|trim\w*|slash\w*|shav\w*|"
    r"prevent\w*|avert\w*|down|protect\w*|spar\w*|rarer|relative|benefit\w*|advantage|improv\w*)\b",
    re.IGNORECASE,
)
_HIGHER = re.compile(
    r"\b(?:higher|increas\w*|more|greater|rise|rose|excess|raised|larger|up|push\w*|climb\w*)\b", re.IGNORECASE
)
_APART = re.compile(
    r"\b(?:differ\w*|points?|lower|higher|fewer|more|less|reduc\w*|increas\w*|gap|gain\w*|longer|shorter|earlier|later|"
    r"sooner|"
    r"rise|rose|fell|drop\w*|down|up|by|delay\w*|heavier|lighter|extra|lost|save\w*|put\s+off)\b",
    re.IGNORECASE,
)
_TIMES = re.compile(r"\b(?:twice|times|double\w*|triple\w*|half|halv\w*|fold)\b", re.IGNORECASE)
_OTHERS = re.compile(
    r"\b(?:not|no|n't|without|nothing|none|remaining|remainder|rest|other|others|un\w+|only|lacked|free|neither|never|except)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"\s+(?:[\w-]+\s+){0,4}(?:patients|people|women|men|children|adults|participants|subjects|infants|cases|"
    r"individuals|pregnancies|students|persons)\b",
    re.IGNORECASE,
)
_LEAST_TOTAL = 10
_MOST = Decimal(10) ** 7


def is_computed(
    claim: Cell, text: str, cells: Sequence[Cell], passages: Sequence[Passage], claimed: Sequence[Cell] = ()
) -> bool:
    """Whether the claim's number follows from numbers of one source by one step of arithmetic.

    Args:
        claimed: all numbers of the claim: "of 152 episodes 66 (43%)" computes from its own, which the source has.
    """
    quantity = claim.quantity
    if quantity.kind is _K.FRACTION and quantity.total:
        return _is_share(quantity, cells) or (_OTHERS.search(text) is not None and _is_rest(quantity, cells))
    if quantity.kind is _K.PERCENT and any(_agrees(quantity, value) for value in _of_the_claim(claimed, cells)):
        return True
    if quantity.kind is _K.COUNT and quantity.value in _sums_of_the_claim(claim, claimed, cells):
        return True
    if quantity.high is not None or quantity.kind in {_K.P_VALUE, _K.INTERVAL, _K.YEAR}:
        return False
    if quantity.kind is _K.PERCENT and is_share_of_row(claim, text, passages):
        return True
    return any(_agrees(quantity, value) for value in _candidates(quantity, text, cells, passages))


def is_share_of_row(claim: Cell, text: str, passages: Sequence[Passage]) -> bool:
    """Whether a percentage is that of a count and its total in the row of a table that the claim means."""
    return any(_agrees(claim.quantity, value) for value in shares_of_rows(claim, text, passages))


def _agrees(claim: Quantity, value: Decimal) -> bool:
    made = Quantity(claim.kind, claim.text, claim.start, claim.end, value=value, unit=claim.unit, measure=claim.measure)
    return matches(claim, made)


def _is_share(claim: Quantity, cells: Sequence[Cell]) -> bool:
    """ "36 of 50" where the source has 72% and 50 people: n follows from both."""
    assert claim.total is not None
    totals = any(cell.quantity.kind is _K.COUNT and cell.quantity.value == claim.total for cell in cells)
    made = replace(claim, kind=_K.PERCENT, unit="%", value=100 * claim.value / claim.total, total=None)
    return totals and any(
        cell.quantity.kind is _K.PERCENT and matches(replace(cell.quantity, operator="="), made) for cell in cells
    )


def _counted(cells: Sequence[Cell]) -> frozenset[Decimal]:
    return frozenset(cell.quantity.value for cell in cells if cell.quantity.kind is _K.COUNT)


def _is_rest(claim: Quantity, cells: Sequence[Cell]) -> bool:
    """ "386 of 400 had nothing" where the source has 14, and 400 people."""
    assert claim.total is not None
    counts = _counted(cells)
    return claim.total in counts and claim.total - claim.value in counts


def _of_the_claim(claimed: Sequence[Cell], cells: Sequence[Cell]) -> Iterator[Decimal]:
    """Percent of one count of the claim among another, where both stand in the source."""
    counts = _counted(cells)
    fractions = {(c.quantity.value, c.quantity.total) for c in cells if c.quantity.kind is _K.FRACTION}
    own = [c.quantity.value for c in claimed if c.quantity.kind is _K.COUNT and c.quantity.value in counts]
    for quantity in (c.quantity for c in claimed if c.quantity.kind is _K.FRACTION):
        told = quantity.value, quantity.total
        if quantity.total and (told in fractions or set(told) <= counts):
            yield 100 * quantity.value / quantity.total
    for part in own:
        yield from (100 * part / whole for whole in own if 0 < part < whole)


def _sums_of_the_claim(claim: Cell, claimed: Sequence[Cell], cells: Sequence[Cell]) -> set[Decimal]:
    """ "Twelve cases in all, five familial, seven sporadic": counts of the claim, put together, that the source has."""
    counts = _counted(cells)
    own = [c.quantity.value for c in claimed if c is not claim and c.quantity.kind is _K.COUNT]
    own = [value for value in own if value in counts and value < claim.quantity.value]
    return {one + other for i, one in enumerate(own) for other in own[i + 1 :]}


def _candidates(claim: Quantity, text: str, cells: Sequence[Cell], passages: Sequence[Passage]) -> Iterator[Decimal]:
    if claim.kind is _K.PERCENT and claim.in_words:  # "a third of the odds" of 0.31
        yield from (100 * c.quantity.value for c in cells if c.quantity.measure in RATIOS and c.quantity.value < 1)
    if claim.kind is _K.PERCENT:
        yield from _shares(cells, passages, others=_OTHERS.search(text) is not None)
        yield from _reductions(text, cells)
    if claim.kind is _K.FOLD or _TIMES.search(text):
        yield from _multiples(cells)
    if _APART.search(text):
        yield from _differences(claim, cells)
    if claim.kind is _K.COUNT and claim.value == claim.value.to_integral_value():
        yield from _counts(cells)


def _shares(cells: Sequence[Cell], passages: Sequence[Passage], *, others: bool) -> Iterator[Decimal]:
    """Percent of n of N; of a count among people that the same sentence counts; what is left of a percentage."""
    for cell in cells:
        quantity = cell.quantity
        if quantity.kind is _K.FRACTION and quantity.total:
            yield 100 * quantity.value / quantity.total
            if others:
                yield 100 - 100 * quantity.value / quantity.total
        elif quantity.kind is _K.PERCENT and others:
            yield 100 - quantity.value
    for passage in passages:
        for sentence in passage.sentences:
            counts = [q for q in sentence.quantities if q.kind is _K.COUNT and 0 < q.value < _MOST]
            for one, other in pairwise(counts):
                low, high = sorted((one, other), key=lambda q: q.value)
                told = sentence.row is None and _PEOPLE.match(sentence.text, high.end) is not None
                if high.value > low.value and high.value >= _LEAST_TOTAL and told:
                    yield 100 * low.value / high.value


def _reductions(text: str, cells: Sequence[Cell]) -> Iterator[Decimal]:
    """ "21% lower" of a ratio of 0.79; relative to the other arm of a pair."""
    lower, higher = _LOWER.search(text), _HIGHER.search(text)
    for cell in cells:
        quantity = cell.quantity
        if quantity.measure in RATIOS:
            if lower and quantity.value < 1:
                yield 100 * (1 - quantity.value)
            if higher and quantity.value > 1:
                yield 100 * (quantity.value - 1)
    if lower or higher:
        for one, other in _pairs(cells):
            if one.value > 0 and other.value > 0:
                yield 100 * abs(one.value - other.value) / one.value
                yield 100 * abs(one.value - other.value) / other.value


def _multiples(cells: Sequence[Cell]) -> Iterator[Decimal]:
    for one, other in _pairs(cells):
        if one.value > 0 and other.value > 0:
            yield max(one.value, other.value) / min(one.value, other.value)
    for cell in cells:
        if cell.quantity.measure in RATIOS and cell.quantity.value > 0:
            yield cell.quantity.value
            yield 1 / cell.quantity.value


def _differences(claim: Quantity, cells: Sequence[Cell]) -> Iterator[Decimal]:
    """Between the two arms of a pair, in their unit."""
    for one, other in _pairs(cells):
        if claim.unit in {one.unit, None, "points"} or (claim.kind is _K.COUNT and one.kind is _K.COUNT):
            yield abs(one.value - other.value)


def _counts(cells: Sequence[Cell]) -> Iterator[Decimal]:
    """The rest of n of N; both arms together."""
    for cell in cells:
        quantity = cell.quantity
        if quantity.kind is _K.FRACTION and quantity.total:
            yield quantity.total - quantity.value
    for one, other in _pairs(cells):
        if one.kind is _K.COUNT and one.value + other.value >= 20:
            yield one.value + other.value


def _pairs(cells: Sequence[Cell]) -> Iterator[tuple[Quantity, Quantity]]:
    """Numbers of one kind and unit that stand beside each other as two arms of one sentence."""
    own = [cell.quantity for cell in cells if not cell.attached]
    for i, one in enumerate(own):
        # Of the next figures only those of its own sentence: places begin anew in the next one.
        ends = next((j for j in range(i + 1, len(own)) if own[j].start <= own[j - 1].start), len(own))
        other = next((q for q in own[i + 1 : ends] if _is_like(one, q)), None)
        if other is not None and one.high is None:
            yield one, other


def _is_like(one: Quantity, other: Quantity) -> bool:
    return one.kind is other.kind and one.unit == other.unit and one.measure == other.measure
