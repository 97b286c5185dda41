"""From the evidence of a run to the answer object: which result answers the question, and what stands beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice

from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, Fit, GuidelineStatement
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.strategy import SearchStrategy

from openwork_answers.about import is_sentence_about, is_source_about
from openwork_answers.asked import Question, readings_of
from openwork_answers.beside import with_likely
from openwork_answers.closest import LEAST_OF_AN_ANSWER, closest_studies
from openwork_answers.closest_arms import speaks_of_what_is_given
from openwork_answers.closest_rows import with_rows_beside
from openwork_answers.effect import apart_of, effect_of, no_comparison, told_of
from openwork_answers.how_given import changes_untold
from openwork_answers.likeliest import likeliest_reading
from openwork_answers.likely_rows import row_key
from openwork_answers.missing import missing_of
from openwork_answers.named_studies import of_studies, of_the_target
from openwork_answers.naming import is_named
from openwork_answers.nearest import with_nearest
from openwork_answers.outcome_fits import fit_of, holds_it
from openwork_answers.outcomes import NEAR, read_outcome
from openwork_answers.pack import Pack, pack_of
from openwork_answers.people import people_fit
from openwork_answers.read_again import readings_by
from openwork_answers.recommended import (
    asks_how_long,
    is_guideline_of_adults,
    lacking_guidance,
    statements_of,
    tells_how_long,
    tells_of_both,
)
from openwork_answers.regimens import regimens_of
from openwork_answers.sides import asks_for_it_alone, is_another_dose
from openwork_answers.source_words import all_told
from openwork_answers.tellable import Role, may_be_said, sayable_in
from openwork_answers.unaccounted import degrees_unaccounted, words_unaccounted
from openwork_answers.unread import holds

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
    pack = pack_of(analysis, strategy, passages, documents)
    primary = pack.question
    readings = islice(readings_of(analysis, strategy), 1, None)
    found = with_rows_beside(_found(primary, readings, pack), primary, documents, passages)
    return with_likely(found, pack)


def _found(primary: Question, readings: Iterable[Question], pack: Pack) -> Conclusion:
    """The answer object of the first reading, else of another that a result is of, else what stands nearest."""
    first = _concluded(primary, pack)
    if first.lead is not None or first.regimens:
        return first
    if first.guidelines:
        return _closest(first, primary, pack)
    wider = None
    for question in readings:
        other = _concluded(question, pack)
        exchanged = [outcome for outcome in question.outcomes if outcome.text not in primary.outcome_texts]
        if other.lead is None or not question.outcomes:
            continue
        if _lost(primary, question):
            continue
        if not holds(told_of(other.lead), primary.unread):
            continue  # what the first reading leaves unread is asked about all the same
        told = read_outcome(other.lead.outcome)
        kept = [outcome for outcome in question.outcomes if outcome not in exchanged]
        of_kept = not exchanged or not kept or any(fit_of(told, outcome) in NEAR for outcome in kept)
        if not of_kept and not any(o.is_composite and fit_of(told, o) is Fit.ASKED for o in exchanged):
            continue  # what both readings ask about is asked about all the same; a composite says what was meant
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
    if (again := _read_again(primary, pack) or _likeliest(pack)) is not None:
        return again
    near = with_nearest(first, primary, pack.documents, lambda rest: _concluded(rest, pack))
    return near if near.nearest else _closest(near, primary, pack)


def _lost(primary: Question, other: Question) -> bool:
    """Whether another reading has no word more for an outcome that the first one asks about."""
    named = " ".join((*other.outcome_texts, *other.people_texts)).casefold()
    return any(text.casefold() not in named for text in primary.outcome_texts)


def _closest(conclusion: Conclusion, question: Question, pack: Pack) -> Conclusion:
    """With the studies that tell most of the question, where nothing answers it and it asks what something does.

    They are shown, too, where what is told in words or apart turns out to be too little (`too_little.too_little`).
    """
    if conclusion.lead is not None or conclusion.verdict not in {_V.NOT_FOUND, _V.DESCRIPTION, _V.TOO_LITTLE}:
        return conclusion
    if conclusion.regimens:
        return conclusion
    studies = closest_studies(pack.held, pack.works)
    if question.asks_for_words and not question.outcomes:
        is_of_effect = question.asks_for_knowledge and question.people  # in words that say so to a reader alone
        studies = tuple(one for one in studies if is_of_effect and one.share >= LEAST_OF_AN_ANSWER)
    if not studies:
        return conclusion
    may_answer = not (conclusion.others or asks_for_it_alone(question))
    reading = studies[0].as_asked(question) if may_answer else None
    if reading is not None and (found := _answered(reading, pack)) is not None:
        return found
    alike = [one for one in studies if one.without == studies[0].without]
    results = tuple(r for one in alike for r in one.results)
    harms = tuple(r for one in alike for r in one.harms)
    return conclusion.model_copy(
        update={"nearest": results, "nearest_without": studies[0].without, "nearest_harms": harms}
    )


def _read_again(question: Question, pack: Pack) -> Conclusion | None:
    """The answer object of a second reading, in the words of what was found; `None` = nothing found suggests one."""
    if question.asks_for_words or (question.contrast is not None and question.contrast.is_of_doses):
        return None
    if asks_for_it_alone(question):
        return None
    results = pack.results_in(pack.citable, question)
    found = (_answered(one, pack) for one in readings_by(question, results, pack.documents))
    return next((one for one in found if one is not None), None)


def _likeliest(pack: Pack) -> Conclusion | None:
    """The answer object of the row that is all but certainly asked for; `None` = there is none."""
    found = likeliest_reading(pack)
    if found is None:
        return None
    reading, row = found
    answer = _answered(reading, pack)
    return answer if answer is not None and answer.lead is not None and row_key(answer.lead) == row_key(row) else None


def _answered(reading: Question, pack: Pack) -> Conclusion | None:
    """The answer object of a reading in the words of a source, its results alone; `None` = no result leads."""
    found = _concluded(reading, pack)
    if found.lead is not None and is_another_dose(pack.question, found.lead.comparison, turned=False):
        return None
    return None if found.lead is None else found.model_copy(update={"guidelines": (), "regimens": ()})


def _concluded(question: Question, pack: Pack) -> Conclusion:
    """The answer object of one reading of the question."""
    usable = pack.citable
    if studies := [(n, d) for n, d in usable if is_named(d, question.analysis.question)]:
        studies = of_the_target(question, studies)
        question = of_studies(question, [d for _, d in studies])
        usable = studies
    about = [(n, d) for n, d in usable if studies or is_source_about(question, pack.strategy, d, pack.texts_of(n))]
    if studies:
        about = [(n, d) for n, d in about if people_fit(question.people, d) in NEAR]
    misfits = {p.n for p in pack.passages if p.fit.misfit}
    # Whether a trial tests what was asked was judged by names; a target has none, and its arms are read here.
    fitting = [(n, d) for n, d in about if n not in misfits or question.target is not None or question.compared]
    effect = effect_of(question, fitting, pack)
    if effect.lead is None and question.comparators and question.asks_for_effect:
        effect = apart_of(question, usable, pack, effect)
    guidelines = statements_of(question, pack.strategy, about)
    guidelines = tuple(
        one
        for one in guidelines
        if tells_of_both(one, question)
        and not changes_untold(question, one.text)
        and not words_unaccounted(question, pack.documents[one.n - 1])
    )
    told = [n for n, d in about if _tells(question, pack.strategy, d, pack.passages_of(n))]
    regimens = regimens_of(question, fitting)
    verdict = _verdict(effect, guidelines, question, is_told=bool(told or regimens))
    missing = effect.missing if effect.lead or effect.others else missing_of(question, usable, about)
    if (lacking := lacking_guidance(question, guidelines)) is not None:
        missing = (lacking, *(effect.missing if effect.lead or effect.others else ()))
    elif verdict is _V.RECOMMENDATION:
        is_compared = question.comparators and not question.asks_for_guideline
        missing = (no_comparison(question, ()),) if is_compared else ()
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


def _tells(
    question: Question, strategy: SearchStrategy, document: EvidenceCandidate, passages: Sequence[RankedPassage]
) -> bool:
    """Whether a sentence of the source that an answer may say, in the passages that were chosen, is about the question.

    A limitation says how far a source can be trusted, and answers nothing; nor does a source that lacks a rare word of
    the question, or a guideline that is for adults first where others are asked about.
    """
    if not may_be_said(document):
        return False
    told = all_told(document, ())
    return (
        not changes_untold(question, told)
        and not degrees_unaccounted(question, document)
        and (bool(question.treatments) or speaks_of_what_is_given(question, told))
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
