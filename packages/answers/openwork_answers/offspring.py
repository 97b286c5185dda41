"""Mothers and their children in one trial: whose death, whose harm."""

from __future__ import annotations

import re

from openwork_answers.asked import Question

_OF_CHILD = re.compile(
    r"\b(?:bab(?:y|ies)|child(?:ren)?|kids?|infants?|newborns?|neonat\w+|f(?:o)?et(?:us(?:es)?|al)|perinatal|stillb\w+"
    r"|offspring|sons?|daughters?)\b",
    re.IGNORECASE,
)
_OF_MOTHER = re.compile(r"\b(?:mothers?|maternal|mums?)\b", re.IGNORECASE)


def is_of_the_other(outcome: str, question: Question) -> bool:
    """Whether an outcome is the child's where a question asks of mothers alone, or the mother's where of children:
    "do fewer mothers die" is not answered by the deaths of their babies."""
    asked = question.analysis.question
    of_mother, of_child = _OF_MOTHER.search(asked) is not None, _OF_CHILD.search(asked) is not None
    if of_mother is of_child:
        return False
    other, own = (_OF_CHILD, _OF_MOTHER) if of_mother else (_OF_MOTHER, _OF_CHILD)
    return other.search(outcome) is not None and own.search(outcome) is None
