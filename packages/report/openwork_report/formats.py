"""The formats of an export, each a function from the document to text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from openwork_contracts.answer import AnswerDocument

from openwork_report.bibliography.bibtex import bibtex
from openwork_report.bibliography.csl_json import csl_json
from openwork_report.bibliography.ris import ris
from openwork_report.whole.as_html import html
from openwork_report.whole.as_markdown import markdown


@dataclass(frozen=True, slots=True)
class Format:
    """How a document is written; CSV is not here, since it is several files (`delimited.py`)."""

    write: Callable[[AnswerDocument], str]
    only_references: bool = False
    """Whether a run without references gives nothing."""


FORMATS: Mapping[str, Format] = {
    "ris": Format(ris, only_references=True),
    "bibtex": Format(bibtex, only_references=True),
    "csl-json": Format(csl_json, only_references=True),
    "markdown": Format(markdown),
    "html": Format(html),
}
CSV = "csv"
