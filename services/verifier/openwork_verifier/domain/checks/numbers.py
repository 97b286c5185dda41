"""Every number of a claim must stand in a cited passage, in the cell that the claim gives it: arm, outcome and time.

A number that stands nowhere, after units, rounding and arithmetic, is proof. One that stands only in cells that differ
from the claim's is a suspicion, and proof where both cells are read completely.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from openwork_contracts.verdict import ReasonCode
from openwork_language.cells.cell import Cell
from openwork_language.cells.read import read_cells, read_times
from openwork_language.numbered_names import NumberedName
from openwork_language.quantities.compare import Agreement, Quantity, QuantityKind, compare

from openwork_verifier.domain.aligned import Alignment
from openwork_verifier.domain.arithmetic import is_computed
from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.passages import Passage, expanded_cells
from openwork_verifier.domain.rivals import Place, fit, is_identical, rival_of
from openwork_verifier.domain.support import Support

_K = QuantityKind
# "Two trials [1][2]" counts the works cited.
_COUNTED_WORKS = re.compile(
    r"^\W*(?:\w+[\s-]){0,3}?(?:trials?|studies|study|reviews?|meta-analys[ei]s|sources?|works|cohorts?|guidelines?|labels?|articles|rcts?)\b",
    re.IGNORECASE,
)
_KIND_OF_WORK = re.compile(
    r"\s+(?:[\w/-]+\s+){0,4}?(?:trial|study|meta-analysis|analysis|review|cohort|guidelines?|label|statement|recommendations?"
    r"|consensus|report|preprint|survey)\b",
    re.IGNORECASE,
)
_COUNTED_BY_HAND = 12
_AGE = re.compile(r"\b(?:aged?|ages|older|younger|under|over)\b", re.IGNORECASE)
_FALLS = re.compile(r"\b(?:reduc|lower|decreas|declin|fell|fall|drop|loss|less|lost|fewer|shorter|below|cut|down)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Numbers:
    """What became of the numbers of a claim."""

    findings: tuple[Finding, ...]
    rests_on: tuple[Place, ...]
    """The cells that bear its numbers out."""


def check_numbers(
    text: str,
    citations: Sequence[int],
    passages: Sequence[Passage],
    support: Support,
    *,
    names: Sequence[NumberedName] = (),
    restates: Alignment | None = None,
) -> Numbers:
    """Findings for the numbers that are missing, in another unit, or in another cell.

    Args:
        names: names of the claim that the source has too; the numbers in them count nothing.
        restates: the sentence that the claim restates: numbers that it has are bound there (`edits` sees moved ones).
    """
    cells = [
        cell
        for cell in expanded_cells(read_cells(text), tuple(d for p in passages for d in p.defined))
        if not any(name.start <= cell.quantity.start and cell.quantity.end <= name.end for name in names)
        and not _counts_the_works(cell.quantity, text, citations)
        and not _dates_the_work(cell.quantity, text, passages)
    ]
    if not cells:
        return Numbers((), ())
    places = [Place(p, s, c) for p in passages for s in p.sentences for c in s.cells]
    findings: list[Finding] = []
    rests_on: list[Place] = []
    times = {place for place, _ in read_times(text)}
    before_is_bound = False
    for cell in cells:
        same = [place for place in places if _is_same(cell.quantity, place.cell.quantity, text)]
        if not same:
            if not _by_parts(cell.quantity, passages) and not is_computed(cell, text, [p.cell for p in places], passages):
                findings.append(_not_found(cell, cells, places, support))
            continue
        told = cell.quantity.start in times or _stands_in(restates, same) or (cell.told_twice and before_is_bound)
        finding = None if told else _bound_elsewhere(cell, cells, same, places, support)
        before_is_bound = finding is None
        if finding is not None:
            findings.append(finding)
        else:
            rests_on.append(same[0])
    return Numbers(tuple(findings), tuple(rests_on))


def _stands_in(restates: Alignment | None, same: Sequence[Place]) -> bool:
    return restates is not None and any(place.sentence is restates.scored.sentence for place in same)


def _counts_the_works(quantity: Quantity, text: str, citations: Sequence[int]) -> bool:
    return (
        quantity.kind is _K.COUNT
        and quantity.value == len(citations)
        and bool(_COUNTED_WORKS.match(text[quantity.end :]))
    )


def _dates_the_work(quantity: Quantity, text: str, passages: Sequence[Passage]) -> bool:
    """ "STRENGTH (2020) found ...", "in a 2019 meta-analysis": the year of a cited work, from its record."""
    if quantity.value not in {passage.item.year for passage in passages}:
        return False
    before, after = text[: quantity.start], text[quantity.end :]
    return (before.endswith("(") and after[:1] in {")", ";", " "}) or bool(_KIND_OF_WORK.match(after))


def _is_same(claim: Quantity, source: Quantity, text: str) -> bool:
    if compare(claim, source) is Agreement.SAME:
        return True
    if claim.kind is _K.COUNT and source.unit == "year" and _AGE.search(text):
        # "older than 18" for "18 years of age".
        return compare(replace(claim, unit="year", kind=source.kind), source) is Agreement.SAME
    if source.value < 0 < claim.value and source.high is None and claim.high is None and _FALLS.search(text):
        # "fell by 1.5" for a change of -1.5.
        return compare(claim, replace(source, value=-source.value)) is Agreement.SAME
    return False


def _by_parts(claim: Quantity, passages: Sequence[Passage]) -> bool:
    """n of N where one source gives n and N apart; a range whose ends stand apart."""
    if claim.kind is _K.INTERVAL:
        return False
    if claim.total is not None:
        ends = [replace(claim, kind=_K.COUNT, value=v, total=None) for v in (claim.value, claim.total)]
    elif claim.high is not None:
        kind = _K.MEASUREMENT if claim.unit else _K.COUNT
        ends = [replace(claim, kind=kind, value=v, high=None) for v in (claim.value, claim.high)]
    else:
        return False
    return any(
        all(any(compare(end, q) is Agreement.SAME for s in passage.sentences for q in s.quantities) for end in ends)
        for passage in passages
    )


def _bound_elsewhere(
    cell: Cell, cells: Sequence[Cell], same: Sequence[Place], places: Sequence[Place], support: Support
) -> Finding | None:
    """A finding where every cell with this value has a rival that fits the claim's words better."""
    shares = {id(s.sentence): s.share for s in support.ranked}
    claimed = [c for c in cells if c is not cell]
    rivals = []
    for place in same:
        rival = rival_of(cell, place, places, claimed, shares)
        if rival is None:
            return None
        rivals.append((place, rival))
    place, rival = rivals[0]
    n = place.passage.item.n
    proof = is_identical(cell, rival.cell)
    detail = (
        f"{cell.quantity.text!r} belongs to something else in [{n}]; there it is {rival.cell.quantity.text!r}"
    )
    code = ReasonCode.CELL_DIFFERS if proof else ReasonCode.NUMBER_NOT_BOUND
    return Finding(code, detail, proof=proof, otherwise=proof, passage=rival.passage, sentence=rival.sentence)


def _not_found(cell: Cell, cells: Sequence[Cell], places: Sequence[Place], support: Support) -> Finding:
    """Proof: the number is in no cited passage. What stands in its place is said, where something does."""
    quantity = cell.quantity
    used = [other.quantity for other in cells if other is not cell]
    near = {id(s.sentence) for s in support.sentences}
    for place in places:
        if id(place.sentence) in near and compare(quantity, place.cell.quantity) is Agreement.OTHER_UNIT:
            detail = f"{quantity.text!r}: [{place.passage.item.n}] has {place.cell.quantity.text!r}"
            return Finding(ReasonCode.UNIT_MISMATCH, detail, True, True, place.passage, place.sentence)
    code = ReasonCode.INTERVAL_MISMATCH if quantity.kind is _K.INTERVAL else ReasonCode.NUMBER_NOT_FOUND
    instead = _instead(cell, used, places, near)
    if quantity.in_words and quantity.value <= _COUNTED_BY_HAND and quantity.kind in {_K.COUNT, _K.FRACTION}:
        # A writer counts what a source lists: "one of eight predictors".
        return Finding(ReasonCode.NUMBER_NOT_FOUND, f"{quantity.text!r} is in no cited passage; count it there")
    if instead is None:
        return Finding(code, f"{quantity.text!r} is in no cited passage", proof=True)
    n, other = instead.passage.item.n, instead.cell.quantity.text
    detail = f"{quantity.text!r} is in no cited passage; [{n}] has {other!r} in its place"
    return Finding(code, detail, True, True, instead.passage, instead.sentence)


def _instead(cell: Cell, used: Iterable[Quantity], places: Sequence[Place], near: set[int]) -> Place | None:
    """The source's figure in the same place: same kind, in a supporting sentence, not used by the claim itself."""
    free = [
        place
        for place in places
        if id(place.sentence) in near
        and compare(cell.quantity, place.cell.quantity) is Agreement.OTHER_VALUE
        and not any(compare(other, place.cell.quantity) is Agreement.SAME for other in used)
    ]
    return max(free, key=lambda place: fit(cell, place.cell), default=None)
