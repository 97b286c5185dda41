"""What is said of a test of noninferiority: first, and behind the figures.

Noninferior is not "equivalent", and no difference that was not tested against a margin is not "as good".
"""

from __future__ import annotations

import re

from openwork_contracts.conclusion import ConclusionVerdict, StudyResult
from openwork_contracts.measures import RATIOS

from openwork_answers.directions import direction_of

_V = ConclusionVerdict
NO_TEST = (
    "; the interval holds no difference, which alone does not make it as good: no test against a noninferiority margin "
    "was found"
)


def as_good_opening(result: StudyResult, *, asked: bool, to_say_yes: bool) -> str | None:
    """The first words; `None` = those of its verdict.

    Args:
        asked: the question is whether the tested treatment is as good as the other.
        to_say_yes: it asks for yes or no, and the result is of its very outcome, comparison and people.
    """
    if result.verdict is _V.NONINFERIOR:
        if asked:
            return "Yes, not inferior" if to_say_yes else "Not inferior"
        return "Not inferior" if _touches_none(result) or is_worse_within(result) else _NOT_BETTER
    if not asked:
        return None
    match result.verdict:
        case _V.NOT_SHOWN:
            return "Not shown to be as good"
        case _V.HARM:
            return "No, worse" if to_say_yes else "Worse"
        case _V.BENEFIT:
            return "Yes, better" if to_say_yes else "Better"
        case _:
            return None


_NOT_BETTER = "Not inferior, and not shown to be better"


def is_worse_within(result: StudyResult) -> bool:
    """Whether a noninferior result lies wholly on the worse side of no difference: that is told too."""
    effect = result.effect
    if result.verdict is not _V.NONINFERIOR or effect is None or effect.ci_low is None or effect.ci_high is None:
        return False
    none = _no_effect(result)
    side = "higher" if effect.ci_low > none else "lower" if effect.ci_high < none else None
    return side is not None and side == direction_of(result)


def _touches_none(result: StudyResult) -> bool:
    """Whether no difference is a printed end of the interval: rounded, it may lie beyond."""
    effect = result.effect
    return effect is not None and _no_effect(result) in (effect.ci_low, effect.ci_high)


def _no_effect(result: StudyResult) -> float:
    return 1.0 if result.effect is not None and result.effect.measure.upper() in RATIOS else 0.0


def of_test(result: StudyResult) -> str | None:
    """Margin, analysis set, and whose judgement it is; `None` = no test, or a better result makes it idle."""
    test = result.noninferiority
    if test is None or result.verdict is _V.BENEFIT:
        return None
    told = f"; {_outcome_of(result)}"
    if test.margin is None:
        told += ", margin not stated in what was found"
    return f"{told} ({in_analysis(test.analysis)})"


def in_analysis(analysis: str | None) -> str:
    """ "intention-to-treat analysis", "full analysis set"."""
    if analysis is None:
        return "analysis set not stated"
    return analysis if re.search(r"\b(?:analysis|population|set)\b", analysis) else f"{analysis} analysis"


def _outcome_of(result: StudyResult) -> str:
    test = result.noninferiority
    assert test is not None
    of = f" of {test.margin}" if test.margin else ""
    if test.met and test.by_interval:
        return f"within the noninferiority margin{of}"
    if test.met:
        return f"noninferior in the source's words{f', margin {test.margin}' if test.margin else ''}"
    if test.met is None and test.by_interval is False:
        return f"noninferior in the source's words, but the interval passes its margin{of}"
    if test.met is None:
        return f"tested for noninferiority, with what outcome was not found{f'; margin {test.margin}' if of else ''}"
    if test.by_interval is False:
        return f"the interval passes the noninferiority margin{of}"
    return f"noninferiority was not shown in the source's words{f', margin {test.margin}' if of else ''}"
