"""The parts of a document without Markdown, for formats that have letters, links and tables of their own.

Markdown is read by the parser that makes the pages; here its tokens become runs of letters that look alike. A run's
text is plain: whoever prints it escapes it for the format.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from openwork_contracts.text import clean

from openwork_report.whole.parsing import MARK, parser
from openwork_report.whole.parts import Bullets, Figure, Grid, Inline, Prose, References, Section

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST = 4_000
"""Characters of one text (a passage, a title): a file to be read and sent on has no abstract of two megabytes in it."""
CUT = " ... (cut: {n:,} characters more)"
_HTTP = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Run:
    """Letters that look alike, on one line."""

    text: str
    bold: bool = False
    italic: bool = False
    address: str | None = None
    """An http address that it leads to."""
    mark: int | None = None
    """The reference that it leads to."""


Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    runs: Runs


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within the answer or above a section; 1 is the document's title."""

    level: int
    runs: Runs


@dataclass(frozen=True, slots=True)
class Points:
    """A list of points."""

    items: tuple[Runs, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """The references: number and text."""

    items: tuple[tuple[int, Runs], ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """A table; a cell has lines."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[tuple[Runs, ...], ...], ...]


Piece = Paragraph | Heading | Points | Entries | Rows | Figure


def pieces(sections: Sequence[Section], numbers: Collection[int], level: int = 2) -> Iterator[Piece]:
    """Sections in their order, each under its heading.

    Args:
        numbers: of the references; a mark [n] of another number is text.
    """
    for section in sections:
        yield Heading(level, (Run(clean(section.title)),))
        for block in section.blocks:
            match block:
                case Prose():
                    yield from _prose(block.markdown, numbers)
                case Bullets():
                    yield Points(tuple(runs_of(item, numbers) for item in block.items))
                case References():
                    yield Entries(tuple((n, runs_of(item, ())) for n, item in block.items))
                case Grid():
                    yield rows_of(block, numbers)
                case Figure():
                    yield block
        yield from pieces(section.inside, numbers, level + 1)


def rows_of(grid: Grid, numbers: Collection[int]) -> Rows:
    """A table whose cells are runs."""
    rows = (tuple(tuple(runs_of(line, numbers) for line in cell) for cell in row) for row in grid.rows)
    return Rows(grid.caption, grid.header, tuple(rows))


def runs_of(inline: Inline, numbers: Collection[int]) -> Runs:
    """Inline Markdown as runs; of a very long text the beginning."""
    tokens = _parser().parseInline(inline[: 2 * LONGEST])
    made = tuple(run for token in tokens for run in _runs(token.children or (), numbers))
    left_out = max(0, len(inline) - 2 * LONGEST)
    return _cut(made, left_out)


def _cut(runs: Runs, left_out: int = 0) -> Runs:
    """At most `LONGEST` characters, and how many are missing."""
    kept: list[Run] = []
    room = LONGEST
    for run in runs:
        if len(run.text) <= room:
            kept.append(run)
        else:
            left_out += len(run.text) - room
            if room:
                kept.append(Run(run.text[:room], run.bold, run.italic, run.address))
        room = max(0, room - len(run.text))
    return (*kept, Run(CUT.format(n=left_out), italic=True)) if left_out else tuple(kept)


def _runs(tokens: Sequence[Token], numbers: Collection[int]) -> Iterator[Run]:
    bold = italic = 0
    address: str | None = None
    for token in tokens:
        match token.type:
            case "strong_open" | "strong_close":
                bold += token.nesting
            case "em_open" | "em_close":
                italic += token.nesting
            case "link_open":
                href = str(token.attrGet("href") or "")
                address = href if _HTTP.fullmatch(href) else None
            case "link_close":
                address = None
            case "softbreak" | "hardbreak":
                yield Run(" ", bold > 0, italic > 0, address)
            case _:
                like = Run("", bold > 0, italic > 0, address)
                yield from _with_marks(_on_one_line(token.content), like, numbers if address is None else ())


def _with_marks(text: str, like: Run, numbers: Collection[int]) -> Iterator[Run]:
    at = 0
    for found in MARK.finditer(text) if numbers else ():
        if int(found[1]) in numbers:
            if before := text[at : found.start()]:
                yield Run(before, like.bold, like.italic, like.address)
            yield Run(found[0], mark=int(found[1]))
            at = found.end()
    if rest := text[at:]:
        yield Run(rest, like.bold, like.italic, like.address)


def _on_one_line(text: str) -> str:
    return re.sub(r"\s", " ", clean(text))


# --- our Markdown of any length -----------------------------------------------------------------------------------


def _prose(markdown: str, numbers: Collection[int]) -> Iterator[Piece]:
    """Headings, paragraphs, lists and tables in their order; a list in a list follows its point."""
    points: list[Runs] = []
    tokens = iter(_parser().parse(markdown))
    depth = 0
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
            if not depth and points:
                yield Points(tuple(points))
                points = []
        elif token.type == "table_open":
            yield _table(tokens, numbers)
        elif token.type == "heading_open":
            yield Heading(max(3, int(token.tag[1:])), _line(next(tokens), numbers))
        elif token.type in ("inline", "fence", "code_block"):
            runs = _line(token, numbers)
            if depth:
                points.append(runs)
            elif runs:
                yield Paragraph(runs)


def _table(tokens: Iterator[Token], numbers: Collection[int]) -> Rows:
    """The tokens up to the table's end; the first row is its header."""
    rows: list[list[Runs]] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_line(token, numbers))
    header = tuple("".join(run.text for run in cell) for cell in rows[0])
    return Rows("", header, tuple(tuple((cell,) for cell in row) for row in rows[1:]))


def _line(token: Token, numbers: Collection[int]) -> Runs:
    if token.children is None:
        return _cut((Run(_on_one_line(token.content)),) if token.content.strip() else ())
    return _cut(tuple(_runs(token.children, numbers)))


@cache
def _parser() -> MarkdownIt:
    return parser()
