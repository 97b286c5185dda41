"""Mothers and their children in one trial: whose death, whose harm."""

from __future__ import annotations

import re

from openwork_answers.asked import Question
from openwork_answers.outcomes import Outcome, Thing

_OF_CHILD = re.compile(
    r"\b(?:bab(?:y|ies)|child(?:ren)?|kids?|infants?|newborns?|neonat\w+|f(?:o)?et(?:us(?:es)?|al)|perinatal|stillb\w+"
    r"|offspring|sons?|daughters?)\b",
    re.IGNORECASE,
)
_OF_MOTHER = re.compile(r"\b(?:mothers?|maternal|mums?|wom[ae]n)\b", re.IGNORECASE)
_DEATH, _MATERNAL = frozenset({Thing("death")}), "maternal death"


def is_of_the_other(outcome: str, question: Question) -> bool:
    """Whether a death is the child's where a question asks whether women die, or the mother's where children: "do fewer
    mothers die" is not answered by the deaths of their babies."""
    if not _asks_of_death(question):
        return False
    of_mother, of_child = _asks_of_mothers(question), _OF_CHILD.search(question.analysis.question) is not None
    if of_mother is of_child:
        return False
    other, own = (_OF_CHILD, _OF_MOTHER) if of_mother else (_OF_MOTHER, _OF_CHILD)
    return other.search(outcome) is not None and own.search(outcome) is None


def is_maternal_death(told: Outcome, question: Question) -> bool:
    """Whether a result is of mothers' deaths and the question asks whether mothers die: lists tell them apart from any
    other death."""
    if told.is_composite or not any(thing.name == _MATERNAL for atom in told.atoms for thing in atom.things):
        return False
    return _asks_of_death(question) and _asks_of_mothers(question)


def _asks_of_death(question: Question) -> bool:
    """Whether death is asked about without a word of whose."""
    return any(atom.things == _DEATH and not atom.words for one in question.outcomes for atom in one.atoms)


def _asks_of_mothers(question: Question) -> bool:
    return _OF_MOTHER.search(question.analysis.question) is not None
