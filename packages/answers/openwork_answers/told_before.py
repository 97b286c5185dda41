"""What a question says of somebody before it asks, and forms of a disease that it counts.

"Her last pregnancy ended in eclampsia. Does aspirin prevent another?" tells of eclampsia as had. "Efficacy against
hospitalised dengue" asks of nobody in hospital: admissions are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm
from openwork_knowledge import mesh
from openwork_knowledge.notation import group

from openwork_answers.given import asking_from
from openwork_answers.outcomes import is_harm

_WHOSE = re.compile(r"\b(?:his|her|their|(?:patient|man|woman|child)['’]s)\s+(?:[\w-]+\s+){0,2}$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.;!?]\s")


def had_before(question: str, entities: Iterable[Entity], known: Iterable[PopulationTerm]) -> Iterator[PopulationTerm]:
    """Diseases and procedures that a sentence before the asking one tells of a person as past, if no term has them."""
    taken = [(term.start, term.end) for term in known]
    start = asking_from(question)
    for entity in entities:
        if entity.kind is EntityKind.DRUG or entity.end > start or not _leaves_a_state(entity):
            continue
        if any(a < entity.end and entity.start < b for a, b in taken) or not _is_past(question, entity):
            continue
        yield _term_of(entity, question)


def helped(question: str, entities: Iterable[Entity], known: Iterable[PopulationTerm]) -> Iterator[PopulationTerm]:
    """Diseases that something is asked to help: "does empagliflozin help [HFrEF]?" is of those who have it; a symptom
    or an event that it may help is what is asked about."""
    taken = [(term.start, term.end) for term in known]
    for one in entities:
        if one.kind is not EntityKind.DISEASE or is_harm(one.text) or is_symptom(one):
            continue
        free = not any(a < one.end and one.start < b for a, b in taken)
        if free and _HELPS.search(question[: one.start]):
            yield _term_of(one, question)


_HELPS = re.compile(r"\bhelps?\s+(?:with\s+)?(?:(?:chronic|acute|severe|mild|moderate)\s+)?$", re.IGNORECASE)
_SYMPTOMS = "C23.888"
"""MeSH 2024: signs and symptoms."""


def is_symptom(entity: Entity) -> bool:
    """Whether a disease is a symptom, which anybody may have with any other."""
    return any(tree.startswith(_SYMPTOMS) for tree in mesh.trees_of(entity.mesh_id or ""))


def _term_of(entity: Entity, question: str) -> PopulationTerm:
    is_disease = entity.kind is EntityKind.DISEASE
    return PopulationTerm(
        text=question[entity.start : entity.end],
        start=entity.start,
        end=entity.end,
        kind=PopulationKind.CONDITION if is_disease else PopulationKind.PROCEDURE,
        wanted=True,
        name=entity.name,
        mesh_id=entity.mesh_id,
        is_detail=not is_disease and "Transplant" not in entity.name,
    )


def _leaves_a_state(entity: Entity) -> bool:
    """A disease, or an operation (MeSH's E04): who had a scan or blood is no other patient for it."""
    trees = mesh.trees_of(entity.mesh_id or "")
    return entity.kind is EntityKind.DISEASE or any(tree.startswith("E04") for tree in trees)


def _is_past(question: str, entity: Entity) -> bool:
    """Whether its sentence tells of somebody's past, and of no worry about what may come."""
    begin = max((m.end() for m in _SENTENCE_END.finditer(question, 0, entity.start)), default=0)
    stop = _SENTENCE_END.search(question, entity.end)
    sentence = question[begin : stop.start() if stop else len(question)]
    if _word("worry").search(sentence):
        return False
    return _word("past").search(sentence) is not None or _WHOSE.search(question[begin : entity.start]) is not None


@cache
def _word(kind: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){group('told-of-a-person', kind)}(?![\w-])", re.IGNORECASE)


def counted_forms(question: str, entities: Iterable[Entity]) -> list[tuple[int, int]]:
    """Places of "hospitalised dengue", "severe malaria" behind what counts them: "efficacy against", "prevent"."""
    diseases = [entity for entity in entities if entity.kind is EntityKind.DISEASE]
    forms = [(_form().search(question[: entity.start]), entity.end) for entity in diseases]
    return [(form.start("form"), end) for form, end in forms if form is not None]


@cache
def _form() -> re.Pattern[str]:
    counts, form = group("told-of-a-person", "counts"), group("told-of-a-person", "form")
    return re.compile(rf"(?<![\w-]){counts}\s+(?P<form>(?:{form}\s+){{1,3}})$", re.IGNORECASE)
