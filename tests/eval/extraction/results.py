"""Results of rct-extraction: right, wrong or not given, by kind, with intervals by bootstrap over the trials.

Right = every number of the row is equal (events and people of both arms; mean, deviation and people of both). Wrong = a
result is given and a number of it differs. A number that was worked out (a deviation from its error) is equal where it
rounds to the digits of the label, which was worked out too. The first result that extraction gives is what counts.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from openwork_contracts.cells import ResultCell
from openwork_extraction.extract import extract
from openwork_extraction.printed import number
from openwork_extraction.results import StudyResult

from tests.eval.extraction.rows import Row, study

RIGHT, WRONG, NOT_GIVEN = "right", "wrong", "not given"
DRAWS, SEED = 10_000, 0


@dataclass(frozen=True, slots=True)
class Judged:
    """A row and what extraction made of it."""

    row: Row
    verdict: str
    result: StudyResult | None
    refused: tuple[str, ...] = ()

    @property
    def is_computed(self) -> bool:
        """Whether a number of the result was worked out and is not printed."""
        return self.result is not None and self.result.is_computed


def judge(row: Row) -> Judged:
    """What extraction gives for a row, against it."""
    found = extract(study(row.pmcid), row.asked)
    first = found.first
    if first is None or not first.is_complete:
        return Judged(row, NOT_GIVEN, None, found.refused)
    return Judged(row, RIGHT if equal(first, row.numbers) else WRONG, first, found.refused)


def equal(result: StudyResult, labelled: Sequence[Decimal]) -> bool:
    """Whether all numbers are those of a row; one that was worked out, where it rounds to the label's digits."""
    cells = cells_of(result)
    if len(cells) != len(labelled):
        return False
    for cell, label in zip(cells, labelled, strict=True):
        value = number(cell.value)
        exponent = label.as_tuple().exponent
        if cell.computed and isinstance(exponent, int) and round(value, -exponent) == label:
            continue
        if value != label:
            return False
    return True


def given(result: StudyResult) -> tuple[Decimal, ...]:
    """The numbers of a complete result in the order of a row's."""
    return tuple(number(cell.value) for cell in cells_of(result))


def cells_of(result: StudyResult) -> tuple[ResultCell, ...]:
    """The cells of a complete result in the order of a row's."""
    cells = [
        cell
        for arm in result.arms
        for cell in ((arm.events, arm.n) if result.is_counted else (arm.mean, arm.deviation, arm.n))
    ]
    return tuple(cell for cell in cells if cell is not None)


def scorecard(judged: Sequence[Judged]) -> str:
    """A line per kind, then both together, then results with computed numbers, then where results stood."""
    lines = [f"{'':26}{'rows':>5}{'right':>7}{'wrong':>7}{'none':>6}   right of all          wrong of those given"]
    for name, chosen in _groups(judged):
        counts = Counter(one.verdict for one in chosen)
        lines.append(
            f"{name:26}{len(chosen):5}{counts[RIGHT]:7}{counts[WRONG]:7}{counts[NOT_GIVEN]:6}   "
            f"{interval(chosen, _right)}  {interval([one for one in chosen if one.result], _wrong)}"
        )
    places = Counter((one.result.source.value, one.verdict) for one in judged if one.result)
    lines += [f"  from {source}: {n} {verdict}" for (source, verdict), n in sorted(places.items())]
    return "\n".join(lines)


def of_time_before(judged: Sequence[Judged]) -> str:
    """Right and wrong of the results whose second arm is the time before, since their paper has no other group."""
    counts = Counter(one.verdict for one in judged if one.result is not None and one.result.is_before)
    return f"{counts[RIGHT]} right, {counts[WRONG]} wrong"


def _groups(judged: Sequence[Judged]) -> Iterable[tuple[str, list[Judged]]]:
    printed = [one for one in judged if not one.is_computed]
    yield "binary", [one for one in judged if one.row.kind == "binary"]
    yield "continuous", [one for one in judged if one.row.kind == "continuous"]
    yield "together", list(judged)
    yield "without computed numbers", printed
    yield "with computed numbers", [one for one in judged if one.is_computed]


def _right(one: Judged) -> bool:
    return one.verdict == RIGHT


def _wrong(one: Judged) -> bool:
    return one.verdict == WRONG


def interval(judged: Sequence[Judged], holds: Callable[[Judged], bool]) -> str:
    """A share with its 95 % interval: trials drawn with replacement, 10,000 times."""
    if not judged:
        return f"{'-':>20}"
    by_trial: dict[str, list[bool]] = defaultdict(list)
    for one in judged:
        by_trial[one.row.pmcid].append(holds(one))
    totals = [(sum(found), len(found)) for found in by_trial.values()]
    draw = random.Random(SEED)
    shares = sorted(_share(draw.choices(totals, k=len(totals))) for _ in range(DRAWS))
    low, high = shares[int(0.025 * DRAWS)], shares[int(0.975 * DRAWS)]
    return f"{100 * _share(totals):5.1f} % [{100 * low:4.1f}, {100 * high:4.1f}]"


def _share(totals: Sequence[tuple[int, int]]) -> float:
    n = sum(of for _, of in totals)
    return sum(found for found, _ in totals) / n if n else 0.0


def shown(one: Judged) -> str:
    """A row for the developer: what was asked, what was read, what was wanted."""
    asked = one.row.asked
    told = f"{one.verdict:9} {one.row.pmcid} {asked.intervention[:30]} | {asked.comparator[:30]} | {asked.outcome[:60]}"
    if one.result is None:
        return f"{told}\n          wanted {[str(n) for n in one.row.numbers]} {' / '.join(one.refused)[:200]}"
    if one.verdict == RIGHT:
        return told
    got = f"{one.result.source} {one.result.outcome} at {one.result.time}: {[str(n) for n in given(one.result)]}"
    return f"{told}\n          wanted {[str(n) for n in one.row.numbers]} got {got}"
