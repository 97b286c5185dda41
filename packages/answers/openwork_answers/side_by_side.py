"""Two names side by side that both say who is meant: "dialysis AF", "CKD anaemia", "cancer VTE".

The list of names has neither pair as one; each of the two has to hold of somebody, and neither is what is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm
from openwork_language.terms import Term, whole_term

from openwork_answers.outcomes import Outcome
from openwork_answers.people_states import states_in

_KINDS = {EntityKind.DISEASE: PopulationKind.CONDITION, EntityKind.PROCEDURE: PopulationKind.PROCEDURE}
_OPENS = re.compile(r"\b(?:in|among|with|for|has|have|had|of)\s+(?:an?\s+|the\s+|my\s+)?$", re.IGNORECASE)
"""Before somebody, or what somebody has."""
_BETWEEN = re.compile(r"[\s-]+")


def parted_names(people: Sequence[PopulationTerm], entities: Sequence[Entity]) -> tuple[PopulationTerm, ...]:
    """The terms, each that is two names and nothing besides as two.

    Args:
        entities: what the question names; a short form has its meaning from the question.
    """
    return tuple(part for term in people for part in _parts(term, entities))


_STATUS = re.compile(r"[\w-]+[\s-](?P<how>negative|positive)\b|\bnon-[a-z]{4,}\b(?=\s)", re.IGNORECASE)
""" "HIV-negative", "non-dialysis", beside the disease that somebody has."""
_STATUS_AND_DISEASE = 2


def _status_and_disease(term: PopulationTerm, entities: Sequence[Entity]) -> tuple[PopulationTerm, ...]:
    """Of "HIV-negative TB meningitis", in either order, both: who has no HIV, and who has TB meningitis."""
    status = _STATUS.search(term.text)
    named = [e for e in entities if term.start <= e.start and e.end <= term.end and e.kind in _KINDS]
    if status is None or len(named) != _STATUS_AND_DISEASE:
        return (term,)
    at, ends = term.start + status.start(), term.start + status.end()
    what = next((e for e in named if at <= e.start and e.end <= ends), None)
    disease = next((e for e in named if e is not what and e.kind is EntityKind.DISEASE), None)
    if what is None or disease is None or not _OPENING.fullmatch(term.text[: min(at, disease.start) - term.start]):
        return (term,)
    own = _named(term, what).model_copy(update={"text": status[0], "start": at, "end": ends})
    own = own.model_copy(update={"wanted": (status["how"] or "").casefold() == "positive"})
    return tuple(sorted((own, _named(term, disease)), key=lambda one: one.start))


def _named(term: PopulationTerm, entity: Entity) -> PopulationTerm:
    """A part of a term: what one name in it says."""
    update = {
        "text": entity.text,
        "start": entity.start,
        "end": entity.end,
        "kind": _KINDS[entity.kind],
        "wanted": True,
        "name": entity.name,
        "mesh_id": entity.mesh_id,
    }
    return term.model_copy(update=update)


_OPENING = re.compile(r"(?:in|with|after)?\s*", re.IGNORECASE)


def _parts(term: PopulationTerm, entities: Sequence[Entity]) -> tuple[PopulationTerm, ...]:
    if len(parted := _status_and_disease(term, entities)) > 1:
        return parted
    if not term.wanted or term.measure is not None or term.kind is not PopulationKind.CONDITION:
        return (term,)
    named = [e for e in entities if term.start <= e.start and e.end <= term.end and e.kind in _KINDS]
    if len(named) != 2 or whole_term(term.text) is not None or len(states_in(term.text)) == 1:
        return (term,)
    first, second = sorted(named, key=lambda one: one.start)
    between = term.text[first.end - term.start : second.start - term.start]
    if (first.start, second.end) != (term.start, term.end) or not _BETWEEN.fullmatch(between):
        return (term,)
    return tuple(_named(term, one) for one in (first, second))


def whose_names(
    outcomes: Sequence[Outcome], people: Sequence[PopulationTerm], question: str
) -> tuple[tuple[Outcome, ...], tuple[PopulationTerm, ...]]:
    """The outcomes and the people, where a name right before what somebody has is no outcome: "in [dialysis] AF"."""
    kept, more = [], []
    for outcome in outcomes:
        if (behind := _state_behind(outcome.text, people, question)) is not None:
            more.append(behind)
            continue
        whose = next((t for t in people if _stands_before(outcome.text, t, question)), None)
        named = whole_term(outcome.text) if whose is not None else None
        if whose is None or named is None or named.kind not in _KINDS:
            kept.append(outcome)
            continue
        start = question.rfind(outcome.text, 0, whose.start)
        more.append(_term_of(outcome.text, start, named))
    return tuple(kept), tuple(sorted((*people, *more), key=lambda term: term.start))


def _term_of(text: str, start: int, named: Term) -> PopulationTerm:
    """The words of a name as a term for people."""
    return PopulationTerm(
        text=text,
        start=start,
        end=start + len(text),
        kind=_KINDS[named.kind],
        name=named.name,
        mesh_id=named.mesh_id,
    )


def _state_behind(text: str, people: Sequence[PopulationTerm], question: str) -> PopulationTerm | None:
    """A procedure right behind what somebody has, which he has too: "AF [peritoneal dialysis] apixaban"."""
    named = whole_term(text)
    if named is None or named.kind is not EntityKind.PROCEDURE or _DIALYSIS.search(text) is None:
        return None
    for term in people:
        if term.wanted and question[term.end :].startswith(f" {text}"):
            return _term_of(text, term.end + 1, named)
    return None


_DIALYSIS = re.compile(r"dialysis", re.IGNORECASE)


def _stands_before(text: str, term: PopulationTerm, question: str) -> bool:
    """Whether words open who is meant and go on with what he has."""
    before = question[: term.start]
    stem = before.rstrip(" -")
    if not term.wanted or stem == before or not stem.endswith(text):
        return False
    return _OPENS.search(stem[: len(stem) - len(text)]) is not None
