"""Results out of tables: the figures of both arms in the row, or the column, that names the outcome."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from openwork_contracts.ranking import TextSection
from openwork_contracts.tables import Table
from openwork_language.cells.times import read_times

from openwork_extraction.arms import AskedArms, Sides, find_sides
from openwork_extraction.captions import of_everybody, times_of_captions
from openwork_extraction.choice import FoundRows, best_of
from openwork_extraction.grid import Figure, figures_of
from openwork_extraction.labels import LabelKind, Time
from openwork_extraction.names import Names, bare
from openwork_extraction.outcomes import score_all, spellings
from openwork_extraction.phases import keep_pair, with_phases
from openwork_extraction.records import Record
from openwork_extraction.study import Asked, StudyText
from openwork_extraction.told_arms import defined_below, told_of_table


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
    if arms.comparator_is_start:
        read = [(section, table, with_phases(figures)) for section, table, figures in read]
    read = [one for one in read if one[2]]
    told_in = [
        defined_below(figures, table.footnotes, names) or told_of_table(figures, sentences, arms, names)
        for _, table, figures in read
    ]
    told_anywhere = {heading: words for told in reversed(told_in) for heading, words in told.items()}
    of_captions = times_of_captions([table for _, table, _ in read], names)
    records: list[Record] = []
    without: list[tuple[str, ...]] = []
    for place, ((section, table, figures), told) in enumerate(zip(read, told_in, strict=True)):
        sides = find_sides(figures, arms, names, told) or find_sides(figures, arms, names, told_anywhere)
        if sides is not None:
            records += _records(section, table, figures, sides, of_captions.get(place))
        else:
            without += dict.fromkeys(_named(figure) for figure in figures)
    everybody = of_everybody([table for _, table, _ in read])
    found = [
        _best_as(records, asked, spelt, study.title, is_readable, everybody, without)
        for spelt in (names, names.as_printed())
    ]
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
        times = [t for label in rest if label.kind is LabelKind.TIME and (t := label.time)]
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
            keep_pair(record)
    return records


def _named(figure: Figure) -> tuple[str, ...]:
    """What the row of a figure is called, without times and kinds of number."""
    return tuple(x.text for x in figure.labels if x.axis == "row" and x.kind in (LabelKind.NAME, LabelKind.EFFECT))


def _time_of(table: Table) -> Time | None:
    """The one time after the start that a caption tells: "Outcomes after 6 months"."""
    told = {time for _, time in read_times(table.caption or "")}
    if len(told) != 1:
        return None
    days = float(told.pop().split()[0])
    return Time(f"{days:g} days", days) if days > 0 else None


def _best_as(
    records: Sequence[Record],
    asked: Asked,
    names: Names,
    title: str,
    is_readable: Callable[[Record], bool],
    everybody: Collection[Table],
    without: Sequence[tuple[str, ...]],
) -> FoundRows:
    """The best rows by the way of calling the outcome that fits best: its name, or its short form alone.

    Args:
        without: what rows of tables that do not tell the arms are called.
    """
    found = []
    own = names.without([asked.outcome])
    rivals = [frozenset().union(*map(own.words, path)) for path in without]
    for called in spellings(asked.outcome):
        wanted = score_all(records, called, names, title)
        found.append(best_of(records, wanted, is_readable, everybody, rivals))
    return max(found, key=lambda rows: rows.score)
