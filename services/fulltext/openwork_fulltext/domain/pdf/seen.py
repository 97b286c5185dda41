"""Which of the words of a page a reader sees.

Two things tell it. What a text object says of itself: render mode 3 or 7, an opacity near zero, a size that nobody can
read. And the page itself: it is drawn with its text and without, and a word is seen where the two differ. That one
comparison holds for every way of hiding: white on white, outside the page, clipped away, under a picture or a box that
is drawn later, in a layer that is off, under a mask. Text objects that stand on top of one another are drawn apart, so
that a hidden one does not pass for the visible one over it.

Two kinds of text are invisible on purpose and say what is drawn in their place. Programs that print web pages draw the
letters of some words as shapes and lay the words over them: these are read where every letter has its shape, box on
box. The other is a scan with a recognised text behind it. It is read, and marked, only where one picture is the whole
page, none of the page's text is visible, all of it is in render mode 3, and the picture has ink where the word is said
to stand. That the shapes or the picture are of that very word cannot be known here.
"""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from openwork_fulltext.domain.pdf.drawing import Drawing, around, outlines_of
from openwork_fulltext.domain.pdf.frame import Corners, Frame
from openwork_fulltext.domain.pdf.glyphs import Glyph

MIN_READABLE_PT = 2.0
"""The smallest print in the journals we tried has 4 points (marks in figures); under 2 it is a grey line on paper."""
MIN_WIDTH_IN_SIZES = 0.1
"""Mean width of a word's letters; "ill" in a narrow face has 0.2."""
MIN_OPACITY = 26
"""Of 255: a tenth."""
MIN_DIFFERENCE = 24
"""Of 255, in one of three colours, at the darkest place of a word. The palest print of real pages has over 60."""
MIN_INK = 60
"""Of 255: how far a scan's paper and ink differ at a word."""
WHOLE_PAGE = 0.85
NEAR_IN_SIZES = 0.06
"""How far the box of a drawn letter may be from that of the letter laid over it: made bold, a shape has a wider one."""
OUTLINED = 0.75
"""Share of a word's characters: two letters that touch are one shape."""
_ROW_PT = 8.0
_MOST_NEIGHBOURS = 200
MAX_LAYERS = 5
"""Texts on top of one another that are told apart: a shadow, or bold by printing twice, makes two."""
SHARED = 0.4
"""Share of a text's place that another one takes before the two are drawn apart."""
SCALE = 2.0
"""Pixels a point: 144 to the inch, at which print of 4 points has strokes of a pixel."""
MAX_PIXELS = 8_000_000
_CELL_PT = 1.0
_INVISIBLE_MODES = frozenset({3, 7})
"""Neither fill nor stroke; clip only (ISO 32000-1, table 106)."""


@dataclass(slots=True)
class Word:
    """Characters of one text object without a blank between them. Places in points of the shown page."""

    glyphs: list[Glyph] = field(default_factory=list)
    group: int = 0
    """Which blank stands before it: text objects that are single letters make one word of several."""

    @property
    def band(self) -> Corners:
        """Where every letter has ink: from the baseline to half the size. Other lines never reach into it."""
        size, y = self.glyphs[0].height, self.glyphs[0].baseline
        return self.left, y - 0.02 * size, self.right, y + 0.5 * size

    @property
    def whole(self) -> Corners:
        size, y = self.glyphs[0].height, self.glyphs[0].baseline
        return self.left, y - 0.25 * size, self.right, y + 0.85 * size

    @property
    def left(self) -> float:
        return min(glyph.left for glyph in self.glyphs)

    @property
    def right(self) -> float:
        return max(glyph.right for glyph in self.glyphs)

    @property
    def owner(self) -> int:
        return self.glyphs[0].owner

    @property
    def is_readable(self) -> bool:
        size = self.glyphs[0].height
        mean = (self.right - self.left) / len(self.glyphs)
        return size >= MIN_READABLE_PT and (len(self.glyphs) < 3 or mean >= MIN_WIDTH_IN_SIZES * size)

    @property
    def has_letters(self) -> bool:
        return any(glyph.text.isalnum() for glyph in self.glyphs)


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of a page: the glyphs that are hidden, by `id`; whether those left are a scan's recognised text."""

    hidden: frozenset[int] = frozenset()
    n_hidden: int = 0
    """Letters and digits among them."""
    is_recognised: bool = False


def words_of(glyphs: Iterable[Glyph]) -> list[Word]:
    """Words in the file's order."""
    words: list[Word] = []
    begun, group = False, 0
    for glyph in glyphs:
        if not glyph.text.strip():
            begun, group = False, group + 1
            continue
        if not begun or words[-1].owner != glyph.owner or abs(words[-1].glyphs[0].height - glyph.height) > 0.1:
            words.append(Word(group=group))
            begun = True
        words[-1].glyphs.append(glyph)
    return words


def what_is_seen(
    page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, frame: Frame, glyphs: Sequence[Glyph], drawing: Drawing
) -> Seen:
    """Judge every word of a page. The page's text objects are active again afterwards."""
    words = words_of(glyphs)
    if not words:
        return Seen()
    by_mode, shown = _by_render_mode(words), _Shown(page, frame, _copies(words, drawing.texts))
    hidden = {id(word) for word in words if word.owner in by_mode or not word.is_readable or _is_pale(word.owner)}
    hidden |= shown.unseen(words, hidden)
    maybe = [word for word in words if id(word) in hidden and word.is_readable and shown.has_ink(word)]
    if maybe:
        hidden -= {id(word) for word in outlined(maybe, textpage, frame, outlines_of(page, frame))}
    if len(hidden) == len(words) and all(word.owner in by_mode for word in words):
        whole = any(_share_of_page(picture, frame) >= WHOLE_PAGE for picture in drawing.pictures)
        on_ink = {id(word) for word in maybe if whole}
        if on_ink:
            return _as_seen(words, hidden - on_ink, is_recognised=True)
    return _as_seen(words, hidden)


def _as_seen(words: Sequence[Word], hidden: set[int], *, is_recognised: bool = False) -> Seen:
    gone = [glyph for word in words if id(word) in hidden for glyph in word.glyphs]
    n_hidden = sum(glyph.text.isalnum() for glyph in gone)
    return Seen(frozenset(map(id, gone)), n_hidden, is_recognised)


def outlined(
    words: Sequence[Word], textpage: pdfium.PdfTextPage, frame: Frame, shapes: Sequence[Corners]
) -> list[Word]:
    """The words whose characters have a drawn shape, or several, in their own boxes: nearly all of them."""
    edges = [ctypes.c_double() for _ in range(4)]
    rows: dict[int, list[Corners]] = {}
    for shape in shapes:
        rows.setdefault(int(shape[1] // _ROW_PT), []).append(shape)

    def has_shape(glyph: Glyph) -> bool:
        left, right, bottom, top = edges
        pdfium_c.FPDFText_GetCharBox(textpage.raw, glyph.index, left, right, bottom, top)
        box = frame.box(left.value, bottom.value, right.value, top.value)
        row, near = int(box[1] // _ROW_PT), max(0.8, NEAR_IN_SIZES * glyph.height)
        low, high = (box[0] - near, box[1] - near), (box[2] + near, box[3] + near)
        # An "i" has two shapes, one above the other.
        inside = [
            shape
            for at in range(row - 1, int(box[3] // _ROW_PT) + 1)
            for shape in rows.get(at, ())
            if shape[0] > low[0] and shape[1] > low[1] and shape[2] < high[0] and shape[3] < high[1]
        ]
        return bool(inside) and all(abs(a - b) <= near for a, b in zip(box, around(inside), strict=True))

    letters: Counter[int] = Counter()
    shaped: Counter[int] = Counter()
    for word in words:
        letters[word.group] += len(word.glyphs)
        shaped[word.group] += sum(map(has_shape, word.glyphs))
    return [word for word in words if shaped[word.group] >= OUTLINED * letters[word.group]]


def _handle(owner: int) -> object:
    return ctypes.cast(owner, pdfium_c.FPDF_PAGEOBJECT)


def _by_render_mode(words: Sequence[Word]) -> set[int]:
    owners = {word.owner for word in words if word.owner}
    return {owner for owner in owners if pdfium_c.FPDFTextObj_GetTextRenderMode(_handle(owner)) in _INVISIBLE_MODES}


def _is_pale(owner: int) -> bool:
    """Whether a text is all but transparent. A colour that is no plain one (a pattern) is left to the pictures."""
    if not owner:
        return False
    mode = pdfium_c.FPDFTextObj_GetTextRenderMode(_handle(owner))
    asked = [pdfium_c.FPDFPageObj_GetFillColor] if mode in (0, 2, 4, 6) else []
    asked += [pdfium_c.FPDFPageObj_GetStrokeColor] if mode in (1, 2, 5, 6) else []
    opacities = []
    for colour in asked:
        values = [ctypes.c_uint() for _ in range(4)]
        opacities.append(values[3].value if colour(_handle(owner), *values) else 255)
    return bool(opacities) and max(opacities) < MIN_OPACITY


def _share_of_page(picture: Corners, frame: Frame) -> float:
    width, height = frame.width, frame.height
    wide = min(picture[2], width) - max(picture[0], 0)
    high = min(picture[3], height) - max(picture[1], 0)
    return float(max(0.0, wide) * max(0.0, high) / max(1.0, width * height))


class _Shown:
    """The page as it is drawn, with and without its text."""

    def __init__(self, page: pdfium.PdfPage, frame: Frame, copies: Mapping[int, Sequence[int]]) -> None:
        self._page = page
        self._copies = copies
        self._turn = frame.turn
        self._scale = min(SCALE, (MAX_PIXELS / max(1.0, frame.width * frame.height)) ** 0.5)
        self._height = frame.height
        self._without: _Picture | None = None

    def unseen(self, words: Sequence[Word], known: set[int]) -> set[int]:
        """Words (by `id`) that make no difference to the page; of those that are not known to be hidden already."""
        open_words = [word for word in words if id(word) not in known and word.owner and not _needs_own_font(word)]
        owners = list(dict.fromkeys(word.owner for word in words if word.owner))
        layers = _layers(open_words)
        self._activate(owners, active=False)
        self._without = self._drawn()
        unseen: set[int] = set()
        for layer in layers[:MAX_LAYERS]:
            inside = {word.owner for word in layer}
            self._activate(inside, active=True)
            drawn = self._drawn()
            self._activate(inside, active=False)
            unseen |= {id(word) for word in layer if not self._differs(word, drawn, self._without)}
        for layer in layers[MAX_LAYERS:]:
            unseen |= {id(word) for word in layer}
        self._activate(owners, active=True)
        return unseen

    def _activate(self, owners: Iterable[int], *, active: bool) -> None:
        """Draw text objects, or leave them out; the copies of them always with them."""
        for owner in owners:
            for one in (owner, *self._copies.get(owner, ())):
                pdfium_c.FPDFPageObj_SetIsActive(_handle(one), active)

    def has_ink(self, word: Word) -> bool:
        """Whether the page without text is dark and light where a word stands."""
        assert self._without is not None
        return self._without.contrast(self._pixels(word.band)) >= MIN_INK

    def _differs(self, word: Word, one: _Picture, other: _Picture) -> bool:
        if one.differs(other, self._pixels(word.band)):
            return True
        # An apostrophe or an underscore has no ink in the band.
        return not word.has_letters and one.differs(other, self._pixels(word.whole))

    def _pixels(self, box: Corners) -> tuple[int, int, int, int]:
        """Columns and rows of the picture, from the upper left corner."""
        left, bottom, right, top = box
        scale = self._scale
        # A narrow letter ("l") still has a pixel of its own.
        return (
            int(left * scale),
            int((self._height - top) * scale),
            int(right * scale) + 1,
            int((self._height - bottom) * scale) + 1,
        )

    def _drawn(self) -> _Picture:
        bitmap = self._page.render(
            scale=self._scale,
            rotation=90 * self._turn,
            draw_annots=False,
            may_draw_forms=False,
            limit_image_cache=True,
            no_smoothimage=True,
        )  # type: ignore[no-untyped-call, unused-ignore]
        try:
            return _Picture(bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride, bitmap.n_channels)
        finally:
            bitmap.close()


@dataclass(frozen=True, slots=True)
class _Picture:
    """Rows of pixels, top first."""

    data: bytes
    width: int
    height: int
    stride: int
    n_channels: int

    def rows(self, box: tuple[int, int, int, int]) -> Iterable[bytes]:
        left, top, right, bottom = box
        left, right = max(0, left), min(self.width, right)
        for row in range(max(0, top), min(self.height, bottom)):
            start = row * self.stride
            yield self.data[start + left * self.n_channels : start + max(left, right) * self.n_channels]

    def differs(self, other: _Picture, box: tuple[int, int, int, int]) -> bool:
        for one, two in zip(self.rows(box), other.rows(box), strict=True):
            if one != two and any(abs(a - b) >= MIN_DIFFERENCE for a, b in zip(one, two, strict=True)):
                return True
        return False

    def contrast(self, box: tuple[int, int, int, int]) -> int:
        values = [value for row in self.rows(box) if row for value in (min(row), max(row))]
        return max(values) - min(values) if values else 0


def _copies(words: Sequence[Word], texts: Mapping[int, Corners]) -> dict[int, list[int]]:
    """The text objects that PDFium leaves out because they print another one's words again in nearly its place."""
    owners = {word.owner for word in words}
    near: dict[tuple[int, int], list[int]] = {}
    for address in texts.keys() - owners:
        near.setdefault((int(texts[address][0] // _ROW_PT), int(texts[address][1] // _ROW_PT)), []).append(address)
    copies: dict[int, list[int]] = {}
    for owner in owners & texts.keys() if near else ():
        own = texts[owner]
        column, row, reach = int(own[0] // _ROW_PT), int(own[1] // _ROW_PT), max(1.0, 0.5 * (own[3] - own[1]))
        for other in (a for x in (-1, 0, 1) for y in (-1, 0, 1) for a in near.get((column + x, row + y), ())):
            if all(abs(a - b) <= reach for a, b in zip(own, texts[other], strict=True)):
                copies.setdefault(owner, []).append(other)
    return copies


def _needs_own_font(word: Word) -> bool:
    """Whether a reader's own font is wanted, for letters that PDFium's few built-in ones do not have.

    It draws nothing there, and a reader's machine does.
    """
    if not any(ord(glyph.text[:1]) > 0x24F and glyph.text.isalpha() for glyph in word.glyphs):
        return False
    font = pdfium_c.FPDFTextObj_GetFont(_handle(word.owner))
    return bool(pdfium_c.FPDFFont_GetIsEmbedded(font) == 0)


def _layers(words: Sequence[Word]) -> list[list[Word]]:
    """Words by text object, so that within one layer no object stands on top of another."""
    if not _any_overlap(words):
        return [list(words)]
    by_owner: dict[int, list[Word]] = {}
    for word in words:
        by_owner.setdefault(word.owner, []).append(word)
    layers: list[list[Word]] = []
    taken: list[set[tuple[int, int]]] = []
    for own in by_owner.values():
        cells = [_cells(word.band) for word in own]
        for place, others in enumerate(taken):
            if place == MAX_LAYERS or not any(len(each & others) > SHARED * len(each) for each in cells):
                break
        else:
            place = len(layers)
            layers.append([])
            taken.append(set())
        layers[place].extend(own)
        taken[place].update(*cells)
    return layers


def _cells(band: Corners) -> set[tuple[int, int]]:
    """The squares of a raster over the page within a band, at most some thousand; its neighbours keep theirs."""
    left, bottom = math.ceil(band[0] / _CELL_PT), math.ceil(band[1] / _CELL_PT)
    right = max(left + 1, min(int(band[2] / _CELL_PT), left + 400))
    top = max(bottom + 1, min(int(band[3] / _CELL_PT), bottom + 40))
    return {(x, y) for x in range(left, right) for y in range(bottom, top)}


def _any_overlap(words: Sequence[Word]) -> bool:
    """Whether a word stands on one of another text object, in most of its height and much of its width."""
    rows: dict[int, list[tuple[float, float, float, int]]] = {}
    for word in words:
        left, bottom, right, _ = word.band
        for row in range(int(bottom // _ROW_PT), int(bottom // _ROW_PT) + 2):
            rows.setdefault(row, []).append((left, right, bottom, word.owner))
    for neighbours in rows.values():
        neighbours.sort()
        for place, (left, right, bottom, owner) in enumerate(neighbours):
            for other_left, other_right, other_bottom, other in neighbours[place + 1 : place + 1 + _MOST_NEIGHBOURS]:
                if other_left >= right:
                    break
                shared = min(right, other_right) - other_left
                narrow = min(right - left, other_right - other_left)
                if owner != other and abs(other_bottom - bottom) < _ROW_PT / 2 and shared > 0.3 * narrow:
                    return True
    return False
