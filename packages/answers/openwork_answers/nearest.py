"""What stands nearest where nothing is of the people asked about: results of people of whom less is told.

No answer follows from them, and no verdict. Who asks about somebody whom no source tells of is told that first, and may
then read what is known of others, with what is not told of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import EntityKind, PopulationKind, PopulationTerm
from openwork_language.terms import find_terms

from openwork_answers.asked import Question
from openwork_answers.naming_people import in_words
from openwork_answers.outcomes import NEAR, OF_IT
from openwork_answers.people import alternatives, people_fit
from openwork_answers.young import is_young


def with_nearest(
    conclusion: Conclusion,
    question: Question,
    documents: Sequence[EvidenceCandidate],
    conclude: Callable[[Question], Conclusion],
) -> Conclusion:
    """An answer object in which nothing was found, with the nearest results where there are any.

    Args:
        question: the reading that nothing was found of.
        conclude: makes the answer object of a reading.
    """
    if conclusion.verdict is not ConclusionVerdict.NOT_FOUND or not question.asks_for_effect:
        return conclusion
    left_out = [term for group in alternatives(question.people) if all(map(_may_be_left_out, group)) for term in group]
    wider = replace(question, people=tuple(term for term in question.people if term not in left_out))
    found = conclude(wider) if left_out else None
    if found is None or found.lead is None or not _is_of_the_rest(found.lead, wider):
        return conclusion
    results = (found.lead, *found.conflicts)
    if any(people_fit(left_out, documents[r.n - 1], r.people) is Fit.OTHER for r in results):
        return conclusion  # of people whom the source left out, or who are the very others
    document, own = documents[found.lead.n - 1], found.lead.people
    untold = [group for group in alternatives(left_out) if people_fit(group, document, own) not in NEAR]
    texts = tuple(map(in_words, untold or alternatives(left_out)))
    return conclusion.model_copy(update={"nearest": results, "nearest_without": texts, "nearest_harms": found.harms})


def as_nearest(conclusion: Conclusion, untold: Sequence[str] = ()) -> Conclusion:
    """An answer object whose results are too little to answer with: they stand nearest, and no verdict follows.

    Args:
        untold: words of medicine in the question of which nothing is told, besides the people in `conclusion.asked`.
    """
    lead = conclusion.lead
    if lead is None and conclusion.nearest:
        return conclusion.model_copy(update={"verdict": ConclusionVerdict.NOT_FOUND, "about": (), "others": ()})
    if lead is None or lead.comparison_fit not in OF_IT:
        return conclusion
    if conclusion.asked.outcome and lead.outcome_fit not in NEAR:
        return conclusion
    told = (*conclusion.people_told, *conclusion.people_wider)
    without = tuple(text for text in conclusion.asked.people if not any(text in one for one in told))
    return Conclusion(
        verdict=ConclusionVerdict.NOT_FOUND,
        asked=conclusion.asked,
        nearest=(lead, *conclusion.conflicts),
        nearest_without=(*without, *untold),
        nearest_harms=conclusion.harms,
        missing=conclusion.missing,
        newest_year=conclusion.newest_year,
    )


def _is_of_the_rest(lead: StudyResult, wider: Question) -> bool:
    """Whether a result is of the comparison, the outcome and of those people who are left."""
    if lead.comparison_fit not in OF_IT or (wider.outcomes and lead.outcome_fit not in NEAR):
        return False
    return not wider.people or lead.people_fit in NEAR


_ANYBODY = frozenset({PopulationKind.PEOPLE, PopulationKind.SETTING, PopulationKind.AGE})
_STATES = frozenset({PopulationKind.PREGNANCY, PopulationKind.STAGE, PopulationKind.DEVICE, PopulationKind.PROCEDURE})


def _may_be_left_out(term: PopulationTerm) -> bool:
    """Words that no list knows, who or where adults are, and drugs that they take besides.

    Never a disease, a procedure, pregnancy, childhood: what is known of others says little of people with them.
    """
    if term.kind in _STATES or is_young(term) or term.measure is not None:
        return False
    if term.mesh_id is not None and term.kind is not PopulationKind.TREATMENT:
        return False  # a disease, be it in an adjective: "diabetic"
    return term.kind in _ANYBODY or all(named.kind is EntityKind.DRUG for named in find_terms(term.text))
