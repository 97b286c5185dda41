"""Marks of consistency: what does not fit in a result, or between two places that give it. They take nothing away."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from openwork_contracts.cells import ResultCell
from openwork_contracts.measures import RATIOS

from openwork_extraction.effects import excludes_none
from openwork_extraction.printed import is_percent_of, number
from openwork_extraction.results import ArmNumbers, Mark, MarkKind, Source, StudyResult

_OTHER_TEST = re.compile(r"\blog-?\s?rank\b|\bFisher|\bMann|\bWilcoxon|\bnon-?inferior", re.IGNORECASE)
"""A p value of another test than the interval's need not agree with it."""
_ROUNDING = 1.01
"""Halves of the last digit of both limits, and a hair for the printing."""
_CLEARLY_UNDER, _CLEARLY_OVER = 0.045, 0.055
"""A p value nearer to 0.05 than this may be rounded to either side."""


def checked(result: StudyResult) -> StudyResult:
    """A result with the marks of what does not fit in itself."""
    return result.marked(*_of_arms(result.arms), *_of_effect(result))


def _of_arms(arms: Iterable[ArmNumbers]) -> Iterator[Mark]:
    arms = tuple(arms)
    if any(arm.is_spread_assumed for arm in arms):
        yield Mark(MarkKind.SPREAD, "what stands beside the means is not named; it is read as standard deviations")
    for arm in arms:
        if arm.events is None or arm.n is None or arm.percent is None or arm.events.computed:
            continue
        x, n = int(number(arm.events.value)), int(number(arm.n.value))
        if not is_percent_of(x, n, arm.percent.value):
            share = 100 * x / n if n else 0.0
            message = f"{arm.arm}: {x} of {n} is {share:.1f} %, printed is {arm.percent.value} %"
            yield Mark(MarkKind.PERCENT, message)


def _of_effect(result: StudyResult) -> Iterator[Mark]:
    effect = result.effect
    if effect is None or effect.interval is None:
        return
    value, low, high = (float(number(text)) for text in (effect.value, effect.interval.low, effect.interval.high))
    shown = f"{effect.measure or 'effect'} {effect.value} ({effect.interval.low} to {effect.interval.high})"
    if not low <= value <= high:
        yield Mark(MarkKind.INTERVAL, f"{shown}: the estimate is outside its interval")
    elif effect.measure in RATIOS and low > 0 and not _is_central(effect, value, low, high):
        yield Mark(MarkKind.ASYMMETRIC, f"{shown}: the estimate is not in the middle of its interval on the log scale")
    excludes = excludes_none(effect)
    p = _p(effect.p_value)
    if excludes is None or p is None or result.adjusted or _OTHER_TEST.search(effect.words or ""):
        return
    if effect.interval.level not in (None, "95"):
        return
    if (excludes and p > _CLEARLY_OVER) or (not excludes and p < _CLEARLY_UNDER):
        yield Mark(MarkKind.P_VALUE, f"{shown} and P = {effect.p_value} do not agree about no effect")


def _is_central(effect: ResultCell, value: float, low: float, high: float) -> bool:
    """Whether a ratio is the geometric middle of its limits, as far as their printed digits can tell."""
    assert effect.interval is not None  # the caller has looked
    half = 0.5 * 10 ** -max(_digits(effect.interval.low), _digits(effect.interval.high)) * _ROUNDING
    lowest = math.sqrt(max(low - half, 1e-12) * (high - half))
    highest = math.sqrt((low + half) * (high + half))
    own = 0.5 * 10 ** -_digits(effect.value) * _ROUNDING
    return bool(lowest - own <= value <= highest + own)


def _digits(text: str) -> int:
    return len(text.partition(".")[2])


def _p(text: str | None) -> float | None:
    """A p value; of "<0.001" its bound, of ">0.05" a value over it."""
    match = re.match(r"\s*(?P<op>[<>=≤≥]*)\s*(?P<value>\d*\.?\d+)", text or "")
    if match is None:
        return None
    value = float(match["value"])
    return (
        value * 0.99
        if match["op"].startswith(("<", "≤"))
        else min(1.0, value * 1.2)
        if match["op"].startswith(">")
        else value
    )


def sizes_fit(result: StudyResult, total: int | None) -> StudyResult:
    """The result, marked where its two arms together have more people than the study."""
    sizes = [int(number(arm.n.value)) for arm in result.arms if arm.n is not None]
    if total is None or len(sizes) != 2 or sum(sizes) <= total:
        return result
    message = f"the arms have {sizes[0]} and {sizes[1]} people, the study {total}"
    return result.marked(Mark(MarkKind.ARM_SIZES, message))


def compared(results: Sequence[StudyResult]) -> tuple[StudyResult, ...]:
    """Results of one question with marks where the abstract or the registry gives other numbers than the full text."""
    papers = [r for r in results if r.source in (Source.TABLE, Source.PROSE)]
    marked = list(results)
    for place, result in enumerate(results):
        if result.source not in (Source.ABSTRACT, Source.REGISTRY):
            continue
        rivals = [paper for paper in papers if _same_time(paper, result)]
        if rivals and (differ := [_difference(result, paper) for paper in rivals]) and all(differ):
            kind = MarkKind.ABSTRACT if result.source is Source.ABSTRACT else MarkKind.REGISTRY
            marked[place] = result.marked(Mark(kind, str(differ[0])))
    return tuple(marked)


def _same_time(one: StudyResult, other: StudyResult) -> bool:
    return one.time is None or other.time is None or one.time == other.time


def _difference(one: StudyResult, other: StudyResult) -> str | None:
    """What two results of one outcome say differently; `None` = nothing that both say."""
    for mine, theirs in zip(one.arms, other.arms, strict=False):
        for name in ("events", "mean", "n"):
            a: ResultCell | None = getattr(mine, name)
            b: ResultCell | None = getattr(theirs, name)
            if a is not None and b is not None and not _alike(a.value, b.value):
                return f"{one.source} {name} {a.value}, {other.source} {b.value} ({theirs.arm})"
    mine_effect, theirs_effect = one.effect, other.effect
    if mine_effect is None or theirs_effect is None or mine_effect.measure != theirs_effect.measure:
        return None
    if _alike(mine_effect.value, theirs_effect.value):
        return None
    return f"{one.source} {mine_effect.measure} {mine_effect.value}, {other.source} {theirs_effect.value}"


def _alike(one: str, other: str) -> bool:
    """Whether two printed numbers are the same within the rounding of the shorter one."""
    digits = min(_digits(one), _digits(other))
    return bool(abs(number(one) - number(other)) <= Decimal("0.51").scaleb(-digits))
