"""How far a table reaches beyond its rules: to its caption and heads above, to rows without rules below."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from openwork_fulltext.domain.pdf.area import SAME_PT, Area, centre, rows_in, within
from openwork_fulltext.domain.pdf.captions import FIGURE, TABLE, is_caption
from openwork_fulltext.domain.pdf.page import Run, Style

CAPTION_REACH_PT = 90.0
"""Heads of four lines and a rule's distance fit between a caption and the first rule below it."""
MAX_HEAD_LINES = 4
ROW_STEP_IN_SIZES = 3.0
"""Rows are no farther apart; below a group's head there is some more room."""
BESIDE_PT = 60.0
LONG_CHARS = 28
"""A run of body text is longer, in the narrowest columns of journals; most cells are shorter."""


def reach_up(area: Area, runs: Sequence[Run], body: Style) -> None:
    """Take in the caption that stands over the first rule, and the heads between the two; without one, heads alone."""
    above = [
        run
        for run in runs
        if area.x0 - SAME_PT < centre(run) < area.x1 + SAME_PT and area.y1 <= run.y < area.y1 + CAPTION_REACH_PT
    ]
    begun = min(
        (run for run in above if TABLE.match(run.text) and is_caption(run, body)), key=lambda run: run.y, default=None
    )
    if begun is None:
        heads = _heads(area, above)
    else:
        caption = [run for run in above if abs(run.y - begun.y) < 2]
        heads = []
        for run in sorted((run for run in above if run.y <= begun.y - 2), key=lambda run: -run.y):
            alone = sum(abs(other.y - run.y) < 2 for other in above) == 1
            wide = run.x1 - run.x0 > 0.6 * (area.x1 - area.x0)  # a sentence about the table, below its caption
            if not heads and alone and (wide or _goes_on(caption[-1], run)):
                caption.append(run)
            else:
                heads.append(run)
        if any(run.x0 < area.x0 - SAME_PT or run.x1 > area.x1 + SAME_PT for run in heads):
            return
        area.caption = caption
    area.y1 = max([area.y1, *(run.top for run in heads)])


def _heads(area: Area, above: Sequence[Run]) -> list[Run]:
    """Rows of cells right above the first rule."""
    heads: list[Run] = []
    last = area.y1
    for row in rows_in(above)[::-1]:
        step = row[0].y - last
        inside = all(area.x0 - SAME_PT < run.x0 and run.x1 < area.x1 + SAME_PT for run in row)
        short = median(len(run.text) for run in row) < LONG_CHARS
        if len(row) < 2 or not inside or not short or step > 1.6 * row[0].style.size or len(heads) > 40:
            break
        heads.extend(row)
        last = row[0].y
    return heads


def _goes_on(above: Run, run: Run) -> bool:
    """Whether a line goes on with the caption above it: close below it and in its print."""
    close = above.y - run.y < 1.6 * max(above.style.size, run.style.size)
    return close and abs(above.style.size - run.style.size) < 0.6 and above.style.bold == run.style.bold


def reach_down(area: Area, runs: Sequence[Run], body: Style) -> None:
    """Where rules enclose heads alone (a coloured bar), take in the rows of cells below them."""
    heads = rows_in(within(area, runs))
    if not area.caption or not heads or len(heads) > MAX_HEAD_LINES:
        return
    below = [run for run in runs if area.x0 - SAME_PT < centre(run) < area.x1 + SAME_PT and run.y <= area.y0]
    rows = rows_in(below)
    last, foot = area.y0, area.y0
    for place, row in enumerate(rows):
        first = row[0]
        ends = (
            TABLE.match(first.text) or FIGURE.match(first.text) or last - first.y > ROW_STEP_IN_SIZES * first.style.size
        )
        is_row = len(row) > 1 and median(len(run.text) for run in row) < LONG_CHARS
        # A group's head, or the end of a cell, is followed by a row of cells soon.
        soon = any(
            len(other) > 1 and median(len(r.text) for r in other) < LONG_CHARS for other in rows[place + 1 : place + 4]
        )
        alone = len(row) == 1 and first.x1 - first.x0 < 0.7 * (area.x1 - area.x0) and soon
        if ends or not (is_row or alone):
            break
        last = first.y
        if is_row:
            foot = min(run.bottom for run in row)
    area.y0 = min(area.y0, foot)


def is_cut_off(area: Area, runs: Sequence[Run], body: Style) -> bool:
    """Whether most rows go on beside the area in short cells that have no caption of their own.

    Its rules are then those of a part of the table.
    """
    rows = rows_in(area.runs)
    beside = [
        run
        for run in runs
        if area.y0 - 1 < run.y < area.y1
        and not area.x0 - SAME_PT < centre(run) < area.x1 + SAME_PT
        and run.x0 - area.x1 < BESIDE_PT
        and area.x0 - run.x1 < BESIDE_PT
    ]
    if not beside or median(len(run.text) for run in beside) >= LONG_CHARS:
        return False
    left, right = min(run.x0 for run in beside), max(run.x1 for run in beside)
    captions = [run for run in runs if TABLE.match(run.text) and is_caption(run, body) and run.y > area.y0]
    if any(left - BESIDE_PT < run.x0 < right and not area.x0 - SAME_PT < run.x0 < area.x1 for run in captions):
        return False
    return 10 * sum(any(abs(run.y - row[0].y) < 1.5 for run in beside) for row in rows) > 6 * len(rows)
