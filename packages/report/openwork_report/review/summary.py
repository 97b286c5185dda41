"""What is read first of a review, as Markdown: what was found, its outcomes as a table, and its limits."""

from __future__ import annotations

from collections.abc import Iterator

from openwork_answers.estimates_in_words import estimate_in_words, figure
from openwork_contracts.review import Review
from openwork_contracts.tabulation import PooledOutcome

from openwork_report.markdown import escaped
from openwork_report.review.words import arms_in_words

HEADER = ("Outcome", "Comparison", "Studies", "People", "Effect (CI)", "Heterogeneity")
MOST_ROWS = 12
MOST_REPORTED = 3
"""Studies whose figures stand in a cell of the table; the others are in the document."""


def render_review(review: Review) -> str:
    """The summary, a table of the outcomes, then the limits."""
    blocks = [" ".join(escaped(line) for line in review.summary)]
    if review.outcomes:
        blocks.append("\n".join(_table(review)))
    if review.limits:
        blocks.append("### Limitations\n\n" + "\n".join(f"- {escaped(line)}" for line in review.limits))
    return "\n\n".join(block for block in blocks if block)


def _table(review: Review) -> Iterator[str]:
    outcomes = review.outcomes
    yield f"| {' | '.join(HEADER)} |"
    yield f"|{'---|' * len(HEADER)}"
    for one in outcomes[:MOST_ROWS]:
        yield f"| {' | '.join(escaped(cell) for cell in cells_of(one, review))} |"
    if len(outcomes) > MOST_ROWS:
        yield ""
        yield f"{len(outcomes) - MOST_ROWS} more outcomes are in the document."


def cells_of(one: PooledOutcome, review: Review) -> tuple[str, ...]:
    """A row of the table, as `HEADER` names it."""
    studies, people = str(studies_of(one)), people_of(one)
    return (one.outcome, one.comparison, studies, people, effect_of(one, review), spread_of(one))


def studies_of(one: PooledOutcome) -> int:
    """Studies whose effects stand in the row; where none has one, those that report the outcome."""
    return len(one.rows) or len(one.not_pooled)


def people_of(one: PooledOutcome) -> str:
    """People in the studies; "not counted" where one of them gave no counts, nothing where no effect stands."""
    if not one.rows:
        return ""
    return "not counted" if one.n_people is None else f"{one.n_people:,}"


def effect_of(one: PooledOutcome, review: Review) -> str:
    """The pooled effect; else that of the one study; else the figures as the studies report them."""
    if one.pooled is not None:
        return f"{one.measure} {estimate_in_words(one.pooled)}"
    if len(one.rows) == 1:
        return f"{one.measure} {estimate_in_words(one.rows[0].effect)}, one study"
    return "not pooled" if one.rows else _as_reported(one, review)


def _as_reported(one: PooledOutcome, review: Review) -> str:
    """ "no effect computed; as reported: CLASS 2000 0.76% v 1.45%"; the first studies whose arms both have a figure."""
    results = {study.study_id: study.results for study in review.studies}
    told = []
    for left in one.not_pooled:
        of_it = results.get(left.study_id, ())
        result = of_it[left.result] if left.result < len(of_it) else None
        if result and len(result.arms) > 1 and (figures := arms_in_words(result)):
            told.append(f"{left.study} {figures}")
    more = f"; and {len(told) - MOST_REPORTED} more" if len(told) > MOST_REPORTED else ""
    return f"no effect computed; as reported: {'; '.join(told[:MOST_REPORTED])}{more}" if told else "no effect computed"


def spread_of(one: PooledOutcome) -> str:
    """How far the studies differ."""
    if one.pooled is None:
        return ""
    if one.i2 is None or len(one.rows) < 3:
        return "too few to estimate"
    prediction = f"; prediction {figure(one.prediction.low)} to {figure(one.prediction.high)}" if one.prediction else ""
    return f"I² {100 * one.i2:.0f} %{prediction}"
