"""Arms, effects and absolute differences as they are printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from openwork_contracts.conclusion import (
    ArmFigures,
    StudyResult,
)
from openwork_contracts.evidence import EffectEstimate
from openwork_contracts.measures import RATIOS, REDUCTIONS, measure_in_words
from openwork_contracts.question import EntityKind
from openwork_knowledge import mesh
from openwork_language.ranges import ranges_in
from openwork_language.terms import find_terms

from openwork_answers.brackets import without_brackets
from openwork_answers.treatments import NO_DRUG

_SECOND_ARM = re.compile(r"\s*\((?!INR)[^()]*\)")
_UNIT = rf"(?:mg|g|mcg|micrograms?|µg|IU|U|units?|ml|mL|%)(?:/(?:(?![a-z]{{8}})|(?={NO_DRUG}))\w+)*"
_PARTNER = (
    r",?\s+(?:plus|and|with|without|or(?=\s+[a-z]{5})(?!\s+(?:twice|until|higher|lower))|followed\s+by"
    r"|(?:when\s+)?added\s+to|on\s+top\s+of|combined\s+with)\s+(?!\d)"
)
_DOSE = re.compile(
    r"\s+(?:(?:up\s+to|about|at\s+least)\s+)?\d[\d.,]*\s*(?:to\s+\d[\d.,]*\s*)?"
    rf"{_UNIT}(?!\w)(?:(?=[-/](?!{NO_DRUG})[a-z]{{5}})|(?:(?!{_PARTNER}|\+|\sversus\s).)*)"
)
"""A dose and its schedule, up to the drug that is given besides or that the name goes on with."""
_NO_PARTNER = re.compile(r",?\s+(?:with|without)\s+(?:food|meals?|water)\b.*$")


def short_arm(name: str) -> str:
    """An arm without its doses and what stands in brackets: "apixaban", "amoxicillin plus clavulanate"."""
    bare = _SECOND_ARM.sub("", name).strip()
    head, *rest = bare.split(", ")
    if rest and all(ranges_in(piece) or re.search(r"\d", piece) for piece in rest):
        bare = head  # "apixaban, estimated GFR 50 mL/min or less": whom it is of is told apart
    short = _NO_PARTNER.sub("", _DOSE.sub("", bare)).strip(" ,;")
    return short or bare or name


def short_sides(comparison: Sequence[str]) -> tuple[str, ...]:
    """The arms without their doses; with them where nothing else tells the arms apart."""
    short = tuple(short_arm(arm) for arm in comparison)
    return short if len(set(short)) == len(short) else tuple(comparison)


_SAYS_NOTHING = re.compile(
    r"(?:(?:more |less )?intensive|standard|usual|lower|higher)(?: (?:treatment|therapy|control|target|strategy))?",
    re.IGNORECASE,
)
""" "Intensive treatment (systolic target below 120 mm Hg)"."""


def sides_among(result: StudyResult, others: Iterable[StudyResult], asked: Sequence[str] = ()) -> tuple[str, ...]:
    """The same of a result beside others: with the doses where a result of its source differs by these alone, or where
    a dose was asked about: it may be another. Arms that say nothing of what they were keep what stands in brackets.

    Args:
        asked: figures of doses.
    """
    short, own = short_sides(result.comparison), _doses(result.comparison)
    if (asked and any(own)) or all(map(_SAYS_NOTHING.fullmatch, short)):
        return tuple(result.comparison)
    bare = tuple(map(without_brackets, short))
    alike = (
        _doses(r.comparison)
        for r in others
        if r.n == result.n and tuple(map(without_brackets, short_sides(r.comparison))) == bare
    )
    differs = any(one and other and one != other for doses in alike for one, other in zip(own, doses, strict=True))
    return tuple(result.comparison) if differs else short


def _doses(comparison: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Of each arm the figures of its dose."""
    found = (_DOSE.search(arm) for arm in comparison)
    return tuple(tuple(re.findall(r"\d+(?:\.\d+)?", match[0])) if match else () for match in found)


def figures_in_words(r: StudyResult, *, counts: bool = False) -> str:
    """ "11.6% v 13.9% at 90 days, HR 0.83 (0.71 to 0.97)"; with `counts` "386 of 2,373 (16.3%) v ..."."""
    parts = []
    if len(r.arms) == 2:
        shares = _shares(r.arms, counts=counts)
        if shares:
            parts.append(shares)
    if r.effect is not None:
        parts.append(effect_in_words(r.effect))
        parts += [efficacy] if (efficacy := _efficacy(r)) else []
    if not parts:
        return ""
    parts[0] += when(r.time)
    return ", ".join(parts)


def _efficacy(r: StudyResult) -> str:
    """Of a vaccine against an infection the ratio as its efficacy, 100 x (1 - ratio), as sources tell it, or empty."""
    effect = r.effect
    if effect is None or effect.measure.upper() not in RATIOS - {"OR"} or not effect.estimate < 1:
        return ""
    if not r.comparison or not _VACCINE.search(r.comparison[0]) or not _is_infection(r.outcome):
        return ""
    told = f"efficacy {_percent(effect.estimate)}"
    if effect.ci_low is None or effect.ci_high is None:
        return told
    return f"{told} ({_percent(effect.ci_high)} to {_percent(effect.ci_low)})"


def _percent(ratio: float) -> str:
    return f"{round(100 * (1 - ratio), 4):g}%"


@lru_cache(maxsize=1024)
def _is_infection(outcome: str) -> bool:
    diseases = (t.mesh_id for t in find_terms(outcome) if t.kind is EntityKind.DISEASE and t.mesh_id)
    return any(tree.startswith(_INFECTIONS) for mesh_id in diseases for tree in mesh.trees_of(mesh_id))


_INFECTIONS = "C01"
"""The tree of MeSH."""
_VACCINE = re.compile(r"(?<!no )(?<!without )\bvaccin\w+", re.IGNORECASE)


def _shares(arms: Sequence[ArmFigures], *, counts: bool) -> str:
    told = [_share(arm, counts=counts) for arm in arms]
    if not all(told):
        events = [arm.events for arm in arms]
        return f"{events[0]:,} v {events[1]:,} events" if None not in events else ""
    per = {arm.per for arm in arms}
    rate = per.pop() if len(per) == 1 else None
    unit = f" per {_person_time(rate)}" if rate else ""
    return f"{' v '.join(told)}{unit}"


def _person_time(per: str) -> str:
    """ "1000 person-year" as "1,000 person-years"."""
    number, _, unit = per.partition(" ")
    amount = f"{int(number):,}" if number.isdigit() else number
    return f"{amount} {unit}s" if unit and not unit.endswith("s") else f"{amount} {unit}".strip()


def when(time: str | None) -> str:
    if not time:
        return ""
    if re.match(r"(?:median|mean|average|weighted)\b", time):
        return f" over a {time}"
    if re.match(r"(?:day|week|month|year)s?\s|\d+[- ](?:day|hour)s?$", time):
        return f" at {time}"
    return f" ({time})" if not re.match(r"\d", time) else f" over {time}"


def _share(arm: ArmFigures, *, counts: bool) -> str:
    if arm.events is not None and arm.n:
        share = f"{arm.percent}%" if arm.percent else f"{100 * arm.events / arm.n:.1f}%"
        return f"{arm.events:,} of {arm.n:,} ({share})" if counts else share
    if arm.percent is None:
        return arm.measured or ""
    return arm.percent if arm.per else f"{arm.percent}%"


def effect_in_words(effect: EffectEstimate) -> str:
    """ "HR 0.83 (0.71 to 0.97)"; the level where it is not 95 %."""
    if effect.measure.upper() == "RD" and effect.ci_low is not None and effect.ci_high is not None:
        low, high = _points(effect.ci_low), _points(effect.ci_high)
        return f"risk difference {_points(effect.estimate)} percentage points ({_level(effect)}{low} to {high})"
    if effect.measure.upper() == "RD" and abs(effect.estimate) <= 1:
        limit = _one_limit(effect, _points) or " (interval not given)"
        return f"risk difference {_points(effect.estimate)} percentage points{limit}"
    if effect.measure.upper() in REDUCTIONS and effect.ci_low is not None and effect.ci_high is not None:
        interval = f"{_level(effect)}{effect.ci_low:g}% to {effect.ci_high:g}%"
        return f"{measure_in_words(effect.measure)} {effect.estimate:g}% ({interval})"
    if effect.ci_low is None or effect.ci_high is None:
        return f"{effect.measure} {_number(effect.estimate)}{_one_limit(effect, _number)}"
    interval = f"{_level(effect)}{_number(effect.ci_low)} to {_number(effect.ci_high)}"
    return f"{effect.measure} {_number(effect.estimate)} ({interval})"


def _one_limit(effect: EffectEstimate, told: Callable[[float], str]) -> str:
    """ " (upper limit 1.16)" of a one-sided interval."""
    end, which = (effect.ci_high, "upper") if effect.ci_high is not None else (effect.ci_low, "lower")
    return "" if end is None else f" ({_level(effect)}{which} limit {told(end)})"


def _level(effect: EffectEstimate) -> str:
    """Of the interval, where it is not 95 %."""
    if effect.ci_level is None:
        return "level of the interval not given: "
    return "" if effect.ci_level == 0.95 else f"{100 * effect.ci_level:g}% CI "


def _points(value: float) -> str:
    return f"{round(100 * value, 2):g}"


def _number(value: float) -> str:
    """Two decimals, more where the source has more."""
    return f"{value:.2f}" if abs(value - round(value, 2)) < 1e-9 else f"{value:g}"


def absolute_in_words(r: StudyResult) -> str:
    """ "22 fewer per 1,000 (3 to 41), NNT 45 (25 to 289)"; why it is not there, where counts are not published;
    empty where nobody was counted."""
    if r.absolute is not None:
        needed = f", {r.absolute.number_needed}" if r.absolute.number_needed else ""
        return f"{r.absolute.words}{needed}"
    if r.effect is None and any(arm.measured for arm in r.arms):
        return ""
    counted = len(r.arms) == 2 and all(arm.events is not None and arm.n for arm in r.arms)
    if counted and r.effect is None:
        return "no absolute effect follows from these counts"
    if counted:
        return "crude counts and the published effect disagree about no difference"
    told = len(r.arms) == 2 and all(arm.events is not None for arm in r.arms)
    return "group sizes not published" if told else "counts not published"
