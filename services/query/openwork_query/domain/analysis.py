"""A question becomes an analysis, or a typed rejection. Pure and deterministic; no language model."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.meta import Contract
from openwork_contracts.question import (
    MAX_QUESTION_CHARS,
    DrugNames,
    Entity,
    EntityKind,
    QuestionAnalysis,
    RejectionReason,
)
from openwork_language.abbreviations import find_abbreviations
from openwork_language.asking.glosses import without_glosses
from openwork_language.asking.guidance import guidance_in
from openwork_language.asking.word_order import plain_order
from openwork_language.shorthand import spelt_out
from openwork_language.spelling import respelt
from openwork_language.terms import find_terms

from openwork_query.domain.antecedents import what_is_missing
from openwork_query.domain.cleaning import as_typed, clean_question, says_nothing
from openwork_query.domain.complexity import complexity_of
from openwork_query.domain.drug_names import with_drug_names
from openwork_query.domain.guard import asks_for_personal_advice, is_instruction
from openwork_query.domain.harm import Harm, intends_harm
from openwork_query.domain.intent import compares, intent_of
from openwork_query.domain.languages import Foreign, foreign
from openwork_query.domain.pico import numeric_qualifiers, pico_of
from openwork_query.domain.scope import is_biomedical
from openwork_query.domain.sources import mentions_guidance, sources_for
from openwork_query.domain.temporal import temporal_markers
from openwork_query.domain.variants import search_variants

_EXAMPLE = "“Compare apixaban and rivaroxaban in atrial fibrillation with chronic kidney disease.”"
_MESSAGES = {
    RejectionReason.EMPTY: f"There is no question here. Ask one in words, for example: {_EXAMPLE}",
    RejectionReason.TOO_LONG: (
        f"The question is longer than {MAX_QUESTION_CHARS:,} characters. Ask for one thing: who, which treatment "
        f"or test, "
        f"compared with what, and which outcome. For example: {_EXAMPLE}"
    ),
    RejectionReason.NOT_BIOMEDICAL: (
        "This does not look like a clinical or biomedical question, and only that literature is searched here. "
        f"Name a disease, a treatment, a test or a biological process, for example: {_EXAMPLE}"
    ),
    RejectionReason.INSTRUCTION: (
        "This reads as an instruction to the system instead of a question about medicine, so nothing was searched. "
        f"Ask what the evidence says about a topic, for example: {_EXAMPLE}"
    ),
    RejectionReason.PERSONAL_ADVICE: (
        "Open Work shows what research has found; it cannot advise a particular person. For your own care or "
        "that of someone "
        "close to you, ask a doctor or pharmacist, in an emergency the emergency services. You can ask about "
        "the evidence for a "
        "group of people instead, for example: “What are the risks of stopping warfarin in adults with atrial "
        "fibrillation?”"
    ),
    RejectionReason.NOT_ENGLISH: (
        "This does not look like English. Questions are read, and the literature is searched, in English only. Ask "
        f"the same in English, for example: {_EXAMPLE}"
    ),
    RejectionReason.HARMFUL: (
        "This reads as a question on how to hurt somebody or to make what does, so nothing was searched. If somebody "
        "is in danger, call the emergency services. Questions on the recognition, treatment or frequency of poisoning, "
        "violence and misuse are answered, for example: “What is the treatment of ricin poisoning?”"
    ),
    RejectionReason.INCOMPLETE: (
        "Name the drug, treatment or test, and the condition: each question is read by itself, without the one "
        "before, for example: “What are the side effects of amiodarone in older people?”"
    ),
}
_FOR_ONESELF = (
    "This reads as if you or somebody close may be in danger, so nothing was searched. Please talk to somebody now: "
    "your local emergency number; 988 in the United States and Canada; 116 123 (Samaritans) in the United Kingdom and "
    "Ireland; findahelpline.com lists helplines of other countries. Questions on prevention and treatment are "
    "answered, for example: “Does lithium reduce suicide in bipolar disorder?”"
)


class Rejection(Contract):
    """Why a question is not searched for."""

    reason: RejectionReason
    message: str
    """Plain words for the asker: why, and what to ask instead."""


def analyse(
    question: str, *, available_sources: Sequence[str], current_year: int, drug_names: Sequence[DrugNames] = ()
) -> QuestionAnalysis | Rejection:
    """Understand a question, or say why it is not searched for.

    Args:
        question: whatever a person typed; at most 20,000 characters arrive here.
        available_sources: routes of the sources that are configured, at least one, in order of preference.
        current_year: what "the last 5 years" counts back from.
        drug_names: what RxNorm knows of names in the question.
    """
    typed = clean_question(question)
    in_words, meant = spelt_out(typed)
    asked, changed = respelt(in_words, {one.asked for one in drug_names})
    entities = with_drug_names(asked, entities_of(asked[: 2 * MAX_QUESTION_CHARS]), drug_names)
    if (rejection := rejected(asked, entities, typed=as_typed(question))) is not None:
        return rejection
    asked, entities = _in_order(asked, entities, drug_names)
    intent = intent_of(asked, entities)
    pico = pico_of(asked, entities)
    abbreviations = find_abbreviations(asked)
    markers, since = temporal_markers(asked, current_year=current_year)
    return QuestionAnalysis(
        question=asked,
        intent=intent,
        entities=entities,
        respelt=(*meant, *changed),
        drug_names=tuple(drug_names),
        abbreviations=abbreviations,
        pico=pico,
        search_variants=search_variants(asked, intent, entities, abbreviations, pico),
        temporal_markers=markers,
        recent_since_year=since,
        guidance=guidance_in(asked, intent),
        complexity=complexity_of(
            asked,
            entities,
            pico,
            n_qualifiers=len(numeric_qualifiers(asked)),
            compares=compares(asked, entities),
            guidance=mentions_guidance(asked),
        ),
        sources=sources_for(asked, intent, entities, available_sources),
    )


def _in_order(
    question: str, entities: tuple[Entity, ...], drug_names: Sequence[DrugNames]
) -> tuple[str, tuple[Entity, ...]]:
    """The question in the one word order that is read, and where its terms stand there."""
    plain = without_glosses(question)
    entities = entities if plain == question else with_drug_names(plain, entities_of(plain), drug_names)
    ordered = plain_order(plain, [(e.start, e.end) for e in entities if e.kind is not EntityKind.DISEASE])
    if ordered == question:
        return question, entities
    return ordered, with_drug_names(ordered, entities_of(ordered), drug_names)


def rejection_for(reason: RejectionReason) -> Rejection:
    """The rejection with its words for the asker."""
    return Rejection(reason=reason, message=_MESSAGES[reason])


def rejected(question: str, entities: Sequence[Entity], *, typed: str) -> Rejection | None:
    """Why a question is not searched for; `None` = it is.

    An attack is called one even when it is also too long, so that it is counted as what it is. Intent to harm comes
    before the language and the person it speaks of: its words for the asker matter most.

    Args:
        question: cleaned.
        entities: what was found in it.
        typed: the same with its markup.
    """
    if says_nothing(question):
        return rejection_for(RejectionReason.EMPTY)
    if is_instruction(question) or (typed != question and is_instruction(typed)):
        return rejection_for(RejectionReason.INSTRUCTION)
    if (harm := intends_harm(question[: 2 * MAX_QUESTION_CHARS])) is not None:
        plain = rejection_for(RejectionReason.HARMFUL)
        return plain.model_copy(update={"message": _FOR_ONESELF}) if harm is Harm.ONESELF else plain
    if len(question) > MAX_QUESTION_CHARS:
        return rejection_for(RejectionReason.TOO_LONG)
    if (other := foreign(question, entities)) is not None:
        return _not_english(question, entities, other)
    if (missing := what_is_missing(question, entities)) is not None:
        return _incomplete(missing)
    if not is_biomedical(question, entities):
        return rejection_for(RejectionReason.NOT_BIOMEDICAL)
    if asks_for_personal_advice(question, entities):
        return rejection_for(RejectionReason.PERSONAL_ADVICE)
    return None


def _not_english(question: str, entities: Sequence[Entity], other: Foreign) -> Rejection:
    """Advice asked for in another language is advice; else also a line in that language, where we have one."""
    if asks_for_personal_advice(question, entities):
        return rejection_for(RejectionReason.PERSONAL_ADVICE)
    plain = rejection_for(RejectionReason.NOT_ENGLISH)
    return plain.model_copy(update={"message": f"{plain.message} {other.line}"}) if other.line else plain


def _incomplete(missing: str) -> Rejection:
    plain = rejection_for(RejectionReason.INCOMPLETE)
    return plain.model_copy(update={"message": f"{missing}? {plain.message}"})


def entities_of(question: str) -> tuple[Entity, ...]:
    """The diseases, drugs and procedures of the question, as the contract names them."""
    return tuple(
        Entity(kind=t.kind, text=t.text, start=t.start, end=t.end, name=t.name, mesh_id=t.mesh_id, synonyms=t.synonyms)
        for t in find_terms(question)
    )
