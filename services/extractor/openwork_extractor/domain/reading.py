"""What one study reports of the question: its own fields, its abstracts, the prose of its full text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openwork_answers.asked import Question
from openwork_answers.choosing import results_about
from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate, TextOrigin
from openwork_contracts.extraction import ExtractedResult, ResultSource, StudyVariable
from openwork_contracts.ranking import RankedPassage, TextSection

from openwork_extractor.domain.cells import as_cells
from openwork_extractor.domain.tables import results_of_tables, text_of, variables_of_study

_FITS = {Fit.ASKED: 0, Fit.PART: 1, Fit.WIDER: 2, Fit.NOT_TOLD: 3, Fit.OTHER: 4}
_PROSE = frozenset({"text", "abstract"})


@dataclass(frozen=True, slots=True)
class Read:
    """What was read out of a study."""

    results: tuple[ExtractedResult, ...]
    """Of the asked comparison, those of the asked outcome first."""
    variables: tuple[StudyVariable, ...]


def read_study(
    question: Question,
    reports: Sequence[EvidenceCandidate],
    sections: Sequence[TextSection] = (),
    most: int = 25,
) -> Read:
    """Results of the asked comparison, and the variables of the study.

    Args:
        reports: all reports of the study, the main one first.
        sections: of the main report's full text; empty = there is none.
        most: results that are kept.
    """
    found: list[ExtractedResult] = []
    for place, report in enumerate(reports):
        passages = as_passages(report, sections) if place == 0 else []
        told = results_about(1, report, passages, question)
        found += [as_cells(one, report, _source(one.quote, one.passage_id)) for one in told]
    ours = [one for one in found if one.comparison_fit is not Fit.OTHER]
    text = text_of(reports[0], sections)
    tables = list(results_of_tables(question, reports[0], text))
    variables = variables_of_study(text, tables[0][1] if tables else None)
    return Read(tuple(sorted([*ours, *(one for one, _ in tables)], key=_order)[:most]), variables)


def _order(result: ExtractedResult) -> tuple[int, int, bool, int]:
    """The asked outcome, comparison and people before wider ones; stable within."""
    return (
        _FITS.get(result.outcome_fit, 4),
        _FITS.get(result.comparison_fit, 4),
        result.is_subgroup,
        _FITS.get(result.people_fit, 4),
    )


def _source(quote: str | None, passage_id: str | None) -> ResultSource:
    if quote is None:
        return ResultSource.REGISTRY
    return ResultSource.TEXT if passage_id and "#" in passage_id else ResultSource.ABSTRACT


def as_passages(report: EvidenceCandidate, sections: Sequence[TextSection]) -> list[RankedPassage]:
    """The prose of a full text as passages: their ids name the section, so that a cell can say where it stands."""
    return [
        RankedPassage(
            n=1,
            passage_id=f"{report.candidate_id}#{place}",
            candidate_id=report.candidate_id,
            section=" > ".join(section.path) or "Text",
            section_kind=section.kind,
            start=0,
            end=len(section.text),
            text=section.text,
            text_origin=TextOrigin.PUBLISHER,
            score=0.0,
            passage_score=0.0,
            document_score=0.0,
        )
        for place, section in enumerate(sections)
        if section.kind in _PROSE and section.text
    ]
