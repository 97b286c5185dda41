"""A reported result held against the question: what it is of, what it says, and how many people that are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from openwork_contracts.conclusion import (
    AbsoluteEffect,
    ArmFigures,
    ConclusionVerdict,
    Fit,
    NoninferiorityTest,
    StudyResult,
)
from openwork_contracts.evidence import EffectEstimate, EvidenceCandidate
from openwork_contracts.measures import RATIOS, REDUCTIONS
from openwork_contracts.question import EntityKind
from openwork_effects.agreement import Agreement, compare_crude_with_published
from openwork_effects.counts import Group, risk_difference
from openwork_effects.errors import EffectError
from openwork_effects.estimates import (
    Difference,
    Estimate,
    Event,
    HazardRatio,
    OddsRatio,
    RateRatio,
    Ratio,
    RiskDifference,
    RiskRatio,
    Side,
)
from openwork_effects.numbers_needed import NumberNeeded, number_needed, per_thousand
from openwork_effects.reading import GRADE_RELATIVE, Shows, Thresholds, read_effect
from openwork_evidence.text import abstract_text
from openwork_knowledge import mesh
from openwork_language.mentions import speaks_of
from openwork_language.terms import find_terms, first_of, whole_term

from openwork_answers.asked import Question
from openwork_answers.given import asking_from
from openwork_answers.naming import study_name
from openwork_answers.noninferiority import noninferiority_of
from openwork_answers.offspring import is_maternal_death, is_of_the_other
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcome_names import standard_name
from openwork_answers.outcomes import NEAR, OF_IT, Outcome, read_outcome
from openwork_answers.people import holds_others, is_told, people_fit
from openwork_answers.reported import Arm, Reported, is_of_all_ages, people_of_arms
from openwork_answers.sides import ADDS, is_another_dose, sides_of
from openwork_answers.studied import n_studied
from openwork_answers.treatments import best_fit, is_control
from openwork_answers.valued import is_bad_by_name

_SURVIVAL = re.compile(r"(?:(?P<event>[a-z]+)-free|overall)?\s*survival", re.IGNORECASE)
METHOD = "Newcombe from crude counts at the trial's follow-up"
DEATH = Thresholds(0.85, 1.18, "Open Work: of death, an effect of 15 % matters")
"""GRADE's 0.75 to 1.25 is a guide for outcomes in general; one death in six or seven fewer is not little."""
_VERDICTS = {
    Shows.BENEFIT: ConclusionVerdict.BENEFIT,
    Shows.HARM: ConclusionVerdict.HARM,
    Shows.LITTLE_OR_NO_DIFFERENCE: ConclusionVerdict.LITTLE_OR_NO_DIFFERENCE,
    Shows.NOT_SHOWN: ConclusionVerdict.NOT_SHOWN,
}
_MEASURES: dict[str, type[Estimate]] = {
    "HR": HazardRatio, "SHR": HazardRatio, "RR": RiskRatio, "OR": OddsRatio, "IRR": RateRatio, "RD": RiskDifference,
    "MD": Difference, "SMD": Difference, "WMD": Difference,
}  # fmt: skip


def weighed(reported: Reported, question: Question) -> StudyResult:
    """The result with its fits, its sides turned so that what was asked about stands first, and its own verdict."""
    document = reported.document
    about = _title_and_arms(document) if reported.comparison else _with_headings(document)
    sides = sides_of(question, reported.comparison, about)
    if question.control_asked and not reported.comparison and _has_no_control(document):
        sides = replace(sides, fit=Fit.OTHER)
    if sides.fit in {Fit.ASKED, Fit.PART} and background_untold(question, document):
        sides = replace(sides, fit=Fit.WIDER)
    if sides.fit in {Fit.ASKED, Fit.PART} and is_another_dose(question, reported.comparison, turned=sides.turned):
        sides = replace(sides, fit=Fit.OTHER)
    if sides.fit is Fit.WIDER and (of_drug := _of_the_drug(reported, question, turned=sides.turned)) is not None:
        reported, sides = of_drug, replace(sides, fit=Fit.PART)  # a trial of the drug itself comes first
    part = reported.people or ""
    reported = _as_event(reported)
    told = read_outcome(reported.outcome)
    bad = is_bad_by_name(reported.outcome, reported.comparison)
    effect = reported.effect
    sound = None if effect is None or shuts_out(effect, effect.estimate) else effect
    effect = _turned(sound) if sides.turned else sound
    own_arms = people_of_arms(reported)
    arms = tuple(reversed(own_arms)) if sides.turned else own_arms
    comparison = tuple(reversed(reported.comparison)) if sides.turned else reported.comparison
    own = part or _people_in(reported)
    people = people_fit(question.people, document, own)
    if people is Fit.PART and not part and holds_others(question.people, document, own):
        people = Fit.WIDER  # of a part of those asked about and of others
    if people is Fit.ASKED and part and not any(is_told(term, part) for term in question.people):
        people = Fit.PART  # a part of the source's people, of whom nobody asked
    published = estimate_of(effect)
    difference = None if reported.per_unit else _difference(arms)
    if difference is None and isinstance(published, RiskDifference):
        difference = published
    agrees = _agrees(arms, difference, published)
    test = None if sides.turned else noninferiority_of(reported, bad=bad)
    verdict = verdict_of(published or difference, bad, told)
    return StudyResult(
        n=reported.n,
        study=study_name(document),
        year=document.year,
        design=document.study_design,
        comparison=comparison,
        comparison_fit=sides.fit,
        outcome=reported.outcome,
        outcome_fit=_outcome_fit(told, question, document),
        components=told.components,
        people=reported.people,
        people_fit=people,
        is_subgroup=reported.people is not None and not is_of_all_ages(reported.people),
        n_studied=n_studied(document),
        time=reported.time,
        analysis=reported.analysis,
        arms=tuple(map(_figures, arms)),
        effect=effect,
        absolute=_absolute(difference, bad, from_counts=difference is not published) if difference and agrees else None,
        bad=bad,
        harm=reported.harm,
        verdict=verdict if test is None else _tested(verdict, test),
        noninferiority=test,
        text_origin=reported.text_origin,
        passage_id=reported.passage_id,
        quote=reported.quote,
    )


def _of_the_drug(reported: Reported, question: Question, *, turned: bool) -> Reported | None:
    """A result of a part of a synthesis that is told by its drug, as one of that drug: "hydrocortisone (3 trials)" of
    all corticosteroids is no part of the people. `None` = its part is not the drug that is asked about."""
    if not reported.people or len(reported.comparison) != 2 or reported.arms:
        return None
    if best_fit(question.treatments, reported.people) is not Fit.ASKED:
        return None
    if people_fit(question.people, reported.document) is not Fit.ASKED:
        return None
    first, second = reported.comparison
    drug = _OPENS_PART.sub("", reported.people)
    sides = (first, drug) if turned else (drug, second)
    return replace(reported, comparison=sides, people=None)


_OPENS_PART = re.compile(r"^(?:in|with|of|for|on)\s+", re.IGNORECASE)


def _figures(arm: Arm) -> ArmFigures:
    return ArmFigures(
        name=arm.name, n=arm.n, events=arm.events, percent=arm.percent, per=arm.per, measured=arm.measured
    )


def _title_and_arms(document: EvidenceCandidate) -> str:
    """The title and the names of a trial's arms: beside "RTS,S vaccine" one called "vaccine plus ..." is of it too."""
    return "; ".join((document.title, *(arm.name for arm in document.arms)))


def _has_no_control(document: EvidenceCandidate) -> bool:
    """Whether a source names its arms, and none is a control: two doses and warfarin."""
    return len(document.arms) > 1 and not any(is_control(arm.name) for arm in document.arms)


def _with_headings(document: EvidenceCandidate) -> str:
    """The title of a source; where that names no treatment ("lowering of LDL"), its headings of drugs too."""
    if any(term.kind is not EntityKind.DISEASE for term in find_terms(document.title)):
        return document.title
    return "; ".join((document.title, *(h for h in document.mesh_terms if first_of(EntityKind.DRUG, h) is not None)))


_OF_PEOPLE = re.compile(
    r"\b(?:in|among|for|(?<!\d\s)of)\s+(?:\S+\s+){0,4}?(?:people|patients|participants|adults|children|women|men|those|individuals)\b"
    r"(?:[^(]|\((?!\s*(?:HR|OR|RR|IRR|P\b|\d)))*|\b(?:with|when)\s+(?:an?\s+)?(?:estimated|creatinine|HbA1c|eGFR|GFR)\b.*",
    re.IGNORECASE,
)


_WHO_IN_BRACKETS = re.compile(r"\(([^()]*\b(?:trials|patients|people|participants|adults|children|women|men))\)")
""" "Stroke (primary prevention trials)"."""


_IN_TRIALS = re.compile(r"\bin the (?:same )?((?:primary|secondary)[- ]prevention trials)\b", re.IGNORECASE)
""" "In the primary prevention trials of the meta-analysis, aspirin lowered ..."."""


def _people_in(reported: Reported) -> str | None:
    """What the name or the sentence of a result says of its people; a disease that is its outcome is none of theirs."""
    if in_brackets := _WHO_IN_BRACKETS.search(reported.outcome):
        return in_brackets[1]
    if trials := _IN_TRIALS.search(reported.quote or ""):
        return trials[1]
    match = _OF_PEOPLE.search(reported.quote or "")
    if match is None:
        return None
    told = match[0]
    for atom in read_outcome(reported.outcome).atoms:
        told = re.sub(re.escape(atom.text), " ", told, flags=re.IGNORECASE)
    return told


def background_untold(question: Question, document: EvidenceCandidate) -> tuple[str, ...]:
    """What people have already to which the treatment is added, where a source speaks of none of it.

    Of such people the source says nothing, and may hold them among others. What somebody takes besides, told before the
    asking begins ("on ramipril and bisoprolol. Does dapagliflozin ...?"), restricts nobody.
    """
    if not question.background:
        return ()
    told = question.analysis.question
    start = 0 if ADDS.search(told) else asking_from(told)
    asked = [idea for idea in question.background if told.find(idea.term, start) >= 0]
    text = f"{document.title}. {abstract_text(document)}"
    return () if any(speaks_of(text, idea) for idea in asked) else tuple(idea.term for idea in asked)


def _as_event(reported: Reported) -> Reported:
    """Survival with a hazard ratio as the event that the ratio is of: "overall survival, HR 0.73" is death."""
    if reported.effect is None or reported.effect.measure.upper() not in {"HR", "SHR"}:
        return reported
    match = _SURVIVAL.fullmatch(reported.outcome.strip())
    if match is None:
        return reported
    event = f"{match['event'].lower()} or death" if match["event"] else "death"
    return replace(reported, outcome=f"{event} ({reported.outcome.strip()})")


def shuts_out(effect: EffectEstimate, estimate: float) -> bool:
    """Whether an estimate lies outside of an effect's interval; where it is the effect's own, it was misread."""
    low, high = effect.ci_low, effect.ci_high
    return low is not None and high is not None and not low <= estimate <= high


def _outcome_fit(told: Outcome, question: Question, document: EvidenceCandidate) -> Fit:
    """How a result's outcome stands to those asked about; an event without its disease is of the title's:
    "exacerbations" of a trial in COPD."""
    fit = best_outcome_fit(told, question.outcomes)
    if fit in OF_IT and is_of_the_other(told.text, question):
        return Fit.OTHER
    if fit is Fit.OTHER and is_maternal_death(told, question):
        return Fit.ASKED
    if fit is Fit.WIDER and len(question.outcomes) == 1 and _comes_again(told, question.outcomes[0], question):
        return Fit.ASKED
    if fit is not Fit.WIDER or told.is_composite or any(atom.things for atom in told.atoms):
        return fit
    diseases = (t.text for t in find_terms(document.title) if t.kind is EntityKind.DISEASE)
    fits = [best_outcome_fit(read_outcome(f"{disease} {told.text}"), question.outcomes) for disease in diseases]
    return Fit.ASKED if Fit.ASKED in fits else fit


_AGAIN = "recurrent "
_OF_A_CAUSE = re.compile(r"\b(?:from|due to|caused by|because of)\b", re.IGNORECASE)
""" "Stroke from cervical artery dissection" is a kind of its own, of which a trial would have to tell."""


def _comes_again(told: Outcome, asked: Outcome, question: Question) -> bool:
    """Whether a new event is asked about of people who had one: after a stroke every stroke is recurrent."""
    name = standard_name(asked.text) or asked.text
    event = whole_term(name.removeprefix(_AGAIN)) if name.startswith(_AGAIN) else None
    if event is None or event.mesh_id is None:
        return False
    again = read_outcome(event.text)
    if fit_of(told, again) is not Fit.ASKED or fit_of(again, told) is not Fit.ASKED:
        return False
    had = (t.mesh_id for t in question.people if t.wanted and not _OF_A_CAUSE.search(t.text))
    return any(mesh.is_same_or_kind(one, event.mesh_id) for one in had)


def best_outcome_fit(told: Outcome, asked: Iterable[Outcome]) -> Fit:
    """Of the outcomes asked for, the one that it fits best; nothing asked for = any outcome will do."""
    fits = [fit_of(told, one) for one in asked]
    if not fits:
        return Fit.NOT_TOLD
    return next((fit for fit in NEAR if fit in fits), Fit.OTHER)


def _turned(effect: EffectEstimate | None) -> EffectEstimate | None:
    """The effect as seen from the other arm: a ratio's inverse, a difference's opposite."""
    if effect is None:
        return None
    low, high = effect.ci_low, effect.ci_high
    if effect.measure.upper() in RATIOS:
        if effect.estimate <= 0 or (low is not None and low <= 0) or (high is not None and high <= 0):
            return None
        turned = (1 / effect.estimate, 1 / high if high else None, 1 / low if low else None)
        rounded = tuple(round(x, 2) if x is not None else None for x in turned)
    elif effect.measure.upper() in REDUCTIONS:
        return None  # what the other arm has more is no reduction
    else:
        rounded = (-effect.estimate, -high if high is not None else None, -low if low is not None else None)
    return effect.model_copy(update={"estimate": rounded[0], "ci_low": rounded[1], "ci_high": rounded[2]})


def group_of(arm: Arm | ArmFigures) -> Group | None:
    """The arm as counts, where both are published and are no rate."""
    if arm.n is None or arm.events is None or arm.per is not None or arm.n == 0 or arm.events > arm.n:
        return None
    try:
        return Group(arm.events, arm.n)
    except EffectError:
        return None


def estimate_of(effect: EffectEstimate | None) -> Estimate | None:
    """The published effect as one of `openwork_effects`; `None` without an interval, or of another measure."""
    if effect is not None and effect.measure.upper() in REDUCTIONS:
        effect = ratio_of(effect)
    if effect is None or effect.ci_low is None or effect.ci_high is None:
        return None
    kind = _MEASURES.get(effect.measure.upper())
    if kind is None:
        return None
    try:
        return kind(effect.estimate, effect.ci_low, effect.ci_high, effect.ci_level or 0.95)
    except EffectError:
        return None  # misread: an estimate outside of its interval


def ratio_of(reduction: EffectEstimate) -> EffectEstimate:
    """A relative reduction in percent as the ratio that it is: 39 (1 to 62) as 0.61 (0.38 to 0.99).

    Of risks, hazards or odds, sources seldom say; all are weighed alike, as a rate ratio.
    """
    high, low = (None if end is None else round(1 - end / 100, 6) for end in (reduction.ci_low, reduction.ci_high))
    estimate = round(1 - reduction.estimate / 100, 6)
    return reduction.model_copy(update={"measure": "IRR", "estimate": estimate, "ci_low": low, "ci_high": high})


def _difference(arms: Sequence[Arm], level: float = 0.95) -> RiskDifference | None:
    """From counts of exactly two arms."""
    if len(arms) != 2:
        return None
    first, second = group_of(arms[0]), group_of(arms[1])
    return risk_difference(first, second, level) if first and second else None


def _tested(verdict: ConclusionVerdict, test: NoninferiorityTest) -> ConclusionVerdict:
    """What a result shows that was tested for noninferiority: superior is more than that, and no difference is less."""
    if verdict is ConclusionVerdict.BENEFIT or test.met is None:
        return verdict
    if test.met:
        return ConclusionVerdict.NONINFERIOR
    return verdict if verdict is ConclusionVerdict.HARM else ConclusionVerdict.NOT_SHOWN


def _agrees(arms: Sequence[Arm], crude: RiskDifference | None, published: Estimate | None) -> bool:
    """Whether both say the same about no difference: else the published one decides, and nothing absolute is told.

    They are held together at the published interval's level.
    """
    if crude is None or published is None or crude is published:
        return True
    if published.level != crude.level:
        crude = _difference(arms, published.level) or crude
    try:
        return compare_crude_with_published(crude, published) is Agreement.AGREE
    except EffectError:
        return False


def _absolute(difference: RiskDifference, bad: bool | None, *, from_counts: bool) -> AbsoluteEffect:
    told = per_thousand(difference)
    needed = number_needed(difference, Event.BAD if bad else Event.GOOD) if bad is not None else None
    words = needed.in_words.replace("NNTB", "NNT").replace("NNTH", "NNH") if isinstance(needed, NumberNeeded) else None
    return AbsoluteEffect(
        per_1000=told.estimate,
        low=told.low,
        high=told.high,
        words=told.in_words,
        number_needed=words,
        method=METHOD if from_counts else "as published",
    )


def thresholds_of(outcome: Outcome) -> Thresholds:
    """From which ratios an effect matters: of death smaller ones do than of other outcomes."""
    is_death = any(thing.name == "death" for atom in outcome.atoms for thing in atom.things)
    return DEATH if is_death and not outcome.is_composite else GRADE_RELATIVE


def verdict_of(effect: Estimate | None, bad: bool | None, outcome: Outcome) -> ConclusionVerdict:
    """What the interval shows; without one nothing is shown."""
    if effect is None:
        return ConclusionVerdict.TOO_LITTLE
    if type(effect) is Difference:  # of means: which way is better is the instrument's matter, and how much matters too
        return ConclusionVerdict.NOT_SHOWN if effect.side is Side.INCLUDES_NO_EFFECT else ConclusionVerdict.DIFFERS
    limits = thresholds_of(outcome) if isinstance(effect, Ratio) else None
    shows = read_effect(effect, Event.BAD if bad is not False else Event.GOOD, limits).shows
    if bad is None and shows in {Shows.BENEFIT, Shows.HARM}:
        return ConclusionVerdict.DIFFERS
    return _VERDICTS[shows]


def absolute_again(result: StudyResult) -> AbsoluteEffect | None:
    """What a result's counts come to, or its own risk difference; computed anew from its figures."""
    arms = [Arm(a.name, a.n, a.events, a.percent, a.per) for a in result.arms]
    published = estimate_of(result.effect)
    difference = _difference(arms)
    if difference is None and isinstance(published, RiskDifference):
        difference = published
    if difference is None or not _agrees(arms, difference, published):
        return None
    return _absolute(difference, result.bad, from_counts=difference is not published)
