"""The sentences of the direct answer: forms filled from the answer object, and nothing else.

Whoever stops after the first has not been misled: it holds the verdict, the people, both arms, the effect with its
interval, and what it comes to in people. Order and wording follow the verdict (`Conclusion.verdict`), never the asker's
hopes: yes and no are said to a yes-or-no question only, by the direction it asks about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openwork_contracts.conclusion import (
    ArmFigures,
    Conclusion,
    ConclusionVerdict,
    Fit,
    GuidelineStatement,
    StudyResult,
)
from openwork_contracts.evidence import EffectEstimate
from openwork_language.effects.find import Direction, find_effects
from openwork_language.ranges import ranges_in

from openwork_answers.outcomes import NEAR, is_harm, read_outcome
from openwork_answers.reported import RATIOS
from openwork_answers.weighing import thresholds_of

_V = ConclusionVerdict
_PER_PROTOCOL = re.compile(r"per[- ]protocol|on[- ]treatment|as[- ]treated", re.IGNORECASE)
_SECOND_ARM = re.compile(r"\s*\((?!INR)[^()]*\)")
_OPENS = re.compile(r"(?:after|before|during|without|on|not|no|who|with|following|aged|over|under)\b", re.IGNORECASE)
_LABEL = re.compile(r"^[A-Z][a-z]+:\s+")
_PLURAL = re.compile(r"(?<![siu])s$")
_DOSE = re.compile(r"\s+\d[\d.,]*\s*(?:to\s+\d[\d.,]*\s*)?(?:mg|g|mcg|micrograms?|µg|IU|units?|ml|mL|%)\b.*$")


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence and the sources of its figures."""

    text: str
    citations: tuple[int, ...] = ()


def lines_of(conclusion: Conclusion) -> tuple[Line, ...]:
    """The direct answer. Empty where the object holds no result."""
    lead = conclusion.lead
    if conclusion.verdict is _V.RECOMMENDATION:
        return tuple(_recommended(conclusion.guidelines[:2]))
    if lead is None:
        return tuple(_apart(conclusion))
    return (
        *_absence(conclusion),
        *_verdict(conclusion, lead),
        *_parts(conclusion, lead),
        *_composite(conclusion, lead),
        *_harm(conclusion, lead),
        *_basis(conclusion, lead),
    )


def _recommended(statements: Sequence[GuidelineStatement]) -> Iterator[Line]:
    """ "AHA/ACC/HFSA 2022: ... (class 1, level A)."."""
    for one in statements:
        grades = [
            f"class {one.class_of_recommendation}" if one.class_of_recommendation else "",
            f"level {one.level_of_evidence}" if one.level_of_evidence else "",
            f"{one.strength} recommendation" if one.strength and not one.class_of_recommendation else "",
        ]
        graded = ", ".join(grade for grade in grades if grade) or "no grade in what was found"
        issued = f"{one.body} {one.year}" if one.year else one.body
        text = _LABEL.sub("", one.text).rstrip(".")
        yield Line(f"{issued}: {text} ({graded}).", (one.n,))


def _apart(c: Conclusion) -> Iterator[Line]:
    """What is missing first, then what stands nearest to it; nothing where nothing does."""
    if not c.others:
        return
    yield from _absence(c)
    for other in c.others:
        told = _told(other)
        yield Line(f"{told[:1].upper()}{told[1:]}{_caveat(other)}.", (other.n,))


def _absence(c: Conclusion) -> Iterator[Line]:
    for missing in c.missing[:1]:
        yield Line(f"The evidence found contains no {missing}.")


def _verdict(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    if c.verdict is _V.CONFLICTING:
        yield Line(f"Results conflict{_in_people(c, lead)}: {_told(lead)}.", (lead.n,))
        for other in c.conflicts:
            yield Line(f"By contrast, {_told(other)}.", (other.n,))
        return
    opening = _opening(c, lead)
    told = _told(lead)
    sentence = f"{opening}{told if opening.endswith(': ') else told[:1].upper() + told[1:]}"
    yield Line(f"{sentence}{_caveat(lead)}.", (lead.n,))


def _in_people(c: Conclusion, lead: StudyResult) -> str:
    """ " in atrial fibrillation": the asked people, where the result is of them."""
    if lead.people_fit not in NEAR or not c.people_told:
        return ""
    if len(c.people_told) > 1:
        return f" in these people ({'; '.join(c.people_told)})"
    (told,) = c.people_told
    return f" {told}" if _OPENS.match(told) else f" in {told}"


def _opening(c: Conclusion, lead: StudyResult) -> str:
    """ "Yes, in ...: ", "Harm in ...: ", "Little or no difference in ...: "."""
    where = _in_people(c, lead)
    match lead.verdict:
        case _V.LITTLE_OR_NO_DIFFERENCE:
            return f"Little or no difference{where}: "
        case _V.NOT_SHOWN:
            return f"Not shown{where}: "
        case _V.BENEFIT | _V.HARM:
            answer = _yes_or_no(c, lead)
            harm = "harm" if lead.verdict is _V.HARM else ""
            said = ", ".join(part for part in (answer, harm) if part) or (where and "Found")
            return f"{said[:1].upper()}{said[1:]}{',' if answer and where else ''}{where}: " if said else ""
        case _:
            return f"Found{where}: " if where else ""


def _yes_or_no(c: Conclusion, lead: StudyResult) -> str | None:
    """By the direction that the question asks about; `None` = it asks about none, or not for yes or no."""
    exact = lead.outcome_fit in {Fit.ASKED, Fit.NOT_TOLD} and lead.comparison_fit in {Fit.ASKED, Fit.PART}
    if not c.asked.yes_or_no or not exact or lead.people_fit is not Fit.ASKED:
        return None
    asked = c.asked.direction
    told = direction_of(lead)
    if asked is None or told is None:
        return None
    if asked in {"better", "worse"}:
        good = lead.verdict is _V.BENEFIT
        return "Yes" if good is (asked == "better") else "No"
    return "Yes" if asked == told else "No"


def asked_direction(question: str) -> str | None:
    """lower, higher, better or worse: what a question asks whether a treatment does to its outcome."""
    for effect in find_effects(question):
        if effect.direction in {Direction.LOWER, Direction.HIGHER, Direction.BETTER, Direction.WORSE}:
            return effect.direction.value
    if re.search(r"\b(?:prevents?|protects?)\b", question, re.IGNORECASE):
        return "lower"
    if re.search(r"\b(?:causes?|leads? to|induces?)\b", question, re.IGNORECASE):
        return "higher"
    if re.search(r"\b(?:effective|work|works|benefit|beneficial|help|helps|useful)\b", question, re.IGNORECASE):
        return "better"
    return None


def direction_of(result: StudyResult) -> str | None:
    """lower or higher: on which side of no difference the estimate lies; `None` where there is none."""
    effect = result.effect
    if effect is not None and effect.measure.upper() in RATIOS:
        return "lower" if effect.estimate < 1 else "higher"
    if effect is not None:
        return "lower" if effect.estimate < 0 else "higher"
    return "lower" if result.absolute and result.absolute.per_1000 < 0 else "higher" if result.absolute else None


def _told(r: StudyResult) -> str:
    """ "death from any cause was less frequent with X than with placebo in people ...: 11.6% v 13.9%, HR ..."."""
    outcome = _lower_first(r.outcome)
    sides = _sides(r)
    where = (
        f" in {r.people}"
        if r.people and not r.people.startswith(("with", "without"))
        else f" ({r.people})"
        if r.people
        else ""
    )
    figures = "; ".join(part for part in (figures_in_words(r), absolute_in_words(r)) if part)
    return f"{outcome}{_how(r)}{sides}{where} in {r.study}: {figures}"


def _how(r: StudyResult) -> str:
    if r.verdict in {_V.LITTLE_OR_NO_DIFFERENCE, _V.NOT_SHOWN, _V.TOO_LITTLE}:
        return ""
    direction = direction_of(r)
    more, less = ("more frequent", "less frequent") if _counts_events(r) else ("higher", "lower")
    verb = "were" if _PLURAL.search(r.outcome) else "was"
    return f" {verb} {less if direction == 'lower' else more}"


def _counts_events(r: StudyResult) -> bool:
    return r.effect is None or r.effect.measure.upper() not in {"MD", "SMD"}


def _sides(r: StudyResult) -> str:
    if len(r.comparison) != 2:
        return ""
    first, second = (short_arm(arm) for arm in r.comparison)
    if first == second:
        first, second = r.comparison
    if r.verdict in {_V.LITTLE_OR_NO_DIFFERENCE, _V.NOT_SHOWN, _V.TOO_LITTLE}:
        return f" with {first} or with {second}"
    return f" with {first} than with {second}"


def short_arm(name: str) -> str:
    """An arm without its dose and what stands in brackets: "apixaban", "intensive treatment (systolic ...)"."""
    bare = _SECOND_ARM.sub("", name).strip()
    head, *rest = bare.split(", ")
    if rest and all(ranges_in(piece) or re.search(r"\d", piece) for piece in rest):
        bare = head  # "apixaban, estimated GFR 50 mL/min or less": whom it is of is told apart
    short = _DOSE.sub("", bare).strip(" ,;")
    return short or bare or name


def figures_in_words(r: StudyResult, *, counts: bool = False) -> str:
    """ "11.6% v 13.9% at 90 days, HR 0.83 (0.71 to 0.97)"; with `counts` "386 of 2,373 (16.3%) v ..."."""
    parts = []
    if len(r.arms) == 2:
        shares = _shares(r.arms, counts=counts)
        if shares:
            parts.append(shares)
    if r.effect is not None:
        parts.append(effect_in_words(r.effect))
    if not parts:
        return ""
    parts[0] += _when(r.time)
    return ", ".join(parts)


def _shares(arms: Sequence[ArmFigures], *, counts: bool) -> str:
    told = [_share(arm, counts=counts) for arm in arms]
    if not all(told):
        return ""
    per = {arm.per for arm in arms}
    rate = per.pop() if len(per) == 1 else None
    unit = f" per {_person_time(rate)}" if rate else ""
    return f"{' v '.join(told)}{unit}"


def _person_time(per: str) -> str:
    """ "1000 person-year" as "1,000 person-years"."""
    number, _, unit = per.partition(" ")
    amount = f"{int(number):,}" if number.isdigit() else number
    return f"{amount} {unit}s" if unit and not unit.endswith("s") else f"{amount} {unit}".strip()


def _when(time: str | None) -> str:
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
        return ""
    return arm.percent if arm.per else f"{arm.percent}%"


def effect_in_words(effect: EffectEstimate) -> str:
    """ "HR 0.83 (0.71 to 0.97)"; the level where it is not 95 %."""
    if effect.measure.upper() == "RD" and effect.ci_low is not None and effect.ci_high is not None:
        low, high = _points(effect.ci_low), _points(effect.ci_high)
        return f"risk difference {_points(effect.estimate)} percentage points ({_level(effect)}{low} to {high})"
    if effect.ci_low is None or effect.ci_high is None:
        return f"{effect.measure} {_number(effect.estimate)}"
    interval = f"{_level(effect)}{_number(effect.ci_low)} to {_number(effect.ci_high)}"
    return f"{effect.measure} {_number(effect.estimate)} ({interval})"


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
    """ "22 fewer per 1,000 (3 to 41), NNT 45 (25 to 289)"; why it is not there, where counts are not published."""
    if r.absolute is not None:
        needed = f", {r.absolute.number_needed}" if r.absolute.number_needed else ""
        return f"{r.absolute.words}{needed}"
    counted = len(r.arms) == 2 and all(arm.events is not None and arm.n for arm in r.arms)
    if counted and r.effect is None:
        return "no absolute effect follows from these counts"
    return "crude counts and the published effect disagree about no difference" if counted else "counts not published"


def _caveat(r: StudyResult) -> str:
    if r.analysis and _PER_PROTOCOL.search(r.analysis):
        return f" ({r.analysis} analysis)"
    if r.verdict is _V.LITTLE_OR_NO_DIFFERENCE and r.effect is not None:
        limits = thresholds_of(read_outcome(r.outcome))
        return f" (the whole interval lies between {limits.low:g} and {limits.high:g})"
    if r.verdict is _V.NOT_SHOWN:
        return "; the interval holds no difference and a worthwhile one"
    return ""


def _parts(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    """Subgroups of the same source that do not all point the way of the whole."""
    if lead.is_subgroup:
        return
    own = [r for r in c.others if r.n == lead.n and r.is_subgroup and r.effect is not None and r.people]
    if own:
        told = "; ".join(f"{r.people}, {effect_in_words(r.effect)}" for r in own if r.effect is not None)
        yield Line(f"By subgroup: {told}.", (lead.n,))


def _composite(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    """The composite of the same source that the asked outcome is a part of."""
    for other in c.others:
        if other.n == lead.n and other.components and other.outcome_fit is Fit.WIDER:
            figures = "; ".join(part for part in (figures_in_words(other), absolute_in_words(other)) if part)
            yield Line(f"Its composite of {_lower_first(other.outcome)}: {figures}.", (other.n,))
            return


def _harm(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    if c.harms:
        for harm in c.harms[:1]:
            figures = "; ".join(part for part in (figures_in_words(harm), absolute_in_words(harm)) if part)
            label = "Harm" if harm.verdict is not _V.BENEFIT else "Harm, less frequent"
            shown = "" if harm.verdict is not _V.NOT_SHOWN else ", not shown to differ"
            where = "" if harm.n == lead.n else f" in {harm.study}"
            sides = f" with {' v '.join(map(short_arm, harm.comparison))}" if len(harm.comparison) == 2 else ""
            yield Line(f"{label}: {_lower_first(harm.outcome)}{sides}{where}: {figures}{shown}.", (harm.n,))
    elif c.harm_words and c.harm_n:
        yield Line(f"Harm: {_lower_first(c.harm_words.rstrip('.'))}.", (c.harm_n,))
    elif lead.verdict is not _V.HARM and not is_harm(lead.outcome):
        yield Line("Harms: not reported in what was found.")


def _basis(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    """What a certainty would rest on; nobody rates it here."""
    facts = [f"{c.n_studies} source{'s' if c.n_studies != 1 else ''} of this comparison and outcome"]
    of = "" if c.n_studies == 1 else " in the first"
    if c.n_people is not None:
        facts.append(f"{c.n_people:,} people{of}")
    if c.n_events is not None:
        facts.append(f"{c.n_events:,} events{of}")
    newest = f"; the newest source is from {c.newest_year}" if c.newest_year else ""
    yield Line(f"Certainty not rated: it would rest on {', '.join(facts)}{newest}.")


def _lower_first(text: str) -> str:
    word = text.split()[0] if text.split() else ""
    return text if not word[1:].islower() and len(word) > 1 else text[:1].lower() + text[1:]
