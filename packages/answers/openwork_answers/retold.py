"""Whether a sentence tells a result again, and what it tells besides."""

from __future__ import annotations

import re
from collections import Counter

from openwork_contracts.conclusion import ArmFigures, StudyResult

from openwork_answers.asked_words import figures_of
from openwork_answers.outcomes import harm_words
from openwork_answers.source_words import words_of


def tells_again(text: str, result: StudyResult) -> bool:
    """Whether a text prints the effect of a result or its interval, or the figures of both of its arms."""
    told, effect, arms = figures_of(text), _effect_of(result), _arms_of(result)
    are_rates = any(arm.per for arm in result.arms)
    shares = told if are_rates else frozenset(map(_figure, _SHARE.finditer(text)))
    interval = _interval_of(result)
    if len(interval) > 1 and interval <= told:
        return True
    return bool(effect and effect <= told) or bool(arms and arms <= shares)


def tells_nothing_else(text: str, result: StudyResult) -> bool:
    """Whether a text tells a result once more, in figures or by its name, and no other one: that has an effect or a
    share of each arm, or names another harm."""
    known = _effect_of(result)
    shares = Counter(map(_figure, _SHARE.finditer(text)))
    shares -= Counter(known | {one if one in shares else _rounded(one) for one in _arms_of(result)})
    effects = set(map(_figure, _RATIO.finditer(text))) - known
    if effects or shares.total() >= _ARMS:
        return False
    harms = {match[0] for match in harm_words().finditer(text)}
    return tells_again(text, result) or (bool(harms) and all(map(words_of(result.outcome).tells, harms)))


_ARMS = 2
_SHARE = re.compile(r"(?<![\w.])(?P<figure>\d+(?:\.\d+)?)\s?%(?!\s(?:CI|confidence|credible))")
_RATIO = re.compile(r"\b(?:HR|RR|OR|IRR|ratio)\b(?:\sof\b)?(?:\s?\[\w+\])?[\s,:=(]{1,3}(?P<figure>\d+(?:\.\d+)?)")


def _figure(match: re.Match[str]) -> str:
    return f"{float(match['figure']):g}"


def _effect_of(result: StudyResult) -> frozenset[str]:
    effect = result.effect
    printed = (effect.estimate, effect.ci_low, effect.ci_high) if effect is not None else ()
    return frozenset(f"{abs(one):g}" for one in printed if one is not None)


def _interval_of(result: StudyResult) -> frozenset[str]:
    effect = result.effect
    bounds = (effect.ci_low, effect.ci_high) if effect is not None else ()
    return frozenset(f"{abs(one):g}" for one in bounds if one is not None)


def _arms_of(result: StudyResult) -> frozenset[str]:
    found = [figures_of(_share_of(arm)) for arm in result.arms]
    return frozenset().union(*found) if len(found) > 1 and all(found) else frozenset()


def _rounded(share: str) -> str:
    """Without its decimals: a sentence's 25% is its table's 24.9."""
    return f"{float(share):.0f}"


def _share_of(arm: ArmFigures) -> str:
    """As printed, else to one decimal of its counts."""
    if arm.percent is not None or not arm.n or arm.events is None:
        return arm.percent or ""
    return f"{100 * arm.events / arm.n:.1f}"
