"""Which results of a run stand in one forest plot: those that share comparison, outcome and measure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from openwork_answers.figures_in_words import short_arm
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import read_outcome
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.conclusion import Fit, StudyResult
from openwork_contracts.measures import DIFFERENCES, RATIOS

_BRACKETS = re.compile(r"\s*\([^()]*\)")


@dataclass(frozen=True, slots=True)
class ForestGroup:
    """Results of one comparison and outcome in one measure, two or more of them with an interval; nothing is pooled."""

    measure: str
    """HR, RR, ...: in capitals."""
    outcome: str
    """In the words of the first."""
    comparison: tuple[str, str]
    """The tested arm and the comparator, without doses, in the words of the first."""
    results: tuple[StudyResult, ...]
    """In the order in which the answer tells them."""

    @property
    def title(self) -> str:
        """ "death from any cause: dapagliflozin v placebo"."""
        return f"{self.outcome}: {' v '.join(self.comparison)}"


def forest_groups(document: AnswerDocument) -> tuple[ForestGroup, ...]:
    """The groups among the results that the answer cites, in its order."""
    cited = {reference.n for reference in document.references}
    results = document.conclusion.results if document.conclusion else ()
    groups: list[list[StudyResult]] = []
    for result in dict.fromkeys(one for one in results if one.n in cited):
        if result.effect is None or measure_of(result) not in RATIOS | DIFFERENCES or len(result.comparison) != 2:
            continue
        for group in groups:
            if _same(group[0], result):
                group.append(result)
                break
        else:
            groups.append([result])
    return tuple(_group(one) for one in groups if sum(map(can_be_drawn, one)) > 1)


def measure_of(result: StudyResult) -> str:
    """The measure's short name in capitals; empty without an effect."""
    return result.effect.measure.strip().upper() if result.effect else ""


def can_be_drawn(result: StudyResult) -> bool:
    """An interval whose ends stand on both sides of the estimate; of a ratio, all above zero."""
    effect = result.effect
    if effect is None or effect.ci_low is None or effect.ci_high is None:
        return False
    in_order = effect.ci_low <= effect.estimate <= effect.ci_high
    return in_order and abs(effect.ci_high) < float("inf") and (measure_of(result) in DIFFERENCES or effect.ci_low > 0)


def _group(results: list[StudyResult]) -> ForestGroup:
    first = results[0]
    tested, other = first.comparison
    return ForestGroup(measure_of(first), first.outcome, (short_arm(tested), short_arm(other)), tuple(results))


def _same(first: StudyResult, other: StudyResult) -> bool:
    sides = all(_side(a) == _side(b) for a, b in zip(first.comparison, other.comparison, strict=True))
    same_sense = first.bad == other.bad
    return sides and same_sense and measure_of(first) == measure_of(other) and _same_outcome(first, other)


def _side(arm: str) -> str:
    return _BRACKETS.sub("", short_arm(arm)).strip().casefold()


def _same_outcome(first: StudyResult, other: StudyResult) -> bool:
    """By what they name: "all-cause mortality" is "death from any cause"; a part of an outcome is another one."""
    if first.outcome.casefold() == other.outcome.casefold():
        return True
    one, two = read_outcome(first.outcome), read_outcome(other.outcome)
    return fit_of(one, two) is Fit.ASKED and fit_of(two, one) is Fit.ASKED
