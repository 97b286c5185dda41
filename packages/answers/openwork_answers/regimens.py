"""What studies gave: the answer to a question for a dose, or for what a trial compared."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.conclusion import Regimen
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import PopulationKind
from openwork_knowledge.designs import weight
from openwork_language.asking.people import Told, told_of
from openwork_language.quantities.compare import find_quantities
from openwork_language.quantities.quantity import QuantityKind

from openwork_answers.asked import Question
from openwork_answers.naming import is_named, study_name
from openwork_answers.outcomes import NEAR
from openwork_answers.treatments import named_by

MOST_REGIMENS = 3


def regimens_of(question: Question, documents: Sequence[tuple[int, EvidenceCandidate]]) -> tuple[Regimen, ...]:
    """The arms of the sources in which the asked treatment was given in a stated dose, for the diseases asked about.

    The stronger design first, and of these the larger.

    Of a trial that the question names, its arms, unless an outcome is asked about.

    Args:
        documents: (citation number, work) of those about the question.
    """
    studies = [(n, d) for n, d in documents if is_named(d, question.analysis.question)]
    if not question.asks_for_dose and (not studies or question.outcomes):
        return ()
    found = [
        (weight(document.study_design, 0.3), _regimen(n, document), document.year or 0)
        for n, document in studies or documents
        if len(document.arms) > 1 and (studies or _is_for_these(question, document))
    ]
    found.sort(key=lambda one: (one[0], one[1].people or 0, one[2]), reverse=True)
    return tuple(regimen for _, regimen, _ in found[:MOST_REGIMENS])


def _is_for_these(question: Question, document: EvidenceCandidate) -> bool:
    """Whether it gives what was asked about, and its title is of the diseases: for another one it is another dose.

    "Systemic embolism" as what is counted makes a trial in fibrillation none in pulmonary embolism.
    """
    if not any(_gives(question, arm.name) for arm in document.arms):
        return False
    diseases = [t for t in question.people if t.kind is PopulationKind.CONDITION and t.wanted]
    return all(told_of(term, document.title) in _NAMED for term in diseases)


_NAMED = frozenset({Told.SAME, Told.PART, Told.WIDER})


def _gives(question: Question, arm: str) -> bool:
    """Whether an arm is all that was asked about, in a dose."""
    dosed = any(q.kind is QuantityKind.DOSE for q in find_quantities(arm))
    named = [named_by(idea, arm) in NEAR for idea in question.treatments]
    return dosed and (all(named) if question.together else any(named))


def _regimen(n: int, document: EvidenceCandidate) -> Regimen:
    sizes = [arm.n for arm in document.arms]
    return Regimen(
        n=n,
        study=study_name(document),
        arms=tuple(arm.name for arm in document.arms),
        people=sum(size or 0 for size in sizes) if all(sizes) else None,
        time=next((result.time_point for result in document.results if result.time_point), None),
    )
