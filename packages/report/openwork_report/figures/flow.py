"""The PRISMA 2020 flow diagram (Page 2021, doi:10.1136/bmj.n71) of a run: a box a step, what went out beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openwork_knowledge.source_names import source_name

from openwork_report.figures.lettering import LINE, width_of, wrapped
from openwork_report.figures.sheet import OF_A_FILE, OF_THE_PAGE, Sheet
from openwork_report.prisma import FlowStep, LeftOut, PrismaFlow

WIDTH = 760
_MARGIN = 8.0
_PHASE = 30.0
"""Width of the bars that name the three phases."""
_MAIN_X, _MAIN = _MARGIN + _PHASE + 14, 326.0
_SIDE_X = _MAIN_X + _MAIN + 40
_SIDE = WIDTH - _MARGIN - _SIDE_X
_PAD = 10.0
_GAP = 26.0
_SIZE, _SMALL = 13.0, 12.0
MOST_REASONS = 10
_REASON_LINES = 4
_PHASES = {
    "identified": "Identification",
    "screened": "Screening",
    "sought": "Screening",
    "assessed": "Screening",
    "included": "Included",
}
_OUT = {
    "identified": "Removed before screening",
    "screened": "Left out",
    "sought": "Not retrieved",
    "assessed": "Left out after reading",
}
FOOT = (
    "After PRISMA 2020 (Page 2021, doi:10.1136/bmj.n71). Works are ranked by a program where a review has two people "
    "read them."
)
TITLE = "Flow of records"


@dataclass(frozen=True, slots=True)
class _Lines:
    """A block of text in a box."""

    lines: tuple[str, ...]
    size: float
    bold: bool = False

    @property
    def height(self) -> float:
        return len(self.lines) * self.size * LINE


def prisma_svg(flow: PrismaFlow, *, standalone: bool = False) -> str:
    """The diagram; steps that nothing is known of are not drawn but named below it."""
    sheet = Sheet(WIDTH, OF_A_FILE if standalone else OF_THE_PAGE)
    y = _MARGIN
    phases: list[tuple[str, float, float]] = []
    for place, step in enumerate(flow.steps):
        main = list(_main(step, flow))
        side = list(_side(step))
        height = max(_height(main), _height(side), _least(step, flow.steps))
        if place:
            sheet.arrow(_MAIN_X + _MAIN / 2, y - _GAP, _MAIN_X + _MAIN / 2, y)
        _box(sheet, _MAIN_X, y, _MAIN, height, main, filled=step.name == "included")
        if side:
            across = y + height / 2
            sheet.arrow(_MAIN_X + _MAIN, across, _SIDE_X, across)
            _box(sheet, _SIDE_X, y + (height - _height(side)) / 2, _SIDE, _height(side), side)
        _extend(phases, _PHASES.get(step.name, step.words), y, y + height)
        y += height + _GAP
    for words, top, bottom in phases:
        sheet.box(_MARGIN, top, _PHASE, bottom - top, filled=True)
        sheet.upright(_MARGIN + _PHASE / 2 + _SIZE * 0.35, (top + bottom) / 2, words, _SIZE)
    y = _notes(sheet, y - (_GAP - 14 if flow.steps else 0), flow)
    return sheet.svg(y + _MARGIN, TITLE, in_words(flow))


def in_words(flow: PrismaFlow) -> str:
    """The diagram as a text."""
    steps = (f"{step.words}: {step.n:,}{_out_in_words(step.left_out)}." for step in flow.steps)
    return " ".join((*steps, *(f"Not known: {text}." for text in flow.missing)))


def _out_in_words(left_out: Sequence[LeftOut]) -> str:
    told = "; ".join(f"{reason[:200]}: {n:,}" for reason, n in _reasons(left_out))
    return f" (left out: {told})" if told else ""


def _main(step: FlowStep, flow: PrismaFlow) -> Iterator[_Lines]:
    width = _MAIN - 2 * _PAD
    yield _Lines(wrapped(step.words, width, _SIZE), _SIZE)
    yield _Lines((f"n = {step.n:,}",), _SIZE, bold=True)
    if step.name == "identified":
        counts: dict[str, int] = {}
        for source, n in flow.found.items():
            name = source_name(source)
            counts[name] = counts.get(name, 0) + n
        told = [f"{name} ({n:,})" for name, n in counts.items()]
        if told:
            yield _Lines(wrapped(f"From: {', '.join(told)}", width, _SMALL, lines=12), _SMALL)
    if step.name == "assessed" and flow.fulltexts_sought:
        words = f"Full texts looked for: {flow.fulltexts_sought:,}; read: {flow.fulltexts_read:,}"
        yield _Lines(wrapped(words, width, _SMALL), _SMALL)


def _side(step: FlowStep) -> Iterator[_Lines]:
    if not step.left_out:
        return
    total = sum(one.n for one in step.left_out)
    width = _SIDE - 2 * _PAD
    yield _Lines(
        wrapped(f"{_OUT.get(step.name, 'Left out')}: n = {total:,}", width, _SIZE, bold=True), _SIZE, bold=True
    )
    for reason, n in _reasons(step.left_out):
        words = f"{n:,}: {reason}"
        yield _Lines(wrapped(words, width, _SMALL, lines=_REASON_LINES), _SMALL)


def _reasons(left_out: Sequence[LeftOut]) -> Iterator[tuple[str, int]]:
    """The most frequent, then the others together."""
    ordered = sorted(left_out, key=lambda one: -one.n)
    named = ordered if len(ordered) <= MOST_REASONS else ordered[: MOST_REASONS - 1]
    yield from ((one.reason, one.n) for one in named)
    if rest := ordered[len(named) :]:
        yield f"for {len(rest)} other reasons", sum(one.n for one in rest)


def _height(blocks: Sequence[_Lines]) -> float:
    return sum(block.height for block in blocks) + 2 * _PAD if blocks else 0.0


def _least(step: FlowStep, steps: Sequence[FlowStep]) -> float:
    """So that the phase's name fits beside its boxes; a phase of several boxes is tall enough."""
    phase = _PHASES.get(step.name, step.words)
    several = sum(_PHASES.get(one.name, one.words) == phase for one in steps) > 1
    return 0.0 if several else width_of(phase, _SIZE, bold=True) + 2 * _PAD


def _box(
    sheet: Sheet, x: float, y: float, width: float, height: float, blocks: Sequence[_Lines], *, filled: bool = False
) -> None:
    sheet.box(x, y, width, height, filled=filled)
    at = y + (height - _height(blocks)) / 2 + _PAD - 1
    for block in blocks:
        at = sheet.letters(x + _PAD, at, block.lines, block.size, bold=block.bold)


def _extend(phases: list[tuple[str, float, float]], words: str, top: float, bottom: float) -> None:
    if phases and phases[-1][0] == words:
        phases[-1] = (words, phases[-1][1], bottom)
    else:
        phases.append((words, top, bottom))


def _notes(sheet: Sheet, y: float, flow: PrismaFlow) -> float:
    told = [f"Not known: {text}." for text in flow.missing]
    for words in (*told, FOOT) if flow.steps else (*told, "No records were searched for."):
        y = sheet.letters(_MARGIN, y, wrapped(words, WIDTH - 2 * _MARGIN, _SMALL), _SMALL, soft=True) + 2
    return y
