"""What one interval shows: benefit, harm, little or no difference, noninferior, or nothing yet.

It reads numbers only. Whether trials agree, were tested in order, and how sure one is, is for others.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from openwork_effects.checks import number, of_kind, stated
from openwork_effects.errors import ImpossibleNumber
from openwork_effects.estimates import Estimate, Event, Ratio, Side


class Shows(StrEnum):
    """What an interval shows of the event, not of the question's wording."""

    BENEFIT = "benefit"
    """No effect is excluded, on the better side."""
    HARM = "harm"
    """No effect is excluded, on the worse side."""
    LITTLE_OR_NO_DIFFERENCE = "little_or_no_difference"
    """No effect is included, and the whole interval is within the stated thresholds."""
    NOT_SHOWN = "not_shown"
    """No effect is included, and so is an effect that matters; or no threshold was stated."""
    NONINFERIOR = "noninferior"
    """The margin is excluded, and superiority is not shown. Not "equivalent"."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The effects that matter begin beyond these two, on the scale of the measure (ratio, or absolute difference).

    For a bad event `low` is the smallest worthwhile benefit and `high` the smallest worthwhile harm; for a good event
    the other way round.

    Raises:
        ImpossibleNumber: not finite, not low < high, or a source that says nothing.
    """

    low: float
    high: float
    source: str
    """Who states them; printed with "little or no difference"."""

    def __post_init__(self) -> None:
        number(self.low, "the lower threshold")
        number(self.high, "the upper threshold")
        stated(self.source, "the source of the thresholds")
        if not self.low < self.high:
            raise ImpossibleNumber(f"thresholds of {self.low:g} and {self.high:g}: give the lower one first")


GRADE_RELATIVE = Thresholds(0.75, 1.25, "GRADE guidelines 6, DOI 10.1016/j.jclinepi.2011.01.012")
"""For ratios: appreciable benefit or harm is "an RR of under 0.75 or over 1.25 as a rough guide".

Wide for death: 0.88 (0.77 to 1.01) lies within it. Where the outcome has a threshold of its own, state that one.
No difference has such a default: without a stated threshold an interval across 0 is `not_shown`.
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """What an interval shows, with the facts that it rests on."""

    shows: Shows
    side: Side
    """Of a noninferior result: `LOWER` or `HIGHER` where it is worse than no effect, within the margin; say so."""
    thresholds: Thresholds | None = None
    """Print them with little or no difference."""
    within_thresholds: bool = False
    """Benefit or harm too, where the whole effect is smaller than what the thresholds call worthwhile."""
    reaches_benefit: bool = False
    """Worthwhile benefit is not excluded."""
    reaches_harm: bool = False
    """Worthwhile harm is not excluded."""
    margin: float | None = None
    analysis_set: str | None = None
    """Of a noninferiority reading: both are printed."""


def read_effect(effect: Estimate, event: Event, thresholds: Thresholds | None = None) -> Reading:
    """What the interval of an effect shows.

    An interval that excludes no effect is benefit or harm, however small: that it is smaller than the thresholds is
    told beside it (`within_thresholds`). One that includes no effect is little or no difference if all of it is
    strictly within the thresholds, since printed limits are rounded; else nothing is shown.

    Args:
        effect: as published, or computed; the published one decides where both are there.
        event: whether it is wanted.
        thresholds: on the effect's scale, on either side of no effect. `None`: for a ratio `GRADE_RELATIVE`, for a
            difference none.
    Raises:
        MixedKinds: no effect, no `Event`, or no `Thresholds`.
        ImpossibleNumber: thresholds that do not enclose no effect.
    Source: GRADE guidelines 6, DOI 10.1016/j.jclinepi.2011.01.012.
    """
    of_kind(effect, Estimate, "the effect")
    of_kind(event, Event, "the event")
    limits = GRADE_RELATIVE if thresholds is None and isinstance(effect, Ratio) else thresholds
    if limits is None:
        return Reading(_excluding(effect.side, event) or Shows.NOT_SHOWN, effect.side)
    of_kind(limits, Thresholds, "the thresholds")
    if not limits.low < effect.no_effect < limits.high:
        raise ImpossibleNumber(
            f"thresholds {limits.low:g} and {limits.high:g} must lie on either side of {effect.no_effect:g}, no effect"
        )
    low, high = effect.low <= limits.low, effect.high >= limits.high
    benefit, harm = (low, high) if event is Event.BAD else (high, low)
    within = not low and not high
    otherwise = Shows.LITTLE_OR_NO_DIFFERENCE if within else Shows.NOT_SHOWN
    shows = _excluding(effect.side, event) or otherwise
    return Reading(shows, effect.side, limits, within, reaches_benefit=benefit, reaches_harm=harm)


def read_noninferiority(effect: Estimate, event: Event, margin: float, analysis_set: str) -> Reading:
    """What an interval shows against a noninferiority margin.

    Superior is benefit. Within the margin is noninferior, even if no effect is excluded on the worse side: `side` says
    so then. Beyond the margin it is harm where no effect is excluded, else nothing is shown.

    Args:
        effect: new treatment against the old one; the level of its interval is that of the trial's test.
        event: whether it is wanted.
        margin: on the effect's scale, on the worse side: 1.38 or +0.03 for a bad event, 0.8 or -0.10 for a good one.
        analysis_set: as "per protocol"; printed with the verdict.
    Raises:
        ImpossibleNumber: a margin on the better side, or an analysis set that says nothing.
        MixedKinds: no effect, or no `Event`.
    Source: CONSORT for noninferiority trials, Piaggio 2012, DOI 10.1001/jama.2012.87802.
    """
    of_kind(effect, Estimate, "the effect")
    of_kind(event, Event, "the event")
    stated(analysis_set, "the analysis set")
    limit = number(margin, "the margin")
    worse_is_higher = event is Event.BAD
    if (limit > effect.no_effect) is not worse_is_higher or limit == effect.no_effect:
        raise ImpossibleNumber(
            f"a margin of {limit:g} is not on the worse side of {effect.no_effect:g} for a {event.value} event"
        )
    excludes_margin = effect.high < limit if worse_is_higher else effect.low > limit
    against_none = _excluding(effect.side, event)
    if against_none is Shows.BENEFIT:
        shows = Shows.BENEFIT
    else:
        shows = Shows.NONINFERIOR if excludes_margin else against_none or Shows.NOT_SHOWN
    return Reading(shows, effect.side, margin=limit, analysis_set=analysis_set)


def _excluding(side: Side, event: Event) -> Shows | None:
    """Benefit or harm of an interval that excludes no effect; `None` of one that does not."""
    if side is Side.INCLUDES_NO_EFFECT:
        return None
    return Shows.BENEFIT if (side is Side.LOWER) is (event is Event.BAD) else Shows.HARM
