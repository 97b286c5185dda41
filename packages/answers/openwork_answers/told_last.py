"""What a question names last, after whom and what is given: "PE and cancer, apixaban or dalteparin, [gut bleeding]?".

Notes in short form put no word before what they ask about. An event in a segment of its own, behind the treatments and
behind what somebody has, is what may happen; a disease that stands there may be what he has besides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import Entity, PopulationKind, PopulationTerm
from openwork_language.terms import find_terms

from openwork_answers.outcome_names import places
from openwork_answers.outcomes import groups_in
from openwork_answers.places import is_within
from openwork_answers.terms_asked_about import is_event

_KINDS = frozenset({PopulationKind.CONDITION, PopulationKind.OTHER})
_HAD = frozenset({*_KINDS, PopulationKind.TIME_COURSE, PopulationKind.PREGNANCY})
_SEGMENT = re.compile(r"[,;:?]|\s[-–—]\s|\s(?:vs\.?|versus)\s", re.IGNORECASE)
_CUE = re.compile(
    r"\b(?:in|with|after|among|has|have|had|following|post|without|for|of|on|during|if|when|who|is|are|no|not|previous|prior|past|old|known"
    r"|recent|history)\b",
    re.IGNORECASE,
)
_WEIGHED = re.compile(r"\s(?:vs\.?|versus)\s+(?:[\w-]+,\s*)*$", re.IGNORECASE)
_STAYS = re.compile(r"atrial fibrillation|AF|gout|\w*retinopathy|\w*myopathy|infections?", re.IGNORECASE)
"""What treatments may cause, and as often somebody has already."""
_OF_IT = re.compile(r"\b(?:VTE|DVT|PE|\w*thrombos\w+|\w*embolism|\w*pneumonia|sepsis)$", re.IGNORECASE)
"""What comes of a disease and is had as often: "cancer [VTE]"."""
_LISTED = re.compile(r"[\s,;/]*(?:(?:and|or|vs\.?|versus|plus)\s+)?(?:an?\s+)?", re.IGNORECASE)


def told_last(people: Sequence[PopulationTerm], treating: Sequence[Entity], question: str) -> frozenset[int]:
    """Where terms begin that are named so.

    Args:
        people: every term that was read as who is meant, in order of place.
        treating: the treatments asked about.
    """
    found: set[int] = set()
    for term in people:
        if term.kind in _KINDS and term.wanted and _is_last(term, people, treating, question, found):
            found.add(term.start)
    return frozenset(found)


def ends_behind_people(people: Sequence[PopulationTerm], treating: Sequence[Entity], question: str) -> frozenset[int]:
    """Where an event begins that ends a note without a mark, right behind what somebody has: "A vs B septic shock
    [kidney failure]", "in AF stroke and [bleeding]"."""
    if not people or question[people[-1].end :].strip(" ?.!"):
        return frozenset()
    *others, term = people
    if term.kind is not PopulationKind.CONDITION or not term.wanted or not any(e.end < term.start for e in treating):
        return frozenset()
    if not is_event(term.text) or _STAYS.fullmatch(term.text) or _CUE.match(term.text) or _OF_IT.search(term.text):
        return frozenset()
    who = [(other.start, other.end) for other in people]
    if any(not is_within(start, who) for start, _ in groups_in(question[: term.start])):
        return frozenset()  # an outcome stands there already
    is_behind = any(
        other.kind in _HAD
        and (
            question[other.end : term.start].isspace()
            or (_JOINED.fullmatch(question, other.end, term.start) and len(find_terms(other.text)) > 1)
        )
        for other in others
    )
    return frozenset({term.start}) if is_behind else frozenset()


def listed_with(
    asked: frozenset[int], people: Sequence[PopulationTerm], question: str, outcomes: Sequence[tuple[int, int]] = ()
) -> frozenset[int]:
    """Where terms begin that go on a list of what is asked about: "effect on stroke, [heart failure] and death".

    Args:
        asked: where terms begin that are asked about themselves.
        outcomes: where outcomes stand that were read as such.
    """
    ends = {t.end for t in people if t.start in asked} | {end for _, end in (*groups_in(question), *outcomes)}
    had = {t.end for t in people if t.start not in asked}
    found: set[int] = set()
    for term in people:
        if term.kind is not PopulationKind.CONDITION or not term.wanted or _CUE.match(term.text):
            continue
        if any(end not in had and _JOINED.fullmatch(question, end, term.start) for end in ends):
            found.add(term.start)
            ends.add(term.end)
            had.discard(term.end)
    return frozenset(found)


_JOINED = re.compile(r"\s*(?:,\s*(?:and|or)?|/|\b(?:and|or)\b)\s*", re.IGNORECASE)


def _is_last(
    term: PopulationTerm, people: Sequence[PopulationTerm], treating: Sequence[Entity], question: str, found: set[int]
) -> bool:
    before = question[: term.start]
    ends = [match.end() for match in _SEGMENT.finditer(before)]
    if not is_event(term.text) or _STAYS.fullmatch(term.text):
        return False  # "DVT, rivaroxaban or warfarin, [cancer]?": what somebody has besides
    if not ends or _CUE.search(before, ends[-1]) or _CUE.match(term.text):
        return False
    if any(e.start > term.end for e in treating) or not (treating or _names_outcome(before)):
        return False
    if treating and not any(e.end <= ends[-1] for e in treating):
        return False
    had = [t for t in people if t.kind in _HAD and t.end <= ends[-1] and t.start not in found]
    if any(
        _LISTED.fullmatch(question, t.end, term.start) for t in people if t.start not in found and t.end <= term.start
    ):
        return False  # a list goes on: "in heart failure, [COPD] and ..."
    weighed = _WEIGHED.search(before) is not None  # "lives saved vs [hyperkalaemia]"
    return bool(had) or (weighed and _names_outcome(before))


def _names_outcome(text: str) -> bool:
    return bool(groups_in(text)) or bool(places(text))
