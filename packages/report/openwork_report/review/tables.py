"""The tables of a review: its studies, a row each; every number that was read; every record with its decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.cells import ResultCell
from openwork_contracts.extraction import ArmCells, ExtractedResult, StudyVariable
from openwork_contracts.review import ReviewStudy, ReviewWork, ScreenedRecord, TrackDecision
from openwork_contracts.screening import ScreeningOutcome
from openwork_knowledge import designs

from openwork_report.review.words import (
    arms_in_words,
    decision_words,
    effect_in_words,
    fit_words,
    holds_number,
    place_in_words,
    place_words,
    source_words,
    text_words,
    track_words,
    when_of,
)
from openwork_report.tables import Cell, R, Table
from openwork_report.words import STATUS_WORDS, one_line, whose_words

_ARM_CELLS = ("n", "events", "percent", "mean", "deviation", "standard_error", "median")
_NAMES = {"n": "people", "deviation": "standard deviation", "standard_error": "standard error"}


@dataclass(frozen=True, slots=True)
class CellRow:
    """One number that was read out of a study."""

    study: ReviewStudy
    result: ExtractedResult
    arm: ArmCells | None
    """`None` = a number of the comparison."""
    what: str
    """people, events, percent, mean, ..., effect."""
    cell: ResultCell


@dataclass(frozen=True, slots=True)
class ScreeningRow:
    """What one track decided on one record."""

    record: ScreenedRecord
    one: TrackDecision


def cell_rows(document: AnswerDocument) -> tuple[CellRow, ...]:
    """Every number of every study, in the order of the document."""
    studies = document.review.studies if document.review else ()
    return tuple(row for study in studies for result in study.results for row in cells_of(study, result))


def cells_of(study: ReviewStudy, result: ExtractedResult) -> Iterator[CellRow]:
    """The numbers of one result: each arm's, then the effect."""
    for arm in result.arms:
        for name in _ARM_CELLS:
            cell: ResultCell | None = getattr(arm, name)
            if cell is not None:
                yield CellRow(study, result, arm, _NAMES.get(name, name), cell)
    if result.effect is not None:
        yield CellRow(study, result, None, "effect", result.effect)


def screening_rows(document: AnswerDocument) -> tuple[ScreeningRow, ...]:
    """A row for each record and each track that found it."""
    records = document.review.screened if document.review else ()
    return tuple(ScreeningRow(record, one) for record in records for one in record.decisions)


def outcome_of(row: ScreeningRow) -> ScreeningOutcome | None:
    """What was decided; `None` = nothing in time."""
    return row.one.decision.outcome if row.one.decision else None


def _excluded(document: AnswerDocument) -> tuple[ScreeningRow, ...]:
    return tuple(row for row in screening_rows(document) if outcome_of(row) is ScreeningOutcome.EXCLUDE)


def _studies(document: AnswerDocument) -> tuple[ReviewStudy, ...]:
    return document.review.studies if document.review else ()


def _variables(document: AnswerDocument) -> tuple[tuple[ReviewStudy, StudyVariable], ...]:
    return tuple((study, one) for study in _studies(document) for one in study.variables)


def results_in_words(study: ReviewStudy) -> Iterator[tuple[str, str]]:
    """Outcome with its time, and its figures; a result without a number is none."""
    for result in study.results:
        told = "; ".join(filter(None, (arms_in_words(result), effect_in_words(result))))
        if told:
            when = when_of(result)
            yield f"{one_line(result.outcome)}{f' ({when})' if when else ''}", told


def comparison_of(result: ExtractedResult) -> str:
    """The arms, the tested one first; those of the effect where the arms have no numbers."""
    names = [arm.arm for arm in result.arms] or (list(result.effect.comparison) if result.effect else [])
    return " v ".join(map(one_line, names))


def _identifiers(of: Callable[[R], ReviewWork]) -> tuple[tuple[str, Callable[[R], Cell]], ...]:
    return (
        ("PMID", lambda r: of(r).identifiers.pmid),
        ("DOI", lambda r: of(r).identifiers.doi),
        ("PMCID", lambda r: of(r).identifiers.pmcid),
        ("NCT", lambda r: "; ".join(of(r).identifiers.nct_ids)),
        ("URL", lambda r: of(r).identifiers.url),
    )


def _work_of_study(study: ReviewStudy) -> ReviewWork:
    return study.work


def _work_of_cell(row: CellRow) -> ReviewWork:
    return row.study.work


def _work_of_record(row: ScreeningRow) -> ReviewWork:
    return row.record.work


def _status(work: ReviewWork) -> str:
    return STATUS_WORDS.get(work.status, work.status.value.replace("_", " "))


STUDIES: Table[ReviewStudy] = Table(
    _studies,
    (
        ("study", lambda s: s.name),
        ("study id", lambda s: s.study_id),
        ("title", lambda s: s.work.title),
        ("design", lambda s: designs.label(s.work.study_design)),
        ("year", lambda s: s.work.year),
        ("journal", lambda s: s.work.journal),
        ("people", lambda s: s.sample_size),
        ("funding", lambda s: s.funding),
        ("compared", lambda s: next(filter(None, map(comparison_of, s.results)), None)),
        ("outcome", lambda s: " | ".join(name for name, _ in results_in_words(s))),
        ("result", lambda s: " | ".join(told for _, told in results_in_words(s))),
        ("read", text_words),
        ("found by", lambda s: "; ".join(map(track_words, s.tracks))),
        ("unsure at screening", lambda s: "yes" if s.unsure else "no"),
        ("reports", lambda s: "; ".join(s.reports)),
        ("status", lambda s: _status(s.work)),
        *_identifiers(_work_of_study),
    ),
    needs_record=False,
)
CELLS: Table[CellRow] = Table(
    cell_rows,
    (
        ("study", lambda r: r.study.name),
        ("study id", lambda r: r.study.study_id),
        ("comparison", lambda r: comparison_of(r.result)),
        ("outcome", lambda r: r.result.outcome),
        ("components", lambda r: "; ".join(r.result.components)),
        ("people of", lambda r: r.result.people),
        ("subgroup", lambda r: "yes" if r.result.is_subgroup else "no"),
        ("time", lambda r: r.result.time),
        ("analysis", lambda r: r.result.analysis.value.replace("_", " ") if r.result.analysis else None),
        ("arm", lambda r: r.arm.arm if r.arm else None),
        ("what", lambda r: r.what),
        ("measure", lambda r: r.cell.measure),
        ("value", lambda r: r.cell.value),
        ("total", lambda r: r.cell.total),
        ("unit", lambda r: r.cell.unit),
        ("low", lambda r: r.cell.interval.low if r.cell.interval else None),
        ("high", lambda r: r.cell.interval.high if r.cell.interval else None),
        ("level, %", lambda r: r.cell.interval.level if r.cell.interval else None),
        ("p", lambda r: r.cell.p_value),
        ("adjusted", lambda r: "yes" if r.result.adjusted and r.arm is None else "no"),
        ("read from", lambda r: source_words(r.result.source)),
        ("place", lambda r: place_words(r.cell)),
        ("words", lambda r: r.cell.words),
        ("the words hold the number", lambda r: _held(r.cell)),
        ("computed", lambda r: r.cell.computed),
        ("marks", lambda r: "; ".join(f"{one.kind.value}: {one.words}" for one in r.result.marks)),
        ("outcome fits", lambda r: fit_words(r.result.outcome_fit)),
        ("comparison fits", lambda r: fit_words(r.result.comparison_fit)),
        ("people fit", lambda r: fit_words(r.result.people_fit)),
        ("harm", lambda r: "yes" if r.result.harm else "no"),
        ("whose words", lambda r: whose_words(r.result.text_origin)),
        ("report", lambda r: r.result.candidate_id),
        *_identifiers(_work_of_cell),
    ),
    needs_record=False,
)
SCREENING: Table[ScreeningRow] = Table(
    screening_rows,
    (
        ("record", lambda r: r.record.work.candidate_id),
        ("title", lambda r: r.record.work.title),
        ("year", lambda r: r.record.work.year),
        ("journal", lambda r: r.record.work.journal),
        ("design", lambda r: designs.label(r.record.work.study_design)),
        ("found in", lambda r: "; ".join(r.record.work.sources)),
        ("track", lambda r: r.one.track.value),
        ("decision", lambda r: decision_words(outcome_of(r))),
        ("criterion", lambda r: r.one.decision.criterion if r.one.decision else None),
        ("reason", lambda r: r.one.decision.reason if r.one.decision else None),
        ("quotation", lambda r: r.one.decision.quotation if r.one.decision else None),
        ("decided by", lambda r: r.one.decision.decider.value if r.one.decision else None),
        ("score", lambda r: None if r.one.score is None else f"{r.one.score:.3f}"),
        ("status", lambda r: _status(r.record.work)),
        *_identifiers(_work_of_record),
    ),
    needs_record=False,
)
VARIABLES: Table[tuple[ReviewStudy, StudyVariable]] = Table(
    _variables,
    (
        ("study", lambda r: r[0].name),
        ("study id", lambda r: r[0].study_id),
        ("variable", lambda r: r[1].name),
        ("state", lambda r: r[1].state.value.replace("_", " ")),
        ("value", lambda r: r[1].value),
        ("words", lambda r: r[1].words),
        ("place", lambda r: place_in_words(r[1].place)),
    ),
    needs_record=False,
)
REVIEW_TABLES: Mapping[str, Table[Any]] = {
    "evidence": STUDIES,
    "cells": CELLS,
    "screening": SCREENING,
    "excluded": Table(_excluded, SCREENING.columns, needs_record=False),
    "variables": VARIABLES,
}
"""By the names of the export; `evidence` and `excluded` are other tables for an answer."""


def _held(cell: ResultCell) -> str | None:
    held = holds_number(cell)
    return None if held is None else "yes" if held else "no"
