"""Who is told of before the asking: "Takotsubo with shock - does a balloon pump ...?", "Portal vein thrombosis: ...".

Where nothing of such an opening is understood, its first words are who is meant all the same: an answer that passes
over them would be of somebody else. So is a kind of a disease that is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm, QuestionAnalysis
from openwork_knowledge.bodies import bodies_in
from openwork_language.searching.information import MOST, SOME, information

from openwork_answers.given import asking_from
from openwork_answers.outcomes import event_names, groups_in, kinds_before
from openwork_answers.places import places_of

_SEGMENT = re.compile(r"\W*(?P<head>[^,;:.?!]{3,60}?)\s*(?:[,;:.]|\s[-\u2013\u2014])\s")
_AHEAD = re.compile(r"\s+(?:with|in|on|after|and|or|from|who|due|for|without)\s.*$", re.IGNORECASE | re.DOTALL)
_WORD = re.compile(r"[^\W\d_](?:[\w'-]*\w)?")
_OPENING = re.compile(r"\W*(?P<words>(?:[^\W\d_][\w'-]*\s+){1,4})$")
_BEFORE_A_DISEASE = re.compile(
    r"(?:.*\b)?(?:with|in|and|or|after|on|who|has|have|had|patients?|people|adults?|children|wom[ae]n|m[ae]n)\s+",
    re.IGNORECASE | re.DOTALL,
)
"""What stands before it is no part of the name: "dialysis patients with [portal vein thrombosis]"."""
_OPENING_ENDS = re.compile(r"\s*[:;,.]\s|\s+[-–—]\s")


def opening_people(analysis: QuestionAnalysis, people: Iterable[PopulationTerm]) -> tuple[PopulationTerm, ...]:
    """The first words of an opening that is told before the asking, holds a telling word, and nothing that is known."""
    question = analysis.question
    match = _SEGMENT.match(question)
    if match is None or match.end("head") > asking_from(question):
        return ()
    text = _AHEAD.sub("", match["head"])
    start, end = match.start("head"), match.start("head") + len(text)
    known = [(t.start, t.end) for t in people] + [(e.start, e.end) for e in analysis.entities]
    known += places_of(analysis.pico.intervention, question)  # "Mosquito releases: do they lower dengue?"
    if any(a < end and start < b for a, b in known) or groups_in(text) or bodies_in(text):
        return ()
    if not any(information(word) >= MOST and not word.isupper() for word in _WORD.findall(text)):
        return ()
    return (PopulationTerm(text=text, kind=PopulationKind.OTHER, wanted=True, start=start, end=end),)


def opening_disease(analysis: QuestionAnalysis, treating: Sequence[Entity]) -> list[PopulationTerm]:
    """A disease of a kind that stands before the asking, where something else is asked about: "[Portal vein
    thrombosis]: fewer recurrences?". The disease alone may be either."""
    question = analysis.question
    lacking = [(term.start, term.end) for term in analysis.pico.people if not term.wanted]
    for entity in analysis.entities:
        if any(a <= entity.start < b for a, b in lacking):
            continue  # "DVT without PE: ..." is of no PE
        opens = _OPENING.match(question[: entity.start])
        if entity.kind is not EntityKind.DISEASE or opens is None or not _OPENING_ENDS.match(question, entity.end):
            continue
        start = opens.start("words")
        if cut := _BEFORE_A_DISEASE.match(question, start, entity.start):
            start = cut.end()
        told = any(information(word) >= SOME for word in question[start : kinds_before(question, entity.start)].split())
        asked = groups_in(question[entity.end :]) or event_names().search(question, entity.end)
        if told and asked and not any(one.start < entity.end and start < one.end for one in treating):
            return [
                PopulationTerm(
                    text=question[start : entity.end],
                    kind=PopulationKind.CONDITION,
                    wanted=True,
                    name=entity.name,
                    mesh_id=entity.mesh_id,
                    start=start,
                    end=entity.end,
                )
            ]
    return []
