"""Two figures side by side and no effect: "ketoacidosis (0.3% versus 0.1%) was more frequent with A than with B"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_language.quantities.quantity import Quantity, QuantityKind

from openwork_answers.arms import arms_of
from openwork_answers.excluded import add_up, is_change, is_share
from openwork_answers.figures import contradicts
from openwork_answers.found import (
    Found,
    bracket_of,
    closing,
    is_a_side,
    own_clause,
    sides_and_arms,
    subject_of,
    time_in,
    time_near,
)
from openwork_answers.named_outcomes import noun_before, outcome_behind, outcome_in, outcome_listed
from openwork_answers.outcomes_by_place import is_no_share

_K = QuantityKind
FIGURES = frozenset({_K.FRACTION, _K.PERCENT, _K.RATE})
_PAIR_CHARS = 90
"""Between two figures of one comparison."""


def pairs_in(sentence: str, quantities: Sequence[Quantity]) -> tuple[Found, ...]:
    """Two figures side by side and no effect: "ketoacidosis (0.3% versus 0.1%) was more frequent with A than B"."""
    figures = [
        q for q in quantities if q.kind in FIGURES and not _BY_SO_MUCH.search(sentence, max(0, q.start - 120), q.start)
    ]
    found: list[Found] = []
    start = i = 0
    while i < len(figures):
        row = _row(sentence, figures, i)
        i += len(row)
        if len(row) < 2 or len(arms_of(sentence, row)) != 2:
            continue
        result = _of_pair(sentence, start, row, last=i == len(figures))
        if result is not None:
            found.append(result)
        start = closing(sentence, row[-1].end)
    return tuple(found)


_BY_SO_MUCH = re.compile(
    r"\b(?:lower|reduc|decreas|increas|rais|rose|fell|cut)\w*\b[^.;()]{0,90}\bby\s+(?:about\s+|around\s+|a\s+further\s+|some\s+)?$",
    re.IGNORECASE,
)
""" "Lowered it by [12%]" is a change, and no arm's share."""
_BY_WAY_OF = re.compile(
    r"^\s*,?\s*(?:(?:mainly|mostly|largely|chiefly|primarily|partly)\s+)?"
    r"(?:driven by|through|because of|owing to|due to|as a result of)\s+(?:(?:fewer|less|more)\s+)?",
    re.IGNORECASE,
)
""" "..., mainly through fewer [infarctions] (0.18% versus 0.23%)"."""


def _of_pair(sentence: str, start: int, figures: Sequence[Quantity], *, last: bool) -> Found | None:
    first, second = figures[0], figures[-1]
    between = sentence[first.end : second.start]
    opening = sentence.rfind("(", start, first.start)
    in_brackets = opening >= 0 and ")" not in sentence[opening : second.start]
    until = opening if in_brackets else first.start
    before = sentence[own_clause(sentence, start, until) : until]
    if own := re.match(r".*\([^()]*\d[^()]*\)(?=\s*[,;]|.*\s(?:and|or|but)\s)", before, re.DOTALL):
        before = before[own.end() :]  # what stands before is of other figures
    before = _BY_WAY_OF.sub("", before)
    if not all(is_share(sentence, q) for q in figures) or is_change(subject_of(before)) or add_up(figures, between):
        return None
    outcome = (noun_before(before) or outcome_listed(before)) if in_brackets else outcome_in(before)
    if not in_brackets:
        outcome = outcome or outcome_behind(sentence[second.end :]) or outcome_behind(between)
    if outcome is None or is_no_share(outcome, before) or not (in_brackets or last):
        return None
    sides, arms = sides_and_arms(sentence, start, first.start, figures)
    if sides is None or len(arms) != 2 or is_a_side(outcome, sides) or contradicts(before, arms):
        return None
    begin = sentence.rfind(";", 0, first.start) + 1
    clause = sentence[begin : (sentence.find(";", second.end) + 1 or len(sentence))]
    return Found(outcome, sides, arms, None, time_near(clause, first.start - begin) or time_in(sentence))


def _row(sentence: str, figures: Sequence[Quantity], i: int) -> Sequence[Quantity]:
    """Figures from the i-th on that are told in one go: those of one bracket, or those near to each other outside."""
    row = [figures[i]]
    inside = bracket_of(sentence, figures[i])
    together = [q for q in figures[i + 1 :] if inside and bracket_of(sentence, q) == inside]
    if together and len(arms_of(sentence, [figures[i], *together])) > 1:
        return [figures[i], *together]
    for q in figures[i + 1 :]:
        between = sentence[row[-1].end : q.start]
        if len(between) > _PAIR_CHARS or ";" in between:
            break
        bracket = bracket_of(sentence, q)
        if bracket and bracket != inside and sum(bracket_of(sentence, other) == bracket for other in figures) > 1:
            same = [other for other in figures if bracket_of(sentence, other) == bracket]
            if len(arms_of(sentence, same)) > 1:
                break
        row.append(q)
    return row
