"""The whole document as a page of its own: no script, nothing loaded from elsewhere, readable on paper and on a phone.

Markdown becomes HTML in markdown-it (CommonMark), with HTML and images of a text switched off; a policy in the page's
head forbids what it does not need, so that a fault here loads nothing either.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from openwork_contracts.answer import AnswerDocument

from openwork_report.figures.drawn import svg_of
from openwork_report.whole.content import whole
from openwork_report.whole.parsing import MARK, parser
from openwork_report.whole.parts import Block, Bullets, Cell, Figure, Grid, Prose, References, Section, Whole

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
LONG_WORD = 26
"""Characters. Other words keep whole, which gives a column its width."""


def html(document: AnswerDocument) -> str:
    """The page. Needs the extra `openwork-report[html]`."""
    made = whole(document)
    return _Page(made, {reference.n for reference in document.references}).text()


class _Page:
    def __init__(self, made: Whole, numbers: Collection[int]) -> None:
        self._made = made
        self._numbers = numbers

    def text(self) -> str:
        made = self._made
        title = escape(made.title) or "Answer"
        places = "".join(f'<li><a href="#{one.name}">{escape(one.title)}</a></li>' for one in made.sections)
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="color-scheme" content="light dark">\n<meta name="generator" content="Open Work">\n'
            f"<title>{title}</title>\n<style>\n{_style()}</style>\n</head>\n<body>\n"
            f'<a class="skip" href="#answer">Skip to the answer</a>\n'
            f'<header>\n<p class="brand">Open Work</p>\n<h1 dir="auto">{title}</h1>\n'
            f'<p class="facts">{" · ".join(map(escape, made.facts))}</p>\n'
            f'<nav aria-label="Parts of this document"><ul>{places}</ul></nav>\n</header>\n<main>\n'
            f"{''.join(map(self._section, made.sections))}</main>\n"
            f"<footer><p>{escape(made.disclaimer)}</p></footer>\n</body>\n</html>\n"
        )

    def _section(self, section: Section) -> str:
        inside = "".join(map(self._folded, section.inside))
        return (
            f'<section id="{section.name}" aria-labelledby="h-{section.name}">\n'
            f'<h2 id="h-{section.name}">{escape(section.title)}</h2>\n'
            f"{''.join(map(self._block, section.blocks))}{inside}</section>\n"
        )

    def _folded(self, section: Section) -> str:
        blocks = "".join(map(self._block, section.blocks))
        return (
            f'<details id="{section.name}">\n<summary><h3>{escape(section.title)}</h3></summary>\n{blocks}</details>\n'
        )

    def _block(self, block: Block) -> str:
        match block:
            case Prose():
                return self._linked(_markdown().parse(block.markdown))
            case Bullets():
                return "<ul>" + "".join(f"<li>{self._inline(item)}</li>" for item in block.items) + "</ul>\n"
            case References():
                items = (
                    f'<li id="ref-{n}" value="{n}">{_markdown().renderInline(item)}</li>' for n, item in block.items
                )
                return f"<ol>{''.join(items)}</ol>\n"
            case Grid():
                return "".join(self._grid(block))
            case Figure():
                table = self._block(block.instead) if block.instead else ""
                return f"<figure>{svg_of(block.of)}<figcaption>{escape(block.caption)}</figcaption></figure>\n{table}"

    def _grid(self, grid: Grid) -> Iterator[str]:
        """Roles are written out: on a phone rows are printed as blocks, where a browser forgets that it is a table."""
        yield f'<table role="table">\n<caption>{escape(grid.caption)}</caption>\n'
        heads = (f'<th role="columnheader" scope="col">{escape(name)}</th>' for name in grid.header)
        yield f'<thead role="rowgroup"><tr role="row">{"".join(heads)}</tr></thead>\n<tbody role="rowgroup">\n'
        for row in grid.rows:
            yield f'<tr role="row">{"".join(self._cells(grid.header, row))}</tr>\n'
        yield "</tbody>\n</table>\n"

    def _cells(self, header: Sequence[str], row: Sequence[Cell]) -> Iterator[str]:
        for place, (name, cell) in enumerate(zip(header, row, strict=True)):
            lines = [self._inline(line) for line in cell]
            inner = lines[0] if len(lines) == 1 else "".join(f'<div class="line">{line}</div>' for line in lines)
            shape = _shape(cell)
            if place == 0:
                yield f'<th role="rowheader" scope="row"{shape}>{inner}</th>'
            else:
                yield f'<td role="cell" data-label="{escape(name)}"{shape}>{inner}</td>'

    def _inline(self, text: str) -> str:
        return self._linked(_markdown().parseInline(text))

    def _linked(self, tokens: Sequence[Token]) -> str:
        """With citation marks that lead to their references."""
        rendered: str = _markdown().renderer.render(tokens, _markdown().options, {"references": self._numbers})
        return rendered


def _shape(cell: Cell) -> str:
    """How a cell differs: nothing in it, or a word (an address, a query) that has to be broken to fit."""
    if not any(cell):
        return ' class="empty"'
    return ' class="long"' if any(len(word) > LONG_WORD for line in cell for word in line.split()) else ""


@cache
def _markdown() -> MarkdownIt:
    made = parser()
    made.add_render_rule("text", _text)
    return made


def _text(self: Any, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
    """A text token: each [n] that a reference has is a link, outside of links."""
    words = escape(tokens[place].content, quote=False)
    inside_link = sum({"link_open": 1, "link_close": -1}.get(token.type, 0) for token in tokens[:place]) > 0
    numbers = env.get("references", ())
    return words if inside_link or not numbers else MARK.sub(lambda found: _mark(found, numbers), words)


def _mark(found: re.Match[str], numbers: Collection[int]) -> str:
    return f'<a class="cite" href="#ref-{found[1]}">[{found[1]}]</a>' if int(found[1]) in numbers else found[0]


@cache
def _style() -> str:
    return files("openwork_report").joinpath("whole", "page.css").read_text(encoding="utf-8")
