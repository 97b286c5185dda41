"""The whole document as PDF on A4, typeset by Typst: tagged, with bookmarks, links and a language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from openwork_contracts.answer import AnswerDocument

from openwork_report.figures.drawn import svg_of, words_of
from openwork_report.styles.entries import StyleName
from openwork_report.typesetting import typeset
from openwork_report.whole.attached import AUTHOR, LANGUAGE, Attached, attached
from openwork_report.whole.parts import Figure
from openwork_report.whole.runs import Entries, Heading, Paragraph, Piece, Points, Rows, Run, Runs
from openwork_report.whole.shares import shares

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]

_WIDTH_MM, _HEIGHT_MM = 170.0, 215.0
"""Of a picture at most: what the margins leave, less a heading and a caption."""
_RUNNING = 110
"""Characters of the running title."""
_LONG_CELL = 600
"""Characters: in a narrow column half a page."""
_LONG_WORD = re.compile(r"\S{24,}")
_MAY_BREAK = re.compile(r"[/&=?_.,;:+%-](?=[^\s/])|[^\W_]{6}(?=\w)")
"""After a sign of an address, and within a long row of letters."""
_BREAK = "\u200b"
_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')


def pdf(document: AnswerDocument, style: StyleName = StyleName.VANCOUVER) -> bytes:
    """The document as PDF.

    Raises:
        UsageError: typst or citeproc-py is not installed.
    """
    made = _data(attached(document, style))
    at = document.submitted_at
    inputs = {"document": json.dumps(made, ensure_ascii=False)}
    return typeset(("whole", "document.typ"), inputs, "pdf", what="a document as PDF", at=at)


def _data(made: Attached) -> dict[str, Json]:
    running = made.title if len(made.title) <= _RUNNING else f"{made.title[:_RUNNING].rstrip()} ..."
    return {
        "title": made.title,
        "printed": _breakable(made.title),
        "running": running,
        "author": AUTHOR,
        "language": LANGUAGE,
        "facts": _breakable(made.facts),
        "disclaimer": made.disclaimer,
        "pieces": [_piece(piece) for piece in made.pieces],
    }


def _piece(piece: Piece) -> Json:
    match piece:
        case Paragraph():
            return {"kind": "paragraph", "runs": _runs(piece.runs)}
        case Heading():
            return {"kind": "heading", "level": min(3, piece.level - 1), "runs": _runs(piece.runs)}
        case Points():
            return {"kind": "points", "items": [_runs(item) for item in piece.items]}
        case Entries():
            return {"kind": "entries", "items": [{"n": n, "runs": _runs(item)} for n, item in piece.items]}
        case Rows():
            return _rows(piece)
        case Figure():
            return _figure(piece)


def _rows(piece: Rows) -> Json:
    return {
        "kind": "rows",
        "caption": piece.caption,
        "header": [_breakable(name) for name in piece.header],
        "widths": list(shares(piece)),
        "rows": [
            {"cells": [[_runs(line) for line in cell] for cell in row], "long": any(map(_is_long, row))}
            for row in piece.rows
        ],
    }


def _is_long(cell: Sequence[Runs]) -> bool:
    """Whether its row may go on overleaf; any other is kept together."""
    return sum(len(run.text) for line in cell for run in line) > _LONG_CELL


def _figure(piece: Figure) -> Json:
    svg = svg_of(piece.of, standalone=True)
    found = _SIZE.search(svg)
    assert found
    width, height = int(found[1]), int(found[2])
    return {
        "kind": "figure",
        "svg": svg,
        "width": round(min(_WIDTH_MM, _HEIGHT_MM * width / height), 1),
        "words": words_of(piece.of),
        "caption": piece.caption,
    }


def _runs(runs: Runs) -> Json:
    return list(_each(runs))


def _each(runs: Sequence[Run]) -> Iterator[Json]:
    for run in runs:
        yield {
            "text": _breakable(run.text),
            "bold": run.bold,
            "italic": run.italic,
            "address": run.address,
            "mark": run.mark,
        }


def _breakable(text: str) -> str:
    """With places at which a long word, an address or a query, may go on in the next line."""
    return _LONG_WORD.sub(lambda found: _MAY_BREAK.sub(rf"\g<0>{_BREAK}", found[0]), text)
