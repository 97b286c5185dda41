"""Trials of several arms: combined, or a shared control divided, so that nobody counts twice."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_effects.checks import of_kind, whole_number
from openwork_effects.counts import Group
from openwork_effects.errors import ImpossibleCounts
from openwork_effects.means import Sample


def combined_groups(groups: Sequence[Group]) -> Group:
    """One group of the people of several arms that get the same treatment for the question.

    Raises:
        ImpossibleCounts: no group.
    Source: Cochrane Handbook 23.3.4, DOI 10.1002/9781119536604.
    """
    for group in groups:
        of_kind(group, Group, "a group")
    return Group(sum(group.events for group in groups), sum(group.n for group in groups))


def combined_samples(samples: Sequence[Sample]) -> Sample:
    """Mean and deviation of the people of several arms as one group.

    Raises:
        ImpossibleCounts: no sample.
    Source: Cochrane Handbook 6.5.2.10, DOI 10.1002/9781119536604.
    """
    if not samples:
        raise ImpossibleCounts("no arms to combine; give at least one")
    for sample in samples:
        of_kind(sample, Sample, "a sample")
    n = sum(sample.n for sample in samples)
    mean = sum(sample.n * sample.mean for sample in samples) / n
    squares = sum(
        (sample.n - 1) * sample.standard_deviation**2 + sample.n * (sample.mean - mean) ** 2 for sample in samples
    )
    return Sample(mean, (squares / (n - 1)) ** 0.5, n)


def divided_control(control: Group, comparisons: int) -> tuple[Group, ...]:
    """A control that several comparisons of one trial share, divided among them as evenly as whole people allow.

    Where arms can be combined, combine them: the divided comparisons stay correlated.

    Args:
        comparisons: >= 1.
    Returns:
        Groups whose people and events sum to those of `control`; where people are left over, the first get one more.
    Raises:
        ImpossibleCounts: more comparisons than people.
    Source: Cochrane Handbook 23.3.4, DOI 10.1002/9781119536604.
    """
    of_kind(control, Group, "the control")
    whole_number(comparisons, "comparisons", lowest=1)
    if comparisons > control.n:
        raise ImpossibleCounts(f"{control.n} people cannot be divided among {comparisons} comparisons")
    groups, events, people = [], 0, 0
    for number in range(1, comparisons + 1):
        until = -(-control.n * number // comparisons)
        of_them = _rounded(control.events * until, control.n)
        groups.append(Group(of_them - events, until - people))
        events, people = of_them, until
    return tuple(groups)


def _rounded(numerator: int, denominator: int) -> int:
    """The nearest whole number, half upwards."""
    return (2 * numerator + denominator) // (2 * denominator)
