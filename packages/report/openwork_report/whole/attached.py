"""The document as it is attached to something: what Word and PDF print, in pieces, with references in a style."""

from __future__ import annotations

from dataclasses import dataclass

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.text import clean

from openwork_report.styles.entries import StyleName
from openwork_report.styles.styled import styled
from openwork_report.whole.content import whole
from openwork_report.whole.runs import Piece, pieces

LANGUAGE = "en"
AUTHOR = "Open Work"
NO_TITLE = "Answer"
LONGEST_TITLE = 1_000
"""Characters: a title is on one page."""


@dataclass(frozen=True, slots=True)
class Attached:
    """The document in pieces; plain texts are without characters that a file cannot hold."""

    title: str
    facts: str
    pieces: tuple[Piece, ...]
    disclaimer: str


def attached(document: AnswerDocument, style: StyleName) -> Attached:
    """The document; records that were found and not cited are counted, not listed.

    Raises:
        UsageError: citeproc-py is not installed.
    """
    made = whole(document, styled=styled(document, style), excluded=False)
    numbers = frozenset(reference.n for reference in document.references)
    title = clean(made.title) or NO_TITLE
    return Attached(
        title=title if len(title) <= LONGEST_TITLE else f"{title[:LONGEST_TITLE]} ...",
        facts=clean(" · ".join(made.facts)),
        pieces=tuple(pieces(made.sections, numbers)),
        disclaimer=made.disclaimer,
    )
