"""What stands before a known treatment and is the treatment itself: "[minimally invasive evacuation] with alteplase".

A result of the known one alone answers another question. Words for treating in general ("therapy with") are no head.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from openwork_knowledge.notation import group
from openwork_language.mentions import Idea, idea_tokens
from openwork_language.searching.information import SOME, information
from openwork_language.terms import find_terms

_BEFORE = re.compile(
    r"(?<![\w-])(?P<head>(?:(?!(?:in|on|for|of|with|to|by|and|or|than|does|do|did|is|are|was|were|can|could|will|would"
    r"|should|has|have|the|an?|add|adding|vs|versus|what|which|how|if|when)\b)[A-Za-z][\w-]*\s+){1,4})"
    r"(?:with|plus|using)\s+(?:(?:an?|the|\w+(?:er|ed|ly|al|ous))\s+)?$"
)


_COUNTED = re.compile(
    r"\b(?:risks?|rates?|chances?|incidence|odds|effects?|number|share|proportion|likelihood|frequency|of|more|fewer|less"
    r"|lower|higher|reduce\w*|increase\w*)\s+(?:of\s+)?(?:an?\s+|the\s+)?$",
    re.IGNORECASE,
)
"""Behind these stands an outcome, and no treatment: "the risk of [hepatotoxicity] with isoniazid"."""


def heads_of(question: str, treatments: Iterable[Idea], outcomes: Iterable[str]) -> frozenset[str]:
    """The telling stems of such heads; empty where there is none, or one that a list knows."""
    found: set[str] = set()
    asked = frozenset().union(*map(idea_tokens, outcomes))
    for idea in treatments:
        at = question.find(idea.term)
        match = _BEFORE.search(question, 0, at) if at > 0 and idea.names else None
        if match is None or find_terms(match["head"]) or _COUNTED.search(question, 0, match.start()):
            continue
        if idea_tokens(match["head"]) & asked:
            continue
        last = match["head"].split()[-1]
        if any(information(word) >= SOME for word in match["head"].split()) and not _general().fullmatch(last):
            found |= idea_tokens(match["head"])
    return frozenset(found)


@cache
def _general() -> re.Pattern[str]:
    return re.compile(group("arm-words", "treating"), re.IGNORECASE)
