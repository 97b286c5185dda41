"""Effects that a sentence tells of the arms of its source, without a figure for each arm.

"A reduced B by 39% (95% CI 1% to 62%)", "efficacy against B was 79.6% (...)", "B (HR 0.87, ...) did not differ", "B
was 33 hours with A and 38 hours with the other (difference -5.0 hours, ...)". A difference is of the
arms in the order that its sign and the two figures before it agree on; where they do not, of none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from openwork_contracts.evidence import EffectEstimate
from openwork_contracts.measures import DIFFERENCES, RATIOS, REDUCTIONS

from openwork_answers.figures import points_the_other_way
from openwork_answers.found import Found, is_a_side, times_in
from openwork_answers.outcome_before import outcome_before
from openwork_answers.shares import opening_of
from openwork_answers.told_beside import Effect, Reading, is_set_against

_I = re.IGNORECASE
_NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
_BEFORE_REDUCTION = re.compile(r"\s+(?:and\s+)?(?:by(?:\s+about|\s+an?|\s+a\s+further)?|was|were|had\s+an?)\s*$", _I)
_MEAN = re.compile(rf"\s+(?:was|were)\s+{_NUMBER}\s.*$", _I | re.DOTALL)
_OF_ARMS = re.compile(rf"(?P<a>{_NUMBER})(?P<first>[^()\d;]{{0,90}}?)\s+(?:and|versus|vs\.?)\s+(?P<b>{_NUMBER})", _I)
EFFICACY = "efficacy"
"""The outcome of an efficacy of which its sentence does not say against what: the title does."""
_EFFICACY_IN = re.compile(
    r"\befficacy\s+(?P<who>(?:in|among|at|during)\s+[^,;()]{3,60}?)\s+(?:was|were|declined|fell|waned|rose|reached)\b",
    _I,
)
""" "Efficacy [in children aged 5 to 17 months] was ...", "efficacy [in the second year] declined to ..."."""
_AGAINST = re.compile(
    r"(?:\befficacy\s+(?:\w+\s+){0,3}?|,\s+(?:and\s+)?)against\s+(?P<o>[^,;()]{3,90}?)(?=\s+(?:was|were|over|after|during|at|in\s+the)\b|\s+(?:of\s+)?\d[\d.]*\s?%|$)",
    _I,
)
_AGAINST_BEHIND = re.compile(r"%?(?:\s*\([^()]*\))?\s+against\s+(?P<o>[^,;().]{3,60}?)(?=\s+and\s|[,;.]|$)", _I)
_OF_WHOM = re.compile(
    r"%?\s*\([^()]*\)\s+(?P<who>(?:with|without|in|at|among)\b[^,;().]{0,60}?)(?=\s+and\s|[,;.]|$)", _I
)
"""Of what part of the people: "80.1% (...) at 2 to 6 years of age"."""
_ENOUGH = 0.35
"""How far a difference may be from that of the two figures, as a share of it: it is adjusted, and the figures are
rounded."""


def told_alone(reading: Reading, found: Sequence[Found]) -> Iterator[Found]:
    """Results of the effects that none of `found` has."""
    last: str | None = None
    of_whom: re.Match[str] | None = None
    for effect in reading.effects:
        if any(one.effect == effect.estimate for one in found) or _has_another(reading, effect):
            continue
        outcome = _outcome_of(reading, effect)
        if effect.estimate.measure == "VE":
            outcome = last = outcome or last or EFFICACY
            of_whom = _EFFICACY_IN.search(reading.sentence, 0, effect.start) or of_whom
        order = _order_of(reading, effect)
        if outcome is None or order is None:
            continue
        names = (reading.arms.names[order[0]], reading.arms.names[order[1]])
        clause = reading.bare_clause(effect.start)
        is_of_arm = is_a_side(outcome, names) and effect.estimate.measure != "VE"  # a vaccine is named by its disease
        if is_of_arm or points_the_other_way(clause, effect.estimate):
            continue
        behind = _OF_WHOM.match(reading.sentence[effect.end :]) if effect.estimate.measure in REDUCTIONS else None
        beside = of_whom["who"] if of_whom and outcome == EFFICACY else ""
        told = (reading.people_at(effect.start), beside, behind["who"].strip() if behind else "")
        who = ", ".join(filter(None, told))
        if who.endswith("without"):
            continue  # without what, another part of the sentence says
        yield Found(outcome, names, (), effect.estimate, _time_of(reading, effect), who or None)


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return found[-1] if found else None


def _has_another(reading: Reading, effect: Effect) -> bool:
    """Whether its bracket has another effect: of two doses, of two analyses."""
    opening = opening_of(reading.sentence, effect.start)
    return opening > 0 and any(
        other is not effect and opening_of(reading.sentence, other.start) == opening for other in reading.effects
    )


def _time_of(reading: Reading, effect: Effect) -> str | None:
    """The time point before an effect, else behind it."""
    opening = opening_of(reading.sentence, effect.start)
    beside = reading.before(opening - 1 if opening else effect.start)
    return reading.time_in(beside) if times_in(beside) else reading.time_around(effect.end)


def _outcome_of(reading: Reading, effect: Effect) -> str | None:
    sentence = reading.sentence
    opening = opening_of(sentence, effect.start)
    before = reading.before(opening - 1 if opening else effect.start)
    if effect.estimate.measure == "VE" and not opening:
        told = _last(_AGAINST, sentence[: effect.start]) or _AGAINST_BEHIND.match(sentence[effect.end :])
        return outcome_before(told["o"], reading.arms) if told else None
    if not opening:
        before = _BEFORE_REDUCTION.sub("", before)
    elif effect.estimate.measure in DIFFERENCES:
        before = _MEAN.sub("", before)
    return outcome_before(before, reading.arms)


def _order_of(reading: Reading, effect: Effect) -> tuple[int, int] | None:
    """The two arms that are compared, the one first that the effect is of; `None` = they are not known."""
    measure = effect.estimate.measure
    if measure in DIFFERENCES:
        return _by_sign(reading, effect.start, effect.estimate) if measure == "MD" else None
    if len(reading.arms.names) == 2:
        if measure == "VE":
            return 0, 1
        return reading.order(effect.start) if measure in RATIOS | REDUCTIONS else None
    clause = reading.bare_clause(effect.start)
    places = reading.arms.places(clause)
    if len(places) != 2:
        return None
    first, second = sorted(places, key=places.__getitem__)
    return (second, first) if is_set_against(clause, places[first]) else (first, second)


def _by_sign(reading: Reading, at: int, effect: EffectEstimate) -> tuple[int, int] | None:
    """By the two figures before a difference, those of the arms in the order in which they are named."""
    if len(reading.arms.names) != 2:
        return None
    opening = opening_of(reading.sentence, at)
    inside = reading.sentence[opening:at] if opening else ""
    told = _OF_ARMS.search(inside) or _OF_ARMS.search(reading.before(opening - 1) if opening else "")
    order = reading.order(at)
    if told is None or order is None or not effect.estimate:
        return None
    apart = float(told["a"].replace(",", "")) - float(told["b"].replace(",", ""))
    for way, sign in ((order, 1), ((order[1], order[0]), -1)):
        if abs(sign * apart - effect.estimate) <= _ENOUGH * abs(effect.estimate):
            return way
    return None
