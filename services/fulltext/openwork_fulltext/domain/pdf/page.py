"""A page of a PDF as runs of text with their places and styles, read with PDFium. The only module that knows PDFium."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from openwork_contracts.errors import FailureReason, SourceChanged, SourceRefused
from openwork_contracts.text import clean

MAX_CHARS_PER_PAGE = 60_000
"""A page of small print has some 8,000 characters."""
FAR_PT = 20_000.0
"""No page is larger (14,400 points, ISO 32000-1, annex C.2); what stands farther out is damage."""
MAX_EQUAL_RUNS = 60
GAP_IN_SIZES = 1.15
"""A horizontal gap of more than this many font sizes parts two columns or two cells: a justified space stays below."""
_ERRORS = {
    pdfium_c.FPDF_ERR_PASSWORD: "the PDF is protected with a password",
    pdfium_c.FPDF_ERR_SECURITY: "the PDF is encrypted in a way that cannot be read",
}
_HYPHENS = frozenset({0x02, 0xAD, 0xFFFE})
"""How PDFium gives a hyphen at the end of a line, and the soft hyphen."""
_SOFT_HYPHEN = "\u00ad"
"""Stands for all of them until lines are joined. On a page it was drawn, so it never just goes."""
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_COMBINING = {"´": "\u0301", "¨": "\u0308", "`": "\u0300", "ˆ": "\u0302", "˜": "\u0303", "¸": "\u0327", "˚": "\u030a"}
_ACCENT = re.compile(r"(?<=[^\W\d])([´¨`ˆ˜¸˚])([A-Za-z])")
_FONT_NAME_BYTES = 128
_SUBSET = re.compile(r"^[A-Z]{6}\+")
"""The mark of an embedded part of a font (ISO 32000-1, 9.6.4)."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a run is printed. Size in points, rounded to a half."""

    size: float
    font: str = ""
    bold: bool = False
    italic: bool = False


@dataclass(slots=True)
class Run:
    """A piece of one line without a wide gap. Coordinates in points from the lower left corner of the page."""

    text: str
    x0: float
    x1: float
    y: float
    """The baseline."""
    style: Style

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
    """The runs of page `index` (from 0); turned text, such as a stamp in the margin, is left out.

    Raises:
        SourceChanged: the page cannot be read.
    """
    try:
        page = document[index]
        textpage = page.get_textpage()
    except pdfium.PdfiumError as error:
        raise SourceChanged(f"page {index + 1} of the PDF cannot be read: {error}") from None
    try:
        width, height = page.get_size()
        result = Page(index + 1, width, height)
        result.n_images = sum(1 for _ in page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=2))
        builder = _RunBuilder(result)
        for glyph in _glyphs(textpage, result):
            builder.add(*glyph)
        builder.flush()
        result.runs = _each_once(result.runs)
        return result
    finally:
        textpage.close()
        page.close()


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


_NO_STYLE = Style(0.0)
_LINE_ENDS = frozenset({10, 13})
_BLANKS = frozenset({32, 160})
_TURNED_FROM, _TURNED_TO = 0.1, 6.18
"""Radians, from 0 to 2 pi: text that is turned by more than 6 degrees either way."""


def _glyphs(textpage: pdfium.PdfTextPage, page: Page) -> Iterator[tuple[str, float, float, float, Style]]:
    """Character, left, right, baseline and style of each; the font is asked for at every word and change of size."""
    raw = textpage.raw
    x, y, box = ctypes.c_double(), ctypes.c_double(), pdfium_c.FS_RECTF()
    font = _FontReader(raw)
    height, style = -1.0, _NO_STYLE
    for index in range(min(pdfium_c.FPDFText_CountChars(raw), MAX_CHARS_PER_PAGE)):
        code = pdfium_c.FPDFText_GetUnicode(raw, index)
        if code in _LINE_ENDS:
            height = -1.0
            continue
        if code in _BLANKS:
            height = -1.0
            yield " ", 0.0, 0.0, 0.0, _NO_STYLE
            continue
        pdfium_c.FPDFText_GetLooseCharBox(raw, index, box)
        if abs(box.top - box.bottom - height) > 0.1:
            height = box.top - box.bottom
            style = font.style_at(index, height)
        if style is _NO_STYLE:
            continue
        if code == 0 or code == 0xFFFD or 0xE000 <= code <= 0xF8FF:
            page.n_unmapped += 1
        if code in _HYPHENS:
            character = _SOFT_HYPHEN
        elif 31 < code < 0xD800 or 0xE000 <= code < 0x110000:
            character = chr(code).translate(_LIGATURES) if 0xFB00 <= code <= 0xFB06 else chr(code)
        else:
            continue
        pdfium_c.FPDFText_GetCharOrigin(raw, index, x, y)
        if not (abs(box.left) < FAR_PT and abs(box.right) < FAR_PT and abs(y.value) < FAR_PT and height < FAR_PT):
            continue  # also true of NaN, which damaged files have
        yield character, box.left, max(box.right, box.left), y.value, style


class _FontReader:
    """Font and direction of a character."""

    def __init__(self, raw: object) -> None:
        self._raw = raw
        self._known: dict[tuple[bytes, float], Style] = {}
        self._name, self._flags = ctypes.create_string_buffer(_FONT_NAME_BYTES), ctypes.c_int()

    def style_at(self, index: int, height: float) -> Style:
        """The style; `_NO_STYLE` for turned text."""
        if _TURNED_FROM < pdfium_c.FPDFText_GetCharAngle(self._raw, index) < _TURNED_TO:
            return _NO_STYLE
        pdfium_c.FPDFText_GetFontInfo(self._raw, index, self._name, _FONT_NAME_BYTES, self._flags)
        key = self._name.value, round(2 * height) / 2
        if key not in self._known:
            self._known[key] = _style(key[0].decode("utf-8", "replace"), self._flags.value, key[1])
        return self._known[key]


def _style(name: str, flags: int, size: float) -> Style:
    font = _SUBSET.sub("", name)
    lower = font.lower()
    # Bit 19 of the font flags is "force bold", bit 7 "italic" (ISO 32000-1, table 123).
    bold = any(word in lower for word in ("bold", "black", "heavy", "semibold", "demi")) or bool(flags & (1 << 18))
    italic = "ital" in lower or "obli" in lower or bool(flags & (1 << 6))
    return Style(size, font, bold or lower.endswith(("-b", ".b", "-bd")), italic)


def compose_accents(text: str) -> str:
    """An accent that a typesetting system put before its letter as a character of its own: "Rost´asy" is "Rostásy"."""
    return _ACCENT.sub(lambda m: unicodedata.normalize("NFC", m[2] + _COMBINING[m[1]]), text)


class _RunBuilder:
    """Joins characters into runs in the order of the file."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._pieces: list[str] = []
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
        bare = _SOFT_HYPHEN.join(map(clean, "".join(self._pieces).split(_SOFT_HYPHEN)))
        text = compose_accents(" ".join(bare.split()))
        if text.strip("´¨`ˆ˜¸˚"):  # an accent that was set far from its letter
            counts = Counter(map(id, self._styles))
            style = max(self._styles, key=lambda known: counts[id(known)])
            self._page.runs.append(Run(text, self._x0, self._x1, self._y, style))
        self._pieces.clear()
        self._styles.clear()
