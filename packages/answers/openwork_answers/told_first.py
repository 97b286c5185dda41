"""Events that a question tells of somebody before it asks: "Hip fracture, day 2: does X reduce deaths?" asks of deaths.

What happened to somebody is who is meant; what may happen is asked about. A list of outcomes knows both by one name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import EntityKind, PopulationKind, PopulationTerm, QuestionAnalysis
from openwork_language.terms import first_of

from openwork_answers.given import asking_part
from openwork_answers.nobody import is_organ
from openwork_answers.outcomes import Outcome, is_disease
from openwork_answers.people_states import states_in
from openwork_answers.unread import is_telling

_RUN = re.compile(r"\S+")
_WHY = re.compile(
    r"\b(?:because of|due to|owing to|on account of|complain\w* of|(?:at|the) (?:\w+ )?risk (?:of|for)|afraid of"
    r"|worr\w+ about|prevent\w*|avoid\w*)\s+(?:an?\s+|the\s+|his\s+|her\s+)?",
    re.IGNORECASE,
)
"""Before why something is not given, what is complained of, and what is feared."""
_FIGURE = re.compile(
    r"\b(?:effect sizes?|(?:hazard|odds|risk|rate) ratios?|absolute \w+|numbers? needed|NNTs?|NNHs?|p[- ]values?"
    r"|numbers|figures|percentages?|size|magnitude|ratios?|HRs?|RRs?|ORs?|CIs?)\b",
    re.IGNORECASE,
)
"""The figure that is wanted, which says nothing of what it is of."""


def parted_by_place(
    outcomes: Sequence[Outcome], people: Sequence[PopulationTerm], analysis: QuestionAnalysis
) -> tuple[tuple[Outcome, ...], tuple[PopulationTerm, ...]]:
    """The outcomes of the part that asks, and diseases told before it as people.

    Args:
        people: terms that are read as such already.

    Nothing is parted where the asking part names no outcome and holds no telling word besides: what stands before it is
    then what is asked about.
    """
    question = analysis.question
    start = asking_part(question)
    states = states_in(question)
    before: list[tuple[Outcome, int, int]] = []
    for one in outcomes:
        at = question.find(one.text)
        end = at + len(one.text)
        if not 0 <= at < end <= start:
            continue
        state = next((s for s in states if s.start <= at and end <= s.end <= start), None)
        if state is not None or is_disease(one):
            before.append((one, state.start, state.end) if state is not None else (one, at, end))
    kept = tuple(one for one in outcomes if all(one is not other for other, *_ in before))
    if not before or not (kept or _asks_of_something(analysis, start)):
        return tuple(outcomes), ()
    known = [(t.start, t.end) for t in people]
    known += [(match.end(), match.end() + 1) for match in _WHY.finditer(question)]
    places = [(at, end) for _, at, end in before if not any(a < end and at < b for a, b in known)]
    told = (span for span in dict.fromkeys(places) if not is_organ(question[span[0] : span[1]]))
    return kept, tuple(_term(question, at, end) for at, end in told)


def _asks_of_something(analysis: QuestionAnalysis, start: int) -> bool:
    """Whether the asking part holds a telling word that names no treatment, no people and no figure that is wanted.

    The names of bodies are some, unlike in `unread_words`: what a guideline says is asked about too.
    """
    text = analysis.question
    named = [(one.start, one.end) for one in analysis.entities]
    named += [(one.start, one.end) for one in analysis.pico.people]
    named += [match.span() for match in _FIGURE.finditer(text)]
    free = (m for m in _RUN.finditer(text, start) if not any(a <= m.start() < b for a, b in named))
    return any(bare and is_telling(bare) for bare in (m[0].strip("?.,;:()") for m in free))


def _term(question: str, start: int, end: int) -> PopulationTerm:
    text = question[start:end]
    disease = first_of(EntityKind.DISEASE, text)
    return PopulationTerm(
        text=text,
        start=start,
        end=end,
        kind=PopulationKind.CONDITION,
        wanted=True,
        name=disease.name if disease else None,
        mesh_id=disease.mesh_id if disease else None,
    )
