"""Results out of tables: the figures of both arms in the row, or the column, that names the outcome."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from openwork_contracts.ranking import TextSection
from openwork_contracts.tables import Table
from openwork_language.cells.cell import BEFORE
from openwork_language.cells.times import read_phase

from openwork_extraction.arms import AskedArms, Sides, find_sides, is_at_start, is_later, told_of_headings
from openwork_extraction.grid import Figure, figures_of
from openwork_extraction.labels import LabelKind, Time, is_figure, is_whole, says_baseline, time_in
from openwork_extraction.names import CHANGED, Names, bare, outcome_score, overlap, total
from openwork_extraction.study import Asked

LEAST_SCORE = 0.6
"""Of an outcome's heading against what was asked; the harmonic mean of both shares of words."""
LEAST_MARGIN = 0.08
"""By which the chosen outcome must fit better than any other."""
START_MARGIN = 0.2
"""By which a row of the start names the outcome better than any later one: then that is what was meant."""
SEVERAL_FIT = "several rows fit the outcome about as well"
_CAPTION = 0.1
"""Most that a caption adds to the fit of a row."""
_LEAST_BY_CAPTION = 0.85
"""Share of what was asked that a caption has to say where no row says any of it."""
_SUBJECT_ENDS = re.compile(
    r"\b(?:in|by|at|for|among|between|during|after|from|according|depending)\b|[,.;:(]", re.IGNORECASE
)
"""What a caption is about stands before these."""
_IS_GROUP = re.compile(r"(?:group|arm|cohort)\s+\w{1,4}$|\w{1,4}\s+(?:group|arm|cohort)$", re.IGNORECASE)
_LATER = re.compile(
    r"\b(?:follow-?\s?up|after|post\w*|changes?|end\s+of|final|outcomes?|results?|effects?|\d+\s*-?\s*(?:weeks?|months?|years?|days?))\b",
    re.IGNORECASE,
)
"""Of a caption that names the start among other times."""
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_OF_NUMBERS = (LabelKind.STATISTIC, LabelKind.PEOPLE, LabelKind.EMPTY)


@dataclass(slots=True)
class Record:
    """The figures of both arms under the same other headings."""

    section: TextSection
    table: Table
    outcome: tuple[str, ...]
    """Headings that name what was measured, outermost first."""
    leaf: str
    """The innermost of them."""
    time: Time | None
    axis: str = "column"
    """Whether the arms are columns or rows."""
    beside: tuple[Figure, ...] = ()
    """All figures of the table: effects and p values stand among them."""
    figures: tuple[list[Figure], list[Figure]] = field(default_factory=lambda: ([], []))
    score: float = 0.0
    own: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    """Words of `around` that only say the unit."""

    @property
    def identity(self) -> tuple[object, ...]:
        """What is the same at another time."""
        return (self.table.label, self.table.caption, self.outcome)


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
    tables: Sequence[tuple[TextSection, Table]], asked: Asked, names: Names, sentences: Sequence[str], title: str = ""
) -> FoundRows:
    """The records of the asked outcome for the asked arms, of the one table row or column that names it best."""
    arms = AskedArms.of(asked, names)
    records: list[Record] = []
    for section, table in tables:
        figures = figures_of(table)
        if not figures:
            continue
        headings = [
            label.text
            for figure in figures
            for label in figure.labels
            if label.kind in (LabelKind.NAME, LabelKind.TIME)
            and (label.axis == "column" or _IS_GROUP.match(bare(label.text)))
        ]
        told = told_of_headings(headings, sentences, arms, names)
        sides = find_sides(figures, arms, names, told)
        if sides is None:
            continue
        records += _records(section, table, figures, sides)
    found = [_best_as(records, asked, spelt, title) for spelt in (names, names.as_printed())]
    return max(found, key=lambda rows: rows.score)


def _records(section: TextSection, table: Table, figures: Sequence[Figure], sides: Sides) -> list[Record]:
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
            record = found[key] = Record(section, table, named, leaf, time, sides.axis, tuple(figures))
        if all(figure.text != f.text or figure.column_path != f.column_path for f in record.figures[side]):
            record.figures[side].append(figure)  # a cell that spans columns stands in each of them
    records = [r for r in found.values() if r.figures[0] and r.figures[1]]
    if sides.baseline_second:
        for record in records:
            _keep_last(record)
    return records


def _keep_last(record: Record) -> None:
    """Of an arm before and after: the last time after."""
    after = record.figures[0]
    last = max((_days(f) for f in after), default=0)
    record.figures[0][:] = [f for f in after if _days(f) == last]


def _days(figure: Figure) -> float:
    times = [t for label in figure.labels if label.kind is LabelKind.TIME and (t := time_in(label.text, label.above))]
    return max((t.days if t.days is not None else 0.5 for t in times), default=0.5)


def _best_as(records: Sequence[Record], asked: Asked, names: Names, title: str) -> FoundRows:
    headings = [text for record in records for text in (*record.outcome, record.table.caption or "")]
    wanted = _wanted(asked.outcome, names.without(headings), title, records)
    of_rows = names.without([asked.outcome])
    for record in records:
        _score(record, wanted, of_rows.with_notes(record.table.footnotes).without([asked.outcome]))
    return _best(records, wanted)


def _wanted(outcome: str, names: Names, title: str, records: Sequence[Record]) -> frozenset[str]:
    """The words asked of an outcome, without the people that the whole study is about ("... in heart failure")."""
    head, _, tail = outcome.rpartition(" in ")
    people = names.words(tail)
    in_rows = frozenset().union(*(names.words(text) for record in records for text in record.outcome))
    if head and people and people <= names.words(title) and not people & in_rows:
        return names.words(head)
    return names.words(outcome)


def _score(record: Record, wanted: frozenset[str], names: Names) -> None:
    """How well the headings of a record name the outcome.

    Words that the caption has and no row of its table are said for every row, and are not asked of a row. Where rows
    are only times, or the whole and its parts, the caption is what was measured.
    """
    own, around, units = _words_of(record, names)
    record.own, record.around, record.units = own, around | units, units
    caption = names.words(record.table.caption or "")
    if not own and not around - {"percent"}:
        subject = names.words(_SUBJECT_ENDS.split(record.table.caption or "", maxsplit=1)[0])
        recall = overlap(wanted, subject) / total(wanted) if wanted else 0.0
        record.score = outcome_score(wanted, subject, frozenset()) if recall >= _LEAST_BY_CAPTION else 0.0
        record.own = subject
        return
    said = (caption - _row_words(record.table, names)) & wanted
    asked = wanted - said if wanted - said else wanted
    record.score = outcome_score(asked, own, record.around)
    if said:
        record.score = record.score * (1 - _CAPTION) + _CAPTION * total(said) / total(wanted)


def _words_of(record: Record, names: Names) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Words of the row itself, those of its groups of rows, and those of its units."""
    own: set[str] = set()
    around: set[str] = set()
    units: set[str] = set()
    leaf_is_whole = is_whole(record.leaf)
    for label in record.figures[0][0].labels:
        if label.kind is LabelKind.STATISTIC:
            around |= {"percent"} if "%" in label.text else set()
            around |= names.words(label.text) & {CHANGED}
        if bare(label.text) not in record.outcome:
            continue
        words = names.words(label.text) or frozenset({label.text.casefold()})
        is_section = label.level.startswith("section") and record.leaf != bare(label.text)
        if is_section and not leaf_is_whole:
            around |= words
        elif not is_whole(label.text):
            own |= words
            units |= names.every_word(label.text) - words
    return frozenset(own), frozenset(around), frozenset(units - own - around)


def _row_words(table: Table, names: Names) -> frozenset[str]:
    """Words of everything in a table that is no figure."""
    texts = {text for row in table.rows for text in row if text and not is_figure(text)}
    return frozenset().union(*(names.words(text) for text in texts))


def _is_dominated(rival: Record, top: Record, wanted: frozenset[str]) -> bool:
    """Whether a rival says nothing that was asked and the top does not, and says more that was not asked, or less."""
    matched = [wanted & (r.own | r.around) for r in (rival, top)]
    over = [(rival.own | rival.around) - wanted, ((top.own | top.around) - top.units) - wanted]
    return (
        matched[0] <= matched[1] and over[1] <= over[0] | _LETTERS and (matched[0] != matched[1] or over[0] != over[1])
    )


def _best(records: Sequence[Record], wanted: frozenset[str]) -> FoundRows:
    later = [r for r in records if not _is_of_start(r)]
    ranked = sorted(later, key=lambda r: -r.score)
    if not ranked or ranked[0].score < LEAST_SCORE:
        return FoundRows(score=ranked[0].score if ranked else 0.0)
    top = ranked[0]
    at_start = max((r for r in records if _is_of_start(r)), key=lambda r: r.score, default=None)
    if at_start is not None and at_start.score - top.score >= START_MARGIN:
        row = f"{where(at_start.table)}: {' > '.join(at_start.outcome)}"
        return FoundRows((), (f"the row that fits the outcome best is of the start: {row}",), top.score)
    near = [r for r in ranked[1:] if r.identity != top.identity and top.score - r.score < LEAST_MARGIN]
    wholes = [r for r in (top, *near) if is_whole(r.leaf)]
    if len({r.identity for r in wholes}) == 1 and not is_whole(top.leaf) and abs(wholes[0].score - top.score) < 0.01:
        top, near = wholes[0], []
    near = [r for r in near if not _is_dominated(r, top, wanted)]
    if near:
        rows = "; ".join(dict.fromkeys(f"{where(r.table)}: {' > '.join(r.outcome)}" for r in (top, *near)))
        return FoundRows((), (f"{SEVERAL_FIT}: {rows}",), top.score, _cells_of((top, *near)))
    return FoundRows(tuple(r for r in later if r.identity == top.identity), (), top.score)


def _cells_of(records: Sequence[Record]) -> tuple[str, ...]:
    return tuple(figure.text for record in records for figures in record.figures for figure in figures)


def _is_of_start(record: Record) -> bool:
    """Whether figures are from before anything was given."""
    figures = record.figures[0]
    if record.time is not None:
        return record.time.is_baseline
    if any(is_at_start(figure) for figure in figures):
        return True
    caption = record.table.caption or ""
    if says_baseline(caption) and not _LATER.search(caption):
        return not any(is_later(figure) for figure in figures)
    return any(says_baseline(text) or read_phase(text) == BEFORE for text in record.outcome)
