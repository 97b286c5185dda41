"""What is measured, named right behind what somebody has: "finerenone for CKD [potassium levels]".

Notes in short form put no word between the two, and the whole reads as people that no list knows.
"""

from __future__ import annotations

import re
from dataclasses import replace

from openwork_contracts.question import PopulationKind, PopulationTerm, QuestionAnalysis

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
    """The roles, with outcomes that stand behind a disease within one term, where no other outcome was read."""
    if roles.outcomes:
        return roles
    question = analysis.question
    if (size := _FOR_AGE.search(question)) is not None:
        parted = (_up_to(term, size.start()) for term in roles.people if not size.start() <= term.start < size.end())
        return replace(roles, outcomes=(size[0],), people=tuple(term for term in parted if term is not None))
    found: list[str] = []
    kept: list[PopulationTerm] = []
    for term in roles.people:
        own = (e for e in analysis.entities if e.name == term.name and term.start <= e.start and e.end < term.end)
        end = next((e.end for e in own), term.end)
        tail = question[end : term.end].strip()
        is_measured = term.kind is PopulationKind.CONDITION and _MEASURED.search(tail) is not None
        found += [tail] if is_measured else []
        kept.append((_up_to(term, end) if is_measured else None) or term)
    return replace(roles, outcomes=tuple(found), people=tuple(kept))


def _up_to(term: PopulationTerm, end: int) -> PopulationTerm | None:
    """A term as far as a place; `None` = nothing is left of it."""
    if term.end <= end:
        return term
    text = term.text[: end - term.start].rstrip()
    return term.model_copy(update={"text": text, "end": term.start + len(text)}) if text else None
