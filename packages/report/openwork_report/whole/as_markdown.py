"""The whole document as Markdown, with GitHub's tables."""

from __future__ import annotations

from collections.abc import Iterator

from openwork_contracts.answer import AnswerDocument

from openwork_report.markdown import escaped
from openwork_report.whole.content import whole
from openwork_report.whole.parts import Block, Bullets, Cell, Figure, Grid, Prose, References, Section, Whole


def markdown(document: AnswerDocument) -> str:
    """Question, answer, evidence table, limits, references with whose words, how."""
    return markdown_of(whole(document))


def markdown_of(made: Whole) -> str:
    """A document that is made of parts."""
    parts = [f"# {escaped(made.title)}", " · ".join(map(escaped, made.facts))]
    parts += [block for section in made.sections for block in _section(section, 2)]
    return "\n\n".join((*parts, f"_{made.disclaimer}_")) + "\n"


def _section(section: Section, level: int) -> Iterator[str]:
    yield f"{'#' * level} {section.title}"
    yield from filter(None, map(_block, section.blocks))
    for inner in section.inside:
        yield from _section(inner, level + 1)


def _block(block: Block) -> str:
    match block:
        case Prose():
            return block.markdown
        case Bullets():
            return "\n".join(f"- {item}" for item in block.items)
        case References():
            return "\n".join(f"{n}. {item}" for n, item in block.items)
        case Figure():
            return _block(block.instead) if block.instead else ""
        case Grid():
            rows = ["| " + " | ".join(map(_cell, row)) + " |" for row in block.rows]
            header = "| " + " | ".join(block.header) + " |"
            return "\n".join((header, "|" + " --- |" * len(block.header), *rows))


def _cell(cell: Cell) -> str:
    """Its lines one after the other; a bar in a text is no column, also where a backslash stands before it."""
    return "; ".join(cell).replace("|", r"\|")
