"""Where the tables of a page are, by the rules that are drawn: apart from the columns of text, before these are read.

Journals rule a table above, below and under its heads; guidelines rule every row or put it in boxes. Either way the
rules of one table begin and end at the same places. Where rules are drawn in pieces, the pieces meet between columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from openwork_fulltext.domain.pdf.area import SAME_PT, Area, Level, centre, rows_in, within
from openwork_fulltext.domain.pdf.captions import TABLE, is_caption
from openwork_fulltext.domain.pdf.drawing import Rule
from openwork_fulltext.domain.pdf.page import Page, Run, Style
from openwork_fulltext.domain.pdf.reach import is_cut_off, reach_down, reach_up

MEET_PT = 3.0
"""Pieces of a rule with no wider gap are one rule with a cut."""
MIN_WIDTH_PT = 100.0
MAX_LEVELS = 400
LONG_CHARS = 28
"""A run of body text is longer, in the narrowest columns of journals; most cells are shorter."""
MIN_PROSE_LINES = 5
LARGER_PT = 2.5
MIN_RULED_ROWS = 5
"""With as many rules over its whole width, a table is ruled by rows."""


def areas_of(page: Page, body: Style) -> list[Area]:
    """The tables of a page that rules show, top first; no two share a run."""
    levels = _levels([rule for rule in page.rules if rule.is_level])
    uprights = [rule for rule in page.rules if not rule.is_level]
    found: list[Area] = []
    for family in _families(levels):
        for part in _parts(family, page.runs, uprights, body):
            area = _area(part, levels, uprights)
            reach_up(area, page.runs, body)
            reach_down(area, page.runs, body)
            area.runs = within(area, page.runs)
            if _is_table(area, page.runs, body) and not any(_overlap(area, other) for other in found):
                found.append(area)
    taken: set[int] = set()
    for area in found:
        area.runs = [run for run in area.runs if id(run) not in taken]
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
            run for run in runs if above.x0 - SAME_PT < centre(run) < above.x1 + SAME_PT and below.y < run.y < above.y
        ]
        crossed = any(
            above.x0 + SAME_PT < rule.x0 < above.x1 - SAME_PT and rule.y0 < above.y - 2 and rule.y1 > below.y + 2
            for rule in uprights
        )
        outside = sides and not any(rule.y0 < (above.y + below.y) / 2 < rule.y1 for rule in sides)
        is_gap = outside or any(TABLE.match(run.text) and is_caption(run, body) for run in band)
        if is_gap or (not crossed and not (above.cuts and below.cuts) and _is_running_text(band, above.width, body)):
            parts.append([])
        parts[-1].append(below)
    return [part for part in parts if len(part) > 1]


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


def _area(part: Sequence[Level], levels: Sequence[Level], uprights: Sequence[Rule]) -> Area:
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
    return area


def _is_table(area: Area, runs: Sequence[Run], body: Style) -> bool:
    if not area.runs or is_cut_off(area, runs, body):
        return False
    if area.caption:
        return True
    # The title of an article, or of a chapter, stands in no table.
    if max(run.style.size for run in area.runs) > body.size + LARGER_PT:
        return False
    return _is_grid(area) or _is_boxed_table(area)


def _is_grid(area: Area) -> bool:
    """Three rules or more, and where columns meet; or a rule for nearly every row of cells."""
    whole = [level for level in area.levels if area.is_whole(level)]
    if len(whole) < 3:
        return False
    if area.edges():
        return True
    rows = rows_in(area.runs)
    return len(whole) >= MIN_RULED_ROWS and 2 * sum(len(row) > 1 for row in rows) > len(rows)


def _is_boxed_table(area: Area) -> bool:
    """A frame around rows of short cells that begin at one of two places; a title may stand in its middle."""
    if not area.is_framed or not area.runs:
        return False
    width, middle = area.x1 - area.x0, (area.x0 + area.x1) / 2
    rows = rows_in(area.runs)
    pairs = [row for row in rows if len(row) > 1]
    if len(pairs) < 2 or any(run.x1 - run.x0 > 0.7 * width for run in area.runs):
        return False
    lefts = min(row[0].x0 for row in pairs), median(row[1].x0 for row in pairs)
    return all(
        min(abs(run.x0 - left) for left in lefts) < 2 or (len(row) == 1 and abs(centre(run) - middle) < 0.08 * width)
        for row in rows
        for run in row
    )


def _overlap(one: Area, other: Area) -> bool:
    return (
        min(one.x1, other.x1) - max(one.x0, other.x0) > SAME_PT
        and min(one.top, other.top) - max(one.y0, other.y0) > SAME_PT
    )
