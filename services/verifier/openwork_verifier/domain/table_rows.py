"""Rows of tables: which one a claim names, what it is called, and what its counts make."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from math import fsum

from openwork_contracts.verdict import ReasonCode
from openwork_language.cells.cell import Cell
from openwork_language.quantities.quantity import QuantityKind
from openwork_language.wording import concepts, is_common

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.frequencies import rarity
from openwork_verifier.domain.passages import Passage
from openwork_verifier.domain.rivals import Place, fit

_K = QuantityKind
_TOTAL = re.compile(
    r"^\W*n\b|\b(?:total|number|participants|patients|randomi[sz]ed|sample|size|group\s+size)\b", re.IGNORECASE
)
_UNNAMED = 0.3
"""Of what a row is called beyond the claim's words so much counts against it."""
_LEAD = 0.3
"""By how much another row must be named better."""
_CLOSE = 0.05
"""Two cells of a row fit a claim alike if their fit differs by no more."""


def check_row(text: str, cell: Cell, same: Sequence[Place], places: Sequence[Place]) -> Finding | None:
    """A finding for a figure of a table's row that the claim does not name, while it names another row."""
    if not same or any(place.sentence.row is None for place in same):
        return None
    tables = {id(place.passage) for place in same}
    own = [p for p in places if p.sentence.row is not None and id(p.passage) in tables]
    better = _printed_row(text, same, own) or _better_named(concepts(text), same, own)
    if better is None:
        return None
    n = same[0].passage.item.n
    detail = f"{cell.quantity.text!r} stands in [{n}] in another row: {same[0].cell.outcome_text!r}"
    return Finding(ReasonCode.NUMBER_NOT_BOUND, detail, passage=better.passage, sentence=better.sentence)


def _printed_row(text: str, same: Sequence[Place], places: Sequence[Place]) -> Place | None:
    """A row whose whole name the claim has, letter by letter, as it has that of no row with the figure."""
    printed = _printed(text, {place.cell.outcome_text for place in places})
    if not printed or any(place.cell.outcome_text in printed for place in same):
        return None
    return next(place for place in places if place.cell.outcome_text in printed)


def _names_in(text: str, names: Collection[str | None]) -> list[tuple[tuple[int, int], str]]:
    """Where a text has these names, letter by letter and as whole words: [start, end), and the name."""
    return [(m.span(), n) for n in names if n for m in re.finditer(rf"(?<!\w){re.escape(n)}(?!\w)", text)]


def _printed(text: str, names: Collection[str | None]) -> frozenset[str]:
    """The names of rows that stand in a text; of "Wilcox" and "Wilcox 2" in one place the longer."""
    found = _names_in(text, names)
    return frozenset(
        label
        for (start, end), label in found
        if not any(a <= start and end <= b and b - a > end - start for (a, b), _ in found)
    )


def _better_named(claimed: frozenset[str], same: Sequence[Place], places: Sequence[Place]) -> Place | None:
    """A row that the claim's words name better than any with the figure."""
    if any(not _label(place) for place in same):
        return None
    here = max(_named_by(claimed, place) for place in same)
    best = max((p for p in places if _label(p)), key=lambda p: _named_by(claimed, p), default=None)
    return best if best is not None and _named_by(claimed, best) >= here + _LEAD else None


def _named_by(claimed: frozenset[str], place: Place) -> float:
    """How well a claim's words name a row: what they share less a part of what the row has besides."""
    label = _label(place)
    return fsum(rarity(w) for w in label & claimed) - _UNNAMED * fsum(rarity(w) for w in label - claimed)


def _label(place: Place) -> frozenset[str]:
    return frozenset(word for word in place.cell.outcome if not is_common(word))


def shares_of_rows(claim: Cell, text: str, passages: Sequence[Passage]) -> Iterator[Decimal]:
    """Percent of events among the number of the same arm, both of one row of a table: of the cell the claim means."""
    rows = [s for p in passages for s in p.sentences if s.row is not None]
    printed = _printed(text, {s.cells[0].outcome_text for p in passages for s in p.sentences if s.row and s.cells})
    rows = [s for s in rows if s.cells and s.cells[0].outcome_text in printed] or rows
    most = max((fit(claim, c) for s in rows for c in s.cells), default=0.0)
    for sentence in rows:
        pairs = list(events_of_totals(sentence.cells))
        best = max((fit(claim, event) for event, _ in pairs), default=0.0)
        if best < most - _CLOSE:
            continue
        for event, total in pairs:
            if fit(claim, event) >= best - _CLOSE and total.quantity.value > 0:
                yield 100 * event.quantity.value / total.quantity.value


def events_of_totals(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """The counts of a row, each with the number of people of its own arm."""
    counts = [c for c in cells if c.quantity.kind is _K.COUNT and not c.attached]
    totals = [c for c in counts if _TOTAL.search(c.arm_text or "")]
    shared = frozenset.intersection(*(c.arm for c in totals)) if totals else frozenset()
    for event in counts:
        if event not in totals:
            yield from ((event, t) for t in totals if (t.arm & event.arm) - shared or len(totals) == 1)


def names_of_rows(text: str, places: Sequence[Place]) -> tuple[tuple[int, int], ...]:
    """[start, end) where a text has the name of a row that holds a number: "in Wilcox 2"."""
    names = {p.cell.outcome_text for p in places if p.sentence.row is not None and p.cell.outcome_text}
    numbered = [name for name in names if any(c.isdigit() for c in name) and any(c.isalpha() for c in name)]
    return tuple(span for span, _ in _names_in(text, numbered))
