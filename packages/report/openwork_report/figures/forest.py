"""A forest plot of published results, a row each. Nothing is pooled and nothing weighed: all squares are alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openwork_answers.figures_in_words import effect_in_words, short_arm
from openwork_contracts.conclusion import StudyResult
from openwork_contracts.evidence import EffectEstimate
from openwork_contracts.measures import RATIOS
from openwork_knowledge import designs

from openwork_report.figures.axis import Axis, axis_for
from openwork_report.figures.groups import can_be_drawn, measure_of
from openwork_report.figures.lettering import LINE, wrapped
from openwork_report.figures.sheet import OF_A_FILE, OF_THE_PAGE, Sheet
from openwork_report.words import measure_words

WIDTH = 820
_MARGIN = 10.0
_NAMES = 262.0
_PLOT_X, _PLOT = _MARGIN + _NAMES + 12, 300.0
_FIGURES_X = _PLOT_X + _PLOT + 18
_FIGURES = WIDTH - _MARGIN - _FIGURES_X
_SIZE, _SMALL, _TITLE = 13.0, 11.5, 15.0
_PAD = 7.0
_SQUARE = 4.5
_SUB_LINES = 3
NOT_POOLED = "Not pooled: each row is one published result, and all squares are of one size."


@dataclass(frozen=True, slots=True)
class _Row:
    """A result as it is drawn."""

    name: tuple[str, ...]
    under: tuple[str, ...]
    """What sets it apart: people, time, analysis."""
    figures: tuple[str, ...]
    counts: tuple[str, ...]
    interval: tuple[float, float, float]

    @property
    def height(self) -> float:
        left = len(self.name) * _SIZE + len(self.under) * _SMALL
        right = len(self.figures) * _SIZE + len(self.counts) * _SMALL
        return max(left, right) * LINE + 2 * _PAD


def forest_svg(results: Sequence[StudyResult], *, standalone: bool = False) -> str:
    """The plot of results that share comparison, outcome and measure (`groups.forest_groups` finds them).

    A result without an interval is not drawn but named below. Whom a side favours is said only where more of the
    outcome is known to be bad.

    Args:
        results: one at least that can be drawn.
    """
    first = results[0]
    drawn = [one for one in results if can_be_drawn(one)]
    rows = [_row(one, first) for one in drawn]
    sheet = Sheet(WIDTH, OF_A_FILE if standalone else OF_THE_PAGE)
    axis = axis_for([row.interval for row in rows], _PLOT_X, _PLOT, is_ratio=measure_of(first) in RATIOS)
    top = _heading(sheet, first)
    y = top
    for place, row in enumerate(rows):
        if place:
            sheet.line(_MARGIN, y, WIDTH - _MARGIN, y, width=1, faint=True)
        _draw(sheet, axis, row, y)
        y += row.height
    sheet.line(axis.x(axis.none), top, axis.x(axis.none), y, width=1)
    y = _scale(sheet, axis, y)
    if all(one.bad is True for one in drawn):
        y = _favours(sheet, axis, first, y)
    y = _notes(sheet, y + 6, results, cut=any(_is_cut(axis, row) for row in rows))
    return sheet.svg(y + _MARGIN, f"Forest plot. {_title(first)}", in_words(results))


def in_words(results: Sequence[StudyResult]) -> str:
    """The plot as a text."""
    told = (f"{_name(one)}{_apart(one)}: {effect_in_words(one.effect)}." for one in results if one.effect)
    return " ".join((*told, NOT_POOLED))


def _apart(one: StudyResult) -> str:
    return f", {one.people}" if one.people else ""


def _title(first: StudyResult) -> str:
    arms = " v ".join(map(short_arm, first.comparison))
    outcome = first.outcome[:1].upper() + first.outcome[1:]
    return f"{outcome}: {arms}" if arms else outcome


def _name(one: StudyResult) -> str:
    return f"{one.study} [{one.n}]"


def _row(one: StudyResult, first: StudyResult) -> _Row:
    assert one.effect is not None
    scale = 100.0 if measure_of(one) == "RD" else 1.0
    low, high = one.effect.ci_low or 0.0, one.effect.ci_high or 0.0
    under = "; ".join(_sets_apart(one, first))
    return _Row(
        name=wrapped(_name(one), _NAMES, _SIZE, bold=True, lines=2),
        under=wrapped(under, _NAMES, _SMALL, lines=_SUB_LINES) if under else (),
        figures=wrapped(_figures(one.effect), _FIGURES, _SIZE, lines=2),
        counts=wrapped(counts, _FIGURES, _SMALL, lines=2) if (counts := _counts(one)) else (),
        interval=(low * scale, one.effect.estimate * scale, high * scale),
    )


def _sets_apart(one: StudyResult, first: StudyResult) -> Iterator[str]:
    if one.people:
        yield f"{'subgroup: ' if one.is_subgroup else ''}{one.people}"
    if one.outcome.casefold() != first.outcome.casefold():
        yield one.outcome
    if one.time:
        yield one.time
    if one.analysis:
        yield one.analysis
    if one.design not in designs.PRIMARY and (design := designs.label(one.design)):
        yield design


def _figures(effect: EffectEstimate) -> str:
    """As the answer prints them, without the measure, which stands above."""
    words = effect_in_words(effect).removeprefix("risk difference ").replace(" percentage points", "")
    return words.removeprefix(f"{effect.measure} ")


def _counts(one: StudyResult) -> str:
    told = [f"{arm.events:,}/{arm.n:,}" for arm in one.arms if arm.events is not None and arm.n]
    return " v ".join(told) if len(told) == 2 else ""


def _heading(sheet: Sheet, first: StudyResult) -> float:
    y = sheet.letters(
        _MARGIN, _MARGIN, wrapped(_title(first), WIDTH - 2 * _MARGIN, _TITLE, bold=True, lines=3), _TITLE, bold=True
    )
    short = measure_of(first)
    measure = short if short == "RR" else measure_words(short)  # of risks or of rates: the sources say which
    head = f"{measure} (95% CI)"
    lines = wrapped(head, _FIGURES, _SMALL, bold=True, lines=3)
    bottom = y + 8 + len(lines) * _SMALL * LINE
    sheet.letters(_MARGIN, bottom - _SMALL * LINE, ("Study [reference]",), _SMALL, bold=True)
    sheet.letters(_FIGURES_X, y + 8, lines, _SMALL, bold=True)
    sheet.line(_MARGIN, bottom + 4, WIDTH - _MARGIN, bottom + 4)
    return bottom + 4


def _draw(sheet: Sheet, axis: Axis, row: _Row, y: float) -> None:
    at = sheet.letters(_MARGIN, y + _PAD, row.name, _SIZE, bold=True)
    sheet.letters(_MARGIN, at, row.under, _SMALL, soft=True)
    at = sheet.letters(_FIGURES_X, y + _PAD, row.figures, _SIZE)
    sheet.letters(_FIGURES_X, at, row.counts, _SMALL, soft=True)
    middle = y + row.height / 2
    low, estimate, high = row.interval
    left, right = axis.x(low), axis.x(high)
    sheet.line(left, middle, right, middle, width=1.6)
    for value, x, towards in ((low, left, -1), (high, right, 1)):
        if _beyond(axis, value):
            sheet.head(x, middle, towards, 0, size=9)
        else:
            sheet.line(x, middle - 4, x, middle + 4, width=1.6)
    x = axis.x(estimate)
    sheet.shape(*((x + dx * _SQUARE, middle + dy * _SQUARE) for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1))))


def _beyond(axis: Axis, value: float) -> bool:
    return value < axis.low or value > axis.high


def _is_cut(axis: Axis, row: _Row) -> bool:
    return _beyond(axis, row.interval[0]) or _beyond(axis, row.interval[2])


def _scale(sheet: Sheet, axis: Axis, y: float) -> float:
    sheet.line(_PLOT_X, y, _PLOT_X + _PLOT, y)
    for tick in axis.ticks():
        x = axis.x(tick)
        sheet.line(x, y, x, y + 5)
        sheet.letters(x, y + 6, (f"{tick:g}",), _SMALL, anchor="middle")
    return y + 6 + _SMALL * LINE


def _favours(sheet: Sheet, axis: Axis, first: StudyResult, y: float) -> float:
    """Less of what is bad is to the left: it speaks for the tested arm."""
    tested, other = map(short_arm, first.comparison)
    none = axis.x(axis.none)
    sheet.arrow(none - 8, y + 8, none - 34, y + 8)
    sheet.arrow(none + 8, y + 8, none + 34, y + 8)
    left = wrapped(f"favours {tested}", none - 8 - _PLOT_X + 40, _SMALL, lines=3)
    right = wrapped(f"favours {other}", _PLOT_X + _PLOT - none - 8 + 40, _SMALL, lines=3)
    sheet.letters(none - 8, y + 14, left, _SMALL, anchor="end")
    return max(sheet.letters(none + 8, y + 14, right, _SMALL), y + 14 + len(left) * _SMALL * LINE)


def _notes(sheet: Sheet, y: float, results: Sequence[StudyResult], *, cut: bool) -> float:
    missing = [one for one in results if not can_be_drawn(one)]
    told = [NOT_POOLED]
    if len({one.n for one in results}) < len(results):
        told.append("Rows with one reference number are of the same study, whose people they share.")
    if cut:
        told.append("An arrow: the interval goes on beyond the axis.")
    told += [f"Not drawn, since no interval is given: {_name(one)}{_figure_alone(one)}." for one in missing]
    for words in told:
        y = sheet.letters(_MARGIN, y, wrapped(words, WIDTH - 2 * _MARGIN, _SMALL, lines=3), _SMALL, soft=True)
    return y


def _figure_alone(one: StudyResult) -> str:
    return f", {effect_in_words(one.effect)}" if one.effect else ""
