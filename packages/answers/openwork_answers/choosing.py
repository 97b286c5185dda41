"""Of the results that are about the question: which one leads, which oppose it, which stand beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import log

from openwork_contracts.conclusion import ConclusionVerdict, Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.measures import RATIOS, REDUCTIONS
from openwork_contracts.question import PopulationKind
from openwork_contracts.ranking import RankedPassage
from openwork_knowledge.designs import OBSERVATIONAL, SYNTHESES, weight
from openwork_language.mentions import idea_tokens, names_in

from openwork_answers.asked import Question
from openwork_answers.asked_words import is_all_asked_for
from openwork_answers.brackets import without_brackets
from openwork_answers.directions import AS_GOOD, asked_direction, direction_of
from openwork_answers.outcome_fits import HOLDS_IT, closeness, fit_of, holds_it
from openwork_answers.outcomes import NEAR, OF_IT, Outcome, is_harm, read_outcome
from openwork_answers.people import is_told, is_within
from openwork_answers.people_alike import told_apart
from openwork_answers.reported import OF_SOME, Reported, is_of_all_ages, results_of
from openwork_answers.told import told_results
from openwork_answers.treatments import is_control, is_one_alone
from openwork_answers.unread import share
from openwork_answers.weighing import shuts_out, weighed
from openwork_answers.when import is_at

_V = ConclusionVerdict
_RANK = {Fit.ASKED: 3, Fit.PART: 2, Fit.WIDER: 1, Fit.NOT_TOLD: 0, Fit.OTHER: -1}
MOST_PARTS = 3
"""Subgroups that differ from the whole."""
MOST_OTHERS = 4
"""Rows of the table besides the one that leads."""
MOST_ALIKE = 3
"""Further results of the lead's own source on what was asked about: of its other doses, times and definitions."""


def results_about(
    n: int, document: EvidenceCandidate, passages: Sequence[RankedPassage], question: Question
) -> list[StudyResult]:
    """Of the source's table, then what its sentences tell besides: a figure is counted once."""
    table = results_of(n, document)
    own = [p for p in passages if p.n == n]
    told = list(told_results(n, document, own, first_place=len(table)))
    merged = []
    for one in table:
        same = [t for t in told if _is_same(one, t)] or [t for t in told if _are_arms_of(one, t)][:1]
        told = [t for t in told if t not in same]
        merged.append(_filled(one, same[0]) if same else one)
    told = [t for i, t in enumerate(told) if not any(_is_same(other, t) for other in told[:i])]
    told = [t for t in told if not any(_is_rate_of(one, t) for one in table)]
    return [weighed(r, question) for r in _with_arms_of_all((*merged, *told))]


def _with_arms_of_all(results: Sequence[Reported]) -> list[Reported]:
    """A part of a source's people is told of without its arms: they are those of the whole, where all results of the
    source that name any are of the same two."""
    named = {r.comparison for r in results if r.comparison}
    if len(named) != 1:
        return list(results)
    (arms,) = named
    whole = [r for r in results if r.comparison and r.people is None]
    return [
        replace(r, comparison=arms)
        if r.people and not r.comparison and any(_are_of_one_outcome(r, one) for one in whole)
        else r
        for r in results
    ]


def _filled(table: Reported, told: Reported) -> Reported:
    """A result of the table with what only its sentence tells: arms' figures, sides, the words themselves."""
    return replace(
        table,
        arms=table.arms or told.arms,
        comparison=table.comparison or told.comparison,
        time=table.time or told.time,
        passage_id=told.passage_id,
        quote=told.quote,
    )


def _is_same(table: Reported, told: Reported) -> bool:
    """The same effect with the same interval is the same result, whatever it is called; one with another interval is of
    others, though the estimate be the same."""
    a, b = table.effect, told.effect
    if a is None or b is None:
        return False
    intervals = [(one.ci_low, one.ci_high) for one in (a, b)]
    if None not in (*intervals[0], *intervals[1]) and intervals[0] != intervals[1]:
        return False
    return (abs(a.estimate), *intervals[0]) == (abs(b.estimate), *intervals[1]) or (
        abs(a.estimate - b.estimate) < 1e-9
        and fit_of(read_outcome(told.outcome), read_outcome(table.outcome)) is Fit.ASKED
    )


def _are_arms_of(table: Reported, told: Reported) -> bool:
    """Whether a sentence tells the shares of the arms behind a ratio of the table: one outcome, comparison, of all the
    people, and shares whose own ratio is near it."""
    effect = table.effect
    if effect is None or effect.measure not in RATIOS or table.arms or told.effect is not None or len(told.arms) != 2:
        return False
    if table.people is not None or told.people is not None or not _are_the_sides(table.comparison, told.comparison):
        return False
    a, b = (float(arm.percent) if arm.percent else 0.0 for arm in told.arms)
    if not (a and b and abs(log(a / b) - log(effect.estimate)) < _NEAR_RATIO):
        return False
    return _are_of_one_outcome(table, told)


def _is_rate_of(table: Reported, told: Reported) -> bool:
    """Whether a sentence tells the rates of a result that the table has with its effect: the same once more."""
    if table.effect is None or told.effect is not None or not told.arms or any(arm.per is None for arm in told.arms):
        return False
    if table.people != told.people or not _are_the_sides(table.comparison, told.comparison):
        return False
    doses = [[_FIGURE.findall(without_brackets(side)) for side in one.comparison] for one in (table, told)]
    return doses[0] == doses[1] and _are_of_one_outcome(table, told)


_FIGURE = re.compile(r"\d+(?:\.\d+)?")


def _are_of_one_outcome(one: Reported, other: Reported) -> bool:
    """Whether each outcome is the other, and neither a part of it."""
    names = read_outcome(one.outcome), read_outcome(other.outcome)
    return fit_of(*names) is Fit.ASKED and fit_of(*reversed(names)) is Fit.ASKED


def _are_the_sides(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two comparisons are of the same sides in the same order, by words that tell them apart."""
    if len(one) != 2 or len(other) != 2:
        return False
    (a, b), (c, d) = (tuple(map(idea_tokens, sides)) for sides in (one, other))
    return one == other or (bool((a & c) - (b | d)) and bool((b & d) - (a | c)))


_NEAR_RATIO = 0.2
"""Of logarithms: a hazard or odds ratio and the ratio of two shares of one result differ by less where events are not
common."""
_COMPOSITE = re.compile(r"\bcomposite\b", re.IGNORECASE)


def has_figures(result: StudyResult) -> bool:
    """Whether anything is known of a result: an effect, or figures of its arms."""
    return result.effect is not None or any(
        figure is not None for arm in result.arms for figure in (arm.events, arm.percent, arm.per, arm.measured)
    )


def may_lead(results: Sequence[StudyResult], question: Question) -> list[StudyResult]:
    """Those of an asked outcome; where of one event only kinds were counted alone, composites that hold all of it too.

    Who asks about stroke is told of "stroke or systemic embolism" before "haemorrhagic stroke".
    """
    of_it = [r for r in results if r.outcome_fit in OF_IT]
    asked = question.outcomes
    if not of_it or not asked:
        return of_it
    if any(one.is_composite for one in asked):
        exact = any(r.outcome_fit is Fit.ASKED for r in of_it)
        return of_it if exact else [r for r in results if _has_each(r, asked)] or of_it
    if any(closeness(read_outcome(r.outcome), one) > HOLDS_IT for r in of_it for one in asked):
        return of_it
    held = [r for r in results if r.outcome_fit is Fit.WIDER]
    return of_it + [r for r in held if any(holds_it(read_outcome(r.outcome), one) for one in asked)]


def _has_each(result: StudyResult, asked: Sequence[Outcome]) -> bool:
    """Whether each component of what is asked about is one of the result's, or a kind of it is: "death, dementia or
    persistent physical disability" of "death or disability"."""
    if result.outcome_fit not in {Fit.WIDER, Fit.PART}:
        return False
    told = [Outcome(atom.text, (atom,)) for atom in read_outcome(result.outcome).atoms]
    atoms = [Outcome(atom.text, (atom,)) for one in asked for atom in one.atoms]
    return all(any(fit_of(there, atom) in OF_IT for there in told) for atom in atoms)


def lead_of(results: Sequence[StudyResult], question: Question) -> StudyResult | None:
    """The result that answers: of the asked people and outcome rather than wider ones, by the stronger design."""
    told = [r for r in results if has_figures(r)]
    return max(told, key=lambda r: _order(r, question), default=None)


def _order(result: StudyResult, question: Question) -> tuple[float, ...]:
    """What makes a result the better answer, the weightiest first."""
    told = read_outcome(result.outcome)
    outcome = max((closeness(told, asked) for asked in question.outcomes), default=1.0)
    if len(question.outcomes) > 1 and all(holds_it(told, asked) for asked in question.outcomes):
        outcome = 1.0  # the composite of all that is asked about
    if _is_in_those_words(told, question):
        outcome += _IN_THOSE_WORDS
    tested = result.noninferiority is not None and asked_direction(question.analysis.question) == AS_GOOD
    return (
        result.comparison_fit in {Fit.ASKED, Fit.PART},
        not result.is_subgroup
        or (bool(question.people) and result.people_fit in {Fit.ASKED, Fit.PART})
        or _is_told_apart(result, question),
        result.people_fit in {Fit.ASKED, Fit.PART},
        _is_told_by_age(result, question),
        _is_of_them_alone(result, question),
        bool(question.background) and not question.comparators and _is_without_it(result.comparison),
        tested and not question.outcomes,
        result.design in SYNTHESES and _POOLED.search(question.analysis.question) is not None,
        _share_of_unread(result, question),
        question.asks_for_harm or bool(question.outcomes) or not (result.harm or is_harm(result.outcome)),
        outcome if result.effect is not None or result.absolute is not None else outcome - 0.3,
        is_at(result, question.days),
        bool(question.comparators) or len(result.comparison) != 2 or _is_without_it(result.comparison),
        _is_alone(result, question),
        tested,
        _RANK[result.people_fit],
        _is_told_apart(result, question),
        _RANK[result.comparison_fit],
        len(result.comparison) == 2,
        _strength(result),
        result.analysis is None or not OF_SOME.search(result.analysis),
        result.effect is None or result.effect.measure not in REDUCTIONS,
        result.absolute is not None,
        people_in(result) or 0,
        result.year or 0,
    )


_POOLED = re.compile(
    r"\b(?:pool(?:ed|ing)|meta-?analys[ei]s|systematic review|(?:taken|put) together"
    r"|all (?:the |these )?(?:\w+ ){0,2}trials)\b",
    re.IGNORECASE,
)
"""Asks for a synthesis of trials."""


def _is_without_it(comparison: Sequence[str]) -> bool:
    """Whether the other arm got nothing in its place: "clopidogrel on top of aspirin" is asked of a trial against
    placebo before one against another drug."""
    if len(comparison) != 2 or all(map(is_one_alone, comparison)):
        return False
    return is_control(comparison[1]) or _PLACEBO.search(comparison[1]) is not None


_PLACEBO = re.compile(r"\b(?:placebo|sham|alone)\b", re.IGNORECASE)


def _is_in_those_words(told: Outcome, question: Question) -> bool:
    """Whether an outcome that is counted in a way of its own was asked for in its very words: "total hospitalizations
    for heart failure", and no first one."""
    name = _all_words(told.text)
    if not told.is_composite and _COUNTED.search(name) is None:
        return False
    if len(question.outcomes) > 1 and all(holds_it(told, asked) for asked in question.outcomes):
        return name in " ".join(_WORD.findall(question.analysis.question.casefold()))
    return any(name == _all_words(asked.text) for asked in question.outcomes)


_WORD = re.compile(r"[^\W_]+")
_IN_THOSE_WORDS = 0.05
"""Added to `closeness`: more than nothing, less than between any two of its steps."""
_COUNTED = re.compile(r"\b(?:total|first|recurrent|repeat\w*|any|nonfatal|fatal)\b(?! cause)")


def _all_words(text: str) -> str:
    """Its words, brackets that explain it left out."""
    return " ".join(_WORD.findall(without_brackets(text).casefold()))


def _is_alone(result: StudyResult, question: Question) -> bool:
    """Whether one event is asked for, and the result is of it and not of a composite."""
    single = bool(question.outcomes) and not any(asked.is_composite for asked in question.outcomes)
    return single and not (result.components or _COMPOSITE.search(result.outcome))


def _share_of_unread(result: StudyResult, question: Question) -> float:
    """Of the words of an outcome, the share that was asked for in words that no list knows: "constriction" is rather
    "constrictive pericarditis" than a composite with that in it."""
    if question.outcomes or not question.unread:
        return 0.0
    return share(result.outcome, question.unread)


def _is_told_apart(result: StudyResult, question: Question) -> bool:
    """Whether a result is of a part of its source's people whose bound holds the asked figure: CRP above 204 of 290."""
    return result.people_fit is Fit.WIDER and result.people is not None and is_within(question.people, result.people)


def _is_of_them_alone(result: StudyResult, question: Question) -> bool:
    """Whether a result is of a part of its source's people whom the question names, and says no more of them: of those
    "without ST-segment elevation" of all with acute coronary syndromes; "aged 4 to 5 years" is more than "children"."""
    if (people := result.people) is None:
        return False
    named = [term for term in question.people if term.wanted and is_told(term, people)]
    if any(told_apart(term, people) for term in named):
        return True
    return bool(named) and is_all_asked_for(people, question.analysis)


def _is_told_by_age(result: StudyResult, question: Question) -> bool:
    """Whether an age is asked about, and the result is that of all ages of a source that tells ages apart."""
    return bool(result.people and is_of_all_ages(result.people)) and any(
        term.kind is PopulationKind.AGE and term.wanted for term in question.people
    )


def _strength(result: StudyResult) -> float:
    """Randomised evidence before observational; within it syntheses first, as they weigh the single trials."""
    return weight(result.design, 0.3)


def conflicts_of(lead: StudyResult, results: Sequence[StudyResult], question: Question) -> tuple[StudyResult, ...]:
    """Results of the same comparison, outcome and people that point elsewhere; none beside a synthesis of trials.

    Of one measure every lower target stands against every higher one, whatever the arms are called.
    """
    if lead.verdict not in {_V.BENEFIT, _V.HARM, _V.LITTLE_OR_NO_DIFFERENCE, _V.NOT_SHOWN, _V.NONINFERIOR}:
        return ()
    found = [
        r
        for r in results
        if r.n != lead.n
        and (r.comparison_fit, r.outcome_fit, r.people_fit) == (lead.comparison_fit, lead.outcome_fit, lead.people_fit)
        and r.is_subgroup == lead.is_subgroup
        and fit_of(read_outcome(r.outcome), read_outcome(lead.outcome)) is Fit.ASKED
        and (question.target is not None or same_sides(r, lead))
        and _points_elsewhere(lead, r)
        and not (lead.design in SYNTHESES and (r.year or 0) <= (lead.year or 0))
        and not (r.design in OBSERVATIONAL and lead.design not in OBSERVATIONAL)
    ]
    return tuple(found[:2])


def same_sides(a: StudyResult, b: StudyResult) -> bool:
    """Whether both set the treatment against the same: two controls, or arms that share a drug or a procedure."""
    if len(a.comparison) != 2 or len(b.comparison) != 2:
        return False
    one, other = a.comparison[1], b.comparison[1]
    if is_control(one) or is_control(other):
        return is_control(one) and is_control(other)
    names = names_in(one), names_in(other)
    return bool(names[0] & names[1]) or not (names[0] and names[1])


def _points_elsewhere(lead: StudyResult, other: StudyResult) -> bool:
    """Opposite, or an effect here and none there where each interval shuts out the other's estimate."""
    if {lead.verdict, other.verdict} == {_V.BENEFIT, _V.HARM}:
        return True
    settled = {_V.BENEFIT, _V.HARM}
    if (lead.verdict in settled) == (other.verdict in settled):
        return False
    a, b = lead.effect, other.effect
    return a is not None and b is not None and shuts_out(a, b.estimate) and shuts_out(b, a.estimate)


def others_of(
    lead: StudyResult, results: Sequence[StudyResult], conflicts: Sequence[StudyResult], question: Question
) -> tuple[StudyResult, ...]:
    """The composite that the asked outcome is a part of, from the lead's own source first; then other sources, and what
    the lead's own tells besides of what was asked about."""
    rest = [r for r in results if r is not lead and r not in conflicts and has_figures(r)]
    own = [r for r in rest if r.n == lead.n and not r.is_subgroup]
    composite = max(
        (r for r in own if r.components and r.outcome_fit is Fit.WIDER and _of_one_dose(r, lead)),
        key=lambda r: len(r.components),
        default=None,
    )
    chosen = [composite] if composite is not None and question.outcomes else []
    chosen += parts_that_differ(lead, rest)
    seen = {lead.n, *(r.n for r in conflicts)}
    ordered = sorted(rest, key=lambda r: _order(r, question), reverse=True)
    for result in ordered:
        if result.n not in seen and len(seen) <= MOST_OTHERS:
            seen.add(result.n)
            whole = whole_of(result, rest) if result.people_fit is Fit.PART else []
            chosen.append(whole[0] if whole else result)
    alike: list[StudyResult] = []
    for result in ordered:
        told = (lead, *chosen, *alike)
        if result in told or len(alike) == MOST_ALIKE or not _is_alike(result, lead, question):
            continue
        if not any(_adds_nothing(result, other) for other in told if other.n == lead.n):
            alike.append(result)
    return (*chosen, *alike)


def _adds_nothing(one: StudyResult, other: StudyResult) -> bool:
    """Whether a result beside another of its source has the same figures, or nothing that is told sets them apart."""
    counted = [[(arm.events, arm.percent, arm.measured) for arm in r.arms] for r in (one, other)]
    if one.arms and counted[0] == counted[1]:
        return True
    if without_brackets(one.outcome).casefold() != without_brackets(other.outcome).casefold():
        return False
    doses = [{dose for side in r.comparison for dose in _DOSE.findall(side)} for r in (one, other)]
    same_time = one.time == other.time or one.time is None or other.time is None
    differ = one.effect is not None and other.effect is not None and one.effect.measure == other.effect.measure
    return same_time and differ and (doses[0] == doses[1] or not all(doses))


def _is_alike(result: StudyResult, lead: StudyResult, question: Question) -> bool:
    """Whether a result of the lead's own source and of the same people is of an outcome that was asked about: with
    another dose, at another time, by another definition, or another kind of it."""
    if result.n != lead.n or (result.is_subgroup, result.people) != (lead.is_subgroup, lead.people):
        return False
    if result.comparison_fit not in OF_IT:
        return False
    return result.outcome_fit in OF_IT if question.outcomes else question.asks_for_harm or not is_harm(result.outcome)


def _of_one_dose(one: StudyResult, other: StudyResult) -> bool:
    """Whether no arm of the one is a dose that the other's arm in its place is not."""
    doses = (
        (set(_DOSE.findall(a)), set(_DOSE.findall(b))) for a, b in zip(one.comparison, other.comparison, strict=False)
    )
    return all(not a or not b or bool(a & b) for a, b in doses)


_DOSE = re.compile(r"\d[\d.]*(?=\s?(?:mg|micrograms?|mcg|g|units?|IU)\b)")


def besides_of(lead: StudyResult, results: Sequence[StudyResult], question: Question) -> tuple[StudyResult, ...]:
    """Of each other outcome that was asked about the best result, of the lead's own arms where they have one."""
    found: list[StudyResult] = []
    for outcome in unled(lead, question.outcomes):
        own = [r for r in results if fit_of(read_outcome(r.outcome), outcome) in NEAR and r not in found]
        near = [
            r
            for r in own
            if r.n == lead.n and r.is_subgroup == lead.is_subgroup and set(r.comparison) == set(lead.comparison)
        ]
        best = lead_of(near or [r for r in own if not r.is_subgroup], replace(question, outcomes=(outcome,)))
        if best is not None:
            found.append(best)
    return tuple(found)


def unled(lead: StudyResult, asked: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes asked about that the leading result is not of."""
    if len(asked) == 1 and lead.outcome_fit in OF_IT:
        return []
    told = read_outcome(lead.outcome)
    return [outcome for outcome in asked if fit_of(told, outcome) not in NEAR]


def whole_of(lead: StudyResult, results: Sequence[StudyResult]) -> list[StudyResult]:
    """Of a result that leads for a part of its source's people, that of all of them."""
    if not lead.is_subgroup:
        return []
    outcome = read_outcome(lead.outcome)
    own = [r for r in results if r.n == lead.n and not r.is_subgroup and has_figures(r)]
    same = [r for r in own if r.comparison_fit is lead.comparison_fit]
    return [r for r in same if fit_of(read_outcome(r.outcome), outcome) is Fit.ASKED][:1]


def parts_that_differ(lead: StudyResult, results: Sequence[StudyResult]) -> list[StudyResult]:
    """Subgroups of the lead's own source on its outcome, where they do not all point the lead's way.

    Who reads that a treatment lowers deaths has to read beside it in whom it did not.
    """
    if lead.is_subgroup or lead.effect is None:
        return []
    outcome = read_outcome(lead.outcome)
    own = [
        r
        for r in results
        if r.n == lead.n
        and r.is_subgroup
        and r.effect is not None
        and r.effect.measure == lead.effect.measure
        and r.comparison_fit is lead.comparison_fit
        and fit_of(read_outcome(r.outcome), outcome) is Fit.ASKED
    ]
    if all(direction_of(r) == direction_of(lead) for r in own):
        return []
    return own[:MOST_PARTS]


def people_in(result: StudyResult) -> int | None:
    if not result.arms or any(arm.n is None for arm in result.arms):
        return None
    return sum(arm.n or 0 for arm in result.arms)
