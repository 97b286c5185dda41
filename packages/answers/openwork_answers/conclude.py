"""From the evidence of a run to the answer object: which result answers the question, and what stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from openwork_contracts.conclusion import (
    Asked,
    Conclusion,
    ConclusionVerdict,
    Fit,
    GuidelineStatement,
    StudyResult,
)
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.strategy import SearchStrategy
from openwork_evidence.findable import is_findable
from openwork_evidence.text import abstract_text
from openwork_knowledge.designs import OBSERVATIONAL, SYNTHESES, weight
from openwork_knowledge.statuses import is_void
from openwork_language.mentions import speaks_of
from openwork_language.sentences import split_sentences

from openwork_answers.about import is_sentence_about, is_source_about
from openwork_answers.asked import Question, read_question
from openwork_answers.forms import asked_direction, direction_of
from openwork_answers.harms import harm_sentence, harms_of
from openwork_answers.outcomes import NEAR, closeness, fit_of, is_harm, read_outcome
from openwork_answers.people import is_degree, people_fit, unmet
from openwork_answers.recommended import statements_of
from openwork_answers.reported import Reported, results_of
from openwork_answers.told import told_results
from openwork_answers.weighing import shuts_out, weighed

_V = ConclusionVerdict
_RANK = {Fit.ASKED: 3, Fit.PART: 2, Fit.WIDER: 1, Fit.NOT_TOLD: 0, Fit.OTHER: -1}
MOST_PARTS = 3
"""Subgroups that differ from the whole."""
MOST_OTHERS = 4
"""Rows of the table besides the one that leads."""


def conclude(
    analysis: QuestionAnalysis,
    strategy: SearchStrategy,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
) -> Conclusion:
    """The answer object of a question and its evidence. Pure and deterministic.

    Args:
        analysis: the question as understood.
        strategy: what a record has to hold to be about it.
        passages: the ranked passages; `n` is the place (from 1) of their document in `documents`.
        documents: the works they come from, which are all that is looked at.
    """
    question = read_question(analysis, strategy)
    usable = [(n, d) for n, d in enumerate(documents, 1) if not is_void(d.status) and is_findable(d.identifiers)]
    texts = {n: tuple(p.text for p in passages if p.n == n) for n, _ in usable}
    about = [(n, d) for n, d in usable if is_source_about(question, strategy, d, texts[n])]
    misfits = {p.n for p in passages if p.fit.misfit}
    fitting = [(n, d) for n, d in about if n not in misfits]
    effect = _effect(question, fitting, passages, documents)
    if effect.lead is None and question.comparators and question.asks_for_effect:
        effect = _apart(question, strategy, usable, passages, texts, effect)
    guidelines = statements_of(question, strategy, about)
    told = [n for n, d in about if _tells(question, strategy, d, [p for p in passages if p.n == n])]
    verdict = _verdict(effect, guidelines, question, is_told=bool(told))
    return effect.model_copy(
        update={
            "verdict": verdict,
            "guidelines": guidelines,
            "about": tuple(told),
            "missing": effect.missing if effect.lead or effect.others else _missing(question, usable, about),
            "newest_year": max((d.year for _, d in usable if d.year), default=None),
        }
    )


def _effect(
    question: Question,
    sources: Sequence[tuple[int, EvidenceCandidate]],
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
) -> Conclusion:
    """What the results of the sources say; without a lead where none is of the question."""
    asked = _asked(question)
    if not question.asks_for_effect:
        return Conclusion(verdict=_V.NOT_FOUND, asked=asked)
    results = [r for n, d in sources for r in _results(n, d, passages, question)]
    own = [r for r in results if r.comparison_fit in NEAR and r.people_fit in NEAR]
    on_outcome = [r for r in own if _is_on_outcome(r, question)]
    lead = _lead(on_outcome, question)
    if lead is None:
        return Conclusion(verdict=_V.NOT_FOUND, asked=asked)
    harms = harms_of(question, own, lead)
    told = None if harms else harm_sentence(question, passages, documents, _sources(lead, own))
    conflicts = _conflicts(lead, on_outcome)
    others = _others(lead, on_outcome, conflicts, question)
    same = (Fit.ASKED, Fit.PART, Fit.NOT_TOLD)
    counted = [r for r in (lead, *others, *conflicts) if r is lead or r.outcome_fit in same]
    alone = question.outcomes and lead.outcome_fit is Fit.WIDER
    document = documents[lead.n - 1]
    fits = [(t.text, people_fit((t,), document, lead.people or lead.quote)) for t in question.people]
    return Conclusion(
        verdict=_V.CONFLICTING if conflicts else lead.verdict,
        asked=asked,
        lead=lead,
        others=others,
        harms=harms,
        harm_words=told[1] if told else None,
        harm_n=told[0] if told else None,
        conflicts=conflicts,
        missing=(f"result for {_named(question)} alone",) if alone else (),
        people_told=tuple(text for text, fit in fits if fit in {Fit.ASKED, Fit.PART}),
        people_wider=tuple(text for text, fit in fits if fit is Fit.WIDER),
        n_studies=len({r.n for r in counted}),
        n_people=_people(lead),
        n_events=_events(lead),
    )


def _apart(
    question: Question,
    strategy: SearchStrategy,
    usable: Sequence[tuple[int, EvidenceCandidate]],
    passages: Sequence[RankedPassage],
    texts: dict[int, tuple[str, ...]],
    effect: Conclusion,
) -> Conclusion:
    """Where nothing compares the two in these people: the two in wider people, then each against others in these.

    No verdict follows from them; what is missing is said first.
    """
    others = tuple(t for t in question.people if not is_degree(t))
    wider = replace(question, people=others)
    alone = (replace(question, treatments=(idea,), comparators=()) for idea in
             (*question.treatments, *question.comparators))  # fmt: skip
    found: list[StudyResult] = []
    for sub in (wider, *alone) if others or not question.people else alone:
        sources = [(n, d) for n, d in usable if is_source_about(sub, strategy, d, texts[n])]
        results = [r for n, d in sources for r in _results(n, d, passages, sub)]
        own = [r for r in results if r.comparison_fit in NEAR and r.people_fit in NEAR]
        best = _lead([r for r in own if _is_on_outcome(r, sub) and r not in found], sub)
        if best is not None and best.n not in {r.n for r in found}:
            found.append(best)
    if not found:
        return effect
    both = (
        f"{' and '.join(i.term for i in question.treatments)} and {' or '.join(i.term for i in question.comparators)}"
    )
    people = f" in these people ({', '.join(t.text for t in question.people)})" if question.people else ""
    return effect.model_copy(
        update={
            "verdict": _V.TOO_LITTLE,
            "others": tuple(found),
            "missing": (f"direct comparison of {both}{people}",),
        }
    )


def _is_on_outcome(result: StudyResult, question: Question) -> bool:
    """The asked outcome; where a question names none, any but a harm, and of a question about safety only harms."""
    if question.outcomes:
        return result.outcome_fit in NEAR
    if not question.asks_for_harm:
        return True
    return (is_harm(result.outcome) and not result.components) or result.verdict is _V.HARM


def _tells(
    question: Question, strategy: SearchStrategy, document: EvidenceCandidate, passages: Sequence[RankedPassage]
) -> bool:
    """Whether a sentence of the source, in the passages that were chosen, is about the question."""
    return any(
        is_sentence_about(question, strategy, document, sentence.text)
        for passage in passages
        for sentence in split_sentences(passage.text)
    )


def _results(
    n: int, document: EvidenceCandidate, passages: Sequence[RankedPassage], question: Question
) -> list[StudyResult]:
    """Of the source's table, then what its sentences tell besides: a figure is counted once."""
    table = results_of(n, document)
    own = [p for p in passages if p.n == n]
    told = list(told_results(n, document, own, first_place=len(table)))
    merged = []
    for one in table:
        same = [t for t in told if _is_same(one, t)]
        told = [t for t in told if t not in same]
        merged.append(_filled(one, same[0]) if same else one)
    told = [t for i, t in enumerate(told) if not any(_is_same(other, t) for other in told[:i])]
    return [weighed(r, question) for r in (*merged, *told)]


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
    """The same effect with the same interval is the same result, whatever it is called."""
    a, b = table.effect, told.effect
    if a is None or b is None:
        return False
    return (abs(a.estimate), a.ci_low, a.ci_high) == (abs(b.estimate), b.ci_low, b.ci_high) or (
        abs(a.estimate - b.estimate) < 1e-9
        and fit_of(read_outcome(told.outcome), read_outcome(table.outcome)) is Fit.ASKED
    )


def _lead(results: Sequence[StudyResult], question: Question) -> StudyResult | None:
    """The result that answers: of the asked people and outcome rather than wider ones, by the stronger design."""
    told = [r for r in results if r.effect is not None or r.arms]
    return max(told, key=lambda r: _order(r, question), default=None)


def _order(result: StudyResult, question: Question) -> tuple[float, ...]:
    """What makes a result the better answer, the weightiest first."""
    told = read_outcome(result.outcome)
    outcome = max((closeness(told, asked) for asked in question.outcomes), default=1.0)
    return (
        result.comparison_fit in {Fit.ASKED, Fit.PART},
        not result.is_subgroup or (bool(question.people) and result.people_fit in {Fit.ASKED, Fit.PART}),
        result.people_fit in {Fit.ASKED, Fit.PART},
        outcome if result.effect is not None or result.absolute is not None else outcome - 0.3,
        _RANK[result.people_fit],
        _RANK[result.comparison_fit],
        len(result.comparison) == 2,
        _strength(result),
        result.analysis is None,
        result.absolute is not None,
        _people(result) or 0,
        result.year or 0,
    )


def _strength(result: StudyResult) -> float:
    """Randomised evidence before observational; within it syntheses first, as they weigh the single trials."""
    return weight(result.design, 0.3)


def _conflicts(lead: StudyResult, results: Sequence[StudyResult]) -> tuple[StudyResult, ...]:
    """Results of the same comparison, outcome and people that point elsewhere; none beside a synthesis of trials."""
    if lead.verdict not in {_V.BENEFIT, _V.HARM, _V.LITTLE_OR_NO_DIFFERENCE, _V.NOT_SHOWN}:
        return ()
    found = [
        r
        for r in results
        if r.n != lead.n
        and (r.comparison_fit, r.outcome_fit, r.people_fit) == (lead.comparison_fit, lead.outcome_fit, lead.people_fit)
        and r.is_subgroup == lead.is_subgroup
        and fit_of(read_outcome(r.outcome), read_outcome(lead.outcome)) is Fit.ASKED
        and _same_sides(r, lead)
        and _points_elsewhere(lead, r)
        and not (lead.design in SYNTHESES and (r.year or 0) <= (lead.year or 0))
        and not (r.design in OBSERVATIONAL and lead.design not in OBSERVATIONAL)
    ]
    return tuple(found[:2])


def _same_sides(a: StudyResult, b: StudyResult) -> bool:
    return len(a.comparison) == len(b.comparison) == 2


def _points_elsewhere(lead: StudyResult, other: StudyResult) -> bool:
    """Opposite, or an effect here and none there where each interval shuts out the other's estimate."""
    if {lead.verdict, other.verdict} == {_V.BENEFIT, _V.HARM}:
        return True
    settled = {_V.BENEFIT, _V.HARM}
    if (lead.verdict in settled) == (other.verdict in settled):
        return False
    a, b = lead.effect, other.effect
    return a is not None and b is not None and shuts_out(a, b.estimate) and shuts_out(b, a.estimate)


def _others(
    lead: StudyResult, results: Sequence[StudyResult], conflicts: Sequence[StudyResult], question: Question
) -> tuple[StudyResult, ...]:
    """The composite that the asked outcome is a part of, from the lead's own source first; then other sources."""
    rest = [r for r in results if r is not lead and r not in conflicts and (r.effect is not None or r.arms)]
    own = [r for r in rest if r.n == lead.n and not r.is_subgroup]
    composite = max(
        (r for r in own if r.components and r.outcome_fit is Fit.WIDER), key=lambda r: len(r.components), default=None
    )
    chosen = [composite] if composite is not None and question.outcomes else []
    chosen += parts_that_differ(lead, rest)
    seen = {lead.n, *(r.n for r in conflicts)}
    for result in sorted(rest, key=lambda r: _order(r, question), reverse=True):
        if result.n not in seen and len(seen) <= MOST_OTHERS:
            seen.add(result.n)
            chosen.append(result)
    return tuple(chosen)


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


def _verdict(
    effect: Conclusion, guidelines: Sequence[GuidelineStatement], question: Question, *, is_told: bool
) -> ConclusionVerdict:
    """Results decide; a question for guidance is answered by guidelines; without either a source may tell in words."""
    if question.asks_for_guideline and guidelines:
        return _V.RECOMMENDATION
    if effect.lead is not None or effect.others:
        return effect.verdict
    if question.asks_for_dose and is_told:
        return _V.DESCRIPTION
    if guidelines and question.asks_what_to_do:
        return _V.RECOMMENDATION
    return _V.DESCRIPTION if is_told else _V.NOT_FOUND


def _asked(question: Question) -> Asked:
    pico = question.analysis.pico
    return Asked(
        intervention=pico.intervention,
        comparison=pico.comparison,
        outcome=tuple(o.text for o in question.outcomes),
        people=tuple(term.text for term in question.people),
        yes_or_no=question.yes_or_no,
        direction=asked_direction(question.analysis.question),
    )


def _missing(
    question: Question,
    usable: Sequence[tuple[int, EvidenceCandidate]],
    about: Sequence[tuple[int, EvidenceCandidate]],
) -> tuple[str, ...]:
    """What of the question nothing found is about, in words that finish "the evidence found contains no ..."."""
    treatment = " and ".join(idea.term for idea in question.treatments)
    others = " or ".join(idea.term for idea in question.comparators)
    unknown = unmet(question.people, [d for _, d in usable])
    if unknown:
        people = " and ".join(term.text for term in unknown)
        return (f"evidence on {treatment or 'this'} in these people: {people}",)
    if others and not any(_compares(question, d) for _, d in usable):
        return (f"direct comparison of {treatment} and {others}",)
    if question.outcomes:
        return (f"result of {treatment} for {_named(question)}" if treatment else f"evidence on {_named(question)}",)
    return (f"evidence about {treatment}",) if treatment else ("evidence about the question",)


def _compares(question: Question, document: EvidenceCandidate) -> bool:
    text = f"{document.title}. {abstract_text(document)}"
    ideas = (*question.treatments, *question.comparators)
    return all(any(speaks_of(sentence.text, idea) for sentence in split_sentences(text)) for idea in ideas)


def _sources(lead: StudyResult, about: Sequence[StudyResult]) -> list[int]:
    return list(dict.fromkeys((lead.n, *(r.n for r in about))))


def _named(question: Question) -> str:
    return " or ".join(o.text for o in question.outcomes)


def _people(result: StudyResult) -> int | None:
    if not result.arms or any(arm.n is None for arm in result.arms):
        return None
    return sum(arm.n or 0 for arm in result.arms)


def _events(result: StudyResult) -> int | None:
    if not result.arms or any(arm.events is None for arm in result.arms):
        return None
    return sum(arm.events or 0 for arm in result.arms)
