"""What may be pooled, and what is refused, in words that are printed. Rules, no statistics.

Source: Cochrane Handbook 6.2, 6.5.2.8, 10.3, 10.10 and 23, DOI 10.1002/9781119536604.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from openwork_effects.pooling.measures import Measure, StudyEffect


class Allocation(StrEnum):
    """How people came into the groups of a trial."""

    PARALLEL = "parallel"
    CLUSTER = "cluster"
    CROSSOVER = "crossover"


class Values(StrEnum):
    """Of a measured outcome."""

    FINAL = "final values"
    CHANGE = "changes from baseline"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A study's effect with what decides whether it stands beside others. Texts are compared as they are given."""

    effect: StudyEffect
    comparison: str
    outcome: str
    analysis: str
    """Of whom: "intention-to-treat", "per protocol"; "not stated" is a set of its own."""
    window: str
    """Of time, as the caller draws them: "up to 30 days", "1 to 2 years"."""
    adjusted: bool = False
    """For covariates: it stands beside crude effects of the same measure only."""
    allocation: Allocation = Allocation.PARALLEL
    corrected_for_allocation: bool = False
    """Clusters: a design effect or a model of clusters. Crossover: paired, or the first period alone."""
    values: Values | None = None
    """Of a mean difference; a standardised one needs it."""
    scale_direction_known: bool = True
    """Whether more of the instrument is better or worse is known, and made the same by the caller."""
    converted: bool = False
    """A measure that was made from another (a hazard ratio taken as a risk ratio): stands beside none."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A study that is not pooled, or not with the others, and why."""

    study: str
    because: str


@dataclass(frozen=True, slots=True)
class Poolable:
    """One set of studies that share a question."""

    comparison: str
    outcome: str
    measure: Measure
    analysis: str
    window: str
    effects: tuple[StudyEffect, ...]


@dataclass(frozen=True, slots=True)
class Sorted:
    """What becomes of candidates: every one is in a set or refused."""

    sets: tuple[Poolable, ...]
    """In the order in which their first study was given."""
    refused: tuple[Refused, ...]


def sort_candidates(candidates: Iterable[Candidate]) -> Sorted:
    """Sets of at least two studies with the same comparison, outcome, measure, analysis set and time window.

    A study that is given twice for a set counts once, the first time. Standardised differences of final values and of
    changes are sets of their own.
    """
    sets: dict[tuple[str, ...], list[Candidate]] = {}
    refused: list[Refused] = []
    for candidate in candidates:
        if (why := _unfit(candidate)) is not None:
            refused.append(Refused(candidate.effect.study, why))
            continue
        of_set = sets.setdefault(_key(candidate), [])
        if any(other.effect.study == candidate.effect.study for other in of_set):
            refused.append(Refused(candidate.effect.study, "the same study is in the set already: it counts once"))
        else:
            of_set.append(candidate)
    alone = [members[0] for members in sets.values() if len(members) == 1]
    refused += [Refused(one.effect.study, _why_alone(one, sets.values())) for one in alone]
    return Sorted(tuple(_poolable(members) for members in sets.values() if len(members) > 1), tuple(refused))


def _key(candidate: Candidate) -> tuple[str, ...]:
    measure = candidate.effect.measure
    values = (candidate.values or "") if measure is Measure.STANDARDISED_MEAN_DIFFERENCE else ""
    return candidate.comparison, candidate.outcome, measure, candidate.analysis, candidate.window, values


def _unfit(candidate: Candidate) -> str | None:
    if candidate.converted:
        return "its measure was made from another one"
    if candidate.allocation is Allocation.CLUSTER and not candidate.corrected_for_allocation:
        return "a cluster trial without a design effect or an intracluster correlation"
    if candidate.allocation is Allocation.CROSSOVER and not candidate.corrected_for_allocation:
        return "a crossover trial without a paired analysis or results of the first period"
    if candidate.effect.measure is Measure.STANDARDISED_MEAN_DIFFERENCE:
        if candidate.values is None:
            return (
                "final values or changes from baseline is not said, and the two do not mix in a standardised difference"
            )
        if not candidate.scale_direction_known:
            return "whether more of its scale is better or worse is not known"
    return None


_DIFFERS = (
    ("analysis", "analysis set"),
    ("window", "time window"),
)


def _why_alone(one: Candidate, sets: Iterable[Sequence[Candidate]]) -> str:
    """What keeps it from the nearest set: its measure, analysis set or time; else it is the only study."""
    others = [other for members in sets for other in members if other is not one]
    same = [o for o in others if (o.comparison, o.outcome) == (one.comparison, one.outcome)]
    if not same:
        return "the only study of this comparison and outcome"
    if all(other.effect.measure is not one.effect.measure for other in same):
        kinds = ", ".join(sorted({other.effect.measure for other in same}))
        return f"its measure is {one.effect.measure}, that of the others {kinds}"
    like = [other for other in same if other.effect.measure is one.effect.measure]
    for name, words in _DIFFERS:
        mine = getattr(one, name)
        if all(getattr(other, name) != mine for other in like):
            return f"another {words}: {mine}"
    return "no other study has its measure, analysis set and time window together"


def _poolable(members: Sequence[Candidate]) -> Poolable:
    first = members[0]
    effects = tuple(member.effect for member in members)
    return Poolable(first.comparison, first.outcome, first.effect.measure, first.analysis, first.window, effects)
