"""Events told by another form of their name: "an eclamptic fit" is eclampsia, "being intubated" is intubation."""

from __future__ import annotations

import re
from functools import lru_cache

from openwork_contracts.question import EntityKind
from openwork_language.terms import whole_term

_ADJECTIVE = re.compile(
    r"\b(?P<stem>[^\W\d_]{3,}?)(?:at|ct|t)?ic\s+(?:attacks?|episodes?|crisis|crises"
    r"|(?<=eclamptic )(?:fits?|seizures?|convulsions?)|(?<=epileptic )fits?)\b",
    re.IGNORECASE,
)
"""Seizures are an outcome of their own, whatever causes them: but for these two, which are the disease."""
_PARTICIPLE = re.compile(
    r"(?P<be>\b(?:be|being|get|gets|getting|got)\s+)(?P<stem>[^\W\d_]{3,})(?P<end>ated|i[sz]ed|fused)\b", re.IGNORECASE
)
"""What becomes of people; "in intubated patients" says who they are."""
_NOUNS = ("sia", "sis", "ia", "psy", "a", "ism", "y")
"""Ends of the names of diseases whose adjectives end in -ic: eclampsia, sepsis, anaemia, epilepsy, asthma, embolism."""


def by_noun(text: str) -> str:
    """The text with the names of what such words tell; what is no name of a disease or procedure stays."""
    named = _ADJECTIVE.sub(lambda m: _disease(m["stem"]) or m[0], text)
    return _PARTICIPLE.sub(lambda m: _procedure(m["stem"], m["end"]) or m[0], named)


@lru_cache(maxsize=4096)
def _disease(stem: str) -> str | None:
    return next((stem + end for end in _NOUNS if _is_a(stem + end, EntityKind.DISEASE)), None)


@lru_cache(maxsize=4096)
def _procedure(stem: str, end: str) -> str | None:
    noun = stem + end.removesuffix("ed") + ("ion" if end != "ised" and end != "ized" else "ation")
    return noun if _is_a(noun, EntityKind.PROCEDURE) else None


def _is_a(name: str, kind: EntityKind) -> bool:
    found = whole_term(name)
    return found is not None and found.kind is kind
