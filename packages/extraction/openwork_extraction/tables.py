"""Results out of tables: the figures of both arms in the row, or the column, that names the outcome."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from openwork_contracts.ranking import TextSection
from openwork_contracts.tables import Table
from openwork_language.cells.cell import BEFORE
from openwork_language.cells.times import read_phase, read_times

from openwork_extraction.arms import AskedArms, Sides, find_sides, headings_of, is_at_start, is_later, told_of_headings
from openwork_extraction.captions import times_of_captions
from openwork_extraction.grid import Figure, figures_of
from openwork_extraction.labels import LabelKind, Time, begins_whole, is_whole, says_baseline, time_in
from openwork_extraction.names import Names, bare
from openwork_extraction.outcomes import score_all, spellings
from openwork_extraction.records import Record
from openwork_extraction.study import Asked, StudyText

LEAST_SCORE = 0.6
"""Of an outcome's heading against what was asked; the harmonic mean of both shares of words."""
LEAST_MARGIN = 0.08
"""By which the chosen outcome must fit better than any other."""
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


def find_rows(
    study: StudyText,
    asked: Asked,
    names: Names,
    sentences: Sequence[str],
    is_readable: Callable[[Record], bool] = lambda record: True,
) -> FoundRows:
    """The records of the asked outcome for the asked arms, of the one table row or column that names it best.

    Args:
        is_readable: whether the numbers of a record can be read for both arms; of rows that name the outcome about as
            well, one with readable numbers goes before one without.
    """
    arms = AskedArms.of(asked, names)
    read = [(section, table, figures_of(table)) for section, table in study.tables]
    read = [one for one in read if one[2]]
    told_in = [told_of_headings(headings_of(figures), sentences, arms, names) for _, _, figures in read]
    told_anywhere = {heading: words for told in reversed(told_in) for heading, words in told.items()}
    of_captions = times_of_captions([table for _, table, _ in read], names)
    records: list[Record] = []
    for place, ((section, table, figures), told) in enumerate(zip(read, told_in, strict=True)):
        sides = find_sides(figures, arms, names, told) or find_sides(figures, arms, names, told_anywhere)
        if sides is not None:
            records += _records(section, table, figures, sides, of_captions.get(place))
    found = [_best_as(records, asked, spelt, study.title, is_readable) for spelt in (names, names.as_printed())]
    return max(found, key=lambda rows: rows.score)


def _records(
    section: TextSection, table: Table, figures: Sequence[Figure], sides: Sides, of_caption: Time | None = None
) -> list[Record]:
    found: dict[tuple[object, ...], Record] = {}
    for figure in figures:
        side = sides.of(figure)
        if side is None or any(label.kind is LabelKind.P_VALUE for label in figure.labels):
            continue
        rest = [label for label in figure.labels if not (label.axis == sides.axis and label.level in sides.levels)]
        times = [t for label in rest if label.kind is LabelKind.TIME and (t := time_in(label.text, label.above))]
        if sides.baseline_second:
            times = []
        named = tuple(bare(label.text) for label in rest if label.kind in (LabelKind.NAME, LabelKind.EFFECT))
        at = figure.row if sides.axis == "column" else figure.column
        fixed = named if sides.baseline_second or sides.axis == "row" else (at, *named)
        key = (
            fixed,
            tuple(t.text for t in times),
            figure.column if sides.axis == "row" and not sides.baseline_second else None,
        )
        record = found.get(key)
        if record is None:
            leaf = next((bare(x.text) for x in reversed(rest) if x.kind in (LabelKind.NAME, LabelKind.EFFECT)), "")
            time = times[-1] if times else None
            told = None if time or sides.baseline_second else of_caption or _time_of(table)
            record = Record(section, table, named, leaf, time or told, bool(told), sides.axis, tuple(figures))
            found[key] = record
        if all(figure.text != f.text or figure.column_path != f.column_path for f in record.figures[side]):
            record.figures[side].append(figure)  # a cell that spans columns stands in each of them
    records = [r for r in found.values() if r.figures[0] and r.figures[1]]
    if sides.baseline_second:
        for record in records:
            _keep_last(record)
    return records


def _time_of(table: Table) -> Time | None:
    """The one time after the start that a caption tells: "Outcomes after 6 months"."""
    told = {time for _, time in read_times(table.caption or "")}
    if len(told) != 1:
        return None
    days = float(told.pop().split()[0])
    return Time(f"{days:g} days", days) if days > 0 else None


def _keep_last(record: Record) -> None:
    """Of an arm before and after: the last time after."""
    after = record.figures[0]
    last = max((_days(f) for f in after), default=0)
    record.figures[0][:] = [f for f in after if _days(f) == last]


def _days(figure: Figure) -> float:
    times = [t for label in figure.labels if label.kind is LabelKind.TIME and (t := time_in(label.text, label.above))]
    return max((t.days if t.days is not None else 0.5 for t in times), default=0.5)


def _best_as(
    records: Sequence[Record], asked: Asked, names: Names, title: str, is_readable: Callable[[Record], bool]
) -> FoundRows:
    """The best rows by the way of calling the outcome that fits best: its name, or its short form alone."""
    found = []
    for called in spellings(asked.outcome):
        wanted = score_all(records, called, names, title)
        found.append(_best(records, wanted, is_readable))
    return max(found, key=lambda rows: rows.score)


def _is_dominated(rival: Record, top: Record, wanted: frozenset[str]) -> bool:
    """Whether a rival says nothing that was asked and the top does not, and says more that was not asked, or less."""
    matched = [wanted & (r.own | r.around | r.said) for r in (rival, top)]
    over = [(rival.own | rival.around) - wanted, ((top.own | top.around) - top.units) - wanted]
    return (
        matched[0] <= matched[1] and over[1] <= over[0] | _LETTERS and (matched[0] != matched[1] or over[0] != over[1])
    )


def _best(records: Sequence[Record], wanted: frozenset[str], is_readable: Callable[[Record], bool]) -> FoundRows:
    later = [r for r in records if not _is_of_start(r)]
    ranked = sorted(later, key=lambda r: -r.score)
    best = ranked[0].score if ranked else 0.0
    at_start = max((r for r in records if _is_of_start(r)), key=lambda r: r.score, default=None)
    if at_start is not None and at_start.score >= LEAST_SCORE and at_start.score - best >= START_MARGIN:
        row = f"{where(at_start.table)}: {' > '.join(at_start.outcome)}"
        return FoundRows((), (f"the row that fits the outcome best is of the start: {row}",), best)
    if best < LEAST_SCORE:
        return FoundRows(score=best)
    readable = [r for r in ranked if best - r.score < LEAST_MARGIN and is_readable(r)]
    if readable and readable[0].score >= LEAST_SCORE:
        ranked = readable
    top, near = _leader(ranked, wanted)
    whole = _whole_of(top, [r for r in near if r.table == top.table], later)
    if whole is not None:
        top, near = whole, []
    wholes = [r for r in (top, *near) if is_whole(r.leaf)]
    if len({r.identity for r in wholes}) == 1 and not is_whole(top.leaf) and abs(wholes[0].score - top.score) < 0.01:
        top, near = wholes[0], []
    near = [r for r in near if not _is_dominated(r, top, wanted) and _cells_of((r,)) != _cells_of((top,))]
    if near:
        rows = "; ".join(dict.fromkeys(f"{where(r.table)}: {' > '.join(r.outcome)}" for r in (top, *near)))
        return FoundRows((), (f"{SEVERAL_FIT}: {rows}",), top.score, _cells_of((top, *near)))
    return FoundRows(tuple(r for r in later if r.identity == top.identity), (), top.score)


def _leader(ranked: Sequence[Record], wanted: frozenset[str]) -> tuple[Record, list[Record]]:
    """The record that says most of what was asked, and those that fit about as well.

    Among those near the best, one that says all that each other one does, its caption with it, stands first.
    """
    near = [r for r in ranked if ranked[0].score - r.score < LEAST_MARGIN]
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


def _parted(leaf: str) -> tuple[str, str]:
    """A row's name and what it says behind it in brackets."""
    match = _IN_BRACKETS.match(leaf)
    return (match["head"].casefold(), match["part"]) if match else (leaf.casefold(), "")


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
    if (says_baseline(caption) or _is_of_people(record)) and not _LATER.search(caption):
        return not any(is_later(figure) for figure in figures)
    return any(says_baseline(text) or read_phase(text) == BEFORE for text in record.outcome)
