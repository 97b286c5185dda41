"""Rows of a table as results: each figure read at its place, people from headings or the text, the rest computed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from openwork_contracts.cells import AnalysisSet, CellInterval, ResultCell
from openwork_language.sentences import split_sentences

from openwork_extraction.arms import AskedArms
from openwork_extraction.choice import place_of, where
from openwork_extraction.computed import (
    count_from_percent,
    deviation_from_error,
    deviation_from_interval,
    estimated_from_median,
)
from openwork_extraction.counts import count_alone
from openwork_extraction.effects import effect_of_row
from openwork_extraction.grid import Figure
from openwork_extraction.labels import LabelKind
from openwork_extraction.names import Names, bare
from openwork_extraction.printed import Kind, Printed, Spread, Told, names_kind, pointed_notes, read_cell, spread_told
from openwork_extraction.records import Record
from openwork_extraction.results import ArmNumbers, Source, StudyResult
from openwork_extraction.sizes import are_exchanged, size_in_tables, size_of_arm
from openwork_extraction.study import Asked, StudyText
from openwork_extraction.tables import find_rows
from openwork_extraction.totals import total_of

_SPREADS = r"(?:\bSD\b|\bSEM?\b|\bS\.D\.|\bs\.d\.|(?i:\bstandard\s+(?:deviations?|errors?)))"
_PRESENTED = re.compile(
    rf"(?i:\b(?:present|express|report|display|show|summari[sz]|describ|given|values?\s+are|data\s+are)\w*\b).{{0,90}}{_SPREADS}"
    rf"|{_SPREADS}.{{0,40}}(?i:\b(?:are|were|was)\s+(?:presented|expressed|reported|given|shown|used))"
)
_SPREAD_NAMED = re.compile(_SPREADS)
_OF_OTHERS = re.compile(
    r"\b(?:introduction|background|discussion|conclusions?|references|limitations)\b", re.IGNORECASE
)
"""Of a section that tells of other studies too."""
_ANALYSIS = (
    (re.compile(r"\bper[\s-]protocol\b", re.IGNORECASE), AnalysisSet.PER_PROTOCOL),
    (re.compile(r"\bintention[\s-]to[\s-]treat\b|\bITT\b", re.IGNORECASE), AnalysisSet.INTENTION_TO_TREAT),
    (re.compile(r"\bas[\s-]treated\b", re.IGNORECASE), AnalysisSet.AS_TREATED),
    (re.compile(r"\bsafety\s+(?:population|set|analysis)\b", re.IGNORECASE), AnalysisSet.SAFETY),
)


@dataclass(frozen=True, slots=True)
class FromTables:
    """Results of tables and why others were not given."""

    results: tuple[StudyResult, ...] = ()
    refused: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    """Cells of rows that fit the outcome about as well: a sentence with their numbers tells of one of them only."""


def results_of_tables(study: StudyText, asked: Asked, names: Names) -> FromTables:
    """The results of the row that names the outcome: the asked time first, else the last follow-up first."""
    sentences = [s.text for section in study.prose for s in split_sentences(section.text)]
    methods = _telling_spread(sentences)
    rows = find_rows(study, asked, names, sentences, lambda record: _is_readable(record, study, methods))
    results: list[StudyResult] = []
    refused = list(rows.refused)
    for record in rows.records:
        result = _result(record, study, asked, names, methods)
        if result.arms:
            results.append(result)
        if not result.arms or _lacks_spread(result):
            refused.append(f"{where(record.table)}, {' > '.join(record.outcome)}: the form of its numbers is not told")
    return FromTables(tuple(results), tuple(dict.fromkeys(refused)), rows.alike)


def _is_readable(record: Record, study: StudyText, methods: Sequence[str]) -> bool:
    """Whether the cells of both arms give a count, a percentage or a mean or median with what varies."""
    arms = (_arm(record, 0, study, methods), _arm(record, 1, study, methods))
    return all(arm is not None and _has_numbers(arm) for arm in arms)


def _has_numbers(arm: ArmNumbers) -> bool:
    varies = arm.deviation or arm.standard_error or (arm.mean and arm.mean.interval)
    return bool(arm.events or arm.percent or (arm.mean and varies) or arm.median)


def _lacks_spread(result: StudyResult) -> bool:
    """Whether means are read and what varies is not told."""
    return any(arm.mean is not None and arm.deviation is None and arm.standard_error is None for arm in result.arms)


def _result(record: Record, study: StudyText, asked: Asked, names: Names, methods: Sequence[str]) -> StudyResult:
    read: list[ArmNumbers] = []
    for side in (0, 1):
        numbers = _arm(record, side, study, methods)
        if numbers is None:
            return StudyResult(Source.TABLE, " > ".join(record.outcome))
        if numbers.n is None:
            numbers = replace(numbers, n=_size(record, side, study, asked, names, numbers.arm))
        read.append(_arm_worked_out(numbers))
    caption = record.table.caption or ""
    analysis = next((kind for pattern, kind in _ANALYSIS if pattern.search(caption)), None)
    time = record.time.text if record.time else None
    effect = (
        effect_of_row(record.beside, record.figures[0][0].row, study.study, where(record.table))
        if record.axis == "column"
        else None
    )
    return StudyResult(
        Source.TABLE,
        " > ".join(record.outcome),
        time,
        analysis,
        read[0],
        read[1],
        effect[0] if effect else None,
        adjusted=bool(effect and effect[1]),
    )


def _size(record: Record, side: int, study: StudyText, asked: Asked, names: Names, name: str) -> ResultCell | None:
    """People of one side that its own cell does not tell."""
    if asked.one_group:
        return total_of(study.tables, record, side, study.study, name)
    arms = AskedArms.of(asked, names)
    sides = (arms.intervention, arms.comparator)
    return size_of(study, sides[side], sides[1 - side], names, name)


def size_of(study: StudyText, arm: frozenset[str], other: frozenset[str], names: Names, name: str) -> ResultCell | None:
    """People of an arm from the headings of any table, else from the text; `None` where these exchange the arms."""
    headed = size_in_tables(study.tables, arm, other, names, study.study, name)
    own = [section for section in study.prose if not _OF_OTHERS.search(" > ".join(section.path))]
    if headed is not None:
        beside = size_in_tables(study.tables, other, arm, names, study.study, "")
        if beside is not None and are_exchanged(own, arm, other, names, (int(headed.value), int(beside.value))):
            return None
        return headed
    told = size_of_arm(own, arm, other, names, name)
    return told.cell(study.study, name) if told else None


def _arm(record: Record, side: int, study: StudyText, methods: Sequence[str]) -> ArmNumbers | None:
    """What the cells of one arm say together; `None` where none is read, or two say different things."""
    figures = record.figures[side]
    numbers = ArmNumbers(_arm_name(figures[0], record))
    seen = False
    for figure in figures:
        people = _people(figure, record)
        printed = read_cell(figure.text, _told(figure, record, methods), people, _column_kind(figure))
        if printed is None:
            printed = count_alone(figure, record.beside, people)
        if printed is None:
            continue
        added = _with(numbers, printed, figure, record, study)
        if added is None:
            return None
        numbers, seen = added, True
    return _settled(numbers, figures) if seen else None


def _settled(numbers: ArmNumbers, figures: Sequence[Figure]) -> ArmNumbers:
    """Counts that stand alone under "n": people where a mean stands beside them, events only under a column of its own.

    A whole number under a line of people ("n = 40") is a count only beside its percentage.
    """
    events = numbers.events
    if events is None or events.total is not None or numbers.percent is not None:
        return numbers
    if numbers.n is not None and numbers.n.value == events.value and any(map(_is_under_n, figures)):
        return replace(numbers, events=None)  # how many were looked at, once more
    if numbers.mean is not None or numbers.median is not None:
        return replace(numbers, n=events.model_copy(update={"measure": "n"}), events=None)
    kinds = [
        label.kind
        for figure in figures
        for label in figure.labels
        if label.axis == "column" and label.kind in (LabelKind.STATISTIC, LabelKind.PEOPLE)
    ]
    under_people = bool(kinds) and all(kind is LabelKind.PEOPLE for kind in kinds) and not _is_count_alone(figures)
    return replace(numbers, events=None) if under_people else numbers


def _is_count_alone(figures: Sequence[Figure]) -> bool:
    """Whether no heading that only counts people ("n = 40") stands alone over a figure."""
    return not any(_column_kind(figure) for figure in figures)


def _is_under_n(figure: Figure) -> bool:
    """Whether the column of a figure says "n", which is people or people with something."""
    return re.fullmatch(r"\W*[nN]\W*", _column_kind(figure)) is not None


def _people(figure: Figure, record: Record) -> int | None:
    """N of a figure: of its headings, or of its row's column of people where rows are arms."""
    return figure.n if figure.n is not None or record.axis == "column" else figure.n_of_row


def _shown(n: int | None) -> str | None:
    return None if n is None else str(n)


def _told(figure: Figure, record: Record, methods: Sequence[str]) -> Told:
    notes = record.table.footnotes
    pointed = tuple(note for label in figure.labels for note in pointed_notes(label.text, notes))
    if any(map(names_kind, pointed)):
        near = (*pointed, *(label.text for label in figure.labels if label.kind is LabelKind.STATISTIC))
    else:
        near = (*(label.text for label in figure.labels), *pointed)
    heads = tuple(row[0] for row in record.table.rows[: max(1, record.table.n_header_rows)] if row and row[0])
    return Told(near, (record.table.caption or "", *heads, *(n for n in notes if n not in pointed)), tuple(methods))


def _column_kind(figure: Figure) -> str:
    """The heading of a column that names a kind of number; of a line of people ("n = 398") that alone."""
    kinds = [
        bare(label.text) or label.text
        for label in figure.labels
        if label.axis == "column" and label.kind in (LabelKind.STATISTIC, LabelKind.PEOPLE)
    ]
    return kinds[-1] if kinds else ""


def _arm_name(figure: Figure, record: Record) -> str:
    named = [
        bare(label.text)
        for label in figure.labels
        if label.kind is LabelKind.NAME and bare(label.text) not in record.outcome
    ] or [bare(label.text) for label in figure.labels if label.kind is LabelKind.TIME]
    return " > ".join(dict.fromkeys(named)) or figure.text


def _with(numbers: ArmNumbers, printed: Printed, figure: Figure, record: Record, study: StudyText) -> ArmNumbers | None:
    """The numbers with those of one more cell; `None` where it contradicts what is there."""
    found: dict[str, ResultCell] = {}
    for kind, value in printed.numbers:
        cell = _cell(kind, value, printed, figure, record, study, numbers.arm)
        found[_FIELDS[kind]] = cell
    people = printed.total or _shown(_people(figure, record))
    if people is not None:
        found["n"] = _cell(Kind.PEOPLE, people, Printed(()), figure, record, study, numbers.arm)
    for name, cell in found.items():
        known: ResultCell | None = getattr(numbers, name)
        if known is not None and known.value != cell.value:
            return None
    return replace(
        numbers,
        is_spread_assumed=numbers.is_spread_assumed or printed.assumed,
        n=found.get("n", numbers.n),
        events=found.get("events", numbers.events),
        percent=found.get("percent", numbers.percent),
        mean=found.get("mean", numbers.mean),
        deviation=found.get("deviation", numbers.deviation),
        standard_error=found.get("standard_error", numbers.standard_error),
        median=found.get("median", numbers.median),
    )


_FIELDS = {
    Kind.COUNT: "events",
    Kind.PERCENT: "percent",
    Kind.MEAN: "mean",
    Kind.DEVIATION: "deviation",
    Kind.STANDARD_ERROR: "standard_error",
    Kind.MEDIAN: "median",
    Kind.PEOPLE: "n",
}


def _cell(
    kind: Kind, value: str, printed: Printed, figure: Figure, record: Record, study: StudyText, arm: str
) -> ResultCell:
    interval = None
    measure = kind.value
    if kind in (Kind.MEAN, Kind.MEDIAN) and printed.low is not None and printed.high is not None:
        interval = CellInterval(
            low=printed.low, high=printed.high, level="95" if printed.spread is Spread.CONFIDENCE else None
        )
        measure = f"{kind.value} ({printed.spread})" if kind is Kind.MEDIAN else kind.value
    return ResultCell(
        study=study.study,
        arm=arm,
        outcome=" > ".join(record.outcome),
        time=record.time.text if record.time else None,
        measure=measure,
        value=value,
        total=printed.total if kind is Kind.COUNT else None,
        unit="%" if kind is Kind.PERCENT else None,
        interval=interval,
        place=place_of(figure, record.table, record.section),
        words=figure.text,
        text_origin=study.text_origin,
    )


def _arm_worked_out(arm: ArmNumbers) -> ArmNumbers:
    """What can be computed of what is missing."""
    if arm.n is None:
        return arm
    if arm.events is None and arm.percent is not None and arm.mean is None:
        return replace(arm, events=count_from_percent(arm.percent, arm.n))
    if arm.deviation is None and arm.standard_error is not None:
        return replace(arm, deviation=deviation_from_error(arm.standard_error, arm.n))
    if arm.deviation is None and arm.mean is not None and arm.mean.interval is not None:
        return replace(arm, deviation=deviation_from_interval(arm.mean, arm.n))
    if arm.mean is None and arm.median is not None:
        estimated = estimated_from_median(arm.median, arm.n)
        return replace(arm, mean=estimated[0], deviation=estimated[1]) if estimated else arm
    return arm


def worked_out(result: StudyResult) -> StudyResult:
    """A result with what can be computed of what is missing."""
    if result.intervention is None or result.comparator is None:
        return result
    return replace(
        result, intervention=_arm_worked_out(result.intervention), comparator=_arm_worked_out(result.comparator)
    )


def _telling_spread(sentences: Sequence[str]) -> tuple[str, ...]:
    """Sentences that say how numbers are presented; where none does, all that name a deviation or an error at all."""
    presented = tuple(sentence for sentence in sentences if _PRESENTED.search(sentence))
    return presented or tuple(sentence for sentence in sentences if _SPREAD_NAMED.search(sentence))


def spread_of(study: StudyText) -> tuple[Kind | None, bool]:
    """What stands behind "±" in this text, where its methods or the notes of its tables name one of the two alone.

    Returns:
        The kind, and whether it is assumed: a deviation, where the whole text names neither.
    """
    methods = _telling_spread([s.text for section in study.prose for s in split_sentences(section.text)])
    notes = tuple(note for _, table in study.tables for note in (table.caption or "", *table.footnotes))
    told = spread_told(Told((), methods)) or spread_told(Told((), notes))
    if told is None and Told((), notes, methods).names_no_error:
        return Kind.DEVIATION, True
    return told, False
