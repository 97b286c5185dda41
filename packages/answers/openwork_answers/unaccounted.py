"""Drugs of a question that no slot of it has and of which the source that answers does not speak.

A slot that is misread may lose one: "against aspirin" behind an outcome. An answer is then no answer about it, and says
so.
"""

from __future__ import annotations

from openwork_contracts.conclusion import StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import Entity, EntityKind
from openwork_language.mentions import idea_of, speaks_of
from openwork_language.searching.polarity import absent_entities
from openwork_language.terms import class_members

from openwork_answers.asked import Question
from openwork_answers.places import is_within, places_of
from openwork_answers.source_words import all_told


def drugs_unaccounted(question: Question, result: StudyResult, document: EvidenceCandidate) -> tuple[str, ...]:
    """The drugs in the asker's words, classes left out: a source names what it gave, and seldom all that it is."""
    named = [entity for entity in _left_over(question) if not class_members(entity.name)]
    if not named:
        return ()
    text = all_told(document, (result,))
    return tuple(entity.text for entity in named if not speaks_of(text, idea_of(entity.text, (entity.name,))))


def _left_over(question: Question) -> list[Entity]:
    analysis = question.analysis
    drugs = [entity for entity in analysis.entities if entity.kind is EntityKind.DRUG]
    ideas = (*question.treatments, *question.comparators, *question.background)
    terms = (*(idea.term for idea in ideas), *question.outcome_texts)
    places = places_of(terms, analysis.question) + [(term.start, term.end) for term in question.people]
    if question.contrast is not None:
        places.append((question.contrast.start, question.contrast.end))
    taken = {term.casefold() for term in terms}
    left = [drug for drug in drugs if not is_within(drug.start, places) and drug.text.casefold() not in taken]
    return [drug for drug in left if drug not in absent_entities(analysis)] if left else []
