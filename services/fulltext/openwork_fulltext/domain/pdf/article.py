"""PDF as one document: text in reading order, headings where they are clear, tables, captions, pages.

Left out: running heads and feet, page numbers, references, turned text, and text in fonts that cannot be decoded (which
a warning counts). A PDF does not say what its parts are, so everything here is read from places and styles; what is
doubtful stays text under the heading above it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence

from openwork_contracts.errors import FailureReason, SourceRefused, SourceUnavailable
from openwork_language.dates import parse_year

from openwork_fulltext.domain.document import ParsedDocument, TextBuilder, table_text
from openwork_fulltext.domain.pdf.area import Area
from openwork_fulltext.domain.pdf.clean import (
    MIN_COMMON_SHARE,
    body_style,
    common_share,
    furniture_of,
    garbled_fonts,
    remove_furniture,
)
from openwork_fulltext.domain.pdf.headings import REFERENCES, HeadingFinder, key_of
from openwork_fulltext.domain.pdf.identifiers import PrintedIdentifiers, identifiers_on
from openwork_fulltext.domain.pdf.layout import Line, line_pitch, read_lines
from openwork_fulltext.domain.pdf.page import Page, PdfFile, Style, open_pdf, outline_of, read_page, stated_doi
from openwork_fulltext.domain.pdf.ruled import tables_on
from openwork_fulltext.domain.pdf.sections import PdfSections
from openwork_fulltext.domain.pdf.tables import float_at, join_lines
from openwork_fulltext.domain.pdf.text import Vocabulary

MAX_BODY_BYTES = 100_000_000
MAX_PAGES = 300
MIN_CHARS_PER_PAGE = 60
"""Fewer letters than this on a page, over the whole file, are stamps on scanned pages, not text."""
MIN_HIDDEN = 20
"""Letters on a page: fewer are a mark that was printed over, not a text."""

_PDFIUM = threading.Lock()
"""PDFium keeps state of its own and may be used by one thread at a time."""

_PUBLISHED = re.compile(r"(?:published|accepted|posted|©|copyright)[^\n]{0,60}?\b((?:19|20)\d{2})\b", re.IGNORECASE)
_ENTRY = re.compile(r"\[?\d{1,3}[\].]\s+\w")
_CC = re.compile(r"https?://creativecommons\.org/[\w./-]+|CC[ -]BY(?:-[A-Z]{2})*(?: \d\.\d)?", re.IGNORECASE)


def parse_pdf(body: bytes, *, max_pages: int = MAX_PAGES, stop: Callable[[], bool] | None = None) -> ParsedDocument:
    """Read a PDF that has text.

    Args:
        max_pages: pages after these are not read; a warning says so.
        stop: asked before every page; when it says true, the reading ends with the pages so far and a warning. This is
            how a caller keeps its deadline: there is no clock in here. One page takes some 0.05 s, at worst 1 s.

    Raises:
        SourceChanged: no PDF, or damaged beyond reading.
        SourceRefused: encrypted, over `MAX_BODY_BYTES`, or without text (a scan): the message says which.
        SourceUnavailable: `stop` said true before the first page.
    """
    if len(body) > MAX_BODY_BYTES:
        size = f"{len(body) / 1e6:.0f} MB, the limit is {MAX_BODY_BYTES / 1e6:.0f} MB"
        raise SourceRefused(f"the PDF is too large to read ({size})", reason=FailureReason.TOO_LARGE)
    with _PDFIUM:
        file = _read_file(body, max_pages, stop)
    warnings: list[str] = []
    if len(file.pages) < file.n_pages:
        warnings.append(f"only the first {len(file.pages)} of {file.n_pages} pages were read")
    _check_has_text(file, warnings)
    print_of_body = body_style(run for page in file.pages for run in page.runs)
    tables = {page.number: tables_on(page, print_of_body) for page in file.pages}
    in_tables = {id(run) for areas in tables.values() for area in areas for run in area.all_runs}
    furniture = furniture_of(file.pages, in_tables)
    printed = identifiers_on(file, tables, furniture)
    remove_furniture(file.pages, furniture)
    _drop_garbled(file.pages, tables, warnings)
    return _document(file, tables, printed, warnings)


def _read_file(body: bytes, max_pages: int, stop: Callable[[], bool] | None) -> PdfFile:
    document = open_pdf(body)
    try:
        pages: list[Page] = []
        n_pages = len(document)
        for index in range(min(n_pages, max_pages)):
            if stop is not None and stop():
                break
            pages.append(read_page(document, index))
        if not pages and n_pages:
            raise SourceUnavailable("no time was left to read the PDF", reason=FailureReason.DEADLINE)
        metadata = document.get_metadata_dict(skip_empty=True)  # type: ignore[no-untyped-call, unused-ignore]
        title, subject = metadata.get("Title"), metadata.get("Subject")
        return PdfFile(pages, n_pages, title, subject, stated_doi(document), outline_of(document))
    finally:
        document.close()  # type: ignore[no-untyped-call, unused-ignore]


def _check_has_text(file: PdfFile, warnings: list[str]) -> None:
    n_letters = [sum(c.isalnum() for run in page.runs for c in run.text) for page in file.pages]
    if sum(n_letters) < MIN_CHARS_PER_PAGE * max(1, len(file.pages)) and max(n_letters, default=0) < 500:
        if sum(page.n_hidden for page in file.pages) > sum(n_letters):
            raise SourceRefused(
                f"the PDF has no text that can be seen: what its {file.n_pages} page(s) hold is invisible on paper and "
                "screen, and is not read"
            )
        raise SourceRefused(
            f"the PDF has no text to read: its {file.n_pages} page(s) are pictures (a scan); it would need character "
            "recognition, which is not done here"
        )
    empty = [page for page, n in zip(file.pages, n_letters, strict=True) if n < 20 and page.n_images]
    if empty:
        warnings.append(f"{len(empty)} of {file.n_pages} pages are pictures without text (pages {_numbers(empty)})")
    _warn_of_unseen(file.pages, warnings)
    unmapped, total = sum(page.n_unmapped for page in file.pages), sum(n_letters)
    if unmapped > 0.02 * max(1, total):
        warnings.append(f"{unmapped} characters have no Unicode in the file and may be wrong")


def _warn_of_unseen(pages: Sequence[Page], warnings: list[str]) -> None:
    hidden = [page for page in pages if page.n_hidden >= MIN_HIDDEN]
    if hidden:
        n = sum(page.n_hidden for page in hidden)
        warnings.append(
            f"{n} letters are in the file and not to be seen on the page (pages {_numbers(hidden)}); they were not read"
        )
    if scans := [page for page in pages if page.is_recognised]:
        warnings.append(
            f"{len(scans)} of {len(pages)} pages are pictures of pages (pages {_numbers(scans)}): their text is what a "
            "character recognition made of them, and may differ from what is printed"
        )


def _numbers(pages: Sequence[Page]) -> str:
    return ", ".join(str(page.number) for page in pages[:10]) + (", ..." if len(pages) > 10 else "")


def _drop_garbled(pages: Sequence[Page], tables: Mapping[int, Sequence[Area]], warnings: list[str]) -> None:
    fonts = garbled_fonts(pages)
    garbled = [run for page in pages for run in page.runs if run.style.font in fonts]
    if garbled:
        shown = _numbers([page for page in pages if any(run.style.font in fonts for run in page.runs)])
        example = min((run.text for run in garbled), key=lambda text: abs(len(text) - 20))
        warnings.append(
            f"{len(garbled)} lines (often headings) are in a font that cannot be decoded, such as {example[:40]!r}, "
            f"and were left out (pages {shown})"
        )
        for page in pages:
            page.runs = [run for run in page.runs if run.style.font not in fonts]
            for area in tables[page.number]:
                area.runs = [run for run in area.runs if run.style.font not in fonts]
                area.caption = [run for run in area.caption if run.style.font not in fonts]
    if common_share(run.text for page in pages for run in page.runs) < MIN_COMMON_SHARE:
        warnings.append("the text has hardly any common words: its encoding may be wrong, or its language is not known")


def _document(
    file: PdfFile, tables: Mapping[int, Sequence[Area]], printed: PrintedIdentifiers, warnings: list[str]
) -> ParsedDocument:
    body = body_style(run for page in file.pages for run in page.runs)
    lines = [line for page in file.pages for line in read_lines(page, tables[page.number])]
    title, title_lines = _title(file, lines, body)
    body_lines = [line for line in lines if line.style.size == body.size]
    pitch = line_pitch(body_lines)
    finder = HeadingFinder(body, file.outline, title, pitch)
    vocabulary = Vocabulary.of(line.text for line in lines)
    sections = PdfSections(TextBuilder(), pitch, vocabulary)
    sections.title(title)
    taken = {id(line) for line in title_lines}
    rest = [line for line in lines if id(line) not in taken]
    _walk(rest, finder, body, sections, next(iter(title_lines), None), vocabulary)
    first_pages = "\n".join(line.text for line in lines if line.page <= 2)
    if not any(section.path for section in sections.builder.sections):
        warnings.append("no headings could be told from the text")
    return ParsedDocument(
        format="pdf",
        title=title,
        identifiers=printed.identifiers,
        registrations=printed.registrations,
        year=_year(first_pages),
        license=match[0] if (match := _CC.search(first_pages)) else None,
        text=sections.builder.text,
        sections=tuple(sections.builder.sections),
        pages=tuple(sections.pages()),
        warnings=tuple(warnings),
    )


def _walk(
    lines: Sequence[Line],
    finder: HeadingFinder,
    body: Style,
    sections: PdfSections,
    top: Line | None,
    vocabulary: Vocabulary,
) -> None:
    """Sort the lines into sections. `top` is the title's first line: what stands above it is no heading."""
    references = _References(body)
    place = 0
    while place < len(lines):
        line = lines[place]
        found = float_at(lines, place, body, vocabulary)
        if found is not None:
            words = table_text(found.table) if found.table is not None else found.words
            sections.add_float(found.kind, found.label, words, found.table, line.page)
            place += found.n_lines
            continue
        above_title = top is not None and line.page == top.page and line.y > top.y
        heading = None if above_title else finder.at(lines, place)
        if heading is not None and (heading.is_sure or not references.inside):
            references.inside = key_of(heading.words) in REFERENCES
            if not references.inside:
                sections.heading(heading)
            place += heading.n_lines
            continue
        if not references.takes(line):
            sections.line(line)
        place += 1
    sections.close()


class _References:
    """The list of references, which may go on in the next column below the headings that follow it."""

    def __init__(self, body: Style) -> None:
        self.inside = False
        self._body = body
        self._styles: set[Style] = set()
        self._resumed = False

    def takes(self, line: Line) -> bool:
        """Whether a line belongs to the list."""
        if self.inside:
            if line.style != self._body:
                self._styles.add(line.style)
            self._resumed = False
            return True
        if line.style not in self._styles:
            self._resumed = False
        elif _ENTRY.match(line.text):
            self._resumed = True
        return self._resumed


def _title(file: PdfFile, lines: Sequence[Line], body: Style) -> tuple[str | None, list[Line]]:
    """The title and the lines it takes: the largest print on the first page with words, else the file's own field."""
    first = next((line.page for line in lines), 1)
    page = [line for line in lines if line.page == first and sum(c.isalpha() for c in line.text) > 2]
    size = max((line.style.size for line in page), default=0.0)
    largest = [line for line in page if line.style.size >= size - 0.6]
    # Where nothing is larger than the text, the first lines are text.
    printed = join_lines(largest) if size > 1.1 * body.size else ""
    stated = " ".join((file.title or "").split())
    usable = len(stated.split()) >= 3 and not re.search(
        r"\.(?:docx?|indd|pdf|qxd|tex)$|^microsoft word", stated, re.IGNORECASE
    )
    if usable and (key_of(printed) in key_of(stated) or len(printed) > 300 or len(printed.split()) < 3):
        printed = stated
    if not printed or not 3 <= len(printed.split()) <= 60 or size <= 1.1 * body.size:
        return (stated if usable else None), []
    return printed, largest


def _year(first_pages: str) -> int | None:
    match = _PUBLISHED.search(first_pages)
    return parse_year(match[1]) if match else None
