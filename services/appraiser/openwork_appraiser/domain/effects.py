"""A result as numbers that may be pooled: counts, means, or the effect as it was published."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openwork_contracts.cells import ResultCell
from openwork_contracts.extraction import ArmCells, ExtractedResult
from openwork_effects.counts import Group
from openwork_effects.errors import EffectError
from openwork_effects.estimates import Estimate, HazardRatio, OddsRatio, RateRatio, RiskRatio
from openwork_effects.means import Sample
from openwork_effects.pooling import Measure, StudyEffect, effect_of_counts, effect_of_estimate, effect_of_samples

_PUBLISHED: dict[str, type[Estimate]] = {
    "HR": HazardRatio,
    "RR": RiskRatio,
    "OR": OddsRatio,
    "IRR": RateRatio,
}
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.4, "year": 365.25}
_TIME = re.compile(r"(?P<n>\d+(?:\.\d+)?)\s*[- ]?(?P<unit>day|week|month|year)s?\b", re.IGNORECASE)
_WINDOWS = ((31.0, "up to 30 days"), (366.0, "over 30 days to 1 year"), (float("inf"), "over 1 year"))
NOT_SAID = "follow-up not said"


def effects_of(name: str, result: ExtractedResult) -> Iterator[StudyEffect]:
    """Each measure in which a result can stand beside others, once: from counts or means, else as it was published.

    Args:
        name: of the study, unique among those that are pooled.
    """
    given: set[Measure] = set()
    for effect in _every_effect(name, result):
        if effect.measure not in given:
            given.add(effect.measure)
            yield effect


def _every_effect(name: str, result: ExtractedResult) -> Iterator[StudyEffect]:
    if len(result.arms) == 2:
        groups = [_group(arm) for arm in result.arms]
        if groups[0] and groups[1]:
            try:
                yield effect_of_counts(name, groups[0], groups[1], Measure.RISK_RATIO)
            except EffectError:
                yield effect_of_counts(name, groups[0], groups[1], Measure.RISK_DIFFERENCE)
        samples = [_sample(arm) for arm in result.arms]
        if samples[0] and samples[1]:
            yield effect_of_samples(name, samples[0], samples[1], Measure.MEAN_DIFFERENCE)
    published = _published(result.effect)
    if published is not None:
        try:
            yield effect_of_estimate(name, published)
        except EffectError:
            return


def _group(arm: ArmCells) -> Group | None:
    n, events = _whole(arm.n), _whole(arm.events)
    if n is None or events is None:
        return None
    try:
        return Group(events, n)
    except EffectError:
        return None


def _sample(arm: ArmCells) -> Sample | None:
    n, mean, deviation = _whole(arm.n), _number(arm.mean), _number(arm.deviation)
    if n is None or mean is None or deviation is None:
        return None
    try:
        return Sample(mean, deviation, n)
    except EffectError:
        return None


def _published(cell: ResultCell | None) -> Estimate | None:
    if cell is None or cell.interval is None or (kind := _PUBLISHED.get((cell.measure or "").upper())) is None:
        return None
    try:
        level = float(cell.interval.level) / 100 if cell.interval.level else 0.95
        return kind(float(cell.value), float(cell.interval.low), float(cell.interval.high), level)
    except ValueError:  # of EffectError too: an estimate outside of its interval was misread
        return None


def _whole(cell: ResultCell | None) -> int | None:
    number = _number(cell)
    return int(number) if number is not None and number.is_integer() else None


def _number(cell: ResultCell | None) -> float | None:
    if cell is None:
        return None
    try:
        return float(cell.value.replace(",", "").replace("\u2212", "-").replace("\u00b7", "."))
    except ValueError:
        return None


def window_of(time: str | None) -> str:
    """The window of time in which a result may stand beside others; of a range the last time that is named."""
    days = [float(match["n"]) * _DAYS[match["unit"].casefold()] for match in _TIME.finditer(time or "")]
    if not days:
        return NOT_SAID
    return next(words for most, words in _WINDOWS if max(days) <= most)
