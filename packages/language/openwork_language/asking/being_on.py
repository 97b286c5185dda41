"""People who are on something: on dialysis, on a ventilator. In a question without a word for people, and in a source.

What only happens to people, as an outcome ("death or dialysis"), says nothing of who was studied.
"""

from __future__ import annotations

import re
from functools import cache

from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm
from openwork_knowledge.notation import group

from openwork_language.asking.words import asking

_ON = re.compile(
    r"(?<!effect )(?<!effects )(?<!impact )(?<!influence )\bon\s+(?:an?\s+|the\s+)?"
    r"(?:(?:maintenance|chronic|long-term|regular|home|peritoneal|invasive|mechanical)\s+)?$",
    re.IGNORECASE,
)
_EFFECT_OF = re.compile(r"\b(?:effects?|impact|influence) of\b", re.IGNORECASE)
_BEHIND_ON = re.compile(
    r"\s*(?:$|[?.,;:)]|(?:and|or|who|with|without|for|in|at|than|compared|versus|vs)\b)", re.IGNORECASE
)
_IN = re.compile(r"(?P<what>[\w-]+)\s+in\s+(?:(?:maintenance|chronic|long-term|regular|home)\s+)?$", re.IGNORECASE)


def people_are_on(question: str, entity: Entity) -> bool:
    """Whether a procedure is what people are on: "safe on dialysis", "iron in haemodialysis", "heparin in PCI".

    No drug: "the effect of amiodarone on warfarin" is of both. No part of a longer name: "on dialysis adequacy".
    """
    if entity.kind is not EntityKind.PROCEDURE:
        return False
    before = question[: entity.start]
    if (of := _IN.search(before)) is not None:
        told = re.fullmatch(asking("not before in"), of["what"], re.IGNORECASE) is not None
        return not told and _behind_in().match(question, entity.end) is not None
    behind = _BEHIND_ON.match(question, entity.end)
    return behind is not None and _ON.search(before) is not None and _EFFECT_OF.search(before) is None


@cache
def _behind_in() -> re.Pattern[str]:
    """What ends such a phrase; behind "versus" the procedure is what is compared."""
    ends = asking("stop", "finite verb", "head", "cue with", "cue who", "cue without", "cue for")
    ends = f"{ends}|{group('question_slots', 'effect')}|and|at|to"
    compared = r"\s*(?:versus|vs?|or|than|against|compared)\b"
    return re.compile(rf"(?!{compared})\s*(?:$|[?.,;:)]|(?:{ends})\b)", re.IGNORECASE)


def is_on(term: PopulationTerm) -> bool:
    """Whether people are meant who are on something: what only happens to people, as an outcome, is none of theirs."""
    return term.kind is PopulationKind.TREATMENT and term.text.lower().startswith("on ")


_OF_PEOPLE_BEFORE = re.compile(
    r"\b(?:on|in|receiv(?:ed|es?|ing)|undergoing|underwent|taking|using|with|under|treated with|maintenance|chronic"
    r"|regular|long-term|who (?:need|require)d?|requiring|dependent on|for|of|among)\s+(?:[\w-]+\s+){0,2}$",
    re.IGNORECASE,
)
_OF_PEOPLE_BEHIND = re.compile(
    r"[\s-]+(?:patients?|people|populations?|units?|cent(?:er|re)s?|dependen\w+|treated|users?)\b", re.IGNORECASE
)
_COUNTED_BEFORE = re.compile(
    r"\b(?:to|or|and|need for|start(?:ing|ed)?|initiation of|progression to|risk of|time to|rates? of|incidence of"
    r"|prevent\w*|reduc\w*|lower\w*)\s+(?:[\w-]+\s+){0,1}$",
    re.IGNORECASE,
)


def is_told_of_people(text: str, start: int, end: int) -> bool:
    """Whether what people are on is told of people: "on dialysis", "dialysis patients"; not "death or dialysis"."""
    before = text[max(0, start - 60) : start]
    if _OF_PEOPLE_BEHIND.match(text, end):
        return True
    return _COUNTED_BEFORE.search(before) is None and _OF_PEOPLE_BEFORE.search(before) is not None
