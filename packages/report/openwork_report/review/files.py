"""The files of a review: four texts, four of data, tables, references, pictures, and everything on one page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.errors import UsageError
from openwork_contracts.question import Track
from openwork_contracts.review import Review
from pydantic import BaseModel

from openwork_report.bibliography.bibtex import bibtex
from openwork_report.bibliography.ris import ris
from openwork_report.delimited import csv_table, tables_of
from openwork_report.review import content
from openwork_report.review.flow import review_flow_svg, review_picture
from openwork_report.review.forest import forest_outcomes, pooled_svg
from openwork_report.review.references import cited
from openwork_report.searched import searched_section
from openwork_report.whole.as_html import html
from openwork_report.whole.as_markdown import markdown_of
from openwork_report.whole.parts import Section

NAME = "deep_research"
"""How the texts and the data begin."""
_TABLES = {"evidence": "studies.csv", "cells": "cells.csv", "screening": "screening.csv", "variables": "variables.csv"}
MARK = "\ufeff"
"""Before a CSV file: without it a spreadsheet takes UTF-8 for the letters of its own country."""


def review_of(document: AnswerDocument) -> Review:
    """The review of a document.

    Raises:
        UsageError: it has none.
    """
    if document.review is None:
        raise UsageError(
            f"run {document.run_id} is no deep review that came to its table ({document.pipeline}, "
            f"{document.status.value.replace('_', ' ')}); `openwork review` makes one"
        )
    return document.review


def review_files(document: AnswerDocument) -> Mapping[str, str]:
    """Every file of a review by its name; all are text, to be written as UTF-8.

    Raises:
        UsageError: the document has no review.
    """
    review = review_of(document)
    forests = {f"forest_{n}.svg": pooled_svg(one, standalone=True) for n, one in enumerate(forest_outcomes(review), 1)}
    tables = tables_of(document)
    return {
        f"{NAME}_lead.md": _text(document, _lead(document, review)),
        f"{NAME}_counter.md": _text(document, _counter(document, review)),
        f"{NAME}_audit.md": _text(document, _audit(document, review)),
        f"{NAME}_math.md": _text(document, content.computed(review)),
        f"{NAME}_strategy_aff.json": _json(strategy_of(document, Track.AFFIRMATIVE)),
        f"{NAME}_strategy_neg.json": _json(strategy_of(document, Track.FALSIFICATION)),
        f"{NAME}_screening.json": _json(_screening(document, review)),
        f"{NAME}_sources.json": _json(_sources(document, review)),
        **{
            file: MARK + csv_table(document, name)
            for name, file in _TABLES.items()
            if _has_rows(document, tables[name])
        },
        "references.ris": ris(cited(document)),
        "references.bib": bibtex(cited(document)),
        "flow.svg": review_flow_svg(review_picture(document, review), standalone=True),
        **forests,
        "review.html": html(cited(document)),
    }


def _has_rows(document: AnswerDocument, table: Any) -> bool:
    return bool(table.rows(document))


def _text(document: AnswerDocument, sections: Iterator[Section]) -> str:
    return markdown_of(content.made_of(document, tuple(sections)))


def _lead(document: AnswerDocument, review: Review) -> Iterator[Section]:
    """What the search for an effect came to."""
    yield content.summary(review)
    yield from content.outcomes(review)
    yield from content.studies(review)
    yield from content.limits(document, review)
    yield from content.references(document)


def _counter(document: AnswerDocument, review: Review) -> Iterator[Section]:
    """What the search for what speaks against it came to."""
    yield from content.against(review)
    yield from searched_section(document, Track.FALSIFICATION.value)


def _audit(document: AnswerDocument, review: Review) -> Iterator[Section]:
    """How it came about: what was searched and found, each decision, and what is missing."""
    yield content.method(document)
    yield from content.limits(document, review)
    yield from content.flow(document, review)
    yield from searched_section(document)
    yield from content.screening(document)


def strategy_of(document: AnswerDocument, track: Track) -> dict[str, Any]:
    """What one track looked for, and each request as it was sent; empty lists where the document has no record."""
    record = document.record
    return {
        "question": document.question,
        "run_id": document.run_id,
        "track": track.value,
        "options": _plain(document.options),
        "rounds": [_plain(one) for one in record.rounds if one.track == track] if record else [],
        "searches": [_plain(one) for one in record.searches if one.track == track] if record else [],
    }


def _screening(document: AnswerDocument, review: Review) -> dict[str, Any]:
    return {
        "question": document.question,
        "run_id": document.run_id,
        "flow": _plain(review.flow),
        "adds_up": review.flow.adds_up,
        "records": [_plain(one) for one in review.screened],
        "signals": [_plain(one) for one in review.signals],
    }


def _sources(document: AnswerDocument, review: Review) -> dict[str, Any]:
    """What was searched, and where the text of each study came from."""
    keep = {"study_id", "name", "work", "reports", "tracks", "fulltext_source", "fulltext_url", "license", "reason"}
    return {
        "question": document.question,
        "run_id": document.run_id,
        "searched": [_plain(one) for one in document.method.sources],
        "degradations": list(document.method.degradations),
        "studies": [one.model_dump(mode="json", include=keep) for one in review.studies],
        "never_read": [one.model_dump(mode="json", include=keep) for one in review.never_read],
        "signals": [_plain(one) for one in review.signal_works],
    }


def _plain(model: BaseModel) -> Any:
    return model.model_dump(mode="json")


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
