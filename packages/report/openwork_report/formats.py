"""The formats of an export, each a function from the document, and what was chosen for it, to text or to bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.errors import UsageError
from openwork_contracts.tabulation import PooledOutcome

from openwork_report.bibliography.bibtex import bibtex
from openwork_report.bibliography.csl_json import csl_json
from openwork_report.bibliography.ris import ris
from openwork_report.figures.drawn import svg_of
from openwork_report.figures.groups import ForestGroup, forest_groups
from openwork_report.prisma import prisma_flow
from openwork_report.review.flow import review_picture
from openwork_report.review.forest import forest_outcomes
from openwork_report.review.references import cited
from openwork_report.styles.entries import StyleName
from openwork_report.styles.styled import references
from openwork_report.typesetting import png_of
from openwork_report.whole.as_docx import docx
from openwork_report.whole.as_html import html
from openwork_report.whole.as_markdown import markdown
from openwork_report.whole.as_pdf import pdf


class FigureName(StrEnum):
    """The pictures of a run."""

    PRISMA = "prisma"
    FOREST = "forest"


@dataclass(frozen=True, slots=True)
class Choices:
    """What a format may be told; those that it does not know of pass it by."""

    style: StyleName = StyleName.VANCOUVER
    figure: FigureName = FigureName.PRISMA
    part: int = 1
    """Which of several pictures of a kind, from 1."""


AS_USUAL = Choices()
Content = str | bytes
"""Bytes are a file that is no text: it is never printed on a terminal."""


@dataclass(frozen=True, slots=True)
class Format:
    """How a document is written; CSV is not here, since it is several files (`delimited.py`)."""

    write: Callable[[AnswerDocument, Choices], Content]
    """Raises UsageError where a package is not installed, or the document has nothing of what was chosen."""
    media_type: str
    suffix: str
    """Of a file's name, without the dot."""
    only_references: bool = False
    """Whether a run without references gives nothing."""
    needs_record: bool = True
    """Whether something is missing in a document that was saved without its record."""
    takes: frozenset[str] = frozenset()
    """Names of the choices that change it."""
    is_binary: bool = False


def figure_svg(document: AnswerDocument, choices: Choices) -> str:
    """The chosen picture, as a file of its own.

    Raises:
        UsageError: the run has no such picture.
    """
    if choices.figure is FigureName.PRISMA:
        flow = review_picture(document, document.review) if document.review is not None else prisma_flow(document)
        return svg_of(flow, standalone=True)
    plots = forest_plots(document)
    if not plots and document.review is not None:
        raise UsageError("no outcome of this review has two studies: no forest plot")
    if not plots:
        raise UsageError("no two results that the answer cites share comparison, outcome and measure: no forest plot")
    if not 1 <= choices.part <= len(plots):
        raise UsageError(f"this run has {len(plots)} forest plots; there is no number {choices.part}")
    return svg_of(plots[choices.part - 1], standalone=True)


def forest_plots(document: AnswerDocument) -> Sequence[ForestGroup | PooledOutcome]:
    """The forest plots of a run, in the order in which `Choices.part` counts them."""
    return forest_outcomes(document.review) if document.review is not None else forest_groups(document)


def _references_only(write: Callable[[AnswerDocument], str], media_type: str, suffix: str) -> Format:
    return Format(
        lambda document, _: write(cited(document)), media_type, suffix, only_references=True, needs_record=False
    )


_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_STYLE = frozenset({"style"})
_FIGURE = frozenset({"figure", "part"})
FORMATS: Mapping[str, Format] = {
    "ris": _references_only(ris, "application/x-research-info-systems", "ris"),
    "bibtex": _references_only(bibtex, "application/x-bibtex", "bib"),
    "csl-json": _references_only(csl_json, "application/vnd.citationstyles.csl+json", "json"),
    "references": Format(
        lambda document, chosen: references(cited(document), chosen.style),
        "text/plain",
        "txt",
        only_references=True,
        needs_record=False,
        takes=_STYLE,
    ),
    "markdown": Format(lambda document, _: markdown(cited(document)), "text/markdown", "md"),
    "html": Format(lambda document, _: html(cited(document)), "text/html", "html"),
    "docx": Format(
        lambda document, chosen: docx(cited(document), chosen.style), _WORD, "docx", takes=_STYLE, is_binary=True
    ),
    "pdf": Format(
        lambda document, chosen: pdf(cited(document), chosen.style),
        "application/pdf",
        "pdf",
        takes=_STYLE,
        is_binary=True,
    ),
    "svg": Format(figure_svg, "image/svg+xml", "svg", takes=_FIGURE),
    "png": Format(
        lambda document, chosen: png_of(figure_svg(document, chosen)), "image/png", "png", takes=_FIGURE, is_binary=True
    ),
}
CSV = "csv"
