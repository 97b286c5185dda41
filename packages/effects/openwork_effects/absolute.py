"""A relative effect as an absolute one, at a baseline risk that somebody states. Nothing here assumes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from openwork_effects.checks import number, of_kind, stated
from openwork_effects.errors import BaselineRefused
from openwork_effects.estimates import Basis, HazardRatio, OddsRatio, Ratio, RiskDifference, RiskRatio


@dataclass(frozen=True, slots=True)
class BaselineRisk:
    """Risk without the treatment, with what has to be printed beside it.

    Raises:
        BaselineRefused: not strictly between 0 and 1.
        ImpossibleNumber: no number; a source or a time that says nothing.
    """

    risk: float
    """A fraction in (0, 1)."""
    source: str
    """Whose risk, as "placebo arm of the trial"."""
    time: str
    """Over which time, as "5 years"; a hazard ratio holds at the same time only if the hazards are proportional."""

    def __post_init__(self) -> None:
        number(self.risk, "the baseline risk")
        if not 0 < self.risk < 1:
            raise BaselineRefused(f"the baseline risk is {self.risk!r}; give a fraction strictly between 0 and 1")
        stated(self.source, "the source of the baseline risk")
        stated(self.time, "the time of the baseline risk")


@dataclass(frozen=True, slots=True)
class AbsoluteEffect:
    """What a relative effect comes to at one baseline risk.

    The limits are those of the relative effect: that the baseline is itself uncertain is not in them.
    """

    baseline: BaselineRisk
    risk: float
    """With the treatment, in [0, 1]."""
    difference: RiskDifference
    """With minus without; basis `STATED_BASELINE`."""


def absolute_from_hazard_ratio(effect: HazardRatio, baseline: BaselineRisk) -> AbsoluteEffect:
    """1 - (1 - baseline)^HR, for a single first event under proportional hazards and no strong competing risk.

    Raises:
        MixedKinds: another measure.
    Source: Altman and Andersen 1999, DOI 10.1136/bmj.319.7223.1492.
    """
    of_kind(effect, HazardRatio, "the effect")
    return _absolute(effect, baseline, lambda risk, ratio: 1 - (1 - risk) ** ratio)


def absolute_from_risk_ratio(effect: RiskRatio, baseline: BaselineRisk) -> AbsoluteEffect:
    """RR x baseline.

    Raises:
        BaselineRefused: estimate or upper limit would take the risk over 1: the ratio does not hold at that baseline.
        MixedKinds: another measure.
    Source: Cochrane Handbook 15.4.4, DOI 10.1002/9781119536604.
    """
    of_kind(effect, RiskRatio, "the effect")
    of_kind(baseline, BaselineRisk, "the baseline")
    if effect.high * baseline.risk > 1:
        raise BaselineRefused(
            f"a risk ratio of {effect.estimate:g} (up to {effect.high:g}) at a baseline risk of {baseline.risk:g} is a "
            "risk over 1; state a lower baseline risk, or print no absolute effect"
        )
    return _absolute(effect, baseline, lambda risk, ratio: ratio * risk)


def absolute_from_odds_ratio(effect: OddsRatio, baseline: BaselineRisk) -> AbsoluteEffect:
    """OR x baseline / (1 - baseline + OR x baseline).

    Raises:
        MixedKinds: another measure.
    Source: Cochrane Handbook 15.4.4, DOI 10.1002/9781119536604.
    """
    of_kind(effect, OddsRatio, "the effect")
    return _absolute(effect, baseline, lambda risk, ratio: ratio * risk / (1 - risk + ratio * risk))


def _absolute(effect: Ratio, baseline: BaselineRisk, treated: Callable[[float, float], float]) -> AbsoluteEffect:
    of_kind(baseline, BaselineRisk, "the baseline")
    risk, low, high = (
        min(1.0, max(0.0, treated(baseline.risk, ratio))) for ratio in (effect.estimate, effect.low, effect.high)
    )
    estimate, low, high = (value - baseline.risk for value in (risk, min(low, risk), max(high, risk)))
    difference = RiskDifference(estimate, low, high, effect.level, Basis.STATED_BASELINE)
    return AbsoluteEffect(baseline, risk, difference)
