"""A work as it was read: one text, its sections by offset, its tables by cell, and what went less well."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.evidence import Identifiers, NoticeLink
from openwork_contracts.meta import Contract
from openwork_contracts.ranking import TextSection
from openwork_contracts.tables import Table
from openwork_contracts.text import Text, Texts, clean
from pydantic import Field

NOTICE_TYPES = frozenset(
    {"addendum", "correction", "corrected-article", "expression-of-concern", "partial-retraction", "retraction"}
)
"""JATS `article-type` of a notice about another work (JATS 1.3 tag library, and PMC's tagging guidelines)."""


class PageSpan(Contract):
    """A page of a PDF: it begins at `start` of the document's text and ends at `end`."""

    number: int = Field(ge=1)
    """Counted from 1, which is not always what is printed on the page."""
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class ParsedDocument(Contract):
    """What a file holds. For each section, `text[section.start:section.end] == section.text`.

    A section's text is its own: without its heading (the heading stands in `path`, and in `text` before `start`) and
    without its subsections. A heading with nothing of its own below it is a section with an empty text, so that the
    order and the nesting of the headings are all there; `readable_sections` leaves these out.
    """

    format: Text
    """jats or pdf."""
    title: Text | None = None
    identifiers: Identifiers = Identifiers()
    registrations: Texts = ()
    """Numbers of the trial in other registers than ClinicalTrials.gov, as those write them; a PDF's alone so far."""
    article_type: Text | None = None
    """JATS `article-type`, e.g. research-article; `None` = the format does not say."""
    journal: Text | None = None
    year: int | None = Field(default=None, ge=1600, le=2100)
    """Of first publication, electronic or printed."""
    license: Text | None = None
    """Address of the licence, else its wording."""
    text: Text
    sections: tuple[TextSection, ...] = ()
    """In reading order. kind: abstract, summary (a lay or an editor's summary, or an abstract in another language:
    it repeats the work and is no further evidence), text, table, figure_caption."""
    pages: tuple[PageSpan, ...] = ()
    """Empty for JATS."""
    has_body: bool = True
    """False = no more than the front matter: PMC gives that alone where a publisher forbids the rest."""
    links: tuple[NoticeLink, ...] = ()
    """The works that this one corrects or retracts, or the notices about it, as the file names them."""
    warnings: Texts = ()
    """Plain words: what is missing or doubtful in this reading, fit for the method section of an answer."""

    @property
    def is_notice(self) -> bool:
        """Whether this is a correction, a retraction or the like: about evidence, never evidence."""
        return self.article_type in NOTICE_TYPES

    @property
    def readable_sections(self) -> tuple[TextSection, ...]:
        """The sections that have text, as the `fulltext-completed` event carries them."""
        return tuple(section for section in self.sections if section.text)

    def page_at(self, offset: int) -> int | None:
        """The page that a place in the text is on; `None` where pages are not known."""
        return next((page.number for page in self.pages if page.start <= offset < page.end), None)


def parsed_document_json(document: ParsedDocument) -> str:
    """The document as indented JSON, all fields, in the shape of the model."""
    return document.model_dump_json(indent=2)


class TextBuilder:
    """Puts sections one after another into one text and keeps their offsets.

    Text enters by the contracts' door here already: what a section's contract took out later, its offsets would count.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self.sections: list[TextSection] = []

    @property
    def length(self) -> int:
        return self._length

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def heading(self, words: str) -> None:
        """A heading on a line of its own. It belongs to no section's text."""
        if words:
            self._separate()
            self._add(clean(words))

    def section(
        self,
        path: Sequence[str],
        paragraphs: Sequence[str],
        kind: str = "text",
        table: Table | None = None,
    ) -> None:
        """A section of `path`; its paragraphs are joined by an empty line."""
        body = clean("\n\n".join(paragraph for paragraph in paragraphs if paragraph))
        if body:
            self._separate()
        start = self._length
        self._add(body)
        self.sections.append(
            TextSection(path=tuple(path), text=body, start=start, end=self._length, kind=kind, table=table)
        )

    def _separate(self) -> None:
        if self._length:
            self._add("\n\n")

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


def table_text(table: Table) -> str:
    """A table for reading and searching: label and caption, a line per row, the footnotes.

    Cells are parted by " | ". A cell that spans the whole row is written once; one that spans fewer columns is
    repeated, so that every line has its cells in the order of the columns.
    """
    lines = [" ".join(part for part in (_stopped(table.label), table.caption) if part)]
    lines.extend(row[0] if len(set(row)) == 1 else " | ".join(row) for row in table.rows)
    lines.extend(table.footnotes)
    return "\n".join(line for line in lines if line)


def _stopped(label: str | None) -> str | None:
    return f"{label}." if label and label[-1] not in ".:" else label
