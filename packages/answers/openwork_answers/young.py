"""Children, and the newborn of mothers who are meant, among terms for people."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import PopulationKind, PopulationTerm

CHILD_BELOW, TEENAGE_FROM = 18.0, 15.0
"""Years."""


def is_young(term: PopulationTerm) -> bool:
    """Children are in no trial that does not name them."""
    if term.kind is PopulationKind.AGE and term.measure is not None:
        return term.high is not None and (term.high < CHILD_BELOW or _is_teenage(term.low, term.high))
    return _YOUNG.search(term.text) is not None


def _is_teenage(low: float | None, high: float) -> bool:
    """ "Teenagers" go on to 19 and are no adults."""
    return low is not None and low < CHILD_BELOW and high < CHILD_BELOW + 2


_YOUNG = re.compile(
    r"child(?![- –]?(?:turcotte[- –])?pugh)|infant|neonat|newborn|bab(?:y|ies)|adolescen|p(?:a)?ediatric", re.IGNORECASE
)
""" "Child-Pugh B" is nobody's age."""


def without_offspring(people: Sequence[PopulationTerm], question: str) -> tuple[PopulationTerm, ...]:
    """Terms without the newborn of mothers who are meant: "complications in mother and [child]" of her treatment."""
    if not any(_is_maternal(term) for term in people):
        return tuple(people)
    return tuple(term for term in people if not (term.wanted and _is_born_to_her(term, question)))


def _is_maternal(term: PopulationTerm) -> bool:
    return term.kind is PopulationKind.PREGNANCY or _MATERNAL.search(term.text) is not None


def _is_born_to_her(term: PopulationTerm, question: str) -> bool:
    """A newborn; a child of any age only right behind its mother, as children with a disease of their own are meant."""
    if _NEWBORN.fullmatch(term.text):
        return True
    return _CHILD.fullmatch(term.text) is not None and _MOTHER_AND.search(question[: term.start]) is not None


_NEWBORN = re.compile(
    r"(?:the |her |their )?(?:bab(?:y|ies)|newborns?|neonates?|offspring|f(?:o)?etus(?:es)?)", re.IGNORECASE
)
_CHILD = re.compile(r"(?:the |her |their )?(?:child|infant)", re.IGNORECASE)
_MOTHER_AND = re.compile(r"\bmother (?:and|or|and/or|&) (?:the |her )?$", re.IGNORECASE)
_MATERNAL = re.compile(r"\b(?:mothers?|maternal|pregnan\w*|gestation\w*|pre-?eclampsia|in labou?r)\b", re.IGNORECASE)
