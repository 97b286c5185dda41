"""Two groups of people and an event: risk, risk difference, risk ratio, odds ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from openwork_effects.checks import level_of_confidence, of_kind, whole_number
from openwork_effects.distributions import normal_for
from openwork_effects.errors import ImpossibleCounts, RatioUndefined
from openwork_effects.estimates import Basis, OddsRatio, RiskDifference, RiskRatio


@dataclass(frozen=True, slots=True)
class Group:
    """People of one arm and how many of them had the event at least once.

    Raises:
        ImpossibleCounts: events > n, n = 0, a negative or broken number.
    """

    events: int
    n: int

    def __post_init__(self) -> None:
        whole_number(self.events, "events")
        whole_number(self.n, "n", lowest=1)
        if self.events > self.n:
            raise ImpossibleCounts(
                f"{self.events} events in {self.n} people: people are counted here, each once; read the cell again, "
                "and use PersonTime for events that recur"
            )

    @property
    def risk(self) -> float:
        """Events over people, in [0, 1]."""
        return self.events / self.n


@dataclass(frozen=True, slots=True)
class Risk:
    """A risk with its interval, in [0, 1]."""

    risk: float
    low: float
    high: float
    level: float


def risk(group: Group, level: float = 0.95) -> Risk:
    """The risk of one group with Wilson's score interval.

    Args:
        level: of the interval, in [0.5, 0.9999].
    Returns:
        Fractions in [0, 1]; exactly 0 and 1 at no event and at all.
    Raises:
        MixedKinds: not a `Group`.
        ImpossibleInterval: the level.
    Source: Wilson 1927, DOI 10.1080/01621459.1927.10502953.
    """
    of_kind(group, Group, "the group")
    z = normal_for(level_of_confidence(level))
    n, p = group.n, group.risk
    middle = group.events + z * z / 2
    spread = z * math.sqrt(group.events * (1 - p) + z * z / 4)
    low = 0.0 if group.events == 0 else max(0.0, (middle - spread) / (n + z * z))
    high = 1.0 if group.events == n else min(1.0, (middle + spread) / (n + z * z))
    return Risk(p, min(low, p), max(high, p), float(level))


def risk_difference(first: Group, second: Group, level: float = 0.95) -> RiskDifference:
    """Risk of the first minus risk of the second, with Newcombe's hybrid score interval.

    Zero cells need no correction and get none. From crude counts: nobody is censored.

    Args:
        level: of the interval, in [0.5, 0.9999].
    Returns:
        A fraction in [-1, 1], basis `CRUDE_COUNTS`; swapped groups change its sign.
    Raises:
        MixedKinds: a group that is not a `Group`, as person-time.
        ImpossibleInterval: the level.
    Source: Newcombe 1998, method 10, DOI 10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I.
    """
    a, b = risk(first, level), risk(second, level)
    exact = float(Fraction(first.events, first.n) - Fraction(second.events, second.n))
    low = exact - math.hypot(a.risk - a.low, b.high - b.risk)
    high = exact + math.hypot(a.high - a.risk, b.risk - b.low)
    return RiskDifference(exact, max(-1.0, low), min(1.0, high), float(level), Basis.CRUDE_COUNTS)


def risk_ratio(first: Group, second: Group, level: float = 0.95) -> RiskRatio:
    """Risk of the first over risk of the second, with the Wald interval of its logarithm.

    0.5 is added to all four cells where one of them is zero, else to none; the result says so.

    Raises:
        RatioUndefined: no event in either group, or everybody had it in both.
        MixedKinds: a group that is not a `Group`.
        ImpossibleInterval: the level, in [0.5, 0.9999].
    Source: Katz 1978, DOI 10.2307/2530610; correction and double-zero: Cochrane Handbook 10.4.4, DOI
        10.1002/9781119536604.
    """
    (a, b), (c, d), corrected = cells_of(first, second)
    spread = normal_for(level_of_confidence(level)) * math.sqrt(b / (a * (a + b)) + d / (c * (c + d)))
    ratio = (a / (a + b)) / (c / (c + d))
    return RiskRatio(ratio, ratio * math.exp(-spread), ratio * math.exp(spread), float(level), corrected)


def odds_ratio(first: Group, second: Group, level: float = 0.95) -> OddsRatio:
    """Odds of the first over odds of the second, with the Wald interval of its logarithm.

    0.5 is added to all four cells where one of them is zero, else to none; the result says so.

    Raises:
        RatioUndefined: no event in either group, or everybody had it in both.
        MixedKinds: a group that is not a `Group`.
        ImpossibleInterval: the level, in [0.5, 0.9999].
    Source: Woolf 1955, DOI 10.1111/j.1469-1809.1955.tb01348.x; correction: Cochrane Handbook 10.4.4, DOI
        10.1002/9781119536604.
    """
    (a, b), (c, d), corrected = cells_of(first, second)
    spread = normal_for(level_of_confidence(level)) * math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    ratio = (a / b) / (c / d)
    return OddsRatio(ratio, ratio * math.exp(-spread), ratio * math.exp(spread), float(level), corrected)


def cells_of(first: Group, second: Group) -> tuple[tuple[float, float], tuple[float, float], bool]:
    """With and without the event, first and second group; 0.5 more in all four where one is zero, and whether it is so.

    Raises:
        RatioUndefined: no event in either group, or everybody had it in both.
        MixedKinds: a group that is not a `Group`.
    """
    of_kind(first, Group, "the first group")
    of_kind(second, Group, "the second group")
    if first.events + second.events == 0:
        raise RatioUndefined(
            f"no events in 0 of {first.n} and 0 of {second.n}: no ratio; print counts and risk difference"
        )
    if first.events == first.n and second.events == second.n:
        raise RatioUndefined(
            f"everybody had the event, {first.n} and {second.n}: no ratio; print counts and risk difference"
        )
    cells = (first.events, first.n - first.events), (second.events, second.n - second.events)
    corrected = 0 in cells[0] + cells[1]
    plus = 0.5 if corrected else 0.0
    return (cells[0][0] + plus, cells[0][1] + plus), (cells[1][0] + plus, cells[1][1] + plus), corrected
