"""What is read first of a review, as Markdown: what was found, its outcomes as a table, and its limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from openwork_answers.estimates_in_words import estimate_in_words, figure
from openwork_contracts.review import Review
from openwork_contracts.tabulation import PooledOutcome

from openwork_report.markdown import escaped

HEADER = ("Outcome", "Comparison", "Studies", "People", "Effect (CI)", "Heterogeneity")
MOST_ROWS = 12


def render_review(review: Review) -> str:
    """The summary, a table of the outcomes, then the limits."""
    blocks = [" ".join(escaped(line) for line in review.summary)]
    if review.outcomes:
        blocks.append("\n".join(_table(review.outcomes)))
    if review.limits:
        blocks.append("### Limitations\n\n" + "\n".join(f"- {escaped(line)}" for line in review.limits))
    return "\n\n".join(block for block in blocks if block)


def _table(outcomes: Sequence[PooledOutcome]) -> Iterator[str]:
    yield f"| {' | '.join(HEADER)} |"
    yield f"|{'---|' * len(HEADER)}"
    for one in outcomes[:MOST_ROWS]:
        yield f"| {' | '.join(escaped(cell) for cell in cells_of(one))} |"
    if len(outcomes) > MOST_ROWS:
        yield ""
        yield f"{len(outcomes) - MOST_ROWS} more outcomes are in the document."


def cells_of(one: PooledOutcome) -> tuple[str, ...]:
    """A row of the table, as `HEADER` names it."""
    return (one.outcome, one.comparison, str(len(one.rows)), people_of(one), effect_of(one), spread_of(one))


def people_of(one: PooledOutcome) -> str:
    """People in the studies; "not counted" where one of them gave no counts."""
    return "not counted" if one.n_people is None else f"{one.n_people:,}"


def effect_of(one: PooledOutcome) -> str:
    """The pooled effect, or why there is none."""
    if one.pooled is not None:
        return f"{one.measure} {estimate_in_words(one.pooled)}"
    if len(one.rows) == 1:
        return f"{one.measure} {estimate_in_words(one.rows[0].effect)}, one study"
    return "not pooled"


def spread_of(one: PooledOutcome) -> str:
    """How far the studies differ."""
    if one.pooled is None:
        return ""
    if one.i2 is None or len(one.rows) < 3:
        return "too few to estimate"
    prediction = f"; prediction {figure(one.prediction.low)} to {figure(one.prediction.high)}" if one.prediction else ""
    return f"I² {100 * one.i2:.0f} %{prediction}"
