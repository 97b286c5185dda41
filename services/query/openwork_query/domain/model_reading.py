"""The language model's reading of a question, and what of it is taken over.

The deterministic analysis comes first and stays the measure: what it found is never lost, what the model adds must
stand in the question, and every search variant must still name every entity. The model may reject a question that the
rules let through; it can never let one through that they reject.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from openwork_contracts.question import (
    Abbreviation,
    Entity,
    EntityKind,
    Intent,
    QuestionAnalysis,
    RejectionReason,
)
from openwork_language.tokens import fold, token_set
from openwork_language.unseen import without_unseen
from openwork_llm.prompts import Filling, Prompt, Theirs, load_prompt
from pydantic import BaseModel, ConfigDict, Field

from openwork_query.domain.analysis import Rejection, rejection_for
from openwork_query.domain.variants import MAX_VARIANTS, MIN_VARIANTS

MAX_VARIANT_CHARS = 200
MAX_LONG_FORM_CHARS = 80
MIN_HARMFUL_WORDS = 3
"""A deed and whom it is done to, or what is made of what, take as many."""
_PLAIN_VARIANT = re.compile(r"[^\[\]{}<>|\\\"“”:;=*^~`]+")
"""No field tags, operators, quotation marks, addresses: a variant is words."""
_ADDRESS = re.compile(r"https?|www\.|\.(?:com|org|net|io)\b", re.IGNORECASE)
_OPERATORS = re.compile(r"\b(?:AND|OR|NOT)\b")
_SOURCE_OF_NEED = {"guidelines": "guidelines", "dailymed": "dailymed"}
"""Needs that may add a source to the deterministic choice; a need never takes one away."""


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class NamedEntities(_Shape):
    """What the question names."""

    diseases: list[str]
    drugs: list[str]
    procedures: list[str]


class Expansion(_Shape):
    """A short form and what it stands for."""

    short: str
    long: str


class RequiredSources(_Shape):
    """Kinds of sources that the question needs."""

    guidelines: bool
    pubmed: bool
    dailymed: bool
    recent_web: bool


class ModelQuestion(_Shape):
    """What the model is asked to say of a question."""

    is_biomedical: bool
    is_instruction: bool
    is_personal_advice: bool
    is_harmful: bool = False
    harmful_words: str = ""
    """Of the question; a judgement without them does not count."""
    reason: str
    intent: Intent
    entities: NamedEntities
    abbreviations_expanded: list[Expansion]
    search_variants: list[str] = Field(min_length=1, max_length=8)
    requires_sources: RequiredSources
    temporal_markers: list[str]
    complexity_score: float = Field(ge=0, le=1)


@dataclass(frozen=True, slots=True)
class Merged:
    """The analysis after the model's reading, and what of that was refused, for the trace."""

    analysis: QuestionAnalysis
    refused: tuple[str, ...]


def query_prompt() -> Prompt:
    """The prompt in use."""
    return load_prompt("openwork_query", "query", 3)


def fillings_of(analysis: QuestionAnalysis) -> dict[str, Filling]:
    """What fills the prompt."""
    return {"question": Theirs("question", analysis.question)}


def model_rejection(analysis: QuestionAnalysis, reading: ModelQuestion) -> Rejection | None:
    """The rejection that the model's classification adds; `None` = none.

    "Not biomedical" counts only where the lexicon found no disease, drug or procedure either, "harmful" only with the
    words of the question that are: a weak model's mistake must not stop a question about a disease or a poisoning.
    """
    if reading.is_instruction:
        return rejection_for(RejectionReason.INSTRUCTION)
    if reading.is_harmful and _asks_for_harm(reading.harmful_words, analysis.question):
        return rejection_for(RejectionReason.HARMFUL)
    if reading.is_personal_advice:
        return rejection_for(RejectionReason.PERSONAL_ADVICE)
    if not reading.is_biomedical and not analysis.entities:
        return rejection_for(RejectionReason.NOT_BIOMEDICAL)
    return None


def _asks_for_harm(quoted: str, question: str) -> bool:
    """Whether the words stand in the question, more than a name: of a "lethal dose" toxicologists speak too."""
    return len(quoted.split()) >= MIN_HARMFUL_WORDS and _in_question(quoted.strip(" ?.!\"'"), question) is not None


def merge(analysis: QuestionAnalysis, reading: ModelQuestion, *, available_sources: Sequence[str]) -> Merged:
    """The deterministic analysis with what of the model's reading passes the checks."""
    refused: list[str] = []
    entities = _entities(analysis, reading, refused)
    variants = _variants(analysis, reading.search_variants, refused)
    wanted = [s for need, s in _SOURCE_OF_NEED.items() if getattr(reading.requires_sources, need)]
    chosen = {*analysis.sources, *wanted}
    markers = [found[0] for m in reading.temporal_markers if (found := _in_question(m.strip(), analysis.question))]
    merged = analysis.model_copy(
        update={
            "intent": reading.intent,
            "entities": entities,
            "abbreviations": (*analysis.abbreviations, *_abbreviations(analysis, reading, refused)),
            "search_variants": variants,
            "temporal_markers": tuple(dict.fromkeys((*analysis.temporal_markers, *markers))),
            "complexity": round(reading.complexity_score, 2),
            "sources": tuple(s for s in available_sources if s in chosen) or analysis.sources,
        }
    )
    return Merged(merged, tuple(refused))


def _entities(analysis: QuestionAnalysis, reading: ModelQuestion, refused: list[str]) -> tuple[Entity, ...]:
    """The lexicon's entities and those of the model that stand in the question beside them."""
    found = list(analysis.entities)
    named = [
        *((EntityKind.DISEASE, name) for name in reading.entities.diseases),
        *((EntityKind.DRUG, name) for name in reading.entities.drugs),
        *((EntityKind.PROCEDURE, name) for name in reading.entities.procedures),
    ]
    for kind, name in named:
        wanted = " ".join(name.split())
        if not wanted or any(fold(wanted) in _names(entity) for entity in found):
            continue
        match = _in_question(wanted, analysis.question)
        if match is None or any(match.start() < e.end and e.start < match.end() for e in found):
            refused.append(f"entity {wanted[:60]!r} is not in the question")
            continue
        found.append(Entity(kind=kind, text=match[0], start=match.start(), end=match.end(), name=match[0]))
    return tuple(sorted(found, key=lambda entity: entity.start))


def _in_question(words: str, question: str) -> re.Match[str] | None:
    """Where the question has these words, whole and with at least one that says something."""
    if not token_set(words):
        return None
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", question, re.IGNORECASE)


def _names(entity: Entity) -> frozenset[str]:
    return frozenset(fold(name) for name in (entity.text, entity.name, *entity.synonyms))


def _abbreviations(analysis: QuestionAnalysis, reading: ModelQuestion, refused: list[str]) -> list[Abbreviation]:
    """Expansions of short forms that stand in the question and that the table does not know."""
    known = {a.short for a in analysis.abbreviations}
    taken = []
    for expansion in reading.abbreviations_expanded:
        short, long = expansion.short.strip(), " ".join(without_unseen(expansion.long).split())
        if short in known or not short:
            continue
        in_question = re.search(rf"(?<!\w){re.escape(short)}(?!\w)", analysis.question)
        if in_question and _spells(short, long) and len(long) <= MAX_LONG_FORM_CHARS and _PLAIN_VARIANT.fullmatch(long):
            taken.append(Abbreviation(short=short, long=long))
            known.add(short)
        else:
            refused.append(f"expansion of {short[:20]!r}")
    return taken


def _spells(short: str, long: str) -> bool:
    """Whether the letters of a short form occur in its long form in order, the first as its first."""
    letters = [c for c in fold(short) if c.isalnum()]
    rest = iter(fold(long))
    return bool(letters) and fold(long)[:1] == letters[0] and all(letter in rest for letter in letters)


def _variants(analysis: QuestionAnalysis, proposed: Sequence[str], refused: list[str]) -> tuple[str, ...]:
    """The first deterministic variant, the model's that pass, then the other deterministic ones; 3 to 5 in all."""
    own = list(analysis.search_variants)
    good = []
    for text in proposed:
        variant = " ".join(without_unseen(text).split()).rstrip(" ?.!")
        problem = variant_problem(variant, analysis.entities)
        if problem:
            refused.append(f"variant {variant[:80]!r}: {problem}")
        else:
            good.append(variant)
    chosen: dict[str, str] = {}
    for variant in [own[0], *good, *own[1:]]:
        chosen.setdefault(fold(variant), variant)
    variants = tuple(chosen.values())[:MAX_VARIANTS]
    assert len(variants) >= MIN_VARIANTS
    return variants


def variant_problem(variant: str, entities: Sequence[Entity]) -> str | None:
    """Why a variant cannot be searched with; `None` = it can."""
    if not len(variant.split()) >= 2 or len(variant) > MAX_VARIANT_CHARS:
        return "too short or too long"
    if not _PLAIN_VARIANT.fullmatch(variant) or _ADDRESS.search(variant) or _OPERATORS.search(variant):
        return "not plain words"
    dropped = [entity.text for entity in entities if not _mentions(variant, entity)]
    return f"drops {', '.join(dropped)}" if dropped else None


def _mentions(variant: str, entity: Entity) -> bool:
    """Whether some name of an entity stands in the variant, compared as stemmed words."""
    words = token_set(variant)
    return any((tokens := token_set(name)) and tokens <= words for name in (entity.text, entity.name, *entity.synonyms))
