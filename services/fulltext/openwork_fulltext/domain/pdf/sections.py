"""Collects the lines of a PDF under their headings and keeps what page each piece of the text is on."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.tables import Table

from openwork_fulltext.domain.document import PageSpan, TextBuilder
from openwork_fulltext.domain.pdf.headings import Heading
from openwork_fulltext.domain.pdf.layout import Line
from openwork_fulltext.domain.pdf.text import Vocabulary, paragraphs_of

Path = tuple[str, ...]
_ABSTRACTS = frozenset({"abstract", "summary"})


class PdfSections:
    """A section's text comes first, then its tables and figure captions, wherever on the pages they were printed."""

    def __init__(self, builder: TextBuilder, pitch: float, vocabulary: Vocabulary) -> None:
        self.builder = builder
        self._pitch = pitch
        self._vocabulary = vocabulary
        self._stack: list[tuple[int, str]] = []
        self._lines: list[Line] = []
        self._floats: list[tuple[str, str, str, Table | None, int]] = []
        self._spans: list[PageSpan] = []

    def title(self, words: str | None) -> None:
        self.builder.heading(words or "")

    def line(self, line: Line) -> None:
        self._lines.append(line)

    def heading(self, heading: Heading) -> None:
        """End the section so far and begin the next; one below its level stays within it."""
        self.close()
        while self._stack and self._stack[-1][0] >= heading.level:
            self._stack.pop()
        self._stack.append((heading.level, heading.words))
        self.builder.heading(heading.words)
        self._headed = True

    def add_float(self, kind: str, label: str, words: str, table: Table | None, page: int) -> None:
        self._floats.append((kind, label, words, table, page))

    _headed = False

    def close(self) -> None:
        """Write the section so far; a heading with nothing below it is written with an empty text."""
        path = tuple(words for _, words in self._stack)
        kind = "abstract" if path and path[0].lower() in _ABSTRACTS else "text"
        paragraphs = paragraphs_of(self._lines, self._pitch, self._vocabulary)
        if paragraphs or self._headed:
            self.builder.section(path, [paragraph.text for paragraph in paragraphs], kind)
            start = self.builder.sections[-1].start
            for paragraph in paragraphs:
                self._note_pages(start, len(paragraph.text), paragraph.pages)
                start += len(paragraph.text) + 2  # the empty line between paragraphs
        for float_kind, label, words, table, page in self._floats:
            self.builder.section((*path, label), [words], float_kind, table)
            section = self.builder.sections[-1]
            self._note_pages(section.start, section.end - section.start, [(0, page)])
        self._lines, self._floats, self._headed = [], [], False

    def _note_pages(self, start: int, length: int, pages: Sequence[tuple[int, int]]) -> None:
        ends = [offset for offset, _ in pages[1:]] + [length]
        for (offset, page), end in zip(pages, ends, strict=True):
            begin, finish = start + min(offset, length), start + min(end, length)
            last = self._spans[-1] if self._spans else None
            if last is not None and last.number == page:
                self._spans[-1] = PageSpan(number=page, start=last.start, end=finish)
            elif begin < finish:
                self._spans.append(PageSpan(number=page, start=begin, end=finish))

    def pages(self) -> list[PageSpan]:
        """The pages in the order of the text: a page may come twice, since floats follow their section's text."""
        return self._spans
