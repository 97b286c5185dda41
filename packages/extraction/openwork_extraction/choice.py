"""Which row of a paper's tables names the outcome that was asked, of all that have figures of both arms."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from openwork_contracts.cells import CellPlace
from openwork_contracts.ranking import TextSection
from openwork_contracts.tables import Table
from openwork_language.cells.cell import BEFORE
from openwork_language.cells.contrasts import phase_of
from openwork_language.cells.times import read_phase

from openwork_extraction.arms import is_at_start, is_later
from openwork_extraction.grid import Figure
from openwork_extraction.labels import begins_whole, is_whole, says_baseline
from openwork_extraction.names import CHANGED, total
from openwork_extraction.records import Record

LEAST_SCORE = 0.6
"""Of an outcome's heading against what was asked; the harmonic mean of both shares of words."""
LEAST_LEADING = 0.55
"""The same, of a row that leads clearly: no other that says anything else of what was asked is near it."""
CLEAR_LEAD = 0.15
LEAST_MARGIN = 0.08
"""By which the chosen outcome must fit better than any other."""
LEAST_RIVAL = 0.45
"""Of a row that says all that the best one does and more of what was asked, beside much else: then none is sure."""
MORE_ELSEWHERE = 1.5
"""Weight of the words asked that a row of a table without both arms says beside all that the best row does."""
START_MARGIN = 0.2
"""By which a row of the start names the outcome better than any later one: then that is what was meant."""
SEVERAL_FIT = "several rows fit the outcome about as well"
_AGE = re.compile(r"^\W*(?:(?:mean|median|average)\s+)?age\b|\bage\s*[(,:]", re.IGNORECASE)
_SEX = re.compile(r"\b(?:sex|gender|males?|females?|men|women|boys|girls)\b|\bM\s*[/:]\s*F\b", re.IGNORECASE)
_LATER = re.compile(
    r"\b(?:follow-?\s?up|after|post\w*|changes?|end\s+of|final|outcomes?|results?|effects?|\d+\s*-?\s*(?:weeks?|months?|years?|days?))\b",
    re.IGNORECASE,
)
"""Of a caption that names the start among other times."""
_IN_BRACKETS = re.compile(r"(?P<head>.*\w)\s*[(\[](?P<part>[^()\[\]]+)[)\]]\s*$")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class FoundRows:
    """Records of one outcome, or why none was taken."""

    records: tuple[Record, ...] = ()
    refused: tuple[str, ...] = ()
    score: float = 0.0
    alike: tuple[str, ...] = ()
    """Cells of the rows that fit about as well, where they are why none was taken."""


def where(table: Table) -> str:
    """A table for a reader: its label, or the beginning of its caption."""
    return table.label or (table.caption or "a table")[:60]


def place_of(figure: Figure, table: Table, section: TextSection) -> CellPlace:
    """Where a figure stands: its table, its headings and the section."""
    return CellPlace(
        table=where(table),
        row=table.rows[figure.row][0] or None,
        column=next(reversed(figure.column_path), None),
        table_row=figure.row,
        table_column=figure.column,
        row_path=figure.row_path,
        column_path=figure.column_path,
        section=" > ".join(section.path),
    )


def _matched(record: Record, wanted: frozenset[str]) -> frozenset[str]:
    """The words that were asked and that a record says: its row, its groups of rows, its caption."""
    return wanted & (record.own | record.around | record.said)


def _is_dominated(rival: Record, top: Record, wanted: frozenset[str]) -> bool:
    """Whether a rival says nothing that was asked and the top does not, and says more that was not asked, or less."""
    matched = [_matched(r, wanted) for r in (rival, top)]
    over = [(rival.own | rival.around) - wanted, ((top.own | top.around) - top.units) - wanted]
    return (
        matched[0] <= matched[1] and over[1] <= over[0] | _LETTERS and (matched[0] != matched[1] or over[0] != over[1])
    )


def best_of(
    records: Sequence[Record],
    wanted: frozenset[str],
    is_readable: Callable[[Record], bool],
    everybody: Collection[Table] = (),
    rivals: Collection[frozenset[str]] = (),
) -> FoundRows:
    """The records of the row that names the outcome best, or why none is taken.

    Args:
        everybody: the tables whose captions say that they are of all people.
        rivals: words of rows that are in tables without both arms.
    """
    _named_as_at_start(records)
    later = [r for r in records if not _is_of_start(r)]
    ranked = sorted(later, key=lambda r: -r.score)
    best = ranked[0].score if ranked else 0.0
    at_start = max((r for r in records if _is_of_start(r)), key=lambda r: r.score, default=None)
    if at_start is not None and at_start.score >= LEAST_SCORE and at_start.score - best >= START_MARGIN:
        row = f"{where(at_start.table)}: {' > '.join(at_start.outcome)}"
        return FoundRows((), (f"the row that fits the outcome best is of the start: {row}",), best)
    margin = LEAST_MARGIN if best >= LEAST_SCORE else CLEAR_LEAD
    if best < LEAST_LEADING:
        return FoundRows(score=best)
    readable = [r for r in ranked if best - r.score < LEAST_MARGIN and is_readable(r)]
    if readable and readable[0].score >= LEAST_SCORE:
        ranked = readable
    top, near = _chosen(ranked, later, wanted, margin, everybody)
    matched = _matched(top, wanted)
    near = near or [r for r in later if r.score >= LEAST_RIVAL and _matched(r, wanted) > matched]
    if near:
        rows = "; ".join(dict.fromkeys(f"{where(r.table)}: {' > '.join(r.outcome)}" for r in (top, *near)))
        return FoundRows((), (f"{SEVERAL_FIT}: {rows}",), top.score, _cells_of((top, *near)))
    more = max((total(wanted & rival - matched) for rival in rivals if wanted & rival > matched), default=0.0)
    if more >= MORE_ELSEWHERE:
        row = f"{where(top.table)}, {' > '.join(top.outcome)}"
        return FoundRows((), (f"a table that does not tell the arms has more of what was asked than {row}",), top.score)
    found = [r for r in later if r.identity == top.identity]
    if CHANGED not in wanted:  # "mean" and "mean change" stand beside each other: the change is another measure
        found = [r for r in found if CHANGED not in r.around] or found
    return FoundRows(tuple(found), (), top.score)


def _chosen(
    ranked: Sequence[Record],
    later: Sequence[Record],
    wanted: frozenset[str],
    margin: float,
    everybody: Collection[Table],
) -> tuple[Record, list[Record]]:
    """The record that is taken, and those that fit about as well and say something else: then none is sure."""
    top, near = _leader(ranked, wanted, margin)
    whole = _whole_of(top, [r for r in near if r.table == top.table], later)
    if whole is not None:
        return whole, []
    wholes = [r for r in (top, *near) if is_whole(r.leaf)]
    if len({r.identity for r in wholes}) == 1 and not is_whole(top.leaf) and abs(wholes[0].score - top.score) < 0.01:
        return wholes[0], []
    near = [r for r in near if not _is_dominated(r, top, wanted) and not _is_same(r, top)]
    return _of_all(top, near, everybody)


def _leader(ranked: Sequence[Record], wanted: frozenset[str], margin: float) -> tuple[Record, list[Record]]:
    """The record that says most of what was asked, and those that fit about as well.

    Among those near the best, one that says all that each other one does, its caption with it, stands first.
    """
    near = [r for r in ranked if ranked[0].score - r.score < margin]
    for top in near:
        others = [r for r in near if r.identity != top.identity]
        if all(_is_dominated(r, top, wanted) for r in others):
            return top, others
    return ranked[0], [r for r in near if r.identity != ranked[0].identity]


def _whole_of(top: Record, near: Sequence[Record], records: Sequence[Record]) -> Record | None:
    """The row of the whole, where the rows that fit as well are parts of one: "Score (early)", "Score (full test)"."""
    head, part = _parted(top.leaf)
    if not part or not near or any(_parted(r.leaf)[0] != head for r in near):
        return None
    beside = [r for r in records if r.table == top.table and r.outcome[:-1] == top.outcome[:-1]]
    wholes = [r for r in beside if _parted(r.leaf)[0] == head and begins_whole(_parted(r.leaf)[1])]
    return wholes[0] if len({r.identity for r in wholes}) == 1 else None


def _of_all(top: Record, near: Sequence[Record], everybody: Collection[Table]) -> tuple[Record, list[Record]]:
    """Of the same row in several tables, the one in a table of all people, where only one table says that it is."""
    same = [r for r in (top, *near) if r.outcome == top.outcome]
    of_all = [r for r in same if r.table in everybody]
    if len({r.table for r in of_all}) != 1 or len(same) == len(of_all):
        return top, list(near)
    return of_all[0], [r for r in near if r.outcome != top.outcome]


def _named_as_at_start(records: Sequence[Record]) -> None:
    """A later row named shorter than at the start, with the same unit in brackets, fits as well as it does there.

    "Fruit intake (pieces)" of the characteristics at the start is "Fruit (pieces)" of the results.
    """
    start = [r for r in records if r.score >= LEAST_SCORE and _is_of_start(r)]
    best = max(start, key=lambda r: r.score, default=None)
    if best is None:
        return
    unit = _parted(best.leaf)[1]
    later = [
        r
        for r in records
        if unit and _parted(r.leaf)[1] == unit and r.own and r.own <= best.own and not _is_of_start(r)
    ]
    if len({r.leaf for r in later}) == 1:
        for record in later:
            record.score = max(record.score, best.score)


def _parted(leaf: str) -> tuple[str, str]:
    """A row's name and what it says behind it in brackets."""
    match = _IN_BRACKETS.match(leaf)
    return (match["head"].casefold(), match["part"]) if match else (leaf.casefold(), "")


def _is_same(one: Record, other: Record) -> bool:
    """Whether two records have the same figures, as one row that two tables print has; none of both says nothing."""
    cells = _cells_of((one,))
    return cells == _cells_of((other,)) and any(digit in "123456789" for text in cells for digit in text)


def _cells_of(records: Sequence[Record]) -> tuple[str, ...]:
    return tuple(figure.text for record in records for figures in record.figures for figure in figures)


def _is_of_people(record: Record) -> bool:
    """Whether a table says who the people are: it has rows of age and of sex."""
    texts = {label.text for figure in record.beside for label in figure.labels if label.axis == "row"}
    return any(map(_AGE.search, texts)) and any(map(_SEX.search, texts))


def _is_of_start(record: Record) -> bool:
    """Whether figures are from before anything was given."""
    figures = record.figures[0]
    if record.time is not None:
        return record.time.is_baseline
    if any(is_at_start(figure) for figure in figures):
        return True
    caption = record.table.caption or ""
    is_start = says_baseline(caption) or phase_of(caption) == BEFORE or _is_of_people(record)
    if is_start and not _LATER.search(caption):
        return not any(is_later(figure) for figure in figures)
    return any(says_baseline(text) or read_phase(text) == BEFORE for text in record.outcome)
