"""What the results of the evidence say of a question: the one that leads, what stands beside it, what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from openwork_contracts.conclusion import Asked, Conclusion, ConclusionVerdict, Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_language.mentions import Idea, idea_of, speaks_of
from openwork_language.searching.information import MOST

from openwork_answers.about import is_source_about
from openwork_answers.asked import Question
from openwork_answers.asked_rows import rows_asked_for
from openwork_answers.choosing import (
    besides_of,
    conflicts_of,
    lead_of,
    may_lead,
    others_of,
    people_in,
    whole_of,
)
from openwork_answers.courses import asks_for_how_long, asks_if_enough, has_a_duration
from openwork_answers.directions import asked_direction
from openwork_answers.harms import harms_beside
from openwork_answers.how_given import changes_untold
from openwork_answers.missing import any_names, missing_alone, untold_beside
from openwork_answers.naming_people import in_people, in_words
from openwork_answers.nearest import as_nearest
from openwork_answers.outcome_fits import fit_of, is_of_another_number
from openwork_answers.outcomes import NEAR, OF_IT, is_harm, read_outcome
from openwork_answers.pack import Pack, Sources
from openwork_answers.people import alternatives, is_degree, people_fit
from openwork_answers.sides import comparators_in_words
from openwork_answers.source_people import people_told
from openwork_answers.source_words import all_told
from openwork_answers.special_people import is_of_unasked, of_like_people, of_some_alone
from openwork_answers.treatments import best_fit, generic, is_control
from openwork_answers.unaccounted import (
    degrees_unaccounted,
    diseases_unaccounted,
    drugs_unaccounted,
    how_telling,
    treatments_unaccounted,
    words_unaccounted,
)
from openwork_answers.unread import holds
from openwork_answers.weighing import background_untold

_V = ConclusionVerdict


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


def effect_of(question: Question, sources: Sources, pack: Pack) -> Conclusion:
    """What the results of the sources say; without a lead where none is of the question."""
    asked = asked_of(question)
    if not question.asks_for_effect:
        return Conclusion(verdict=_V.NOT_FOUND, asked=asked)
    documents = pack.documents
    results = pack.results_in(sources, question)
    if question.studies and not question.treatments:  # asked is whatever the trial compared
        results = [r.model_copy(update={"comparison_fit": Fit.ASKED}) for r in results]
    results = of_some_alone(results, question.analysis, documents)
    own = [r for r in results if r.comparison_fit in NEAR and r.people_fit in NEAR]
    if question.contrast is None and asks_if_enough(question.analysis.question):
        own = [r for r in own if not any(map(is_control, r.comparison[1:]))]
    if question.contrast is None and asks_for_how_long(question.analysis.question) and not question.outcomes:
        own = [r for r in own if len(r.comparison) > 1 and all(map(has_a_duration, r.comparison))]
    own = [r for r in own if r.outcome_fit in {Fit.ASKED, Fit.PART} or _has_the_cause(question, documents[r.n - 1])]
    on_outcome = [r for r in own if _is_on_outcome(r, question, documents[r.n - 1])]
    of_all = [r for r in on_outcome if not is_of_unasked(question.analysis, documents[r.n - 1])]
    lead = _lead_of(may_lead(of_all, question) or of_all or on_outcome, question, pack)
    if lead is None:
        return Conclusion(verdict=_V.NOT_FOUND, asked=asked)
    alike = of_like_people(own, lead, documents)
    conflicts = conflicts_of(lead, on_outcome, question)
    besides = besides_of(lead, on_outcome, question)
    harms, told = harms_beside(question, alike, (lead, *besides), pack)
    rest = (*whole_of(lead, results), *others_of(lead, on_outcome, conflicts, question))
    others = (*besides, *(r for r in rest if r not in besides and (r.n != lead.n or r not in harms)))
    others = (*others, *rows_asked_for(lead, (lead, *others, *harms, *conflicts), results, question))
    same = [r for r in (*others, *conflicts) if r not in besides and _is_of_the_same(r, lead)]
    counted = (lead, *(r for r in same if fit_of(read_outcome(r.outcome), read_outcome(lead.outcome)) is Fit.ASKED))
    document = documents[lead.n - 1]
    groups = alternatives(question.people)
    whom = lead.people or (lead.quote or "").replace(lead.outcome, " ") or None
    fits = [(group, people_fit(group, document, whom)) for group in groups]
    diseases = diseases_unaccounted(question, document)
    untold = (*diseases, *words_unaccounted(question, document))
    found = Conclusion(
        verdict=_V.CONFLICTING if conflicts else lead.verdict,
        asked=asked,
        lead=lead,
        others=others,
        harms=harms,
        harm_words=told[1] if told else None,
        harm_n=told[0] if told else None,
        conflicts=conflicts,
        missing=missing_alone(lead, others, question, document),
        untold=untold_beside(lead, others, question),
        people_told=people_told(question, document, whom, lead.people, fits),
        people_wider=(
            *(in_words(group) for group, fit in fits if fit is Fit.WIDER),
            *question.left_out,
            *(f"on {term}" for term in background_untold(question, document)),
            *drugs_unaccounted(question, lead, document),
            *(idea.term for idea in question.treatments if _is_of_its_class_alone(lead, idea)),
            *treatments_unaccounted(question, lead, document),
            *untold,
        ),
        n_studies=len({r.n for r in counted}),
        n_people=people_in(lead) or (None if lead.is_subgroup else lead.n_studied),
        n_events=_events(lead),
    )
    changes = (*changes_untold(question, all_told(document, (lead,))), *degrees_unaccounted(question, document))
    is_of_others = diseases or changes or any(how_telling(word) >= MOST for word in untold)
    return as_nearest(found, (*untold, *changes)) if is_of_others else found


LEAST_LIKELY, TIMES_LIKELIER = 0.3, 5
"""How likely a row has to be to lead before the first by what was read, and how many times likelier: of 1 to 10 times
those from 2 to 5 moved most leads to the row asked for; at 5 what is read for a purpose ("pooled") still decides."""


def _lead_of(results: Sequence[StudyResult], question: Question, pack: Pack) -> StudyResult | None:
    """The result that answers: the first by the order of what was read, but where another is much likelier the one that
    is asked for. Where no outcome is asked about no row is; and people who were read are kept: nobody else takes their
    place, and no part of a source that of the whole."""
    first = lead_of(results, question)
    if first is None or not question.outcomes:
        return first
    likeliest = max(results, key=pack.chance_of)
    if pack.chance_of(likeliest) < max(LEAST_LIKELY, TIMES_LIKELIER * pack.chance_of(first)):
        return first
    is_of_them = likeliest.people_fit in OF_IT or first.people_fit not in OF_IT
    return likeliest if is_of_them and (first.is_subgroup or not likeliest.is_subgroup) else first


def _is_of_its_class_alone(result: StudyResult, idea: Idea) -> bool:
    """Whether a result is of the class of a drug, or of another one of it, and names the drug in no arm."""
    named = any(speaks_of(side, idea) for side in result.comparison)
    return result.comparison_fit is Fit.WIDER and bool(idea.names) and len(result.comparison) > 1 and not named


def _is_of_the_same(result: StudyResult, lead: StudyResult) -> bool:
    """Whether a result is of the lead's comparison and of its outcome, or of a part of it."""
    compared = (Fit.ASKED, Fit.PART) if lead.comparison_fit in {Fit.ASKED, Fit.PART} else (lead.comparison_fit,)
    alone = (Fit.ASKED, Fit.PART, Fit.NOT_TOLD) if lead.outcome_fit is not Fit.WIDER else (Fit.WIDER,)
    return result.comparison_fit in compared and result.outcome_fit in alone


def apart_of(question: Question, usable: Sources, pack: Pack, effect: Conclusion) -> Conclusion:
    """Where nothing compares the two in these people: the two in wider people, then each against others in these.

    No verdict follows from them; what is missing is said first.
    """
    others = tuple(t for t in question.people if not is_degree(t))
    wider = replace(question, people=others)
    alone = (replace(question, treatments=(idea,), comparators=()) for idea in
             (*question.treatments, *question.comparators))  # fmt: skip
    found: list[StudyResult] = []
    for sub in (wider, *alone) if others or not question.people else alone:
        about = [(n, d) for n, d in usable if is_source_about(sub, pack.strategy, d, pack.texts_of(n))]
        sources = [(n, d) for n, d in about if not diseases_unaccounted(question, d)]
        own = [r for r in pack.results_in(sources, sub) if r.comparison_fit in NEAR and r.people_fit in NEAR]
        at = dict(usable)
        best = lead_of([r for r in own if _is_on_outcome(r, sub, at[r.n]) and r not in found], sub)
        if best is not None and best.n not in {r.n for r in found}:
            found.append(best)
    if not any(best_fit(question.treatments, side) in OF_IT for r in found for side in r.comparison[:1] or (r.study,)):
        return effect  # of what is asked about nothing is known, whatever is of what it was to be compared with
    missing = no_comparison(question, pack.results_in(usable, question))
    return effect.model_copy(update={"verdict": _V.TOO_LITTLE, "others": tuple(found), "missing": (missing,)})


def no_comparison(question: Question, results: Iterable[StudyResult]) -> str:
    """What is missing where two are told of apart: their comparison, or its result for what is asked about."""
    both = f"{' and '.join(map(generic, question.treatments))} and {comparators_in_words(question)}"
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
    if not holds(f"{document.title}. {told_of(result)}", question.unread):
        return False
    if is_of_another_number(result.outcome, question.analysis.question):
        return False
    if not question.asks_for_harm:
        return True
    return (is_harm(result.outcome) and not result.components) or result.verdict is _V.HARM


def asked_of(question: Question) -> Asked:
    """What was asked, as it was read."""
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


def told_of(result: StudyResult) -> str:
    """All that a result says of itself."""
    return f"{result.outcome}; {' v '.join(result.comparison)}; {result.people or ''}; {result.quote or ''}"
