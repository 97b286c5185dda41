"""The PRISMA 2020 flow of a review (Page 2021, doi:10.1136/bmj.n71): a column a search, which join before the reading.

Each box less what stands beside it is the next box; where the columns join, records that several searches found count
once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.review import Review
from openwork_contracts.tabulation import ReviewFlow, TrackFlow
from openwork_knowledge.source_names import source_name

from openwork_report.figures.lettering import LINE, width_of, wrapped
from openwork_report.figures.sheet import OF_A_FILE, OF_THE_PAGE, Sheet
from openwork_report.review.words import track_words

_MARGIN = 8.0
_PHASE = 30.0
_MAIN, _SIDE, _REACH = 198.0, 184.0, 24.0
"""Widths of a column: its boxes, what goes out beside them, and the arrow between."""
_COLUMN = _MAIN + _REACH + _SIDE
_BETWEEN = 20.0
_LEFT = _MARGIN + _PHASE + 12
_PAD, _GAP = 9.0, 26.0
_SIZE, _SMALL = 13.0, 12.0
_INCLUDED = "Included"
TITLE = "Flow of records of the review"
FOOT = (
    "After PRISMA 2020 (Page 2021, doi:10.1136/bmj.n71). Records were screened by a program where a systematic review "
    "has two people."
)
_REMOVED = (
    ("duplicates", "duplicates"),
    ("excluded_notices", "notices of retraction or correction"),
    ("excluded_no_text", "nothing to read"),
    ("excluded_superseded", "older versions of Cochrane reviews"),
)


@dataclass(frozen=True, slots=True)
class ReviewPicture:
    """What the flow is drawn from."""

    flow: ReviewFlow
    found: Mapping[str, Mapping[str, int]]
    """Track -> source -> records; empty where no search is recorded."""


@dataclass(frozen=True, slots=True)
class Box:
    """One step, and what went out after it."""

    words: str
    n: int
    more: tuple[str, ...] = ()
    out: str = ""
    """What those that went out are called; empty = nothing can go out here."""
    left_out: tuple[tuple[str, int], ...] = ()

    @property
    def n_out(self) -> int:
        """Records that went out."""
        return sum(n for _, n in self.left_out)


def review_picture(document: AnswerDocument, review: Review) -> ReviewPicture:
    """The flow of a review, with what each source gave where the document has its record."""
    found: dict[str, Counter[str]] = {}
    for search in document.record.searches if document.record else ():
        found.setdefault(search.track, Counter())[source_name(search.source)] += search.found
    return ReviewPicture(review.flow, found)


def track_boxes(track: TrackFlow, found: Mapping[str, int]) -> tuple[Box, ...]:
    """The column of one search."""
    removed = tuple((words, n) for name, words in _REMOVED if (n := getattr(track, name)))
    excluded = tuple(sorted(track.excluded.items(), key=lambda one: -one[1]))
    told = ", ".join(f"{name} ({n:,})" for name, n in found.items())
    unsure = (f"of these unsure: {track.unsure:,}",) if track.unsure else ()
    name = track_words(track.track)
    return (
        Box(
            f"Records identified by the {name}",
            track.identified,
            (f"From: {told}",) if told else (),
            "Removed before screening",
            removed,
        ),
        Box("Records screened by title and abstract", track.screened, (), "Excluded", excluded),
        Box("Not excluded", track.included + track.unsure, unsure),
    )


def joined_boxes(flow: ReviewFlow) -> tuple[Box, ...]:
    """What all searches came to together."""
    handed_on = sum(track.included + track.unsure for track in flow.tracks)
    several = (("found by more than one search, counted once", flow.in_several),) if flow.in_several else ()
    not_read = (
        ("further reports of a study", flow.further_reports),
        ("studies never read: over the limit", flow.studies_never_read),
    )
    texts = (
        f"full text: {flow.with_fulltext:,}",
        f"abstract and registry only: {flow.abstract_only:,}",
        *((f"not read in time: {flow.not_extracted:,}",) if flow.not_extracted else ()),
    )
    without = (("no result of what was asked", flow.without_results),) if flow.without_results else ()
    first = (Box("Not excluded, all searches", handed_on, (), "Left out", several),) if len(flow.tracks) > 1 else ()
    return (
        *first,
        Box("Reports of studies to read", flow.sought, (), "Left out", tuple(one for one in not_read if one[1])),
        Box("Studies read", flow.studies_read, texts, "Left out", without),
        Box("Studies with a result of what was asked", flow.with_results, tuple(_only_in(flow))),
    )


def _only_in(flow: ReviewFlow) -> Iterator[str]:
    for track, n in flow.only_in.items():
        yield f"read and found by the {track_words(track)} alone: {n:,}"


def review_flow_svg(picture: ReviewPicture, *, standalone: bool = False) -> str:
    """The diagram."""
    flow = picture.flow
    n_columns = max(1, len(flow.tracks))
    width = int(_LEFT + n_columns * _COLUMN + (n_columns - 1) * _BETWEEN + _MARGIN)
    sheet = Sheet(width, OF_A_FILE if standalone else OF_THE_PAGE)
    columns = [track_boxes(track, picture.found.get(track.track, {})) for track in flow.tracks]
    y, middles = _MARGIN, [_left(place) + _MAIN / 2 for place in range(len(columns))]
    phases: list[tuple[str, float, float]] = []
    for step in range(max(map(len, columns), default=0)):
        height = max(_tall(column[step]) for column in columns)
        for place, column in enumerate(columns):
            _draw(sheet, _left(place), y, _MAIN, height, column[step], arrow=step > 0)
        phases.append(("Identification" if step == 0 else "Screening", y, y + height))
        y += height + _GAP
    wide = width - _MARGIN - _SIDE - _REACH - _LEFT
    boxes = joined_boxes(flow)
    for place, box in enumerate(boxes):
        last = place == len(boxes) - 1
        height = max(_tall(box, wide), width_of(_INCLUDED, _SIZE, bold=True) + 2 * _PAD if last else 0.0)
        for x in middles if place == 0 else ():
            sheet.arrow(x, y - _GAP, x, y)
        _draw(sheet, _LEFT, y, wide, height, box, arrow=place > 0, filled=last)
        phases.append((_INCLUDED if last else "Reading", y, y + height))
        y += height + _GAP
    _phases(sheet, phases)
    y = sheet.letters(_MARGIN, y - _GAP + 14, wrapped(FOOT, width - 2 * _MARGIN, _SMALL), _SMALL, soft=True)
    return sheet.svg(y + _MARGIN, TITLE, flow_words(picture))


def flow_words(picture: ReviewPicture) -> str:
    """The diagram as a text."""
    columns = [box for track in picture.flow.tracks for box in track_boxes(track, picture.found.get(track.track, {}))]
    return " ".join(_told(box) for box in (*columns, *joined_boxes(picture.flow)))


def _told(box: Box) -> str:
    more = "".join(f"; {one}" for one in box.more)
    out = "; ".join(f"{words}: {n:,}" for words, n in box.left_out)
    return f"{box.words}: {box.n:,}{more}{f' ({box.out}: {out})' if out else ''}."


def _left(place: int) -> float:
    return _LEFT + place * (_COLUMN + _BETWEEN)


def _main(box: Box, width: float) -> list[tuple[tuple[str, ...], float, bool]]:
    inner = width - 2 * _PAD
    told = [(wrapped(box.words, inner, _SIZE), _SIZE, False), ((f"n = {box.n:,}",), _SIZE, True)]
    return told + [(wrapped(one, inner, _SMALL, lines=10), _SMALL, False) for one in box.more]


def _side(box: Box) -> list[tuple[tuple[str, ...], float, bool]]:
    if not box.left_out:
        return []
    inner = _SIDE - 2 * _PAD
    told = [(wrapped(f"{box.out}: n = {box.n_out:,}", inner, _SIZE, bold=True), _SIZE, True)]
    return told + [(wrapped(f"{n:,}: {words}", inner, _SMALL, lines=4), _SMALL, False) for words, n in box.left_out]


def _height(blocks: Sequence[tuple[tuple[str, ...], float, bool]]) -> float:
    return sum(len(lines) * size * LINE for lines, size, _ in blocks) + 2 * _PAD if blocks else 0.0


def _tall(box: Box, width: float = _MAIN) -> float:
    return max(_height(_main(box, width)), _height(_side(box)))


def _draw(
    sheet: Sheet, x: float, y: float, width: float, height: float, box: Box, *, arrow: bool, filled: bool = False
) -> None:
    if arrow:
        sheet.arrow(x + width / 2, y - _GAP, x + width / 2, y)
    _box(sheet, x, y, width, height, _main(box, width), filled=filled)
    if side := _side(box):
        tall = _height(side)
        across = y + height / 2
        sheet.arrow(x + width, across, x + width + _REACH, across)
        _box(sheet, x + width + _REACH, across - tall / 2, _SIDE, tall, side)


def _box(
    sheet: Sheet,
    x: float,
    y: float,
    width: float,
    height: float,
    blocks: Sequence[tuple[tuple[str, ...], float, bool]],
    *,
    filled: bool = False,
) -> None:
    sheet.box(x, y, width, height, filled=filled)
    at = y + (height - _height(blocks)) / 2 + _PAD - 1
    for lines, size, bold in blocks:
        at = sheet.letters(x + _PAD, at, lines, size, bold=bold)


def _phases(sheet: Sheet, parts: Sequence[tuple[str, float, float]]) -> None:
    """A bar a phase, from its first box to its last."""
    for words in dict.fromkeys(name for name, _, _ in parts):
        own = [(top, bottom) for name, top, bottom in parts if name == words]
        top, bottom = own[0][0], own[-1][1]
        sheet.box(_MARGIN, top, _PHASE, bottom - top, filled=True)
        sheet.upright(_MARGIN + _PHASE / 2 + _SIZE * 0.35, (top + bottom) / 2, words, _SIZE)
