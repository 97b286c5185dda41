"""What a whole document is made of, before any format. Texts are inline Markdown: those of other people are escaped."""

from __future__ import annotations

from dataclasses import dataclass

from openwork_report.figures.drawn import Picture

Inline = str
"""Markdown within one line, as `openwork_report.markdown` makes it."""
Cell = tuple[Inline, ...]
"""A cell's lines."""


@dataclass(frozen=True, slots=True)
class Prose:
    """Our own Markdown of any length: the answer as the gateway has put it into words."""

    markdown: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list."""

    items: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class References:
    """The numbered references, which citation marks lead to."""

    items: tuple[tuple[int, Inline], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with a header; the first cell of a row names it."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture, where a format has pictures."""

    of: Picture
    caption: str
    instead: Grid | None = None
    """The same in a table; a format without pictures prints it, a page prints both."""


Block = Prose | Bullets | References | Grid | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """A part under a heading."""

    name: str
    """For links: a word of ASCII letters."""
    title: str
    blocks: tuple[Block, ...] = ()
    inside: tuple[Section, ...] = ()
    """Parts of this part: a page shows them folded."""


@dataclass(frozen=True, slots=True)
class Whole:
    """The document: a title, a line below it, sections, and what has to be said with every answer."""

    title: str
    """The question, as plain text."""
    facts: tuple[str, ...]
    """Plain text: status, day, run."""
    sections: tuple[Section, ...]
    disclaimer: str
