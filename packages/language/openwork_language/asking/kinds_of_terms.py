"""What a term of a question is called, and which phrases say where somebody works or lies, and not who is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm


def kind_of(cue: str, entity: Entity | None, *, is_disease: bool) -> PopulationKind:
    if cue == "after":
        return PopulationKind.TIME_COURSE
    if entity is None and is_disease:
        return PopulationKind.CONDITION
    if entity is None:
        by_cue = {
            "on": PopulationKind.TREATMENT,
            "undergoing": PopulationKind.PROCEDURE,
            "with": PopulationKind.CONDITION,
        }
        return by_cue.get(cue, PopulationKind.OTHER)
    if entity.kind is EntityKind.DRUG or cue == "on":
        return PopulationKind.TREATMENT
    return PopulationKind.PROCEDURE if entity.kind is EntityKind.PROCEDURE else PopulationKind.CONDITION


def joined(question: str, terms: Sequence[PopulationTerm]) -> tuple[PopulationTerm, ...]:
    """Words for one group side by side are one term: "postmenopausal women"."""
    kept: list[PopulationTerm] = []
    for term in terms:
        last = kept[-1] if kept else None
        beside = last is not None and question[last.end : term.start] == " " and last.wanted is term.wanted
        if last is not None and beside and last.kind is term.kind is PopulationKind.PEOPLE:
            kept[-1] = term.model_copy(update={"text": question[last.start : term.end], "start": last.start})
        else:
            kept.append(term)
    return tuple(kept)


_PLACE = re.compile(
    r"(?:\S+\s){0,2}(?:clinic|practice|ward|unit|office|surgery|department|hospital|list|service)", re.IGNORECASE
)


WARD = re.compile(r"(?:[\w-]+\s){0,2}(?:wards?|clinics?|ward rounds?|rounds|office)", re.IGNORECASE)
"""Where somebody is seen or lies: "on the labour ward". A unit ("stroke unit") is a kind of care."""


def is_own_place(question: str, start: int, end: int) -> bool:
    """Where the asker works: "in my Osaka clinic"."""
    return (
        _PLACE.fullmatch(question[start:end]) is not None
        and re.search(r"\b(?:my|our)\s+$", question[:start], re.I) is not None
    )
