"""The references of a review are its studies: those that were read, in the order of reading, a work each."""

from __future__ import annotations

from collections.abc import Iterator

from openwork_contracts.answer import AnswerDocument, Reference
from openwork_contracts.evidence import TextOrigin
from openwork_contracts.review import Review, ReviewStudy

from openwork_report.words import one_line


def cited(document: AnswerDocument) -> AnswerDocument:
    """The document with the studies of its review as its references; any other document as it is."""
    if document.review is None or document.references:
        return document
    return document.model_copy(update={"references": references_of(document.review)})


def references_of(review: Review) -> tuple[Reference, ...]:
    """Numbered from 1 in the order of reading."""
    return tuple(_reference(n, study) for n, study in enumerate(review.studies, 1))


def numbers_of(review: Review) -> dict[str, int]:
    """Study id -> number of its reference."""
    return {study.study_id: n for n, study in enumerate(review.studies, 1)}


def _reference(n: int, study: ReviewStudy) -> Reference:
    work = study.work
    ids = work.identifiers
    return Reference(
        n=n,
        source=work.sources[0] if work.sources else "unknown",
        id=work.candidate_id,
        pmid=ids.pmid,
        pmcid=ids.pmcid,
        doi=ids.doi,
        nct_id=ids.nct_ids[0] if ids.nct_ids else None,
        set_id=ids.set_id,
        title=work.title or study.name,
        authors=work.authors,
        collective_author=work.collective_author,
        journal=work.journal,
        year=work.year,
        url=study.fulltext_url or ids.url,
        study_design=work.study_design,
        status=work.status,
        text_origin=_origin(study),
        note="; ".join(_notes(study)) or None,
    )


def _origin(study: ReviewStudy) -> TextOrigin:
    """Whose words its cells were read from; a summary of ours where one of them was."""
    origins = {result.text_origin for result in study.results}
    if TextOrigin.OUR_SUMMARY in origins:
        return TextOrigin.OUR_SUMMARY
    return next(iter(origins)) if len(origins) == 1 else TextOrigin.UNKNOWN_ORIGIN


def _notes(study: ReviewStudy) -> Iterator[str]:
    if not study.results:
        yield "no result was read out of it"
    others = [one for one in study.reports if one != study.work.candidate_id]
    if others:
        yield f"further reports of this study: {', '.join(map(one_line, others))}"
