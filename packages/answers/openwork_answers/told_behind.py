"""What is measured, named right behind what somebody has: "finerenone for CKD [potassium levels]".

Notes in short form put no word between the two, and the whole reads as people that no list knows.
"""

from __future__ import annotations

import re
from dataclasses import replace

from openwork_contracts.question import EntityKind, PopulationKind, PopulationTerm, QuestionAnalysis

from openwork_answers.roles import Roles

_MEASURED = re.compile(
    r"\b(?:levels?|concentrations?|scores?|days?|rates?|responses?|counts?|volumes?|burden|clearance|remissions?|relapses?"
    r"|tolerance|capacity|healing|growth|loss|gain|control|cure|walk(?:ing)?|mobility|fatigue|symptoms?)\W*$",
    re.IGNORECASE,
)
"""The last word of what is measured or counted, and of nobody."""
_FOR_AGE = re.compile(r"\b(?:large|small)[-\s]for[-\s]gestational[-\s]age\b|\b[LS]GA\b", re.IGNORECASE)
"""A newborn's size; its "for" opens no people."""


def with_told_behind(roles: Roles, analysis: QuestionAnalysis) -> Roles:
    """The roles, each term without what stands behind its disease and is of nobody; what is measured is an outcome
    where no other was read."""
    question = analysis.question
    people = [_without_tail(term, analysis) for term in roles.people]
    if roles.outcomes:
        return replace(roles, people=tuple(people))
    if (size := _FOR_AGE.search(question)) is not None:
        parted = (_up_to(term, size.start()) for term in people if not size.start() <= term.start < size.end())
        return replace(roles, outcomes=(size[0],), people=tuple(term for term in parted if term is not None))
    tails = [(term, _tail(term, analysis)) for term in people]
    found = tuple(tail for _, tail in tails if _MEASURED.search(tail))
    kept = (_up_to(t, t.end - len(tail)) or t if _MEASURED.search(tail) else t for t, tail in tails)
    return replace(roles, outcomes=found, people=tuple(kept))


def _tail(term: PopulationTerm, analysis: QuestionAnalysis) -> str:
    """What stands in a term behind the disease that it names."""
    if term.kind is not PopulationKind.CONDITION:
        return ""
    own = (e for e in analysis.entities if e.name == term.name and term.start <= e.start and e.end < term.end)
    end = next((e.end for e in own), term.end)
    return analysis.question[end : term.end].strip()


def _without_tail(term: PopulationTerm, analysis: QuestionAnalysis) -> PopulationTerm:
    """ "Diabetes [primary prevention]", "haemorrhage [below 140]"; and without how long what stands before it is given:
    "aspirin [21 days] after a stroke"."""
    given = [e.end for e in analysis.entities if e.kind is EntityKind.DRUG]
    if (length := _LENGTH.match(term.text)) and len(analysis.question[: term.start].rstrip()) in given:
        cut = length.end()
        return term.model_copy(update={"text": term.text[cut:], "start": term.start + cut})
    tail = _tail(term, analysis)
    return _up_to(term, term.end - len(tail)) or term if _OF_NOBODY.fullmatch(tail) else term


_LENGTH = re.compile(r"\d+\s*(?:days?|weeks?|months?)\s+(?=after\b|following\b|post\b)", re.IGNORECASE)
_OF_NOBODY = re.compile(
    r"(?:primary |secondary )?prevention|(?:to |at )?(?:below|under|above|over|<|>)\s*\d+", re.IGNORECASE
)


def _up_to(term: PopulationTerm, end: int) -> PopulationTerm | None:
    """A term as far as a place; `None` = nothing is left of it."""
    if term.end <= end:
        return term
    text = term.text[: end - term.start].rstrip()
    return term.model_copy(update={"text": text, "end": term.start + len(text)}) if text else None
