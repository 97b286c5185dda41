"""Who is told of before the asking, in words that no list knows: "Takotsubo with shock - does a balloon pump ...?".

Where nothing of such an opening is understood, its first words are who is meant all the same: an answer that passes
over them would be of somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from openwork_contracts.question import PopulationKind, PopulationTerm, QuestionAnalysis
from openwork_knowledge.bodies import bodies_in
from openwork_language.searching.information import MOST, information

from openwork_answers.given import asking_from
from openwork_answers.outcomes import groups_in

_SEGMENT = re.compile(r"\W*(?P<head>[^,;:.?!]{3,60}?)\s*(?:[,;:.]|\s[-\u2013\u2014])\s")
_AHEAD = re.compile(r"\s+(?:with|in|on|after|and|or|from|who|due|for|without)\s.*$", re.IGNORECASE | re.DOTALL)
_WORD = re.compile(r"[^\W\d_](?:[\w'-]*\w)?")


def opening_people(analysis: QuestionAnalysis, people: Iterable[PopulationTerm]) -> tuple[PopulationTerm, ...]:
    """The first words of an opening that is told before the asking, holds a telling word, and nothing that is known."""
    question = analysis.question
    match = _SEGMENT.match(question)
    if match is None or match.end("head") > asking_from(question):
        return ()
    text = _AHEAD.sub("", match["head"])
    start, end = match.start("head"), match.start("head") + len(text)
    known = [(t.start, t.end) for t in people] + [(e.start, e.end) for e in analysis.entities]
    if any(a < end and start < b for a, b in known) or groups_in(text) or bodies_in(text):
        return ()
    if not any(information(word) >= MOST and not word.isupper() for word in _WORD.findall(text)):
        return ()
    return (PopulationTerm(text=text, kind=PopulationKind.OTHER, wanted=True, start=start, end=end),)
