"""Places on a page as it is shown: from the lower left corner of what is cropped out, upright after its turn."""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_FINE = 1000
"""PDFium gives whole device pixels; at this many of them a point, the error is under a thousandth of one."""
MAX_SAMPLE = 1_000
"""Characters of a page that are asked for their direction."""
MOST = 0.6
"""Share of them that are turned the same way before the page is; a stamp in the margin is no page."""
Corners = tuple[float, float, float, float]
"""Left, bottom, right, top."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The affine map from a page's own coordinates to the shown page, both in points, y upwards."""

    width: float
    height: float
    turned: float = 0.0
    """How far the page is turned when shown, in radians, to the right."""
    turn: int = 0
    """How many quarters of it the file does not say."""
    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def point(self, x: float, y: float) -> tuple[float, float]:
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def box(self, left: float, bottom: float, right: float, top: float) -> Corners:
        """A box with its sides parallel to the page's, in order."""
        if self.a == self.d == 1 and left <= right and bottom <= top:  # as nearly all pages are, for speed
            return left + self.e, bottom + self.f, right + self.e, top + self.f
        (x0, y0), (x1, y1) = self.point(left, bottom), self.point(right, top)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def size_of(self, box: pdfium_c.FS_RECTF) -> float:
        """The height of a box on the shown page."""
        _, bottom, _, top = self.box(box.left, box.bottom, box.right, box.top)
        return top - bottom


def frame_of(page: pdfium.PdfPage, turn: int = 0) -> Frame:
    """The frame of a page with its crop box and its turn (ISO 32000-1, 7.7.3.3), and quarters of a turn besides."""
    width, height = page.get_size()
    if turn % 2:
        width, height = height, width

    def shown(x: float, y: float) -> tuple[float, float]:
        px, py = ctypes.c_int(), ctypes.c_int()
        pdfium_c.FPDF_PageToDevice(page.raw, 0, 0, round(_FINE * width), round(_FINE * height), turn, x, y, px, py)
        return px.value / _FINE, height - py.value / _FINE

    (e, f), (x1, y1), (x2, y2) = shown(0, 0), shown(100, 0), shown(0, 100)
    a, b, c, d = (round(step / 100, 4) for step in (x1 - e, y1 - f, x2 - e, y2 - f))
    return Frame(width, height, math.radians(page.get_rotation() + 90 * turn), turn, a, b, c, d, e, f)


def turn_of(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage) -> int:
    """How many quarters a reader turns the page to the right: a wide table is often printed along the longer side."""
    n_chars = pdfium_c.FPDFText_CountChars(textpage.raw)
    step = max(1, n_chars // MAX_SAMPLE)
    turns: Counter[int] = Counter()
    for index in range(0, n_chars, step):
        if pdfium_c.FPDFText_GetUnicode(textpage.raw, index) > 32:
            angle = pdfium_c.FPDFText_GetCharAngle(textpage.raw, index) + math.radians(page.get_rotation())
            turns[round(-angle / (math.pi / 2)) % 4] += 1
    best, count = turns.most_common(1)[0] if turns else (0, 0)
    return best if count > MOST * turns.total() else 0


def address_of(handle: Any) -> int:
    """What tells one of PDFium's objects from another; 0 for none."""
    return (ctypes.cast(handle, ctypes.c_void_p).value if handle else None) or 0
