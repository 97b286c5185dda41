"""Whether the crude difference and the published effect of one result say the same about no effect."""

from __future__ import annotations

from enum import StrEnum

from openwork_effects.checks import of_kind, same_level
from openwork_effects.estimates import Estimate, RiskDifference, Side


class Agreement(StrEnum):
    """How two intervals of one result stand to no effect."""

    AGREE = "agree"
    """Both exclude it on the same side, or both include it."""
    ONLY_PUBLISHED_EXCLUDES = "only_published_excludes_no_effect"
    ONLY_CRUDE_EXCLUDES = "only_crude_excludes_no_effect"
    OPPOSITE = "opposite"
    """Both exclude it, on different sides: arms or event were probably misread."""

    @property
    def allows_number_needed(self) -> bool:
        """False: print both, let the published one decide, and no number needed to treat."""
        return self is Agreement.AGREE


def compare_crude_with_published(crude: RiskDifference, published: Estimate) -> Agreement:
    """Whether the crude risk difference and the published, often adjusted effect agree about no effect.

    Args:
        crude: from counts.
        published: the same comparison, event, arms in the same order, and level; a ratio or a difference. A ratio of
            survival or freedom from the event runs the other way: it is of another event.
    Returns:
        `AGREE`, or which of the two excludes no effect.
    Raises:
        MixedKinds: the first is no risk difference, the second no effect.
        ImpossibleInterval: intervals of different levels.
    """
    of_kind(crude, RiskDifference, "the crude difference")
    of_kind(published, Estimate, "the published effect")
    same_level(crude.level, published.level)
    if crude.side is published.side:
        return Agreement.AGREE
    if crude.side is Side.INCLUDES_NO_EFFECT:
        return Agreement.ONLY_PUBLISHED_EXCLUDES
    return Agreement.ONLY_CRUDE_EXCLUDES if published.side is Side.INCLUDES_NO_EFFECT else Agreement.OPPOSITE
