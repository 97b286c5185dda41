"""What is drawn on a page besides text: rules and the edges of filled boxes, and pictures."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from openwork_fulltext.domain.pdf.frame import Corners, Frame, address_of

MAX_OBJECTS = 20_000
"""A page whose words are drawn letter by letter has some 3,000; charts of thousands of points hold no tables."""
MAX_DEPTH = 6
MAX_SEGMENTS = 400
"""Of one path; the outlines of a map or of letters have more, the grid of a table fewer."""
MAX_RULES = 2_000
THICK_PT = 2.6
"""A filled box that is thinner is a rule; table rules have 0.25 to 1.5 points, the heaviest we saw 2."""
MIN_RULE_PT = 12.0
MIN_UPRIGHT_PT = 8.0
"""The height of a row of the smallest print."""
MAX_IMAGE_PIXELS = 60_000_000
"""An A4 page at 600 dots an inch has 35 million; larger pictures are not unpacked."""
MAX_JPX_PIXELS = 10_000_000
"""JPEG 2000 is unpacked whole, whatever part of it is needed."""
MAX_OUTLINES = 20_000
Point = tuple[float, float]
Matrix = tuple[float, float, float, float, float, float]
_SAME: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line along the page: level where `y0 == y1`, upright where `x0 == x1`."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def is_level(self) -> bool:
        return self.y0 == self.y1


@dataclass(slots=True)
class Drawing:
    """The rules of a page, and its pictures and texts by their places."""

    rules: list[Rule] = field(default_factory=list)
    pictures: list[Corners] = field(default_factory=list)
    texts: dict[int, Corners] = field(default_factory=dict)
    """The places of text objects by their addresses."""


def drawing_of(page: pdfium.PdfPage, frame: Frame) -> Drawing:
    """Rules and pictures; a picture too large to be unpacked is taken out of what is rendered later."""
    drawing = Drawing()
    for handle, matrix in objects_of(page):
        kind = pdfium_c.FPDFPageObj_GetType(handle)
        if kind == pdfium_c.FPDF_PAGEOBJ_PATH and len(drawing.rules) < MAX_RULES:
            drawing.rules.extend(_rules_of(handle, matrix, frame))
        elif kind == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            drawing.pictures.append(_picture(handle, matrix, frame))
        elif kind == pdfium_c.FPDF_PAGEOBJ_TEXT and (address := address_of(handle)):
            drawing.texts[address] = _bounds(handle, matrix, frame)
    return drawing


def objects_of(page: pdfium.PdfPage) -> Iterator[tuple[object, Matrix]]:
    """The objects of a page and of the forms on it, each with the map from its container to the page."""
    raw = page.raw
    stack: list[tuple[object, Matrix, int]] = [
        (pdfium_c.FPDFPage_GetObject(raw, n), _SAME, 0)
        for n in reversed(range(min(pdfium_c.FPDFPage_CountObjects(raw), MAX_OBJECTS)))
    ]
    n_seen = 0
    while stack and n_seen < MAX_OBJECTS:
        handle, matrix, depth = stack.pop()
        n_seen += 1
        if pdfium_c.FPDFPageObj_GetType(handle) != pdfium_c.FPDF_PAGEOBJ_FORM:
            yield handle, matrix
        elif depth < MAX_DEPTH:
            inner = _chained(_matrix_of(handle), matrix)
            count = min(pdfium_c.FPDFFormObj_CountObjects(handle), MAX_OBJECTS)
            stack.extend((pdfium_c.FPDFFormObj_GetObject(handle, n), inner, depth + 1) for n in reversed(range(count)))


def _matrix_of(handle: object) -> Matrix:
    m = pdfium_c.FS_MATRIX()
    return (m.a, m.b, m.c, m.d, m.e, m.f) if pdfium_c.FPDFPageObj_GetMatrix(handle, m) else _SAME


def _chained(first: Matrix, then: Matrix) -> Matrix:
    """The map that does the first and then the other (ISO 32000-1, 8.3.4)."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _mapped(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _picture(handle: object, matrix: Matrix, frame: Frame) -> Corners:
    wide, high = ctypes.c_uint(), ctypes.c_uint()
    pdfium_c.FPDFImageObj_GetImagePixelSize(handle, wide, high)
    limit = MAX_JPX_PIXELS if _is_jpx(handle) else MAX_IMAGE_PIXELS
    if wide.value * high.value > limit:
        pdfium_c.FPDFPageObj_SetIsActive(handle, False)
    whole = _chained(_matrix_of(handle), matrix)  # a picture fills the unit square of its own map
    points = [frame.point(*_mapped(whole, x, y)) for x in (0, 1) for y in (0, 1)]
    return around(points)


def _bounds(handle: object, matrix: Matrix, frame: Frame) -> Corners:
    """Where an object stands on the shown page: its own bounds are those in its container."""
    edges = [ctypes.c_float() for _ in range(4)]
    if not pdfium_c.FPDFPageObj_GetBounds(handle, *edges):
        return (0.0, 0.0, 0.0, 0.0)
    left, bottom, right, top = (edge.value for edge in edges)
    return around([frame.point(*_mapped(matrix, x, y)) for x in (left, right) for y in (bottom, top)])


def _is_jpx(handle: object) -> bool:
    name = ctypes.create_string_buffer(32)
    for n in range(min(pdfium_c.FPDFImageObj_GetImageFilterCount(handle), 8)):
        pdfium_c.FPDFImageObj_GetImageFilter(handle, n, name, 32)
        if name.value == b"JPXDecode":
            return True
    return False


def _rules_of(handle: object, matrix: Matrix, frame: Frame) -> list[Rule]:
    """The straight lines of a path that run along the page: its strokes, or the edges of what it fills."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    if not pdfium_c.FPDFPath_GetDrawMode(handle, fill, stroke) or not (fill.value or stroke.value):
        return []
    count = pdfium_c.FPDFPath_CountSegments(handle)
    if not 2 <= count <= MAX_SEGMENTS:
        return []
    if fill.value and _has_curves(handle, count):
        return []  # a letter, or a shape of a figure
    whole = _chained(_matrix_of(handle), matrix)
    lines = list(_lines(handle, count, whole, frame))
    if fill.value and lines:
        left, bottom = min(min(a[0], b[0]) for a, b in lines), min(min(a[1], b[1]) for a, b in lines)
        right, top = max(max(a[0], b[0]) for a, b in lines), max(max(a[1], b[1]) for a, b in lines)
        if top - bottom < THICK_PT and right - left > MIN_RULE_PT:
            return [Rule(left, (top + bottom) / 2, right, (top + bottom) / 2)]
        if right - left < THICK_PT and top - bottom > MIN_UPRIGHT_PT:
            return [Rule((left + right) / 2, bottom, (left + right) / 2, top)]
    return [rule for a, b in lines if (rule := _rule(a, b)) is not None]


def _has_curves(handle: object, count: int) -> bool:
    return any(
        pdfium_c.FPDFPathSegment_GetType(pdfium_c.FPDFPath_GetPathSegment(handle, n)) == pdfium_c.FPDF_SEGMENT_BEZIERTO
        for n in range(count)
    )


def _rule(a: Point, b: Point) -> Rule | None:
    (x0, y0), (x1, y1) = sorted((a, b))
    if abs(y1 - y0) < 0.5 and x1 - x0 > MIN_RULE_PT:
        return Rule(x0, y0, x1, y0)
    if abs(x1 - x0) < 0.5 and abs(y1 - y0) > MIN_UPRIGHT_PT:
        return Rule(x0, min(y0, y1), x0, max(y0, y1))
    return None


def _lines(handle: object, count: int, matrix: Matrix, frame: Frame) -> Iterator[tuple[Point, Point]]:
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = (0.0, 0.0)
    for n in range(count):
        segment = pdfium_c.FPDFPath_GetPathSegment(handle, n)
        pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
        point = frame.point(*_mapped(matrix, x.value, y.value))
        kind = pdfium_c.FPDFPathSegment_GetType(segment)
        if kind == pdfium_c.FPDF_SEGMENT_LINETO:
            yield last, point
        if kind == pdfium_c.FPDF_SEGMENT_MOVETO:
            start = point
        last = point
        if pdfium_c.FPDFPathSegment_GetClose(segment) and last != start:
            yield last, start


def outlines_of(page: pdfium.PdfPage, frame: Frame) -> list[Corners]:
    """The boxes of the closed shapes that are filled on a page: of letters that are drawn and not printed."""
    found: list[Corners] = []
    x, y = ctypes.c_float(), ctypes.c_float()
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    for handle, matrix in objects_of(page):
        if pdfium_c.FPDFPageObj_GetType(handle) != pdfium_c.FPDF_PAGEOBJ_PATH or len(found) > MAX_OUTLINES:
            continue
        if not pdfium_c.FPDFPath_GetDrawMode(handle, fill, stroke) or not fill.value:
            continue
        whole, points = _chained(_matrix_of(handle), matrix), list[Point]()
        for n in range(min(pdfium_c.FPDFPath_CountSegments(handle), MAX_OUTLINES)):
            segment = pdfium_c.FPDFPath_GetPathSegment(handle, n)
            if pdfium_c.FPDFPathSegment_GetType(segment) == pdfium_c.FPDF_SEGMENT_MOVETO and len(points) > 2:
                found.append(around(points))
                points = []
            pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
            points.append(frame.point(*_mapped(whole, x.value, y.value)))
        if len(points) > 2:
            found.append(around(points))
    return found


def around(points: Sequence[tuple[float, ...]]) -> Corners:
    """The smallest box that holds points, or boxes of four edges."""
    xs = [x for point in points for x in point[::2]]
    ys = [y for point in points for y in point[1::2]]
    return min(xs), min(ys), max(xs), max(ys)
