"""A question cut into blocks: what are alternatives (OR), what is wanted together (AND), and what is wanted absent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from openwork_contracts.question import Entity, EntityKind, QuestionAnalysis
from openwork_contracts.strategy import BlockRole, SearchBlock, SearchConcept
from openwork_knowledge.notation import group
from openwork_knowledge.tables import table

from openwork_language.searching.concepts import (
    entity_concept,
    outcomes_in,
    people_in,
    words_concept,
)
from openwork_language.searching.information import is_empty
from openwork_language.searching.polarity import absent_entities
from openwork_language.searching.topic import WORD, topic_of
from openwork_language.terms import class_members

_ROLES = (
    BlockRole.INTERVENTION,
    BlockRole.COMPARISON,
    BlockRole.POPULATION,
    BlockRole.OUTCOME,
    BlockRole.TOPIC,
)
_TREATS = (EntityKind.DRUG, EntityKind.PROCEDURE)


@dataclass(frozen=True, slots=True)
class Placed:
    """An entity, the part of the question that it stands for, and whether it is wanted absent."""

    entity: Entity
    role: BlockRole
    negated: bool


def blocks_of(analysis: QuestionAnalysis) -> tuple[SearchBlock, ...]:
    """The blocks of a question: interventions, comparisons, populations, outcomes, setting, telling words."""
    named = [e for e in _each_once(analysis) if _is_telling(e)]
    absent = absent_entities(analysis)
    placed = [Placed(e, role_of(e, analysis), e in absent) for e in named]
    wanted = [p for p in placed if not p.negated]
    blocks: list[SearchBlock] = []
    for role in _ROLES:
        for alternatives in _grouped([p for p in wanted if p.role is role], analysis.question):
            blocks += _block(role, alternatives)
    blocks += _outcomes(analysis)
    blocks += _people(analysis.question)
    blocks += [block for p in placed if p.negated for block in _block(p.role, [p], negated=True)]
    blocks += settings_in(analysis.question)
    blocks += topic_of(analysis, blocks)
    return tuple(blocks)


def role_of(entity: Entity, analysis: QuestionAnalysis) -> BlockRole:
    """The slot in which the entity's words stand; a disease without one is who is meant, the rest what is done.

    "Hospitalisation for heart failure" and "death from stroke" are outcomes, whatever slot the disease is in. What only
    describes ("vancomycin-resistant enterococci") is neither done nor who is meant.
    """
    is_outcome = entity.kind is not EntityKind.DRUG and bool(outcomes_in(entity.text))
    if is_outcome or _outcome_before().search(analysis.question[: entity.start]):
        return BlockRole.OUTCOME
    if _descriptive().match(analysis.question, entity.end):
        return BlockRole.TOPIC
    pico = analysis.pico
    slots = (
        (BlockRole.COMPARISON, pico.comparison),
        (BlockRole.INTERVENTION, pico.intervention),
        (BlockRole.OUTCOME, pico.outcome),
        (BlockRole.POPULATION, pico.population),
    )
    for role, held in slots:
        if any(entity.text.casefold() == text.casefold() for text in held):
            return role
    return BlockRole.INTERVENTION if entity.kind in _TREATS else BlockRole.POPULATION


def _each_once(analysis: QuestionAnalysis) -> list[Entity]:
    """One entity per thing, where it is named first, in the order of the question."""
    seen: dict[str, Entity] = {}
    people = {heading.mesh_id for concept in people_in(analysis.question) for heading in concept.headings}
    for entity in sorted(analysis.entities, key=lambda e: e.start):
        if entity.mesh_id and entity.mesh_id in people:
            continue  # "breast feeding" is who is asked about, not what is done
        seen.setdefault(entity.name.casefold(), entity)
    return list(seen.values())


def _is_telling(entity: Entity) -> bool:
    """Whether its name holds any word that tells what is meant: "drug treatments" does not."""
    return not all(is_empty(word) for word in WORD.findall(entity.text))


@cache
def _examples() -> re.Pattern[str]:
    return re.compile(rf"\b{group('search-strategy', 'example')}\s+(?:\w+\s+)?$", re.IGNORECASE)


@cache
def _outcome_before() -> re.Pattern[str]:
    event, of = group("search-strategy", "event"), group("search-strategy", "event, of")
    return re.compile(rf"\b{event}\s+{of}\s+(?:\w+\s+)?$", re.IGNORECASE)


@cache
def _descriptive() -> re.Pattern[str]:
    return re.compile(rf"[\s-]+{group('search-strategy', 'descriptive')}\b", re.IGNORECASE)


@cache
def _joiners() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    either = group("search-strategy", "alternative")
    both = group("search-strategy", "together")
    people = group("search-strategy", "people with")
    return (
        re.compile(rf"\s*(?:[,/]|(?:,\s*)?\b{either}\b|,?\s*\band\b)\s*(?:\w+[\s-]+){{0,2}}", re.IGNORECASE),
        re.compile(rf"\b{both}\b", re.IGNORECASE),
        re.compile(rf"\b{people}\s+(?:\w+\s+){{0,2}}$", re.IGNORECASE),
    )


def _grouped(placed: Sequence[Placed], question: str) -> list[list[Placed]]:
    """Neighbours of one role that are alternatives of each other; what is not joined stands alone.

    "A or B", "A, B and C", "A/B" and examples ("such as A and B") are alternatives. "A and B" are, but for people "with
    A and B", and treatments, which may be given together.
    """
    found: list[list[Placed]] = []
    for one in placed:
        if found and len(found[-1]) > 1 and not question[found[-1][-1].entity.end : one.entity.start].strip(" -"):
            found[-1][-1] = one  # "A, B or bleeding varices": the last item's head
        elif found and _are_alternatives(found[-1], one, question):
            found[-1].append(one)
        else:
            found.append([one])
    return found


def _are_alternatives(before: Sequence[Placed], one: Placed, question: str) -> bool:
    last = before[-1].entity
    between = question[last.end : one.entity.start]
    joined, together, people = _joiners()
    if together.search(between) or not joined.fullmatch(between):
        return False
    if one.role is not BlockRole.POPULATION and is_kind_of(last.name, one.entity.name):
        return True
    plain_and = bool(re.search(r"\band\b(?!\s*/)", between, re.IGNORECASE)) and len(before) == 1
    if not plain_and:
        return True
    first = question[: before[0].entity.start]
    if one.role is BlockRole.INTERVENTION:
        return bool(_examples().search(first))
    return not people.search(first)


def is_kind_of(a: str, b: str) -> bool:
    """Whether one of two drugs or classes is, or lies within, the other: "coxibs and other NSAIDs"."""
    of_a, of_b = set(class_members(a, searching=True)) or {a}, set(class_members(b, searching=True)) or {b}
    return of_a <= of_b or of_b <= of_a


def _block(role: BlockRole, placed: Sequence[Placed], *, negated: bool = False) -> list[SearchBlock]:
    found = [concept for one in placed if (concept := entity_concept(one.entity))]
    return [SearchBlock(role=role, concepts=tuple(found), negated=negated)] if found else []


def _people(question: str) -> list[SearchBlock]:
    """Groups of people whom the question names and does not want left out. Alternatives of each other."""
    found = people_in(question)
    return [SearchBlock(role=BlockRole.POPULATION, concepts=found)] if found else []


def _outcomes(analysis: QuestionAnalysis) -> list[SearchBlock]:
    """Outcomes that the question names and that are no diseases; each a block of its own."""
    named = outcomes_in(" ; ".join(analysis.pico.outcome))
    return [SearchBlock(role=BlockRole.OUTCOME, concepts=(concept,)) for concept in named]


@cache
def _of_people() -> re.Pattern[str]:
    return re.compile(rf"\b{group('search-strategy', 'people of a country, before')}[ -]$", re.IGNORECASE)


def settings_in(question: str) -> list[SearchBlock]:
    """Countries, and bodies that issue guidelines; "African American patients" are in no country.

    They are searched for under their names and adjectives, not under short forms, which are words ("US", "WHO").
    """
    rows = [row for row in table("places").rows if row[2] == "question"]
    concepts: list[SearchConcept] = []
    for place in table("places").groups():
        own = [row for row in rows if row[0] == place]
        named = (rf"\b{re.escape(row[1])}\b" + ("" if row[3] == "-" else rf"(?![- ]{row[3]})") for row in own)
        found = (match for pattern in named for match in re.finditer(pattern, question))
        if all(_of_people().search(question[: match.start()]) for match in found):
            continue
        words = (place.removeprefix("the "), *(row[1] for row in own if not row[1].isupper()))
        if concept := words_concept(place, dict.fromkeys(words)):
            concepts.append(concept)
    return [SearchBlock(role=BlockRole.SETTING, concepts=tuple(concepts))] if concepts else []
