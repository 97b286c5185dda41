"""A page of a PDF as runs of text with their places and styles, and what is drawn around them; read with PDFium.

Coordinates are in points from the lower left corner of the page as it is shown: cropped, and turned as it says.
PDFium is known to this module and to `frame`, `glyphs`, `drawing` and `seen`, and to no other.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from openwork_contracts.errors import FailureReason, SourceChanged, SourceRefused
from openwork_contracts.text import clean

from openwork_fulltext.domain.pdf.drawing import Rule, drawing_of
from openwork_fulltext.domain.pdf.frame import frame_of, turn_of
from openwork_fulltext.domain.pdf.glyphs import SOFT_HYPHEN, Glyph, Style, glyphs_of
from openwork_fulltext.domain.pdf.seen import Seen, what_is_seen

__all__ = ["OutlineEntry", "Page", "PdfFile", "Rule", "Run", "Style", "Word", "open_pdf", "outline_of", "read_page"]
MAX_EQUAL_RUNS = 60
GAP_IN_SIZES = 1.15
"""A horizontal gap of more than this many font sizes parts two columns or two cells: a justified space stays below."""
_ERRORS = {
    pdfium_c.FPDF_ERR_PASSWORD: "the PDF is protected with a password",
    pdfium_c.FPDF_ERR_SECURITY: "the PDF is encrypted in a way that cannot be read",
}
_COMBINING = {"´": "\u0301", "¨": "\u0308", "`": "\u0300", "ˆ": "\u0302", "˜": "\u0303", "¸": "\u0327", "˚": "\u030a"}
_ACCENT = re.compile(r"(?<=[^\W\d])([´¨`ˆ˜¸˚])([A-Za-z])")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a run, with its left and right edge."""

    text: str
    x0: float
    x1: float


@dataclass(slots=True)
class Run:
    """A piece of one line without a wide gap. Coordinates in points from the lower left corner of the page."""

    text: str
    x0: float
    x1: float
    y: float
    """The baseline."""
    style: Style
    words: tuple[Word, ...] = ()
    """What `text` is made of, parted where it has blanks; none where that is not known."""

    @property
    def top(self) -> float:
        return self.y + 0.8 * self.style.size

    @property
    def bottom(self) -> float:
        return self.y - 0.25 * self.style.size


@dataclass(slots=True)
class Page:
    """The runs of a page in the file's order."""

    number: int
    width: float
    height: float
    runs: list[Run] = field(default_factory=list)
    n_unmapped: int = 0
    """Characters for which the font gives no Unicode."""
    n_images: int = 0
    rules: list[Rule] = field(default_factory=list)
    n_hidden: int = 0
    """Letters and digits that are in the file and that no reader sees. They are in no run."""
    is_recognised: bool = False
    """The page is a picture, and its text what a character recognition made of it."""


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A bookmark."""

    title: str
    level: int
    page: int | None


@dataclass(slots=True)
class PdfFile:
    """What was read of a PDF."""

    pages: list[Page]
    n_pages: int
    title: str | None
    subject: str | None
    doi: str | None
    """As publishers state it in a field of its own."""
    outline: list[OutlineEntry]


def open_pdf(body: bytes) -> pdfium.PdfDocument:
    """Open a PDF from memory.

    Raises:
        SourceRefused: encrypted.
        SourceChanged: no PDF, or too damaged to be opened.
    """
    try:
        return pdfium.PdfDocument(body)  # type: ignore[no-untyped-call, unused-ignore]
    except pdfium.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code in _ERRORS:
            raise SourceRefused(f"{_ERRORS[code]}; its text cannot be read", reason=FailureReason.REFUSED) from None
        shown = repr(body[:12].decode("latin-1"))
        raise SourceChanged(f"the file cannot be opened as a PDF: it is damaged or none; it begins {shown}") from None


_DOI_FIELDS = ("doi", "DOI", "WPS-ARTICLEDOI")
"""What typesetters call the article's DOI in the document information dictionary."""


def stated_doi(document: pdfium.PdfDocument) -> str | None:
    """The DOI in a field of the file's information that is for nothing else, as it stands there."""
    values = (document.get_metadata_value(name) for name in _DOI_FIELDS)  # type: ignore[no-untyped-call, unused-ignore]
    return next((value for value in values if value), None)


def outline_of(document: pdfium.PdfDocument) -> list[OutlineEntry]:
    """The bookmarks in order; none where the file has none or they are damaged."""
    found = []
    try:
        for bookmark in document.get_toc(max_depth=6):  # type: ignore[no-untyped-call, unused-ignore]
            target = bookmark.get_dest()
            page = target.get_index() if target else None
            found.append(OutlineEntry(" ".join(bookmark.get_title().split()), bookmark.level, page))
    except (pdfium.PdfiumError, ValueError):
        return found
    return found


def read_page(document: pdfium.PdfDocument, index: int) -> Page:
    """What a reader sees of page `index` (from 0); turned text, such as a stamp in the margin, is left out.

    Raises:
        SourceChanged: the page cannot be read.
    """
    try:
        page = document[index]
        textpage = page.get_textpage()
    except pdfium.PdfiumError as error:
        raise SourceChanged(f"page {index + 1} of the PDF cannot be read: {error}") from None
    try:
        frame = frame_of(page, turn_of(page, textpage))
        drawing = drawing_of(page, frame)
        glyphs = list(glyphs_of(textpage, frame))
        seen = what_is_seen(page, textpage, frame, glyphs, drawing)
        result = Page(index + 1, frame.width, frame.height, n_images=len(drawing.pictures), rules=drawing.rules)
        result.n_hidden, result.is_recognised = seen.n_hidden, seen.is_recognised
        result.n_unmapped = sum(glyph.unmapped for glyph in glyphs)
        result.runs = _each_once(_runs(result, glyphs, seen))
        return result
    except pdfium.PdfiumError as error:
        raise SourceChanged(f"page {index + 1} of the PDF cannot be drawn: {error}") from None
    finally:
        textpage.close()
        page.close()


def _runs(page: Page, glyphs: list[Glyph], seen: Seen) -> list[Run]:
    builder = _RunBuilder(page)
    for glyph in glyphs:
        if glyph.text and id(glyph) not in seen.hidden:
            builder.add(glyph.text, glyph.left, glyph.right, glyph.baseline, glyph.style)
    builder.flush()
    return page.runs


def _each_once(runs: list[Run]) -> list[Run]:
    """Without the second printing of a run nearly on top of the first: a shadow, or bold made by printing twice."""
    seen: dict[str, list[Run]] = {}
    kept = []
    for run in runs:
        same = seen.setdefault(run.text, [])
        if not any(abs(run.x0 - other.x0) < 3 and abs(run.y - other.y) < 3 for other in same):
            same[MAX_EQUAL_RUNS:] = [run]
            kept.append(run)
    return kept


def compose_accents(text: str) -> str:
    """An accent that a typesetting system put before its letter as a character of its own: "Rost´asy" is "Rostásy"."""
    return _ACCENT.sub(lambda m: unicodedata.normalize("NFC", m[2] + _COMBINING[m[1]]), text)


class _RunBuilder:
    """Joins characters into runs in the order of the file."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._pieces: list[str] = []
        self._edges: list[tuple[float, float]] = []
        """Left and right of each piece; a blank has those of the piece before it."""
        self._styles: list[Style] = []
        self._x0 = self._x1 = self._last_x0 = self._y = self._size = 0.0
        self._raised = False
        self._blank = False

    def add(self, character: str, left: float, right: float, baseline: float, style: Style) -> None:
        if character == " ":
            self._blank = True
            return
        if self._pieces and not self._continues(left, baseline, style.size):
            self.flush()
        if not self._pieces:
            self._x0, self._y, self._size = left, baseline, style.size
            self._raised = self._blank = False
        else:
            self._join(character, left, baseline, style)
        self._edges.extend([(left, right)] * (len(self._pieces) + 1 - len(self._edges)))
        self._pieces.append(character)
        self._styles.append(style)
        self._x1 = max(self._x1, right) if self._pieces[1:] else right
        self._last_x0 = left
        self._blank = False

    def _continues(self, left: float, baseline: float, size: float) -> bool:
        """Whether a character belongs to the line so far: near its baseline, less than a gap behind its end."""
        largest = max(self._size, size)
        # The letters of a ligature all begin where the ligature does, so the step back is measured from there.
        forward = left >= self._last_x0 - 0.3 * largest
        return abs(baseline - self._y) < 0.5 * largest and forward and left - self._x1 < GAP_IN_SIZES * largest

    def _join(self, character: str, left: float, baseline: float, style: Style) -> None:
        if style.size > 1.25 * self._size and len(self._pieces) < 4:
            # The line began with a raised mark; its baseline is that of the words.
            self._y, self._size = baseline, style.size
        raised = style.size < 0.85 * self._size and baseline - self._y > 0.12 * self._size
        before = self._pieces[-1][-1:]
        if self._blank or left - self._x1 > 0.25 * self._size:
            self._pieces.append(" ")
        elif raised and not self._raised and (character.isalnum() or character in "-−–"):
            # A raised number never runs into the number before it: 10^9, not 109.
            self._pieces.append("^" if before.isalnum() or before in ').,;:”"' else "")
        self._raised = raised

    def flush(self) -> None:
        # The contracts' door, before pages and sections are counted; a hyphen at a line's end has to reach `join_line`.
        words = self._words()
        text = compose_accents(" ".join(word.text for word in words))
        if text.strip("´¨`ˆ˜¸˚"):  # an accent that was set far from its letter
            counts = Counter(map(id, self._styles))
            style = max(self._styles, key=lambda known: counts[id(known)])
            self._page.runs.append(Run(text, self._x0, self._x1, self._y, style, words))
        self._pieces.clear()
        self._edges.clear()
        self._styles.clear()

    def _words(self) -> tuple[Word, ...]:
        words: list[Word] = []
        start = 0
        for place in range(len(self._pieces) + 1):
            if place == len(self._pieces) or self._pieces[place] == " ":
                bare = SOFT_HYPHEN.join(map(clean, "".join(self._pieces[start:place]).split(SOFT_HYPHEN)))
                edges = self._edges[start:place]
                left, right = min((x for x, _ in edges), default=0.0), max((x for _, x in edges), default=0.0)
                words.extend(Word(part, left, right) for part in compose_accents(bare).split())
                start = place + 1
        return tuple(words)
