"""The characters of a page with their places, styles and the words they belong to, as PDFium gives them."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from openwork_fulltext.domain.pdf.frame import Corners, Frame, address_of

MAX_CHARS_PER_PAGE = 60_000
"""A page of small print has some 8,000 characters."""
FAR_PT = 20_000.0
"""No page is larger (14,400 points, ISO 32000-1, annex C.2); what stands farther out is damage."""
SOFT_HYPHEN = "\u00ad"
"""Stands for every hyphen at a line's end until lines are joined. On a page it was drawn, so it never just goes."""
_HYPHENS = frozenset({0x02, 0xAD, 0xFFFE})
"""How PDFium gives a hyphen at the end of a line, and the soft hyphen."""
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_FONT_NAME_BYTES = 128
_SUBSET = re.compile(r"^[A-Z]{6}\+")
"""The mark of an embedded part of a font (ISO 32000-1, 9.6.4)."""
_LINE_ENDS = frozenset({10, 13})
_BLANKS = frozenset({32, 160})
_TURNED_FROM, _TURNED_TO = 0.1, 6.18
"""Radians, from 0 to 2 pi: text that is turned by more than 6 degrees either way."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a run is printed. Size in points, rounded to a half."""

    size: float
    font: str = ""
    bold: bool = False
    italic: bool = False


NO_STYLE = Style(0.0)


@dataclass(slots=True)
class Glyph:
    """One drawn character, upright as the page is shown; a blank or a line's end between two has `text` " " or ""."""

    text: str
    left: float = 0.0
    right: float = 0.0
    baseline: float = 0.0
    style: Style = NO_STYLE
    height: float = 0.0
    """Of the font's box, in points: what can be read, measured before it is rounded."""
    owner: int = 0
    """Address of the text object that draws it; 0 = none that is known."""
    index: int = -1
    """Its number among the page's characters."""
    unmapped: bool = False
    """The font gives no Unicode for it."""


def glyphs_of(textpage: pdfium.PdfTextPage, frame: Frame) -> Iterator[Glyph]:
    """Characters in the file's order, without turned text; the font is asked for at every word and change of size."""
    raw = textpage.raw
    box, x, y = pdfium_c.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    font = _FontReader(raw, frame.turned)
    height, style = -1.0, NO_STYLE
    for index in range(min(pdfium_c.FPDFText_CountChars(raw), MAX_CHARS_PER_PAGE)):
        code = pdfium_c.FPDFText_GetUnicode(raw, index)
        if code in _LINE_ENDS or code in _BLANKS:
            height = -1.0
            yield Glyph("" if code in _LINE_ENDS else " ")
            continue
        pdfium_c.FPDFText_GetLooseCharBox(raw, index, box)
        size = frame.size_of(box)
        if abs(size - height) > 0.1:
            height = size
            style = font.style_at(index, height)
        character = _character(code)
        if style is NO_STYLE or not character:
            continue
        pdfium_c.FPDFText_GetCharOrigin(raw, index, x, y)
        glyph = _placed(index, frame.box(box.left, box.bottom, box.right, box.top), frame.point(x.value, y.value)[1])
        if glyph is None or not height < FAR_PT:
            continue  # `not <` is also true of NaN, which damaged files have
        glyph.text, glyph.style, glyph.height = character, style, height
        glyph.owner = address_of(pdfium_c.FPDFText_GetTextObject(raw, index))
        glyph.unmapped = code == 0xFFFD or 0xE000 <= code <= 0xF8FF
        yield glyph


def _character(code: int) -> str:
    if code in _HYPHENS:
        return SOFT_HYPHEN
    if 0xFB00 <= code <= 0xFB06:
        return chr(code).translate(_LIGATURES)
    return chr(code) if 31 < code < 0xD800 or 0xE000 <= code < 0x110000 else ""


def _placed(index: int, box: Corners, baseline: float) -> Glyph | None:
    """A glyph where it stands; `None` where damage has put it nowhere."""
    left, _, right, _ = box
    if not (abs(left) < FAR_PT and abs(right) < FAR_PT and abs(baseline) < FAR_PT):
        return None
    return Glyph("", left, right, baseline, index=index)


class _FontReader:
    """Font and direction of a character."""

    def __init__(self, raw: object, turned: float) -> None:
        self._raw = raw
        self._turned = turned
        self._known: dict[tuple[bytes, float], Style] = {}
        self._name, self._flags = ctypes.create_string_buffer(_FONT_NAME_BYTES), ctypes.c_int()

    def style_at(self, index: int, height: float) -> Style:
        """The style; `NO_STYLE` for text that is turned on the page as it is shown."""
        angle = (pdfium_c.FPDFText_GetCharAngle(self._raw, index) + self._turned) % 6.283185307
        if _TURNED_FROM < angle < _TURNED_TO:
            return NO_STYLE
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
