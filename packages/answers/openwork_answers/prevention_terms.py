"""Primary and secondary prevention say who is meant: people without cardiovascular disease, and people with it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import EntityKind, PopulationKind, PopulationTerm, QuestionAnalysis
from openwork_knowledge import mesh

_PREVENTION = re.compile(r"\b(?:primary|secondary)[- ]prevention\b", re.IGNORECASE)
_OF = re.compile(r"\s+(?:of|for|against)\s+(?:an?\s+|the\s+)?", re.IGNORECASE)
_VASCULAR = ("C14", "C10.228.140.300")
"""MeSH: cardiovascular diseases, cerebrovascular disorders."""


def prevention_terms(analysis: QuestionAnalysis, people: Sequence[PopulationTerm]) -> tuple[PopulationTerm, ...]:
    """The words as a term for people, where nothing else than a cardiovascular event is to be prevented.

    Beside a disease that is told of them it is a detail: a trial of atrial fibrillation seldom says it of its people.
    """
    question = analysis.question
    terms = (
        PopulationTerm(
            text=match[0],
            start=match.start(),
            end=match.end(),
            kind=PopulationKind.CONDITION,
            is_detail=any(one.kind is PopulationKind.CONDITION and one.wanted and one.name for one in people),
        )
        for match in _PREVENTION.finditer(question)
        if not any(one.start < match.end() and match.start() < one.end for one in people)
    )
    return tuple(term for term in terms if _is_vascular(term.end, analysis))


def _is_vascular(end: int, analysis: QuestionAnalysis) -> bool:
    """Whether what is to be prevented is not named behind the words, or is a disease of vessels."""
    if (opened := _OF.match(analysis.question, end)) is None:
        return True
    named = [e for e in analysis.entities if e.kind is EntityKind.DISEASE and e.start >= opened.end()]
    if not named or named[0].start > opened.end() + _NEAR:
        return True
    trees = mesh.trees_of(named[0].mesh_id) if named[0].mesh_id else ()
    return any(tree.startswith(_VASCULAR) and not tree.startswith(_VEINS) for tree in trees)


_NEAR = 15
"""Letters between "of" and the disease: "of recurrent [stroke]"."""
_VEINS = ("C14.907.355",)
"""MeSH: embolism and thrombosis, of which those of veins are prevented in other people."""
