"""What the figures of two arms and an effect say together: their order, their sides, their signs.

Arms that an effect contradicts are not its arms, or stand the other way round; a difference without a sign is none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from openwork_contracts.evidence import EffectEstimate
from openwork_contracts.measures import DIFFERENCES, RATIOS, REDUCTIONS
from openwork_language.quantities.quantity import Quantity, QuantityKind

from openwork_answers.reported import Arm

_K = QuantityKind
VERSUS = re.compile(r"\b(?:vs?\.?|versus|than|(?:as\s+)?compared\s+(?:with|to))(?:\s|$)", re.IGNORECASE)
_ONLY_AND = re.compile(r"[^A-Za-z]*and[^A-Za-z]*", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"\b(?:(?P<mean>mean)\s+)?(?:(?P<risk>risk|rate|absolute(?:\s+risk)?)\s+)?difference\b(?:\s+(?:in|of|for|between)\s[^.;()\d]{2,60}?)?"
    r"\s*(?:,|:|=|was|were|is|of)*\s*[-\u2212+]?\s?$",
    re.IGNORECASE,
)
_STANDARD = re.compile(r"\bstandard(?:i[sz]ed)?\s+mean\s+differences?\W*$", re.IGNORECASE)
_DIRECTION = re.compile(
    r"\b(?:(?P<less>lower(?:ed)?|fewer|less|reduc\w+|decreas\w+|lowest)|higher|greater|more|increas\w+|highest)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:no|not|nor|neither|without|similar)\b", re.IGNORECASE)
_NOT_CHARS = 40
_NEAR_ONE, _SAME_RATIO = 0.1, 0.5
"""Of natural logarithms: from which a ratio points to one side, and within which two are the same."""


def in_order(between: str, behind: str) -> bool:
    """Whether two figures without names stand in the order of the comparison: "22.9% vs 25.7%", "... respectively"."""
    return bool(VERSUS.search(between)) or (
        _ONLY_AND.fullmatch(between) is not None and behind.lstrip(" ,%)").startswith("respectively")
    )


def turned(arms: Sequence[Arm], effect: EffectEstimate) -> bool | None:
    """Whether the effect compares the arms the other way round than they are named; `None` = it is not theirs."""
    shares = [_share(arm) for arm in arms]
    if len(shares) != 2 or not all(shares):
        return False
    first, second = (float(share or 0) for share in shares)
    if effect.measure in RATIOS and effect.estimate > 0:
        told, own = math.log(first / second), math.log(effect.estimate)
        if told * own >= 0 or min(abs(told), abs(own)) < _NEAR_ONE:
            return False
        return True if abs(told + own) < _SAME_RATIO else None
    if effect.measure in REDUCTIONS:  # in percent of the second
        told_more, own_more = first > second, effect.estimate < 0
        return False if told_more is own_more or abs(effect.estimate) < 100 * _NEAR_ONE else None
    scales = {"RD": (1, 100), "MD": (1,)}.get(effect.measure, ())  # points, or a share of one
    return any(abs(first - second + by * effect.estimate) < abs(by * effect.estimate) * _NEAR_ONE for by in scales)


def unsigned(clause: str, effect: EffectEstimate) -> bool:
    """Whether nobody knows which way a difference goes: "an absolute reduction of 11%" is printed without its sign."""
    if effect.measure in RATIOS | REDUCTIONS or (effect.ci_low or 0) < 0:
        return False
    return (
        re.search(
            r"\b(?:ARR|reduction|reduced|lower|fewer|less|decreas\w+|favou?r\w*|benefit)\b", clause, re.IGNORECASE
        )
        is not None
    )


def points_the_other_way(clause: str, effect: EffectEstimate) -> bool:
    """Whether the only word of direction in a clause goes against an effect."""
    cues = [
        m for m in _DIRECTION.finditer(clause) if not _NOT.search(clause[max(0, m.start() - _NOT_CHARS) : m.start()])
    ]
    if len(cues) != 1 or effect.measure in DIFFERENCES:
        return False
    is_less = effect.estimate > 0 if effect.measure in REDUCTIONS else effect.estimate < 1
    return is_less is not bool(cues[0]["less"])


def contradicts(before: str, arms: Sequence[Arm]) -> bool:
    """Whether words and shares point to different sides: "a reduction (39% vs 22%)" is of changes, no shares."""
    cues = [
        m for m in _DIRECTION.finditer(before) if not _NOT.search(before[max(0, m.start() - _NOT_CHARS) : m.start()])
    ]
    first, second = (_share(arm) for arm in arms)
    if not cues or first is None or second is None:
        return False
    return first > second if cues[-1]["less"] else first < second


def _share(arm: Arm) -> float | None:
    if arm.percent is not None:
        return float(arm.percent)
    return 100 * arm.events / arm.n if arm.events is not None and arm.n else None


def with_differences(sentence: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """ "The absolute difference was -3.4 percentage points (95% CI ...)" is an effect, too."""
    found: list[Quantity] = []
    for i, q in enumerate(quantities):
        following = quantities[i + 1] if i + 1 < len(quantities) else None
        match = _DIFFERENCE.search(sentence[: q.start]) if q.kind is not _K.EFFECT else None
        told = match and following and following.kind is _K.INTERVAL and len(sentence[q.end : following.start]) < 40
        if q.kind is _K.EFFECT and q.measure == "MD" and _STANDARD.search(sentence[: q.start]):
            q = replace(q, measure="SMD")
        if told and match:
            measure = "RD" if q.kind is _K.PERCENT and not match["mean"] else "MD"
            q = replace(q, kind=_K.EFFECT, measure=measure)
        found.append(q)
    return found
