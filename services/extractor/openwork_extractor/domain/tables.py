"""Results out of the tables of a full text, and the variables of a study, as the contracts have them.

What is asked is put as the extraction package takes it: one intervention, one comparator, one outcome at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from openwork_answers.asked import Question
from openwork_answers.outcomes import read_outcome
from openwork_answers.people import people_fit
from openwork_answers.valued import is_bad
from openwork_answers.weighing import best_outcome_fit
from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate, TextOrigin
from openwork_contracts.extraction import (
    ArmCells,
    CellMark,
    ExtractedResult,
    MarkKind,
    ResultSource,
    StudyVariable,
    VariableState,
)
from openwork_contracts.ranking import FullText, TextSection
from openwork_extraction.extract import extract
from openwork_extraction.results import ArmNumbers, Source, StudyResult
from openwork_extraction.study import Asked, StudyText
from openwork_extraction.variables import Status, variables_of

_CONTROL = "control"
_STATES = {
    Status.GIVEN: VariableState.FOUND,
    Status.NOT_REPORTED: VariableState.NOT_REPORTED,
    Status.NOT_FOUND: VariableState.NOT_FOUND,
}


def text_of(report: EvidenceCandidate, sections: Sequence[TextSection]) -> StudyText:
    """Everything that is known of a study, as the extraction package reads it."""
    fulltext = FullText(identifiers=report.identifiers, sections=tuple(sections), source="") if sections else None
    return StudyText.of(report, fulltext)


def results_of_tables(
    question: Question, report: EvidenceCandidate, text: StudyText
) -> Iterator[tuple[ExtractedResult, StudyResult]]:
    """What the tables say of each asked outcome, complete or in part; what code was not sure of is not given."""
    treatment = ", ".join(question.analysis.pico.intervention)
    against = ", ".join(question.analysis.pico.comparison) or _CONTROL
    if not treatment or not text.tables:
        return
    for outcome in question.outcomes:
        for result in extract(text, Asked(treatment, against, outcome.text)).results:
            if result.source is Source.TABLE and len(result.arms) == 2:
                yield _extracted(question, report, result), result


def _extracted(question: Question, report: EvidenceCandidate, result: StudyResult) -> ExtractedResult:
    told = read_outcome(result.outcome)
    return ExtractedResult(
        outcome=result.outcome,
        outcome_fit=best_outcome_fit(told, question.outcomes),
        comparison_fit=Fit.OTHER if result.is_before else Fit.ASKED,  # the time before is no group that was asked about
        people_fit=people_fit(question.people, report, None),
        components=told.components,
        time=result.time,
        analysis=result.analysis,
        source=ResultSource.TABLE,
        candidate_id=report.candidate_id,
        text_origin=TextOrigin.PUBLISHER,
        arms=tuple(map(_arm, result.arms)),
        effect=result.effect,
        adjusted=result.adjusted,
        bad=is_bad(told),
        marks=tuple(CellMark(kind=MarkKind(mark.kind.value), words=mark.message) for mark in result.marks),
    )


def _arm(arm: ArmNumbers) -> ArmCells:
    return ArmCells(
        arm=arm.arm,
        n=arm.n,
        events=arm.events,
        percent=arm.percent,
        mean=arm.mean,
        deviation=arm.deviation,
        standard_error=arm.standard_error,
        median=arm.median,
    )


def variables_of_study(text: StudyText, result: StudyResult | None) -> tuple[StudyVariable, ...]:
    """The variables that code fills; those that take judgement are not among them."""
    return tuple(
        StudyVariable(name=one.name, state=_STATES[one.status], value=one.value, words=one.words, place=one.place)
        for one in variables_of(text, result)
        if one.status in _STATES
    )
