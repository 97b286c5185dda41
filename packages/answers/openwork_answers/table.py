"""The table beneath the direct answer: one row a study, five columns. Plain cells; who prints them escapes them."""

from __future__ import annotations

from dataclasses import dataclass

from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, Fit, StudyResult

from openwork_answers.figures_in_words import absolute_in_words, figures_in_words, short_sides, sides_among
from openwork_answers.forms import lines_of
from openwork_answers.naming_people import in_group
from openwork_answers.outcomes import is_harm

HEADER = ("Study", "People", "Compared", "Outcome", "Harm")
MOST_ROWS = 5
IN_WORDS = "in words"
"""Before a sentence of a source in a cell."""


@dataclass(frozen=True, slots=True)
class Row:
    """Cells in the order of `HEADER`, and the source's number."""

    n: int
    cells: tuple[str, str, str, str, str]


def table_of(conclusion: Conclusion) -> tuple[Row, ...]:
    """The sources of the asked comparison, the leading one first; where nothing leads, those that stand nearest.

    One source has one row; behind those with results stand those of which there are words alone.
    """
    rows: dict[int, list[StudyResult]] = {}
    lead = (conclusion.lead,) if conclusion.lead else ()
    near = (*conclusion.nearest_told, *conclusion.nearest_described, *conclusion.likely)
    for result in (*lead, *conclusion.conflicts, *conclusion.others, *near):
        rows.setdefault(result.n, []).append(result)
    found = [_row(n, results, conclusion) for n, results in rows.items()]
    alone = dict.fromkeys(one.n for one in conclusion.sentences_beside if one.n not in rows)
    found += [row for n in alone if (row := _row_in_words(n, conclusion)) is not None]
    return tuple(found[:MOST_ROWS])


def _row(n: int, results: list[StudyResult], conclusion: Conclusion) -> Row:
    first = results[0]
    own_harms = _harms_near(results) if conclusion.lead is None else []
    results = [r for r in results if r not in own_harms]
    harms = [r for r in (*conclusion.harms, *conclusion.harms_near) if r.n == n and _are_of_one_comparison(first, r)]
    harms = [*own_harms, *harms]
    doses = conclusion.asked.doses
    told = [(r, " v ".join(sides_among(r, conclusion.results, doses))) for r in (*results, *harms)]
    apart = len({sides for _, sides in told if sides}) > 1
    cells = [_figures(r, sides if apart else "") for r, sides in told]
    outcomes = [*cells[: len(results)], *_in_words(n, conclusion)]
    compared = dict.fromkeys(sides for _, sides in told[: len(results)] if sides)
    return Row(
        n,
        (
            f"{first.study} [{n}]",
            _people(first),
            "; ".join(compared) or "not told",
            "; ".join(outcomes),
            "; ".join(cells[len(results) :]) or "not reported here",
        ),
    )


def _row_in_words(n: int, conclusion: Conclusion) -> Row | None:
    """The row of a source of which no result is shown; `None` = its sentences stand in the answer."""
    study = next((one.study for one in conclusion.sentences_beside if one.n == n), None)
    told = _in_words(n, conclusion)
    if study is None or not told:
        return None
    return Row(n, (f"{study} [{n}]", "not told", "not told", "; ".join(told), "not reported here"))


def _in_words(n: int, conclusion: Conclusion) -> list[str]:
    """The sentences that are likely to be asked for, in the row of their source, where the answer has no room.

    A description has them in front.
    """
    if conclusion.verdict is ConclusionVerdict.DESCRIPTION:
        return []
    own = [one.text for one in conclusion.sentences_beside if one.n == n]
    told = [line.text for line in lines_of(conclusion)] if own else []
    return [f"{IN_WORDS}: {text}" for text in own if not any(text in line for line in told)]


def _harms_near(results: list[StudyResult]) -> list[StudyResult]:
    """Of what stands nearest the harms that were not asked about: the first result tells whether one was."""
    first, *rest = results
    if is_harm(first.outcome):
        return []
    return [r for r in rest if r.harm or (is_harm(r.outcome) and r.outcome_fit is Fit.OTHER)]


def _are_of_one_comparison(one: StudyResult, other: StudyResult) -> bool:
    """Whether two results of a source are of the same arms, as far as both tell: of other arms it is another harm."""
    told = [frozenset(short_sides(r.comparison)) for r in (one, other)]
    return not all(told) or told[0] == told[1]


def _people(result: StudyResult) -> str:
    counted = sum(arm.n or 0 for arm in result.arms)
    if counted and all(arm.n for arm in result.arms):
        n = f"{counted:,}"
    elif result.n_studied is not None:
        n = f"{'of ' if result.is_subgroup else ''}{result.n_studied:,} studied"
    else:
        n = "n not published"
    return f"{n}; {result.people}" if result.people else n


def _figures(result: StudyResult, sides: str) -> str:
    """ "stroke with dabigatran 150 mg v warfarin: ..."; no `sides` where the row has one comparison."""
    told = "; ".join(part for part in (figures_in_words(result, counts=True), absolute_in_words(result)) if part)
    wider = " (not the asked people alone)" if result.people_fit is Fit.WIDER and result.is_subgroup else ""
    who = in_group(result.people) if result.is_subgroup and result.people else ""
    of = f" with {sides}" if sides else ""
    return f"{result.outcome}{of}{who}: {told or 'counts not published'}{wider}"
