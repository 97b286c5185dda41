"""From the evidence of a run to the answer object: which result answers the question, and what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

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
from openwork_language.mentions import idea_of
from openwork_language.searching.information import MOST

from openwork_answers.about import is_sentence_about, is_source_about
from openwork_answers.asked import Question, readings_of
from openwork_answers.asked_rows import rows_asked_for
from openwork_answers.choosing import (
    besides_of,
    conflicts_of,
    lead_of,
    may_lead,
    others_of,
    people_in,
    results_about,
    whole_of,
)
from openwork_answers.citable import citable
from openwork_answers.closest import LEAST_OF_AN_ANSWER, closest_studies
from openwork_answers.closest_rows import with_rows_beside
from openwork_answers.directions import asked_direction
from openwork_answers.harms import harm_sentence, harms_of
from openwork_answers.missing import any_names, missing_alone, missing_of
from openwork_answers.named_studies import of_studies, of_the_target
from openwork_answers.naming import is_named
from openwork_answers.naming_people import in_people, in_words
from openwork_answers.nearest import as_nearest, with_nearest
from openwork_answers.outcome_fits import fit_of, holds_it, is_of_another_number
from openwork_answers.outcomes import NEAR, OF_IT, is_harm, read_outcome
from openwork_answers.people import alternatives, is_degree, people_fit
from openwork_answers.read_again import readings_by
from openwork_answers.recommended import (
    asks_how_long,
    is_guideline_of_adults,
    lacking_guidance,
    statements_of,
    tells_how_long,
)
from openwork_answers.regimens import regimens_of
from openwork_answers.sides import asks_for_it_alone
from openwork_answers.source_people import people_told
from openwork_answers.special_people import (
    is_of_unasked,
    of_like_people,
    of_some_alone,
    sources_of_harm,
)
from openwork_answers.tellable import Role, may_be_said, sayable_in
from openwork_answers.treatments import best_fit, generic
from openwork_answers.unaccounted import drugs_unaccounted, how_telling, treatments_unaccounted, words_unaccounted
from openwork_answers.unread import holds
from openwork_answers.weighing import background_untold

_V = ConclusionVerdict


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

    Where the question does not tell whether a condition is who is meant or what is asked about, and nothing was found
    of the one reading, the other is tried: it stands where a result is of that very outcome.

    The last few are remembered by all that they were made of: where services share a process, who assesses the evidence
    and who checks the answer ask for the same one.
    """
    return _conclude(analysis, strategy, tuple(passages), tuple(documents))


@lru_cache(maxsize=8)
def _conclude(
    analysis: QuestionAnalysis,
    strategy: SearchStrategy,
    passages: tuple[RankedPassage, ...],
    documents: tuple[EvidenceCandidate, ...],
) -> Conclusion:
    readings = readings_of(analysis, strategy)
    primary = next(readings)
    return with_rows_beside(_found(primary, readings, strategy, passages, documents), primary, documents, passages)


def _found(
    primary: Question,
    readings: Iterable[Question],
    strategy: SearchStrategy,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
) -> Conclusion:
    """The answer object of the first reading, else of another that a result is of, else what stands nearest."""
    first = _concluded(primary, strategy, passages, documents)
    if first.lead is not None or first.regimens:
        return first
    if first.guidelines:
        return _closest(first, primary, strategy, passages, documents)
    wider = None
    for question in readings:
        other = _concluded(question, strategy, passages, documents)
        exchanged = [outcome for outcome in question.outcomes if outcome.text not in primary.outcome_texts]
        if other.lead is None or not question.outcomes:
            continue
        if _lost(primary, question):
            continue
        if not holds(_all_told(other.lead), primary.unread):
            continue  # what the first reading leaves unread is asked about all the same
        told = read_outcome(other.lead.outcome)
        kept = [outcome for outcome in question.outcomes if outcome not in exchanged]
        if kept and exchanged and not any(fit_of(told, outcome) in NEAR for outcome in kept):
            continue  # what both readings ask about is asked about all the same
        if not exchanged:  # a condition is who is meant, not what is asked about: of these people, and of all the rest
            own = other.lead.people_fit in {Fit.ASKED, Fit.PART}
            if own and all(fit_of(told, outcome) in {Fit.ASKED, Fit.PART} for outcome in question.outcomes):
                return other
            continue
        if all(fit_of(told, outcome) in {Fit.ASKED, Fit.PART} for outcome in exchanged):
            return other
        if wider is None and all(holds_it(told, outcome) for outcome in exchanged):
            wider = other
    if wider is not None:
        return wider
    if (again := _read_again(primary, strategy, passages, documents)) is not None:
        return again
    near = with_nearest(first, primary, documents, lambda rest: _concluded(rest, strategy, passages, documents))
    return near if near.nearest else _closest(near, primary, strategy, passages, documents)


def _lost(primary: Question, other: Question) -> bool:
    """Whether another reading has no word more for an outcome that the first one asks about."""
    named = " ".join((*other.outcome_texts, *other.people_texts)).casefold()
    return any(text.casefold() not in named for text in primary.outcome_texts)


def _closest(
    conclusion: Conclusion,
    question: Question,
    strategy: SearchStrategy,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
) -> Conclusion:
    """With the studies that tell most of the question, where nothing answers it and it asks what something does.

    They are shown, too, where what is told in words or apart turns out to be too little (`too_little.too_little`).
    """
    if conclusion.lead is not None or conclusion.verdict not in {_V.NOT_FOUND, _V.DESCRIPTION, _V.TOO_LITTLE}:
        return conclusion
    if conclusion.regimens:
        return conclusion
    studies = closest_studies(question, citable(documents), passages)
    if question.asks_for_words and not question.outcomes:
        is_of_effect = question.asks_for_knowledge and question.people  # in words that say so to a reader alone
        studies = tuple(one for one in studies if is_of_effect and one.share >= LEAST_OF_AN_ANSWER)
    if not studies:
        return conclusion
    may_answer = not (conclusion.others or asks_for_it_alone(question))
    reading = studies[0].as_asked(question) if may_answer else None
    if reading is not None and (found := _answered(reading, strategy, passages, documents)) is not None:
        return found
    alike = [one for one in studies if one.without == studies[0].without]
    results = tuple(r for one in alike for r in one.results)
    harms = tuple(r for one in alike for r in one.harms)
    return conclusion.model_copy(
        update={"nearest": results, "nearest_without": studies[0].without, "nearest_harms": harms}
    )


def _read_again(
    question: Question,
    strategy: SearchStrategy,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
) -> Conclusion | None:
    """The answer object of a second reading, in the words of what was found; `None` = nothing found suggests one."""
    if question.asks_for_words or (question.contrast is not None and question.contrast.is_of_doses):
        return None
    if asks_for_it_alone(question):
        return None
    results = [r for n, d in citable(documents) for r in results_about(n, d, passages, question)]
    found = (_answered(one, strategy, passages, documents) for one in readings_by(question, results, documents))
    return next((one for one in found if one is not None), None)


def _answered(
    reading: Question,
    strategy: SearchStrategy,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
) -> Conclusion | None:
    """The answer object of a reading in the words of a source, its results alone; `None` = no result leads."""
    found = _concluded(reading, strategy, passages, documents)
    return None if found.lead is None else found.model_copy(update={"guidelines": (), "regimens": ()})


def _all_told(result: StudyResult) -> str:
    """All that a result says of itself."""
    return f"{result.outcome}; {' v '.join(result.comparison)}; {result.people or ''}; {result.quote or ''}"


def _concluded(
    question: Question,
    strategy: SearchStrategy,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
) -> Conclusion:
    """The answer object of one reading of the question."""
    usable = citable(documents)
    texts = {n: tuple(p.text for p in passages if p.n == n) for n, _ in usable}
    if studies := [(n, d) for n, d in usable if is_named(d, question.analysis.question)]:
        studies = of_the_target(question, studies)
        question = of_studies(question, [d for _, d in studies])
        usable = studies
    about = [(n, d) for n, d in usable if studies or is_source_about(question, strategy, d, texts[n])]
    if studies:
        about = [(n, d) for n, d in about if people_fit(question.people, d) in NEAR]
    misfits = {p.n for p in passages if p.fit.misfit}
    # Whether a trial tests what was asked was judged by names; a target has none, and its arms are read here.
    fitting = [(n, d) for n, d in about if n not in misfits or question.target is not None or question.compared]
    effect = _effect(question, fitting, passages, documents)
    if effect.lead is None and question.comparators and question.asks_for_effect:
        effect = _apart(question, strategy, usable, passages, texts, effect)
    guidelines = statements_of(question, strategy, about)
    guidelines = tuple(one for one in guidelines if not words_unaccounted(question, documents[one.n - 1]))
    told = [n for n, d in about if _tells(question, strategy, d, [p for p in passages if p.n == n])]
    regimens = regimens_of(question, fitting)
    verdict = _verdict(effect, guidelines, question, is_told=bool(told or regimens))
    missing = effect.missing if effect.lead or effect.others else missing_of(question, usable, about)
    if (lacking := lacking_guidance(question, guidelines)) is not None:
        missing = (lacking, *(effect.missing if effect.lead or effect.others else ()))
    elif verdict is _V.RECOMMENDATION:
        missing = ()
    return effect.model_copy(
        update={
            "verdict": verdict,
            "guidelines": guidelines,
            "regimens": regimens if verdict is _V.DESCRIPTION else (),
            "about": tuple(told),
            "missing": missing,
            "newest_year": max((d.year for _, d in usable if d.year), default=None),
        }
    )


_DIED_OF = re.compile(
    r"(?:deaths?|mortality|dying)\s+(?:from|due to|of|caused by)\s+(?!any\b)(?P<cause>.+)"
    r"|(?P<its>.+?)[\s-]+(?:deaths?|mortality)$",
    re.IGNORECASE,
)


def _has_the_cause(question: Question, document: EvidenceCandidate) -> bool:
    """Whether a source speaks of what people are asked to die of less: deaths from any cause are of its people."""
    found = [match for one in question.outcomes if (match := _DIED_OF.search(one.text))]
    causes = [match["cause"] or match["its"] for match in found]
    ideas = [idea for idea in map(idea_of, causes) if idea.names]
    return all(any_names(document, idea) for idea in ideas)


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
    results = [r for n, d in sources for r in results_about(n, d, passages, question)]
    if question.studies and not question.treatments:  # asked is whatever the trial compared
        results = [r.model_copy(update={"comparison_fit": Fit.ASKED}) for r in results]
    results = of_some_alone(results, question.analysis, documents)
    own = [r for r in results if r.comparison_fit in NEAR and r.people_fit in NEAR]
    own = [r for r in own if r.outcome_fit in {Fit.ASKED, Fit.PART} or _has_the_cause(question, documents[r.n - 1])]
    on_outcome = [r for r in own if _is_on_outcome(r, question, documents[r.n - 1])]
    of_all = [r for r in on_outcome if not is_of_unasked(question.analysis, documents[r.n - 1])]
    lead = lead_of(may_lead(of_all, question) or on_outcome, question)
    if lead is None:
        return Conclusion(verdict=_V.NOT_FOUND, asked=asked)
    alike = of_like_people(own, lead, documents)
    harms = harms_of(question, alike, lead)
    told = None if harms else harm_sentence(question, passages, documents, sources_of_harm(lead, alike))
    conflicts = conflicts_of(lead, on_outcome, question)
    besides = besides_of(lead, on_outcome, question)
    rest = (*whole_of(lead, results), *others_of(lead, on_outcome, conflicts, question))
    others = (*besides, *(r for r in rest if r not in besides and (r.n != lead.n or r not in harms)))
    others = (*others, *rows_asked_for(lead, (lead, *others, *harms, *conflicts), results, question))
    counted = [r for r in (lead, *others, *conflicts) if r is lead or (r not in besides and _is_of_the_same(r, lead))]
    document = documents[lead.n - 1]
    groups = alternatives(question.people)
    whom = lead.people or (lead.quote or "").replace(lead.outcome, " ") or None
    fits = [(group, people_fit(group, document, whom)) for group in groups]
    untold = words_unaccounted(question, document)
    found = Conclusion(
        verdict=_V.CONFLICTING if conflicts else lead.verdict,
        asked=asked,
        lead=lead,
        others=others,
        harms=harms,
        harm_words=told[1] if told else None,
        harm_n=told[0] if told else None,
        conflicts=conflicts,
        missing=missing_alone(lead, others, question),
        people_told=people_told(question, document, whom, fits),
        people_wider=(
            *(in_words(group) for group, fit in fits if fit is Fit.WIDER),
            *question.left_out,
            *(f"on {term}" for term in background_untold(question, document)),
            *drugs_unaccounted(question, lead, document),
            *treatments_unaccounted(question, lead, document),
            *untold,
        ),
        n_studies=len({r.n for r in counted}),
        n_people=people_in(lead),
        n_events=_events(lead),
    )
    return as_nearest(found, untold) if any(how_telling(word) >= MOST for word in untold) else found


def _is_of_the_same(result: StudyResult, lead: StudyResult) -> bool:
    """Whether a result is of the lead's comparison and of its outcome, or of a part of it."""
    compared = (Fit.ASKED, Fit.PART) if lead.comparison_fit in {Fit.ASKED, Fit.PART} else (lead.comparison_fit,)
    alone = (Fit.ASKED, Fit.PART, Fit.NOT_TOLD) if lead.outcome_fit is not Fit.WIDER else (Fit.WIDER,)
    return result.comparison_fit in compared and result.outcome_fit in alone


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
        results = [r for n, d in sources for r in results_about(n, d, passages, sub)]
        own = [r for r in results if r.comparison_fit in NEAR and r.people_fit in NEAR]
        at = dict(usable)
        best = lead_of([r for r in own if _is_on_outcome(r, sub, at[r.n]) and r not in found], sub)
        if best is not None and best.n not in {r.n for r in found}:
            found.append(best)
    if not any(best_fit(question.treatments, side) in OF_IT for r in found for side in r.comparison[:1] or (r.study,)):
        return effect  # of what is asked about nothing is known, whatever is of what it was to be compared with
    missing = _no_comparison(question, (r for n, d in usable for r in results_about(n, d, passages, question)))
    return effect.model_copy(update={"verdict": _V.TOO_LITTLE, "others": tuple(found), "missing": (missing,)})


def _no_comparison(question: Question, results: Iterable[StudyResult]) -> str:
    """What is missing where two are told of apart: their comparison, or its result for what is asked about."""
    both = f"{' and '.join(map(generic, question.treatments))} and {' or '.join(map(generic, question.comparators))}"
    told = f"direct comparison of {both}{in_people(question.people_texts)}"
    if question.outcomes and any(r.comparison_fit in OF_IT and r.people_fit in NEAR for r in results):
        return f"result for {' or '.join(question.outcome_texts)} in a {told}"
    return told


def _is_on_outcome(result: StudyResult, question: Question, document: EvidenceCandidate) -> bool:
    """The asked outcome; where a question names none, any but a harm, and of a question about safety only harms.

    Words that no list knows are an outcome of their own: a result without them is of another.
    """
    if question.outcomes:
        return result.outcome_fit in NEAR
    if not holds(f"{document.title}. {_all_told(result)}", question.unread):
        return False
    if is_of_another_number(result.outcome, question.analysis.question):
        return False
    if not question.asks_for_harm:
        return True
    return (is_harm(result.outcome) and not result.components) or result.verdict is _V.HARM


def _tells(
    question: Question, strategy: SearchStrategy, document: EvidenceCandidate, passages: Sequence[RankedPassage]
) -> bool:
    """Whether a sentence of the source that an answer may say, in the passages that were chosen, is about the question.

    A limitation says how far a source can be trusted, and answers nothing; nor does a source that lacks a rare word of
    the question, or a guideline that is for adults first where others are asked about.
    """
    return (
        may_be_said(document)
        and any(
            said.role is not Role.LIMITATION and is_sentence_about(question, strategy, document, said.text)
            for passage in passages
            for said in sayable_in(passage, document)
        )
        and not words_unaccounted(question, document)
        and not is_guideline_of_adults(question, document)
    )


def _verdict(
    effect: Conclusion, guidelines: Sequence[GuidelineStatement], question: Question, *, is_told: bool
) -> ConclusionVerdict:
    """Results decide; a question for guidance is answered by guidelines; without either a source may tell in words."""
    if question.asks_for_guideline and guidelines:
        return _V.RECOMMENDATION
    if effect.lead is not None or effect.others:
        return effect.verdict
    if asks_how_long(question) and any(tells_how_long(one.text) for one in guidelines[:1]):
        return _V.RECOMMENDATION
    if question.asks_for_dose and is_told:
        return _V.DESCRIPTION
    if guidelines and question.asks_what_to_do and not question.outcomes:
        return _V.RECOMMENDATION
    return _V.DESCRIPTION if is_told else _V.NOT_FOUND


def _asked(question: Question) -> Asked:
    pico = question.analysis.pico
    return Asked(
        intervention=pico.intervention or tuple(idea.term for idea in question.treatments),
        comparison=pico.comparison,
        outcome=question.outcome_texts,
        people=question.people_texts,
        doses=tuple(sorted(dose.strip() for dose in question.doses)),
        yes_or_no=question.yes_or_no,
        direction=asked_direction(question.analysis.question),
    )


def _events(result: StudyResult) -> int | None:
    if not result.arms or any(arm.events is None for arm in result.arms):
        return None
    return sum(arm.events or 0 for arm in result.arms)
