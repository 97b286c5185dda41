"""Every number of a claim must stand in a cited passage, in the cell that the claim gives it: arm, outcome and time.

A number that stands nowhere, after units, rounding and arithmetic, is proof. One that stands only in cells that differ
from the claim's is a suspicion, and proof where both cells are read completely.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from openwork_contracts.verdict import ReasonCode
from openwork_language.cells.cell import AFTER, BEFORE, Cell
from openwork_language.cells.read import read_cells
from openwork_language.cells.times import read_phase, read_times
from openwork_language.numbered_names import NumberedName
from openwork_language.quantities.compare import Agreement, Quantity, QuantityKind, compare, find_quantities

from openwork_verifier.domain.aligned import Alignment
from openwork_verifier.domain.arithmetic import is_computed, is_share_of_row
from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.passages import Passage, expanded_cells
from openwork_verifier.domain.rivals import Place, alike, fit, is_identical, rival_of
from openwork_verifier.domain.support import Support
from openwork_verifier.domain.table_rows import check_row, events_of_totals, names_of_rows

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
_P_LIST = re.compile(r"\bp[\s-]?values?\b", re.IGNORECASE)
_TIMED = frozenset({_K.PERCENT, _K.MEASUREMENT, _K.RATE, _K.EFFECT, _K.FRACTION, _K.P_VALUE})
_RATIO_NAMES = {
    name: re.compile(rf"\b{words}s?\b")
    for name, words in (
        ("HR", r"(?:aHRs?|HR|[Hh]azards?\s+[Rr]atio)"),
        ("OR", r"(?:aOR|AOR|OR|[Oo]dds\s+[Rr]atio)"),
        ("RR", r"(?:aRR|RR|[Rr]elative\s+[Rr]isk|[Rr]isk\s+[Rr]atio|[Rr]ate\s+[Rr]atio)"),
        ("IRR", r"(?:IRR|[Rr]ate\s+[Rr]atio)"),
    )
}
_PEOPLE = re.compile(
    r"\s+(?:[\w-]+\s+){0,2}?(?:patients|people|women|men|children|adults|participants|subjects|infants|cases)\b",
    re.IGNORECASE,
)
_LOOSE = frozenset({None, "points", "fold"})
_THING = re.compile(
    r"\s+(?!and\b|or\b|versus\b|vs\b|to\b|with\b|in\b|for\b|at\b|of\b|after\b|per\b|compared\b|than\b)[a-z]{3,}"
)
_AGE = re.compile(r"\b(?:aged?|ages|older|younger|under|over)\b", re.IGNORECASE)
_FALLS = re.compile(
    r"\b(?:reduc|lower|decreas|declin|fell|fall|drop|loss|less|lost|fewer|shorter|below|cut|down|"
    r"deficit|negative|minus)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Numbers:
    """What became of the numbers of a claim."""

    findings: tuple[Finding, ...]
    rests_on: tuple[Place, ...]
    """The cells that bear its numbers out."""
    held: frozenset[int] = frozenset()
    """Where the numbers of the claim start that a cell bears out."""


NOTHING_HELD = Numbers((), ())


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
    places = [Place(p, s, c) for p in passages for s in p.sentences for c in s.cells]
    taken = [(name.start, name.end) for name in names] + list(names_of_rows(text, places))
    cells = _claimed(text, citations, passages, taken)
    if not cells:
        return NOTHING_HELD
    places += [share for place in places if (share := _as_share(place)) is not None]
    findings: list[Finding] = []
    rests_on: list[Place] = []
    held: set[int] = set()
    times = {place for place, _ in read_times(text)}
    before_is_bound = False
    for cell in cells:
        same = [place for place in places if _is_same(cell.quantity, place, text)]
        if not same:
            is_a_time = cell.quantity.start in times
            found, borne_out = _nowhere_whole(text, cell, cells, places, passages, support, restates, is_a_time)
        elif named := _another_measure(cell, same):
            found, borne_out = [named], []
        else:
            told = cell.quantity.start in times or _stands_in(restates, same) or (cell.told_twice and before_is_bound)
            told = told or cell.quantity.kind is _K.FREQUENCY  # how often something is given is no result
            told = told or (cell.quantity.kind is _K.PERCENT and is_share_of_row(cell, text, passages))
            elsewhere = None if told else _bound_elsewhere(text, cell, cells, same, places, support)
            before_is_bound = elsewhere is None
            found, borne_out = ([elsewhere], []) if elsewhere else ([], same[:1])
        findings += found
        rests_on += borne_out
        held |= {cell.quantity.start} if borne_out else set()
    return Numbers(tuple(findings), tuple(rests_on), frozenset(held))


def _claimed(
    text: str, citations: Sequence[int], passages: Sequence[Passage], names: Sequence[tuple[int, int]]
) -> list[Cell]:
    """The claim's numbers without those within names, of works cited and of their years."""
    return [
        cell
        for cell in expanded_cells(read_cells(text), tuple(d for p in passages for d in p.defined))
        if not any(start <= cell.quantity.start and cell.quantity.end <= end for start, end in names)
        and not _counts_the_works(cell.quantity, text, citations)
        and not _dates_the_work(cell.quantity, text, passages)
    ]


def _nowhere_whole(
    text: str,
    cell: Cell,
    cells: Sequence[Cell],
    places: Sequence[Place],
    passages: Sequence[Passage],
    support: Support,
    restates: Alignment | None,
    is_a_time: bool,
) -> tuple[list[Finding], list[Place]]:
    """Of a number that no cell has: its parts stand apart, it is computed or printed, or it is not there."""
    parts = _parts(cell, places, passages)
    if parts and cell.quantity.total is None:  # the ends of a range, "between 16 and 20 weeks"
        return [], [own[0] for _, own in parts]
    if parts:
        found = [_bound_elsewhere(text, part, cells, own, places, support) for part, own in parts]
        return [finding for finding in found if finding is not None][:1], [own[0] for _, own in parts]
    follows = (
        _is_printed(cell.quantity, passages)
        or _is_labelled(cell.quantity, places)
        or is_computed(cell, text, [p.cell for p in places], passages, cells)
    )
    if follows and not _in_another_unit(cell, restates):
        return [], []
    return [_not_found(cell, cells, places, support, is_a_time=is_a_time)], []


def _in_another_unit(cell: Cell, restates: Alignment | None) -> bool:
    """Whether the sentence that the claim restates has this very number, of something else: "20%" for "20 patients"."""
    return restates is not None and any(
        compare(cell.quantity, other.quantity) is Agreement.OTHER_UNIT for other in restates.scored.sentence.cells
    )


def _as_share(place: Place) -> Place | None:
    """Of n of N the percentage, in the same place."""
    quantity = place.cell.quantity
    if quantity.kind is not _K.FRACTION or not quantity.total:
        return None
    share = replace(quantity, kind=_K.PERCENT, value=100 * quantity.value / quantity.total, total=None, unit="%")
    return replace(place, cell=replace(place.cell, quantity=share))


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


def _is_same(claim: Quantity, place: Place, text: str) -> bool:
    source = place.cell.quantity
    if claim.kind is _K.COUNT and source.kind is _K.DURATION and _PEOPLE.match(text[claim.end :]):
        return False  # "28 patients" for "28-day mortality"
    if claim.unit not in _LOOSE and source.kind is _K.COUNT and place.sentence.row is None and _counts_a_thing(place):
        return False  # "6 mm" for "6 patients"
    if place.sentence.row is not None and source.unit is None and claim.unit is not None and source.high is None:
        # A table says its unit elsewhere, or not at all: unknown, which is no disagreement.
        claim = replace(claim, unit=None, kind=_K.COUNT)
    if compare(claim, source) is Agreement.SAME:
        return True
    claim, source = alike(claim, source)
    if compare(claim, source) is Agreement.SAME:
        return True
    if claim.kind is _K.P_VALUE and source.kind is _K.COUNT and _P_LIST.search(place.sentence.text):
        # "P values: PASI = 0.001, ESI = 0.002".
        return compare(replace(claim, kind=_K.COUNT), source) is Agreement.SAME
    if claim.kind is _K.COUNT and source.unit == "year" and _AGE.search(text):
        # "older than 18" for "18 years of age".
        return compare(replace(claim, unit="year", kind=source.kind), source) is Agreement.SAME
    if source.value < 0 < claim.value and source.high is None and claim.high is None and _FALLS.search(text):
        # "fell by 1.5" for a change of -1.5.
        return compare(claim, replace(source, value=-source.value)) is Agreement.SAME
    return False


def _counts_a_thing(place: Place) -> bool:
    """Whether a whole number stands right before the word for what it counts."""
    quantity = place.cell.quantity
    whole = quantity.value == quantity.value.to_integral_value() and "." not in quantity.text
    return whole and _THING.match(place.sentence.text, quantity.end) is not None


def _is_printed(claim: Quantity, passages: Sequence[Passage]) -> bool:
    """Whether a bare number or a year stands in a passage as part of a name: "Galmiche 1980"."""
    if claim.kind not in {_K.YEAR, _K.COUNT} or claim.in_words or "." in claim.text:
        return False
    return any(
        re.search(
            rf"(?<![\w.]){re.escape(claim.text)}(?![\w.]|\s?%|[-\s]per\s?cent|-[a-z])", f"{p.item.title}\n{p.item.text}"
        )
        for p in passages
    )


def _is_labelled(claim: Quantity, places: Sequence[Place]) -> bool:
    """Whether a header or a row of a table is named by it: "drainage in the second 24 h"."""
    labels = {
        text for p in places if p.sentence.row is not None for text in (p.cell.arm_text, p.cell.outcome_text) if text
    }
    return any(compare(claim, named) is Agreement.SAME for text in labels for named in find_quantities(text))


def _parts(claim: Cell, places: Sequence[Place], passages: Sequence[Passage]) -> list[tuple[Cell, list[Place]]]:
    """n of N where one source gives n and N apart; a range whose ends stand apart: each end with its places."""
    quantity = claim.quantity
    if quantity.kind is _K.INTERVAL:
        return []
    if quantity.total is not None:
        ends = [replace(quantity, kind=_K.COUNT, value=v, total=None) for v in (quantity.value, quantity.total)]
    elif quantity.high is not None:
        kind = _K.MEASUREMENT if quantity.unit else _K.COUNT
        ends = [replace(quantity, kind=kind, value=v, high=None) for v in (quantity.value, quantity.high)]
    else:
        return []
    if quantity.total is not None:  # n and N of one arm in a row: n tells whose they are
        told = (quantity.value, quantity.total)
        rows = [s for p in passages for s in p.sentences if s.row is not None]
        pairs = [pair for row in rows for pair in events_of_totals(row.cells)]
        events = {id(event) for event, total in pairs if (event.quantity.value, total.quantity.value) == told}
        if events:
            return [(replace(claim, quantity=ends[0]), [p for p in places if id(p.cell) in events])]
    for passage in passages:
        found = [
            (replace(claim, quantity=end), own)
            for end in ends
            if (own := [p for p in places if p.passage is passage and compare(end, p.cell.quantity) is Agreement.SAME])
        ]
        if len(found) == len(ends):
            return found
    return []


def _bound_elsewhere(
    text: str, cell: Cell, cells: Sequence[Cell], same: Sequence[Place], places: Sequence[Place], support: Support
) -> Finding | None:
    """A finding where every cell with this value has a rival that fits the claim's words better."""
    phase = read_phase(text)
    other_time = _of_another_time(cell, phase, same, places)
    if other_time is not None:
        return other_time
    other_row = check_row(text, cell, same, places)
    if other_row is not None:
        return other_row
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
    detail = f"{cell.quantity.text!r} belongs to something else in [{n}]; there it is {rival.cell.quantity.text!r}"
    code = ReasonCode.CELL_DIFFERS if proof else ReasonCode.NUMBER_NOT_BOUND
    return Finding(code, detail, proof=proof, otherwise=proof, passage=rival.passage, sentence=rival.sentence)


def _another_measure(cell: Cell, same: Sequence[Place]) -> Finding | None:
    """A finding where the sentence of a ratio names another sort of ratio, and the claim's nowhere."""
    measure = cell.quantity.measure
    if measure not in _RATIO_NAMES or cell.attached:
        return None
    for place in same:
        named = {name for name, found in _RATIO_NAMES.items() if found.search(place.sentence.text)}
        if place.cell.quantity.measure == measure or measure in named or not named:
            return None
    place = same[0]
    detail = f"{cell.quantity.text!r}: [{place.passage.item.n}] does not call it so: {place.sentence.text!r}"
    return Finding(ReasonCode.UNIT_MISMATCH, detail, passage=place.passage, sentence=place.sentence)


def _of_another_time(cell: Cell, phase: str, same: Sequence[Place], places: Sequence[Place]) -> Finding | None:
    """A finding for a figure that stands, in a table or in prose, under another time than the claim's."""
    mine = _times(cell) or frozenset({phase}) - {""}
    if not mine or not same or not (all(p.sentence.row for p in same) or _told_apart(mine, cell, same, places)):
        return None
    if any(not _times(place.cell) or _same_time(mine, _times(place.cell)) for place in same):
        return None
    place = same[0]
    shown = ", ".join(sorted(_times(place.cell))).replace("@", "")
    detail = f"{cell.quantity.text!r} stands in [{place.passage.item.n}] under another time: {shown}"
    return Finding(ReasonCode.NUMBER_NOT_BOUND, detail, passage=place.passage, sentence=place.sentence)


def _times(cell: Cell) -> frozenset[str]:
    """The time points of a number, before and after among them."""
    return cell.times | ({BEFORE, AFTER} & cell.words.keys())


def _told_apart(mine: frozenset[str], cell: Cell, same: Sequence[Place], places: Sequence[Place]) -> bool:
    """Whether prose has the claim's time elsewhere, and never in a sentence with this figure."""
    here = frozenset().union(*(_times(p.cell) for p in places if any(p.sentence is s.sentence for s in same)))
    known = frozenset().union(*(_times(p.cell) for p in places))
    return cell.quantity.kind in _TIMED and bool(mine & known) and not mine & here


def _same_time(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether two sets of times agree, or say different sorts of time: a phase and a number of days."""
    phases = {BEFORE, AFTER}
    if mine & theirs:
        return True
    return not (bool(mine & phases) and bool(theirs & phases)) and not (bool(mine - phases) and bool(theirs - phases))


def _not_found(
    cell: Cell, cells: Sequence[Cell], places: Sequence[Place], support: Support, *, is_a_time: bool
) -> Finding:
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
    if is_a_time:
        return Finding(ReasonCode.NUMBER_NOT_FOUND, f"the time {quantity.text!r} is in no cited passage")
    by_hand = quantity.value <= _COUNTED_BY_HAND and quantity.kind in {_K.COUNT, _K.FRACTION}
    if quantity.in_words and (by_hand or quantity.kind is _K.FOLD):
        # A writer counts what a source lists: "one of eight predictors", and halves a dose.
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
        and place.cell.quantity.kind is cell.quantity.kind
        and compare(cell.quantity, place.cell.quantity) is Agreement.OTHER_VALUE
        and not any(compare(other, place.cell.quantity) is Agreement.SAME for other in used)
    ]
    return max(free, key=lambda place: fit(cell, place.cell), default=None)
