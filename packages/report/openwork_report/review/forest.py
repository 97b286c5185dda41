"""A forest plot of one pooled outcome: a row a study, squares by weight, the pooled effect as a diamond, what is apart.

Drawn like the plots of an answer (`figures/forest.py`), which pool nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openwork_answers.estimates_in_words import figure
from openwork_contracts.measures import RATIOS
from openwork_contracts.review import Review
from openwork_contracts.tabulation import EffectValue, ForestRow, PooledOutcome

from openwork_report.figures.axis import Axis, axis_for
from openwork_report.figures.lettering import LINE, wrapped
from openwork_report.figures.sheet import OF_A_FILE, OF_THE_PAGE, Sheet
from openwork_report.review.words import sides_of, title_of
from openwork_report.words import measure_words, one_line

WIDTH = 900
_MARGIN = 10.0
_NAMES = 210.0
_COUNTS = 92.0
"""Width of a column of events and people; there is one for each arm, where a study has counts."""
_FIGURES = 168.0
_WEIGHT = 58.0
_GAP = 12.0
_SIZE, _SMALL, _TITLE = 13.0, 11.5, 15.0
_PAD = 6.0
_LEAST_SQUARE, _MOST_SQUARE = 1.5, 8.0
"""Half the side of a square that can still be seen, and of the heaviest study's."""
_ALIKE = 0.6
"""Of the heaviest: all squares, where nothing is pooled."""
_DIAMOND = 7.0
MOST_LEFT_OUT = 12
"""Studies that are named below the plot; the table has all."""
SQUARES = "Squares: their area is the weight in the pooled effect. Diamond: the pooled effect with its interval."


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where each column begins, from the left; `counts` is empty where no study has any."""

    counts: tuple[float, ...]
    plot: float
    width: float
    figures: float
    weight: float


def forest_outcomes(review: Review) -> tuple[PooledOutcome, ...]:
    """The outcomes that are drawn: those with two studies or more."""
    return tuple(one for one in review.outcomes if len(one.rows) > 1)


def pooled_svg(outcome: PooledOutcome, *, standalone: bool = False) -> str:
    """The plot.

    Args:
        outcome: with one row at least. A row whose effect has no place on the axis is named below it.
    """
    sheet = Sheet(WIDTH, OF_A_FILE if standalone else OF_THE_PAGE)
    rows = [row for row in outcome.rows if _has_place(row.effect, outcome)]
    columns = _columns(rows, pooled=outcome.pooled is not None)
    axis = _axis(outcome, rows, columns)
    top = _heading(sheet, outcome, columns)
    y = top
    heaviest = max((row.weight for row in rows), default=0.0)
    for row in rows:
        y = _row(sheet, axis, columns, outcome, row, heaviest, y)
    bottom = y
    if outcome.pooled is not None and _has_place(outcome.pooled, outcome):
        sheet.line(_MARGIN, y, WIDTH - _MARGIN, y, width=1)
        y = bottom = _pooled(sheet, axis, columns, outcome, outcome.pooled, y)
    sheet.line(axis.x(axis.none), top, axis.x(axis.none), bottom, width=1)
    y = _scale(sheet, axis, y)
    if outcome.bad is not None and all(sides_of(outcome)):
        y = _favours(sheet, axis, outcome, y)
    y = _notes(sheet, y + 8, outcome, cut=any(_is_cut(axis, _on_axis(row.effect, outcome)) for row in rows))
    return sheet.svg(y + _MARGIN, f"Forest plot. {title_of(outcome)}", in_words(outcome))


def in_words(outcome: PooledOutcome) -> str:
    """The plot as a text."""
    measure = measure_words(outcome.measure)
    told = [f"{title_of(outcome)}. {measure}."]
    told += [
        f"{one_line(row.study)}: {effect_words(row.effect, outcome)}{_row_words(row, outcome)}." for row in outcome.rows
    ]
    if outcome.pooled is not None:
        told.append(f"Pooled, {one_line(outcome.model)}: {effect_words(outcome.pooled, outcome)}.")
    if prediction := prediction_words(outcome):
        told.append(f"Prediction interval {prediction}.")
    told += [*heterogeneity(outcome), *left_out(outcome)]
    return " ".join(told)


def effect_words(effect: EffectValue, outcome: PooledOutcome) -> str:
    """ "0.74 (0.65 to 0.85)", a risk difference in percentage points; another level than 95 % is named."""
    low, value, high = _on_axis(effect, outcome)
    level = "" if math.isclose(effect.level, 0.95) else f"{100 * effect.level:g}% CI "
    return f"{figure(value)} ({level}{figure(low)} to {figure(high)})"


def prediction_words(outcome: PooledOutcome) -> str:
    """ "0.70 to 1.05"; empty without one."""
    if outcome.prediction is None:
        return ""
    scale = _scale_of(outcome)
    return f"{figure(scale * outcome.prediction.low)} to {figure(scale * outcome.prediction.high)}"


def heterogeneity(outcome: PooledOutcome) -> tuple[str, ...]:
    """How far the studies differ: Q, I2, tau2; then what a reader has to know."""
    told = []
    if outcome.q is not None and outcome.i2 is not None and len(outcome.rows) > 2:
        p = f", p = {figure(outcome.q_p_value)}" if outcome.q_p_value is not None else ""
        tau = f"; tau² = {outcome.tau2:.3g}" if outcome.tau2 is not None else ""
        q = f"Q = {outcome.q:.2f}, df = {outcome.degrees_of_freedom}{p}"
        told.append(f"Heterogeneity: {q}; I² = {100 * outcome.i2:.0f}%{tau}.")
    told += [f"{one[:1].upper()}{one[1:]}." for one in map(one_line, outcome.notes)]
    if outcome.small_studies is not None:
        test = outcome.small_studies
        told.append(f"Small-study effects, {test.test}: {test.bias:.2f}, p = {figure(test.p_value)}.")
    return tuple(told)


def left_out(outcome: PooledOutcome) -> tuple[str, ...]:
    """What is not in the pooled effect, and why."""
    told = [
        f"Not pooled: {one_line(one.study)} ({one_line(one.reason)})." for one in outcome.not_pooled[:MOST_LEFT_OUT]
    ]
    if (more := len(outcome.not_pooled) - MOST_LEFT_OUT) > 0:
        told.append(f"And {more} more, which the tables name.")
    return tuple(told)


# --- inside -----------------------------------------------------------------------------------------------------------


def _scale_of(outcome: PooledOutcome) -> float:
    """A share of one is drawn as percentage points."""
    return 100.0 if outcome.measure == "RD" else 1.0


def _on_axis(effect: EffectValue, outcome: PooledOutcome) -> tuple[float, float, float]:
    scale = _scale_of(outcome)
    return scale * effect.low, scale * effect.value, scale * effect.high


def _has_place(effect: EffectValue, outcome: PooledOutcome) -> bool:
    """Finite and in order; of a ratio all above zero."""
    low, value, high = effect.low, effect.value, effect.high
    finite = all(map(math.isfinite, (low, value, high)))
    return finite and low <= value <= high and (outcome.measure not in RATIOS or low > 0)


def _columns(rows: Sequence[ForestRow], *, pooled: bool) -> _Columns:
    counted = any(row.tested and row.other for row in rows)
    counts = (_MARGIN + _NAMES + _GAP, _MARGIN + _NAMES + _GAP + _COUNTS) if counted else ()
    plot = (counts[-1] + _COUNTS if counts else _MARGIN + _NAMES) + _GAP
    weight = WIDTH - _MARGIN - (_WEIGHT if pooled else 0.0)
    figures = weight - _FIGURES
    return _Columns(counts, plot, figures - 18 - plot, figures, weight)


def _axis(outcome: PooledOutcome, rows: Sequence[ForestRow], columns: _Columns) -> Axis:
    effects = [row.effect for row in rows]
    if outcome.pooled is not None and _has_place(outcome.pooled, outcome):
        effects.append(outcome.pooled)
    intervals = [_on_axis(effect, outcome) for effect in effects]
    return axis_for(intervals or [(1.0, 1.0, 1.0)], columns.plot, columns.width, is_ratio=outcome.measure in RATIOS)


def _heading(sheet: Sheet, outcome: PooledOutcome, columns: _Columns) -> float:
    wide = WIDTH - 2 * _MARGIN
    y = sheet.letters(_MARGIN, _MARGIN, wrapped(title_of(outcome), wide, _TITLE, bold=True, lines=3), _TITLE, bold=True)
    told = "; ".join(filter(None, (one_line(outcome.window), one_line(outcome.analysis).replace("_", " "))))
    if told:
        y = sheet.letters(_MARGIN, y, wrapped(told, wide, _SMALL, lines=2), _SMALL, soft=True)
    heads = [(_MARGIN, _NAMES, "Study"), (columns.figures, _FIGURES, f"{measure_words(outcome.measure)} (95% CI)")]
    for x, side in zip(columns.counts, sides_of(outcome), strict=False):
        heads.append((x, _COUNTS - 8, f"{side or 'other arm'}: events/n"))
    if outcome.pooled is not None:
        heads.append((columns.weight, _WEIGHT, "Weight"))
    made = [(x, wrapped(words, width, _SMALL, bold=True, lines=4)) for x, width, words in heads]
    bottom = y + 8 + max(len(lines) for _, lines in made) * _SMALL * LINE
    for x, lines in made:
        sheet.letters(x, bottom - len(lines) * _SMALL * LINE, lines, _SMALL, bold=True)
    sheet.line(_MARGIN, bottom + 4, WIDTH - _MARGIN, bottom + 4)
    return bottom + 4


def _row(
    sheet: Sheet, axis: Axis, columns: _Columns, outcome: PooledOutcome, row: ForestRow, heaviest: float, y: float
) -> float:
    name = wrapped(one_line(row.study), _NAMES, _SIZE, lines=2)
    words = wrapped(effect_words(row.effect, outcome), _FIGURES, _SIZE, lines=2)
    height = max(len(name), len(words)) * _SIZE * LINE + 2 * _PAD
    sheet.letters(_MARGIN, y + _PAD, name, _SIZE)
    sheet.letters(columns.figures, y + _PAD, words, _SIZE)
    for x, count in zip(columns.counts, (row.tested, row.other), strict=False):
        if count is not None:
            mark = " *" if row.corrected else ""
            sheet.letters(x, y + _PAD, (f"{count.events:,}/{count.n:,}{mark}",), _SIZE - 1)
    if outcome.pooled is not None:
        sheet.letters(columns.weight, y + _PAD, (f"{100 * row.weight:.1f}%",), _SIZE)
    middle = y + height / 2
    low, value, high = _on_axis(row.effect, outcome)
    _interval(sheet, axis, low, high, middle)
    share = math.sqrt(row.weight / heaviest) if heaviest and outcome.pooled is not None else _ALIKE
    half = max(_LEAST_SQUARE, share * _MOST_SQUARE)
    x = axis.x(value)
    sheet.shape(
        (x - half, middle - half), (x + half, middle - half), (x + half, middle + half), (x - half, middle + half)
    )
    return y + height


def _interval(sheet: Sheet, axis: Axis, low: float, high: float, y: float, *, half: float = 4.0) -> None:
    left, right = axis.x(low), axis.x(high)
    sheet.line(left, y, right, y, width=1.6)
    for value, x, towards in ((low, left, -1), (high, right, 1)):
        if _beyond(axis, value):
            sheet.head(x, y, towards, 0, size=9)
        else:
            sheet.line(x, y - half, x, y + half, width=1.6)


def _beyond(axis: Axis, value: float) -> bool:
    return value < axis.low or value > axis.high


def _is_cut(axis: Axis, interval: tuple[float, float, float]) -> bool:
    return _beyond(axis, interval[0]) or _beyond(axis, interval[2])


def _pooled(
    sheet: Sheet, axis: Axis, columns: _Columns, outcome: PooledOutcome, pooled: EffectValue, y: float
) -> float:
    wide = (columns.counts[0] if columns.counts else columns.plot) - _MARGIN - _GAP
    name = wrapped("Pooled effect", wide, _SIZE, bold=True)
    model = wrapped(one_line(outcome.model), wide, _SMALL, lines=3) if outcome.model else ()
    height = max(_SIZE * LINE + len(model) * _SMALL * LINE, 2 * _SIZE * LINE) + 2 * _PAD
    at = sheet.letters(_MARGIN, y + _PAD, name, _SIZE, bold=True)
    sheet.letters(_MARGIN, at, model, _SMALL, soft=True)
    sheet.letters(
        columns.figures,
        y + _PAD,
        wrapped(effect_words(pooled, outcome), _FIGURES, _SIZE, bold=True, lines=2),
        _SIZE,
        bold=True,
    )
    for x, total in zip(columns.counts, _totals(outcome), strict=False):
        sheet.letters(x, y + _PAD, (total,), _SIZE - 1, bold=True)
    low, value, high = _on_axis(pooled, outcome)
    middle = y + _PAD + _SIZE * LINE / 2
    sheet.shape(
        (axis.x(low), middle),
        (axis.x(value), middle - _DIAMOND),
        (axis.x(high), middle),
        (axis.x(value), middle + _DIAMOND),
    )
    y += height
    if not (words := prediction_words(outcome)) or outcome.prediction is None:
        return y
    height = _SMALL * LINE + 2 * _PAD
    scale = _scale_of(outcome)
    sheet.letters(_MARGIN, y + _PAD, wrapped("Prediction interval", wide, _SMALL), _SMALL)
    sheet.letters(columns.figures, y + _PAD, (words,), _SMALL)
    _interval(sheet, axis, scale * outcome.prediction.low, scale * outcome.prediction.high, y + height / 2, half=6.0)
    return y + height


def _totals(outcome: PooledOutcome) -> Iterator[str]:
    """Events and people of each arm; nothing where a study gave none."""
    for arms in ([row.tested for row in outcome.rows], [row.other for row in outcome.rows]):
        counts = [arm for arm in arms if arm is not None]
        whole = len(counts) == len(outcome.rows)
        yield f"{sum(one.events for one in counts):,}/{sum(one.n for one in counts):,}" if whole else ""


def _row_words(row: ForestRow, outcome: PooledOutcome) -> str:
    counts = (
        f", {row.tested.events}/{row.tested.n} v {row.other.events}/{row.other.n}" if row.tested and row.other else ""
    )
    return f"{counts}{f', weight {100 * row.weight:.1f}%' if outcome.pooled is not None else ''}"


def _scale(sheet: Sheet, axis: Axis, y: float) -> float:
    sheet.line(axis.left, y, axis.left + axis.width, y)
    for tick in axis.ticks():
        x = axis.x(tick)
        sheet.line(x, y, x, y + 5)
        sheet.letters(x, y + 6, (f"{tick:g}",), _SMALL, anchor="middle")
    return y + 6 + _SMALL * LINE


def _favours(sheet: Sheet, axis: Axis, outcome: PooledOutcome, y: float) -> float:
    """Less of what is bad, or more of what is good, speaks for the tested arm."""
    tested, other = sides_of(outcome)
    left_words, right_words = (tested, other) if outcome.bad else (other, tested)
    none = axis.x(axis.none)
    sheet.arrow(none - 8, y + 8, none - 34, y + 8)
    sheet.arrow(none + 8, y + 8, none + 34, y + 8)
    left = wrapped(f"favours {left_words}", none - 8 - _MARGIN, _SMALL, lines=3)
    right = wrapped(f"favours {right_words}", WIDTH - _MARGIN - none - 8, _SMALL, lines=3)
    sheet.letters(none - 8, y + 14, left, _SMALL, anchor="end")
    return max(sheet.letters(none + 8, y + 14, right, _SMALL), y + 14 + len(left) * _SMALL * LINE)


def _notes(sheet: Sheet, y: float, outcome: PooledOutcome, *, cut: bool) -> float:
    told = [*heterogeneity(outcome)]
    told.append(SQUARES if outcome.pooled is not None else "Not pooled: each row is one study by itself.")
    if outcome.absolute:
        told.append(f"In absolute numbers: {one_line(outcome.absolute)}.")
    if any(row.corrected for row in outcome.rows):
        told.append("* 0.5 was added to every cell of this study, since one was zero.")
    if cut:
        told.append("An arrow: the interval goes on beyond the axis.")
    told += [
        f"Not drawn: {one_line(row.study)}, {outcome.measure} {effect_words(row.effect, outcome)}."
        for row in outcome.rows
        if not _has_place(row.effect, outcome)
    ]
    for words in (*told, *left_out(outcome)):
        y = sheet.letters(_MARGIN, y, wrapped(words, WIDTH - 2 * _MARGIN, _SMALL, lines=3), _SMALL, soft=True)
    return y
