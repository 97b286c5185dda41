"""Kinds of one disease that a word tells apart: mild and severe, acute and chronic, newly diagnosed and long-standing.

Which of them a source is of is told by the word before the disease; where it has none, it is of all of them, and where
it has the other end of the same scale, of others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from openwork_contracts.conclusion import Fit
from openwork_contracts.question import PopulationKind, PopulationTerm
from openwork_knowledge import mesh
from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import table
from openwork_language.asking.people import clauses
from openwork_language.terms import find_terms

_WORDS_BEFORE = 5
"""Between a degree and the disease: "moderate-to-severe persistent [asthma]"."""
_OF_SOMEBODY = frozenset({"weight"})
"""Scales of people and of no disease: "overweight patients with type 2 diabetes"."""
_OF_MUCH = frozenset({"size"})
"""Scales whose words say much else: "large-vessel occlusion" is no large infarct."""
_CUTS = re.compile(r"[.;:,()]|\b(?:with|without|who|after|before|versus|than)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Degree:
    """One degree on a scale: "severity", "severe"."""

    scale: str
    degree: str


_OF_WHAT_IS_HAD = frozenset({"activity", "weight"})
_HAD_ALREADY = frozenset({Degree("age of the disease", "old")})
"""Scales, and a degree of another, of which nobody asks whether they come: only who has the disease has them."""


def fit_of_degree(term: PopulationTerm, text: str) -> Fit:
    """How those with a disease in a text stand to the degree of it that a term names.

    ASKED where the term names none, or where the text has each; OTHER where the text gives its disease another one on
    that scale and not this; else NOT_TOLD.
    """
    asked = degrees_of(term)
    if not asked:
        return Fit.ASKED
    named = _told(term.name or "", term.mesh_id, text)
    fits = [_fit(one, named, text) for one in asked]
    return next((fit for fit in (Fit.OTHER, Fit.NOT_TOLD) if fit in fits), Fit.ASKED)


def degrees_of(term: PopulationTerm) -> frozenset[Degree]:
    """The degrees that a term for people with a disease names: of "acute heart failure" one."""
    return _degrees_in(term.text) - _degrees_in(term.name) if _is_disease(term) and term.name else frozenset()


def with_degrees(people: Sequence[PopulationTerm], question: str) -> tuple[PopulationTerm, ...]:
    """Terms, each with the degree that stands right before it in the question: "[severe] Graves' orbitopathy". The
    first of two degrees is nobody: "with [moderate] to severe asthma"."""
    return tuple(_widened(term, question) for term in people if not _leads_on(term, question))


def _leads_on(term: PopulationTerm, question: str) -> bool:
    """Whether a term is a degree alone, behind which another one goes on."""
    if term.name is not None or _any_degree().fullmatch(term.text) is None:
        return False
    return re.match(rf"[\s-]+(?:to|or|and)[\s-]+{_any_degree().pattern}", question[term.end :], re.I) is not None


def is_had_already(term: PopulationTerm, question: str) -> bool:
    """Whether a term has a degree of which nobody asks whether it comes: "inactive", "long-standing" disease."""
    return any(one in _HAD_ALREADY or one.scale in _OF_WHAT_IS_HAD for one in degrees_of(_widened(term, question)))


def has_degree(term: PopulationTerm, question: str) -> bool:
    """Whether a question says how bad, how far or how old the disease of a term is."""
    return bool(degrees_of(_widened(term, question)))


def _widened(term: PopulationTerm, question: str) -> PopulationTerm:
    before = _right_before().search(question[: term.start]) if _is_disease(term) else None
    if before is None:
        return term
    return term.model_copy(update={"text": question[before.start() : term.end], "start": before.start()})


def _is_disease(term: PopulationTerm) -> bool:
    return term.wanted and term.kind is PopulationKind.CONDITION and term.name is not None


def _fit(asked: Degree, named: frozenset[Degree], text: str) -> Fit:
    on_scale = {one for one in named if one.scale == asked.scale}
    if asked in on_scale or (asked.scale not in _OF_MUCH and asked in _degrees_in(text)):
        return Fit.ASKED
    return Fit.OTHER if on_scale else Fit.NOT_TOLD


@lru_cache(maxsize=8192)
def _told(name: str, mesh_id: str | None, text: str) -> frozenset[Degree]:
    """The degrees that a text gives a disease of those who were studied."""
    found: set[Degree] = set()
    for clause in (clause.text for clause in clauses(text) if not clause.excluded):
        found |= {one for one in _degrees_in(clause) if one.scale in _OF_SOMEBODY}
        for mention in find_terms(clause):
            if mention.name.endswith(name) or mesh.is_same_or_kind(mention.mesh_id, mesh_id):
                before = _CUTS.split(clause[: mention.start])[-1].split()[-_WORDS_BEFORE:]
                found |= _degrees_in(f"{' '.join(before)} {mention.text}")
    return frozenset(found)


@lru_cache(maxsize=8192)
def _degrees_in(text: str) -> frozenset[Degree]:
    return frozenset(degree for degree, pattern in _patterns() if pattern.search(text))


@cache
def _patterns() -> tuple[tuple[Degree, re.Pattern[str]], ...]:
    listed = table("degrees-of-disease")
    words = ((Degree(*name.split(": ")), any_of(listed.words(name))) for name in listed.groups())
    return tuple((degree, re.compile(rf"(?<!\w)(?<!non-){own}(?!\w|-(?!to-))", re.IGNORECASE)) for degree, own in words)


@cache
def _right_before() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{_any_degree().pattern}(?:[\s-]+(?:to|or|and)[\s-]+|[\s-]+))+$", re.IGNORECASE)


@cache
def _any_degree() -> re.Pattern[str]:
    listed = table("degrees-of-disease")
    return re.compile(any_of([word for name in listed.groups() for word in listed.words(name)]), re.IGNORECASE)
