"""CSV of a document's tables, after RFC 4180: commas, quotation marks doubled, CR LF.

A spreadsheet takes a cell that begins with = + - or @ for a formula, and a formula can send what it sees elsewhere
(OWASP, "CSV Injection"): such a cell gets an apostrophe before it, which spreadsheets hide and other programs see.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from openwork_contracts.answer import AnswerDocument

from openwork_report.review.references import cited
from openwork_report.review.tables import REVIEW_TABLES
from openwork_report.tables import EVIDENCE, EXCLUDED, REFERENCES, SEARCHES, Table

TABLES: Mapping[str, Table[Any]] = {
    "references": REFERENCES,
    "evidence": EVIDENCE,
    "search": SEARCHES,
    "excluded": EXCLUDED,
}
ONLY_OF_A_REVIEW = tuple(name for name in REVIEW_TABLES if name not in TABLES)
"""Tables that an answer has not."""
_FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
"""The four and their full-width forms, which a Japanese Excel reads as them."""


def tables_of(document: AnswerDocument) -> Mapping[str, Table[Any]]:
    """The tables that this document has, by name: a review's evidence are its studies."""
    return {**TABLES, **REVIEW_TABLES} if document.review is not None else TABLES


def csv_table(document: AnswerDocument, name: str) -> str:
    """One table of the document with its header.

    Raises:
        KeyError: the document has no such table.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerows(map(_inert, tables_of(document)[name].cells(cited(document))))
    return text.getvalue()


def _inert(row: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in row)
