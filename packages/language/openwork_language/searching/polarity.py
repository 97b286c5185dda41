"""What a question wants absent: "without prior carbapenem use", "not on beta blockers", "penicillin-allergic"."""

from __future__ import annotations

import re
from functools import cache

from openwork_contracts.question import Entity, QuestionAnalysis
from openwork_knowledge.notation import group

_LISTED = re.compile(r"\s*(?:,|,?\s*\b(?:or|nor)\b)\s*(?:\w+\s+){0,1}", re.IGNORECASE)
_EITHER_WAY = re.compile(r"\bwith\s*(?:or|and|/|versus|vs\.?)\s*without\b|\bwhether or not\b", re.IGNORECASE)
"""Both are wanted: "with or without bevacizumab"."""


_ADJECTIVE = r"(?:[a-z]+-to-[a-z]+|(?:mild|moderate) (?:or|to) (?:moderate|severe)|[a-z]{3,}(?:ic|al|ar|ous|oid))"
"""Of which kind it is that is absent: "without moderate-to-severe rheumatic [mitral stenosis]"."""


@cache
def _before() -> re.Pattern[str]:
    cues, between = group("search-strategy", "absent"), group("search-strategy", "absent, between")
    return re.compile(rf"(?:\b{cues}\s+(?:(?:{between}|{_ADJECTIVE})\s+){{0,4}}|\bnon-?\s?)$", re.IGNORECASE)


_ITEM = r"(?!with\b|who\b|in\b|but\b|and\b)[\w'-]+"
"""A word of a list of what is absent."""


@cache
def _listed() -> re.Pattern[str]:
    """Absence goes on through a list: "without mitral stenosis or a [mechanical valve]"."""
    cues, between = group("search-strategy", "absent"), group("search-strategy", "absent, between")
    return re.compile(rf"\b{cues}\s+(?:{_ITEM},?\s+){{1,7}}?or\s+(?:{between}\s+){{0,2}}$", re.IGNORECASE)


@cache
def _within_list() -> re.Pattern[str]:
    """And to what stands in the middle of one: "without heart disease, [dementia] or disability"."""
    cues = group("search-strategy", "absent")
    return re.compile(rf"\b{cues}\s+(?:{_ITEM},?\s+){{0,7}}?{_ITEM},\s+(?:{_ITEM}\s+){{0,2}}?$", re.IGNORECASE)


_LIST_GOES_ON = re.compile(r"(?:\s+[\w'-]+){0,2}(?:,(?:\s+[\w'-]+){1,4}){0,4},?\s+or\s", re.IGNORECASE)


_TEST = (
    r"(?:swabs?|tests?|PCR|antigens?|screen(?:ing|s)?|cultures?|serology|antibod(?:y|ies)|smears?)"
    r"(?:\s+(?:is|was|were|are|came back|comes back|all|repeatedly))?"
)
""" "Flu [swab] negative"."""


@cache
def _behind() -> re.Pattern[str]:
    return re.compile(rf"[\s-]+(?:{_TEST}\s+)?{group('search-strategy', 'absent, after')}\b", re.IGNORECASE)


def is_absent_at(question: str, start: int, end: int) -> bool:
    """Whether what stands at [start, end) is wanted absent, by the words right before and behind it."""
    before = question[:start]
    if _behind().match(question, end):
        return True
    found = _before().search(before) or _listed().search(before)
    if found is None and _LIST_GOES_ON.match(question, end):
        found = _within_list().search(before)
    return found is not None and not _EITHER_WAY.search(before[max(0, found.start() - 20) :])


def absent_entities(analysis: QuestionAnalysis) -> frozenset[Entity]:
    """The entities that are wanted absent; absence goes on through a list: "without diabetes or hypertension"."""
    found: set[Entity] = set()
    last: Entity | None = None
    for entity in sorted(analysis.entities, key=lambda e: e.start):
        listed = last in found and _LISTED.fullmatch(analysis.question[last.end : entity.start]) if last else None
        if listed or is_absent_at(analysis.question, entity.start, entity.end):
            found.add(entity)
        last = entity
    return frozenset(found)
