"""People who are on something: on dialysis, on a ventilator. In a question without a word for people, and in a source.

What only happens to people, as an outcome ("death or dialysis"), says nothing of who was studied.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm
from openwork_knowledge import mesh
from openwork_knowledge.notation import group

from openwork_language.asking.pieces import somebody_before
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
_IN = re.compile(
    r"(?<![\w-])(?P<what>[\w-]+)\s+in\s+(?:(?:maintenance|chronic|long-term|regular|home|elective|primary)\s+)?$",
    re.IGNORECASE,
)
_HAS = re.compile(r"\b(?:has|had)\s+(?:[\w-]+\s+){0,3}$", re.IGNORECASE)
""" "My patient [has] an ileostomy", where something else is given."""
_OPENS = re.compile(r"^\W*in\s+(?:an?\s+|the\s+)?(?:[\w-]+\s+){0,2}$", re.IGNORECASE)
""" "[In] a lung transplant, does dapagliflozin ..."."""
_JUDGED = re.compile(r"safe|effective|useful|helpful|beneficial|harmful|indicated", re.IGNORECASE)
_REPLACES_KIDNEYS = "E02.870"
"""MeSH 2024: renal replacement therapy. Who has it has it for long; nobody is operated on for years."""


def people_are_on(question: str, entity: Entity, entities: Sequence[Entity]) -> bool:
    """Whether a procedure is what people are on: "safe on dialysis", "heparin in PCI", "iron in haemodialysis".

    No drug: "the effect of amiodarone on warfarin" is of both. No part of a longer name: "on dialysis adequacy". Behind
    "in" only where something else is given: "benefit in thrombectomy" is of thrombectomy.
    """
    if entity.kind is not EntityKind.PROCEDURE:
        return False
    before = question[: entity.start]
    has = _HAS.search(before)
    opens = _OPENS.search(before) is not None and question.startswith(",", entity.end)
    if opens or (has is not None and somebody_before(question, has.start())):
        return any(e.kind is not EntityKind.DISEASE and e.start > entity.end for e in entities)
    if (of := _IN.search(before)) is not None:
        return _behind_in().match(question, entity.end) is not None and _is_given(question, of, entity, entities)
    behind = _BEHIND_ON.match(question, entity.end)
    return behind is not None and _ON.search(before) is not None and _EFFECT_OF.search(before) is None


def _is_given(question: str, of: re.Match[str], entity: Entity, entities: Sequence[Entity]) -> bool:
    """Whether what stands before "in" is given: a drug or a procedure, or, on dialysis, what is no word of a count."""
    others = [e for e in entities if e.kind is not EntityKind.DISEASE and e is not entity]
    if any(e.end == of.end("what") for e in others):
        return True
    if _JUDGED.fullmatch(of["what"]):
        return any(e.kind is EntityKind.DRUG and e.end <= of.start() for e in others)
    if re.fullmatch(asking("not before in"), of["what"], re.IGNORECASE) or of["what"].casefold() == "than":
        return False
    lasting = any(tree.startswith(_REPLACES_KIDNEYS) for tree in mesh.trees_of(entity.mesh_id or ""))
    return lasting and not any(e.kind is EntityKind.PROCEDURE for e in others)


@cache
def _behind_in() -> re.Pattern[str]:
    """What ends such a phrase; behind "versus" the procedure is what is compared."""
    ends = asking("stop", "finite verb", "head", "cue with", "cue who", "cue without", "cue for")
    ends = f"{ends}|{group('question_slots', 'effect')}|and|at|to"
    compared = r"\s*,?\s*(?:versus|vs?|or|than|against|compared|over|rather|less|lower|better|worse|more|higher)\b"
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
