"""Whether a work is of the people that a question speaks of, and of what ails them, for what stands nearest."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from openwork_contracts.conclusion import Fit
from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm
from openwork_knowledge import mesh
from openwork_language.asking.figures import AGE
from openwork_language.asking.words import asking
from openwork_language.terms import find_terms

from openwork_answers.asked import Question
from openwork_answers.given import asking_part
from openwork_answers.outcomes import NEAR
from openwork_answers.people import RESTRICTING
from openwork_answers.places import is_within, places_of
from openwork_answers.read_again import is_placed
from openwork_answers.told_before import is_symptom
from openwork_answers.young import is_young

_OTHERS = RESTRICTING - {AGE}
_STRICT = frozenset({PopulationKind.PREGNANCY, PopulationKind.PROCEDURE, PopulationKind.DEVICE})
_EVENTS = frozenset({PopulationKind.CONDITION, PopulationKind.OTHER})
_GIVEN = frozenset({PopulationKind.TREATMENT, PopulationKind.PROCEDURE})
_COMES_TO = re.compile(r"\b(?:end\w* up|need\w*|requir\w*|gets?|getting|goes|go|going|put)\s+$", re.IGNORECASE)
""" "Who ends up [on a ventilator]": what somebody may come to."""
_NEEDED = re.compile(r"(?:needing|requiring|getting)\b", re.IGNORECASE)
_WHOSE = re.compile(rf"[\s-]+(?:{asking('head')})\b", re.IGNORECASE)
"""Behind a disease, those who have it."""
_DONE = "E"
"""MeSH's tree of what is done to people."""


def is_asked_about(group: Sequence[PopulationTerm], question: Question) -> bool:
    """Whether terms behind what is given are what may happen, and nobody's: "who ends up [on a ventilator]"."""
    text = question.analysis.question
    given = [at for idea in question.treatments if (at := text.find(idea.term)) >= 0]
    start = max(asking_part(text), min(given, default=len(text)))
    return not question.outcomes and all(
        term.start >= start
        and term.wanted
        and (term.kind in _EVENTS or (term.kind in _GIVEN and _may_come(term, text)))
        and not is_young(term)
        and not is_placed(term, text)
        and not _WHOSE.match(text, term.end)
        for term in group
    )


def are_others(group: Sequence[PopulationTerm], fit: Fit) -> bool:
    """Whether a source is of other people, or says nothing of a state of which what is known of others tells little."""
    return fit is Fit.OTHER or (fit not in NEAR and any(map(_matters, group)))


def is_wider(group: Sequence[PopulationTerm], fit: Fit) -> bool:
    """Whether a source holds people with such a figure among others: a kidney function, an ejection fraction."""
    return fit is Fit.WIDER and any(term.measure in _OTHERS for term in group)


def names_what_ails(question: Question, spoken: Set[Entity], people: Sequence[tuple[int, int]]) -> bool:
    """Whether a source speaks of a disease of the question, and of each that the part names which asks.

    Symptoms are of any disease, and an event that is asked about is told by the outcomes.

    Args:
        spoken: what the source names.
        people: places of the terms of whom the source is.
    """
    text = question.analysis.question
    outcomes = places_of((one.text for one in question.outcomes), text)
    diseases = [e for e in question.analysis.entities if e.kind is EntityKind.DISEASE and not is_symptom(e)]
    named = [e for e in diseases if not is_within(e.start, outcomes)]
    told = [e for e in named if e in spoken or is_within(e.start, people)]
    return (not named or bool(told)) and all(e in told for e in named if e.start >= asking_part(text))


def _may_come(term: PopulationTerm, text: str) -> bool:
    return _COMES_TO.search(text[: term.start]) is not None or _NEEDED.match(term.text) is not None


def _matters(term: PopulationTerm) -> bool:
    """Pregnancy, childhood, figures of another patient, what was done to somebody; what else is not told is said.

    Of diseases `names_what_ails` judges.
    """
    if term.kind in _STRICT or is_young(term) or term.measure in _OTHERS:
        return True
    ids = (term.mesh_id, *(one.mesh_id for one in find_terms(term.text)))
    trees = [tree for one in ids if one is not None for tree in mesh.trees_of(one)]
    return any(tree.startswith(_DONE) for tree in trees)
