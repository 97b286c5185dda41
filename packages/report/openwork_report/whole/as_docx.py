"""The whole document for Word: real headings, lists and tables, citation marks that lead to the references."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC
from io import BytesIO
from typing import TYPE_CHECKING

from openwork_contracts.answer import AnswerDocument

from openwork_report.extras import not_installed
from openwork_report.figures.drawn import svg_of, words_of
from openwork_report.styles.entries import StyleName
from openwork_report.typesetting import is_installed, png_of
from openwork_report.whole.attached import AUTHOR, Attached, attached
from openwork_report.whole.parts import Figure
from openwork_report.whole.runs import Entries, Heading, Paragraph, Piece, Points, Rows, Run, Runs, rows_of
from openwork_report.whole.shares import shares

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import _Cell
    from docx.text.paragraph import Paragraph as WordParagraph

    from openwork_report.whole.word import Links

NO_PICTURE = "The picture is left out: it needs the package typst (pip install 'openwork-report[pdf]')."
_WIDTH_MM, _HEIGHT_MM = 170.0, 215.0
_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')


def docx(document: AnswerDocument, style: StyleName = StyleName.VANCOUVER) -> bytes:
    """The document as a .docx file. Without typst it has no pictures, and says so in their places.

    Raises:
        UsageError: python-docx or citeproc-py is not installed.
    """
    try:
        from openwork_report.whole.word import Links, new_document
    except ImportError as error:
        raise not_installed("a document for Word", "python-docx", "docx") from error
    made = attached(document, style)
    at = document.submitted_at.astimezone(UTC).replace(tzinfo=None) if document.submitted_at else None
    file = new_document(made.title, AUTHOR, at)
    _Writer(file, Links(file)).write(made)
    written = BytesIO()
    file.save(written)
    return written.getvalue()


class _Writer:
    def __init__(self, file: Document, links: Links) -> None:
        self._file = file
        self._links = links

    def write(self, made: Attached) -> None:
        self._file.add_paragraph(AUTHOR, style="Open Work Small")
        self._file.add_paragraph(made.title, style="Title")
        self._file.add_paragraph(made.facts, style="Open Work Small")
        for piece in made.pieces:
            self._piece(piece)
        self._file.add_paragraph(made.disclaimer, style="Open Work Small")

    def _piece(self, piece: Piece) -> None:
        match piece:
            case Heading():
                level = min(3, piece.level - 1)
                self._fill(self._file.add_paragraph(style=f"Heading {level}"), piece.runs)
            case Paragraph():
                self._fill(self._file.add_paragraph(), piece.runs)
            case Points():
                for item in piece.items:
                    self._fill(self._file.add_paragraph(style="List Bullet"), item)
            case Entries():
                for n, runs in piece.items:
                    self._entry(n, runs)
            case Rows():
                self._rows(piece)
            case Figure():
                self._figure(piece)

    def _fill(self, paragraph: WordParagraph, runs: Sequence[Run]) -> None:
        for run in runs:
            self._links.add(paragraph, run)

    def _entry(self, n: int, runs: Runs) -> None:
        paragraph = self._file.add_paragraph(style="Open Work Reference")
        self._links.target(paragraph, n)
        self._fill(paragraph, runs)

    def _rows(self, piece: Rows) -> None:
        from openwork_report.whole.word import new_table

        if piece.caption:
            self._file.add_paragraph(piece.caption, style="Open Work Caption")
        table = new_table(self._file, len(piece.rows) + 1, shares(piece), piece.caption or "Table")
        for cell, name in zip(table.rows[0].cells, piece.header, strict=True):
            cell.paragraphs[0].add_run(name).bold = True
        for made, row in zip(list(table.rows)[1:], piece.rows, strict=True):
            for cell, lines in zip(made.cells, row, strict=True):
                self._cell(cell, lines)
        self._file.add_paragraph(style="Open Work Small")

    def _cell(self, cell: _Cell, lines: Sequence[Runs]) -> None:
        for place, line in enumerate(lines):
            paragraph = cell.add_paragraph(style="Open Work Cell") if place else cell.paragraphs[0]
            self._fill(paragraph, line)

    def _figure(self, piece: Figure) -> None:
        from openwork_report.whole.word import add_picture

        if is_installed():
            svg = svg_of(piece.of, standalone=True)
            found = _SIZE.search(svg)
            assert found
            width = min(_WIDTH_MM, _HEIGHT_MM * int(found[1]) / int(found[2]))
            add_picture(self._file, png_of(svg), width, words_of(piece.of))
            self._file.add_paragraph(piece.caption, style="Open Work Caption")
            return
        self._file.add_paragraph(f"{piece.caption}. {NO_PICTURE}", style="Open Work Small")
        if piece.instead is not None:
            self._rows(rows_of(piece.instead, ()))
