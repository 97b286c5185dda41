"""Results of several studies by what they are of: one comparison, one outcome; one result of each study."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import Outcome, read_outcome
from openwork_answers.treatments import is_control
from openwork_contracts.conclusion import Fit
from openwork_contracts.extraction import ExtractedResult, MarkKind, ResultSource

from openwork_appraiser.domain.studies import StudyInTable

_IS_AN_ARM = re.compile(
    r"(?:[\s-]+(?:treated|treatment|group|groups|arm|arms|patients|participants|recipients|doses?))+$"
)
CONTROL = "placebo or usual care"
UNREAD = "a comparator that was not read"
_NEAR = (Fit.ASKED, Fit.PART)
_OF_THESE_PEOPLE = (Fit.ASKED, Fit.PART, Fit.WIDER)
_SOURCES = {ResultSource.REGISTRY: 0, ResultSource.TABLE: 1, ResultSource.TEXT: 2, ResultSource.ABSTRACT: 3}


@dataclass(frozen=True, slots=True)
class Row:
    """A result of a study, and its place among the study's results."""

    study: StudyInTable
    place: int
    result: ExtractedResult


@dataclass(slots=True)
class OutcomeGroup:
    """Everything that the studies report of one comparison and outcome."""

    comparison: str
    name: str
    """As the first source calls it."""
    outcome: Outcome
    fit: Fit
    is_unread: bool = False
    """What the treatment was compared with was not read."""
    rows: list[Row] = field(default_factory=list)
    unread: list[Row] = field(default_factory=list)
    """Results of the outcome whose comparator was not read: never pooled."""

    @property
    def harm(self) -> bool:
        """Whether a source lists it as an unwanted effect."""
        return any(row.result.harm for row in self.rows)

    @property
    def bad(self) -> bool | None:
        """Whether more of it is bad; `None` = not known."""
        return next((row.result.bad for row in self.rows if row.result.bad is not None), None)


def groups_of(studies: Sequence[StudyInTable], tested: str) -> list[OutcomeGroup]:
    """Groups in the order of their first result, those of the asked outcome first.

    Args:
        tested: what was asked about, for a reader: "SGLT2 inhibitors".
    """
    groups: list[OutcomeGroup] = []
    for study in studies:
        for place, result in enumerate(study.results):
            if result.comparison_fit not in _NEAR or not result.cells:
                continue
            other = _other_side(result)
            comparison = f"{tested} versus {other or UNREAD}"
            outcome = read_outcome(result.outcome)
            group = next((g for g in groups if g.comparison == comparison and _is_same(g.outcome, outcome)), None)
            if group is None:
                group = OutcomeGroup(comparison, result.outcome, outcome, result.outcome_fit, is_unread=other is None)
                groups.append(group)
            group.rows.append(Row(study, place, result))
    return sorted(_with_unread(groups), key=_order)


def _with_unread(groups: Sequence[OutcomeGroup]) -> list[OutcomeGroup]:
    """Results whose comparator was not read stand beside those of their outcome, where there are any, and are named."""
    read = [group for group in groups if not group.is_unread]
    kept = list(read)
    for unread in (group for group in groups if group.is_unread):
        beside = next((group for group in read if _is_same(group.outcome, unread.outcome)), None)
        if beside is None:
            kept.append(unread)
        else:
            beside.unread += unread.rows
    return kept


def _order(group: OutcomeGroup) -> tuple[int, int]:
    rank = {Fit.ASKED: 0, Fit.PART: 1, Fit.WIDER: 2}.get(group.fit, 3)
    return rank, -len({row.study.study_id for row in group.rows})


def _is_same(one: Outcome, other: Outcome) -> bool:
    """Each is what the other is: no composite is its component, no kind is the whole."""
    return fit_of(one, other) is Fit.ASKED and fit_of(other, one) is Fit.ASKED


def _other_side(result: ExtractedResult) -> str | None:
    """What it was compared with, `None` = that was not read; controls of every name are one."""
    arms = [arm.arm for arm in result.arms]
    sides = arms or list(next((cell.comparison for cell in result.cells if cell.comparison), ()))
    if len(sides) < 2:
        return None
    return CONTROL if is_control(sides[1]) else _plain(sides[1])


def _plain(arm: str) -> str:
    """The name of an arm without what says that it is one: "rofecoxib-", "the rofecoxib group", "rofecoxib-treated"."""
    words = _IS_AN_ARM.sub("", arm.casefold()).removeprefix("the ").strip(" -")
    return re.sub(r"(?<=\d)-(?=mg\b|mcg\b|g\b)", " ", words) or arm.casefold()


def one_of_each(rows: Iterable[Row]) -> tuple[list[Row], list[tuple[Row, str]]]:
    """The result of each study that stands for it, and the others with the reason why not."""
    by_study: dict[str, list[Row]] = {}
    left: list[tuple[Row, str]] = []
    for row in rows:
        if any(mark.kind is MarkKind.BEFORE for mark in row.result.marks):
            left.append((row, "compared with the time before, not with another group: see its cells"))
        elif row.result.is_subgroup:
            left.append((row, "a part of the study's people: the whole is shown"))
        elif row.result.people_fit not in _OF_THESE_PEOPLE:
            left.append((row, "not of the people asked about, as far as it tells"))
        elif row.result.source is ResultSource.TABLE:
            left.append((row, "read from a table by code, which is not sure enough to be pooled: see its cells"))
        elif row.study.is_synthesis:
            left.append((row, "it holds other studies, which would count twice"))
        else:
            by_study.setdefault(row.study.study_id, []).append(row)
    chosen = []
    for own in by_study.values():
        best = min(own, key=_worth)
        chosen.append(best)
        left += [(row, "another result of the same study stands for it") for row in own if row is not best]
    return chosen, left


def _worth(row: Row) -> tuple[bool, bool, int, int]:
    """Counts or means before an effect alone, no set of analysis that is not everybody, the surer source."""
    result = row.result
    complete = len(result.arms) == 2 and all(
        (arm.n and arm.events) or (arm.n and arm.mean and arm.deviation) for arm in result.arms
    )
    return (not complete and result.effect is None, not complete, _SOURCES.get(result.source, 9), row.place)
