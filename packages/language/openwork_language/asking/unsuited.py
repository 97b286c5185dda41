"""Who cannot have a treatment: told of these people, not asked about, and no other state of theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm

from openwork_language.asking.words import asking


def unsuited(question: str, entities: Sequence[Entity]) -> Iterator[PopulationTerm]:
    """Treatments that the question says these people cannot have: by the words behind the name, or by their harm."""
    for entity in entities:
        if entity.kind is EntityKind.DISEASE:
            continue
        if found := _is_unsuited().match(question, entity.end):
            yield _term(question, entity, entity.start, found.end("how"))
        elif (start := _harmed_from(question, entities, entity.start)) is not None:
            yield _term(question, entity, start, entity.end)


def _harmed_from(question: str, entities: Sequence[Entity], start: int) -> int | None:
    """Where a harm begins that somebody had of every drug of a kind: "[muscle pain] on three different statins"."""
    opened = _OF_EVERY.search(question[:start])
    harm = opened and next((e for e in entities if e.end == opened.start()), None)
    return harm.start if harm and harm.kind is EntityKind.DISEASE else None


def _term(question: str, entity: Entity, start: int, end: int) -> PopulationTerm:
    return PopulationTerm(
        text=question[start:end],
        start=start,
        end=end,
        kind=PopulationKind.TREATMENT,
        wanted=False,
        name=entity.name,
        mesh_id=entity.mesh_id,
    )


_OF_EVERY = re.compile(
    r"\s+(?:on|with|from|of)\s+(?:every|each|any|all|both|two|three|four|several|multiple|many|various|different)\s+"
    r"(?:(?:single|different|other|kinds? of|types? of|the)\s+){0,2}$",
    re.IGNORECASE,
)
_BECAUSE_OF = re.compile(r"\s*(?:because of|due to|owing to|on account of|as (?:they|it) caused?)\s+(?:\w+\s+)?", re.I)


def without_reasons(question: str, terms: Sequence[PopulationTerm]) -> list[PopulationTerm]:
    """Why somebody cannot have a treatment says no more of him: "cannot take statins because of aching muscles"."""
    kept: list[PopulationTerm] = []
    for term in terms:
        cannot = kept and kept[-1].kind is PopulationKind.TREATMENT and not kept[-1].wanted
        if cannot and term.wanted and _BECAUSE_OF.fullmatch(question[kept[-1].end : term.start]):
            continue
        kept.append(term)
    return kept


@cache
def _is_unsuited() -> re.Pattern[str]:
    """ "Warfarin is not an option for this man": told, not asked; "warfarin is contraindicated in ..." may be asked."""
    for_whom = r"(?:\s+(?:for|in)\s+(?:this|him|her|them|my|our)\b)|\s*[.,;:]|\s+(?:so|and|but)\b"
    return re.compile(rf"\s*(?P<how>{asking('is unsuited')})(?={for_whom})", re.IGNORECASE)
