"""Where the tables of a page are, by the rules that are drawn: apart from the columns of text, before these are read.

Journals rule a table above, below and under its heads; guidelines rule every row or put it in boxes. Either way the
rules of one table begin and end at the same places. Where rules are drawn in pieces, the pieces meet between columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from openwork_fulltext.domain.pdf.captions import TABLE, is_caption
from openwork_fulltext.domain.pdf.drawing import Rule
from openwork_fulltext.domain.pdf.page import Page, Run, Style

SAME_PT = 4.0
"""Rules whose ends are no farther apart begin and end together: boxes and lines differ by half a line's thickness."""
MEET_PT = 3.0
"""Pieces of a rule with no wider gap are one rule with a cut."""
MIN_WIDTH_PT = 100.0
CAPTION_REACH_PT = 90.0
"""Heads of four lines and a rule's distance fit between a caption and the first rule below it."""
MAX_LEVELS = 400
LONG_CHARS = 28
"""A run of body text is longer, in the narrowest columns of journals; most cells are shorter."""
MIN_PROSE_LINES = 5
MIN_RULED_ROWS = 5
"""With as many rules over its whole width, a table is ruled by rows."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level rule, whole or in pieces. Points from the lower left corner of the page."""

    y: float
    x0: float
    x1: float
    cuts: tuple[float, ...] = ()
    """Where its pieces meet."""

    @property
    def width(self) -> float:
        return self.x1 - self.x0


@dataclass(slots=True, eq=False)
class Area:
    """A table's place with what stands and what is drawn in it."""

    x0: float
    y0: float
    x1: float
    y1: float
    levels: list[Level] = field(default_factory=list)
    """All level rules in it, top first; also those that go over some columns only."""
    uprights: list[Rule] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    """Its cells."""
    caption: list[Run] = field(default_factory=list)
    """Above its cells, and above `y1`."""

    @property
    def top(self) -> float:
        return max([self.y1, *(run.top for run in self.caption)])

    @property
    def all_runs(self) -> list[Run]:
        return [*self.caption, *self.runs]

    def is_whole(self, level: Level) -> bool:
        """Whether a rule goes over all columns."""
        return level.x0 < self.x0 + SAME_PT and level.x1 > self.x1 - SAME_PT

    @property
    def inner_uprights(self) -> list[Rule]:
        return [rule for rule in self.uprights if self.x0 + SAME_PT < rule.x0 < self.x1 - SAME_PT]

    @property
    def is_framed(self) -> bool:
        sides = [
            sum(rule.y1 - rule.y0 for rule in self.uprights if abs(rule.x0 - x) < SAME_PT) for x in (self.x0, self.x1)
        ]
        return min(sides) > 0.8 * (self.y1 - self.y0)


def areas_of(page: Page, body: Style) -> list[Area]:
    """The tables of a page that rules show, top first; no two share a run."""
    levels = _levels([rule for rule in page.rules if rule.is_level])
    uprights = [rule for rule in page.rules if not rule.is_level]
    found: list[Area] = []
    for family in _families(levels):
        for part in _parts(family, page.runs, uprights, body):
            area = _area(part, levels, uprights, page.runs)
            _reach_up(area, page.runs, body)
            if (area.caption or _is_grid(area) or _is_boxed_table(area)) and not any(
                _overlap(area, other) for other in found
            ):
                found.append(area)
    taken: set[int] = set()
    for area in found:
        area.runs = [run for run in _within(area, page.runs) if id(run) not in taken]
        taken.update(map(id, area.all_runs))
    return sorted((area for area in found if area.runs), key=lambda area: -area.y1)


def _levels(rules: Sequence[Rule]) -> list[Level]:
    """Rules at one height whose pieces meet, as one; top first."""
    rows: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda r: -r.y0):
        if rows and rows[-1][0].y0 - rule.y0 < 1.5:
            rows[-1].append(rule)
        else:
            rows.append([rule])
    levels: list[Level] = []
    for row in rows:
        chain: list[Rule] = []
        for rule in sorted(row, key=lambda r: r.x0):
            if chain and rule.x0 > max(piece.x1 for piece in chain) + MEET_PT:
                levels.append(_joined(chain))
                chain = []
            chain.append(rule)
        levels.append(_joined(chain))
    return levels[:MAX_LEVELS]


def _joined(pieces: Sequence[Rule]) -> Level:
    left, right = min(piece.x0 for piece in pieces), max(piece.x1 for piece in pieces)
    meets = {
        round((one.x1 + other.x0) / 2, 1)
        for one in pieces
        for other in pieces
        if abs(one.x1 - other.x0) <= MEET_PT and left + SAME_PT < one.x1 < right - SAME_PT
    }
    cuts: list[float] = []
    for x in sorted(meets):
        if not cuts or x - cuts[-1] > MEET_PT:
            cuts.append(x)
    return Level(pieces[0].y0, left, right, tuple(cuts))


def _families(levels: Sequence[Level]) -> list[list[Level]]:
    """Rules that begin and end together, at least two; the widest first."""
    families: list[list[Level]] = []
    for level in levels:
        if level.width < MIN_WIDTH_PT:
            continue
        for family in families:
            if abs(family[0].x0 - level.x0) < SAME_PT and abs(family[0].x1 - level.x1) < SAME_PT:
                family.append(level)
                break
        else:
            families.append([level])
    return sorted((family for family in families if len(family) > 1), key=lambda family: -family[0].width)


def _parts(family: Sequence[Level], runs: Sequence[Run], uprights: Sequence[Rule], body: Style) -> list[list[Level]]:
    """A family parted where a caption or running text stands between two of its rules."""
    parts: list[list[Level]] = [[family[0]]]
    sides = [rule for rule in uprights if min(abs(rule.x0 - family[0].x0), abs(rule.x0 - family[0].x1)) < SAME_PT]
    sides = [rule for rule in sides if rule.y0 < family[0].y - 2 and rule.y1 > family[-1].y + 2]
    for above, below in pairwise(family):
        band = [
            run for run in runs if above.x0 - SAME_PT < _centre(run) < above.x1 + SAME_PT and below.y < run.y < above.y
        ]
        crossed = any(
            above.x0 + SAME_PT < rule.x0 < above.x1 - SAME_PT and rule.y0 < above.y - 2 and rule.y1 > below.y + 2
            for rule in uprights
        )
        outside = sides and not any(rule.y0 < (above.y + below.y) / 2 < rule.y1 for rule in sides)
        is_gap = outside or any(TABLE.match(run.text) and is_caption(run, body) for run in band)
        if is_gap or (not crossed and not below.cuts and _is_running_text(band, above.width, body)):
            parts.append([])
        parts[-1].append(below)
    return [part for part in parts if len(part) > 1]


def _centre(run: Run) -> float:
    return (run.x0 + run.x1) / 2


def _is_running_text(band: Sequence[Run], width: float, body: Style) -> bool:
    """Lines in the body's print most of which are as long as a column's; or notes: small lines all over the width."""
    if not band:
        return False
    long = [run for run in band if len(run.text) >= LONG_CHARS]
    if len(long) >= MIN_PROSE_LINES and 2 * len(long) > len(band):
        like_body = [run for run in long if run.style.font == body.font and abs(run.style.size - body.size) < 0.6]
        if 2 * len(like_body) > len(long):
            return True
    lines = {round(run.y) for run in band}
    wide = [run for run in band if run.x1 - run.x0 > 0.75 * width]
    return len(lines) == len(band) and 2 * len(wide) > len(band) and len(wide) > 1


def _area(part: Sequence[Level], levels: Sequence[Level], uprights: Sequence[Rule], runs: Sequence[Run]) -> Area:
    x0, x1 = min(level.x0 for level in part), max(level.x1 for level in part)
    area = Area(x0, part[-1].y, x1, part[0].y)
    area.levels = [
        level
        for level in levels
        if area.y0 - 1 <= level.y <= area.y1 + 1 and level.x0 > x0 - SAME_PT and level.x1 < x1 + SAME_PT
    ]
    area.uprights = [
        rule
        for rule in uprights
        if x0 - SAME_PT < rule.x0 < x1 + SAME_PT and rule.y0 < area.y1 - 2 and rule.y1 > area.y0 + 2
    ]
    area.runs = _within(area, runs)
    return area


def _within(area: Area, runs: Sequence[Run]) -> list[Run]:
    return [
        run for run in runs if area.x0 - SAME_PT < _centre(run) < area.x1 + SAME_PT and area.y0 - 1 < run.y < area.y1
    ]


def _reach_up(area: Area, runs: Sequence[Run], body: Style) -> None:
    """Take in the caption that stands over the first rule, and the heads between the two."""
    above = [
        run
        for run in runs
        if area.x0 - SAME_PT < _centre(run) < area.x1 + SAME_PT and area.y1 <= run.y < area.y1 + CAPTION_REACH_PT
    ]
    begun = min(
        (run for run in above if TABLE.match(run.text) and is_caption(run, body)), key=lambda run: run.y, default=None
    )
    if begun is None:
        return
    caption = [run for run in above if abs(run.y - begun.y) < 2]
    heads: list[Run] = []
    for run in sorted((run for run in above if run.y <= begun.y - 2), key=lambda run: -run.y):
        alone = sum(abs(other.y - run.y) < 2 for other in above) == 1
        if not heads and alone and _goes_on(caption[-1], run):
            caption.append(run)
        else:
            heads.append(run)
    if any(run.x0 < area.x0 - SAME_PT or run.x1 > area.x1 + SAME_PT for run in heads):
        return
    area.caption = caption
    area.y1 = max([area.y1, *(run.top for run in heads)])


def _goes_on(above: Run, run: Run) -> bool:
    """Whether a line goes on with the caption above it: close below it and in its print."""
    close = above.y - run.y < 1.6 * max(above.style.size, run.style.size)
    return close and abs(above.style.size - run.style.size) < 0.6 and above.style.bold == run.style.bold


def _is_grid(area: Area) -> bool:
    """Three rules or more with inner uprights or cuts in the same places; or a rule for nearly every row of cells."""
    whole = [level for level in area.levels if area.is_whole(level)]
    if len(whole) < 3:
        return False
    if sum(bool(level.cuts) for level in whole) >= 2:
        return True
    if sum(rule.y1 - rule.y0 for rule in area.inner_uprights) > 0.6 * (area.y1 - area.y0):
        return True
    rows = _rows(area)
    return len(whole) >= MIN_RULED_ROWS and 2 * sum(len(row) > 1 for row in rows) > len(rows)


def _rows(area: Area) -> list[list[Run]]:
    """Runs by their height, to 2 points, each row from left to right."""
    rows: dict[int, list[Run]] = {}
    for run in sorted(area.runs, key=lambda run: run.x0):
        rows.setdefault(round(run.y / 2), []).append(run)
    return list(rows.values())


def _is_boxed_table(area: Area) -> bool:
    """A frame around rows of short cells that begin at one of two places; a title may stand in its middle."""
    if not area.is_framed or not area.runs:
        return False
    width, middle = area.x1 - area.x0, (area.x0 + area.x1) / 2
    rows = _rows(area)
    pairs = [row for row in rows if len(row) > 1]
    if len(pairs) < 2 or any(run.x1 - run.x0 > 0.7 * width for run in area.runs):
        return False
    lefts = min(row[0].x0 for row in pairs), median(row[1].x0 for row in pairs)
    return all(
        min(abs(run.x0 - left) for left in lefts) < 2 or (len(row) == 1 and abs(_centre(run) - middle) < 0.08 * width)
        for row in rows
        for run in row
    )


def _overlap(one: Area, other: Area) -> bool:
    return (
        min(one.x1, other.x1) - max(one.x0, other.x0) > SAME_PT
        and min(one.top, other.top) - max(one.y0, other.y0) > SAME_PT
    )
