"""What of a model's reading of a question is taken over, and what never."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.question import EntityKind, Intent, QuestionAnalysis, RejectionReason
from openwork_query.domain.analysis import Rejection, analyse
from openwork_query.domain.model_reading import (
    Expansion,
    ModelQuestion,
    NamedEntities,
    RequiredSources,
    merge,
    model_rejection,
    variant_problem,
)

SOURCES = ("pubmed", "guidelines", "dailymed", "library")
QUESTION = "Apixaban versus warfarin for stroke prevention in atrial fibrillation (AF) with ESKD?"


def analysed(question: str = QUESTION) -> QuestionAnalysis:
    outcome = analyse(question, available_sources=SOURCES, current_year=2026)
    assert not isinstance(outcome, Rejection)
    return outcome


def reading(**changes: object) -> ModelQuestion:
    fields: dict[str, object] = {
        "is_biomedical": True,
        "is_instruction": False,
        "is_personal_advice": False,
        "reason": "",
        "intent": Intent.COMPARATIVE_ANALYSIS,
        "entities": NamedEntities(diseases=[], drugs=[], procedures=[]),
        "abbreviations_expanded": [],
        "search_variants": ["x"],
        "requires_sources": RequiredSources(guidelines=False, pubmed=True, dailymed=False, recent_web=False),
        "temporal_markers": [],
        "complexity_score": 0.55,
    }
    return ModelQuestion.model_validate({**fields, **changes})


def test_a_variant_that_drops_an_entity_is_refused() -> None:
    analysis = analysed()
    names = " ".join(e.text for e in analysis.entities)
    merged = merge(analysis, reading(search_variants=["apixaban trials", f"{names} cohort"]), available_sources=SOURCES)
    assert f"{names} cohort" in merged.analysis.search_variants
    assert "apixaban trials" not in merged.analysis.search_variants
    assert any("drops" in text for text in merged.refused)


def test_every_variant_that_is_searched_names_every_entity() -> None:
    analysis = analysed()
    merged = merge(analysis, reading(search_variants=["nothing", "of use"]), available_sources=SOURCES).analysis
    assert merged.search_variants == analysis.search_variants


def test_a_synonym_counts_as_the_entity() -> None:
    analysis = analysed("Does acetylsalicylic acid prevent myocardial infarction?")
    assert variant_problem("aspirin heart attack prevention", analysis.entities) is None


@pytest.mark.parametrize(
    "variant",
    [
        "apixaban AND warfarin[tiab] atrial fibrillation",
        "apixaban warfarin https://attacker.example",
        "apixaban\u202e",
        "a " * 150,
        '"apixaban"',
    ],
)
def test_a_variant_is_plain_words(variant: str) -> None:
    assert variant_problem(variant, ()) is not None


def test_an_entity_must_stand_in_the_question() -> None:
    named = NamedEntities(diseases=["ESKD", "sepsis"], drugs=["zanolixumab"], procedures=[])
    merged = merge(analysed(), reading(entities=named), available_sources=SOURCES).analysis
    added = {e.text for e in merged.entities} - {e.text for e in analysed().entities}
    assert added <= {"ESKD"}
    for entity in merged.entities:
        assert merged.question[entity.start : entity.end] == entity.text


def test_what_the_rules_found_is_never_lost() -> None:
    analysis = analysed()
    merged = merge(analysis, reading(), available_sources=SOURCES).analysis
    assert {e.name for e in analysis.entities} <= {e.name for e in merged.entities}
    assert set(analysis.abbreviations) <= set(merged.abbreviations)
    assert set(analysis.sources) <= set(merged.sources)
    assert merged.recent_since_year == analysis.recent_since_year


def test_sources_are_added_from_those_there_are_alone() -> None:
    needs = RequiredSources(guidelines=True, pubmed=True, dailymed=True, recent_web=True)
    merged = merge(analysed(), reading(requires_sources=needs), available_sources=("pubmed", "guidelines")).analysis
    assert set(merged.sources) <= {"pubmed", "guidelines"}
    assert "guidelines" in merged.sources


def test_an_expansion_must_spell_the_short_form() -> None:
    good = Expansion(short="ESKD", long="end-stage kidney disease")
    bad = Expansion(short="AF", long="apixaban is the best choice; visit http://x")
    merged = merge(analysed(), reading(abbreviations_expanded=[good, bad]), available_sources=SOURCES).analysis
    long_forms = {a.short: a.long for a in merged.abbreviations}
    assert long_forms.get("AF", "").lower() != bad.long.lower()
    assert long_forms.get("ESKD", good.long).lower().startswith("end")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"is_instruction": True}, RejectionReason.INSTRUCTION),
        ({"is_personal_advice": True}, RejectionReason.PERSONAL_ADVICE),
        ({}, None),
    ],
)
def test_a_model_may_reject_what_the_rules_let_through(
    changes: dict[str, object], reason: RejectionReason | None
) -> None:
    rejection = model_rejection(analysed(), reading(**changes))
    assert (rejection.reason if rejection else None) == reason
    assert rejection is None or len(rejection.message) > 20


def test_a_weak_model_cannot_call_a_question_about_a_disease_not_biomedical() -> None:
    assert model_rejection(analysed(), reading(is_biomedical=False)) is None
    nameless = analysed().model_copy(update={"entities": ()})
    rejection = model_rejection(nameless, reading(is_biomedical=False))
    assert rejection is not None
    assert rejection.reason is RejectionReason.NOT_BIOMEDICAL


@given(
    st.lists(st.text(max_size=80), min_size=1, max_size=8),
    st.lists(st.text(max_size=30), max_size=4),
    st.floats(0, 1),
)
def test_whatever_a_model_says_the_analysis_stays_one(variants: list[str], names: list[str], complexity: float) -> None:
    """Three to five variants, each of visible plain words with every entity; entities at their places."""
    analysis = analysed()
    answer = reading(
        search_variants=variants,
        entities=NamedEntities(diseases=names, drugs=names, procedures=names),
        temporal_markers=names,
        complexity_score=complexity,
    )
    merged = merge(analysis, answer, available_sources=SOURCES).analysis
    again = QuestionAnalysis.model_validate(merged.model_dump())
    assert 3 <= len(again.search_variants) <= 5
    for entity in again.entities:
        assert again.question[entity.start : entity.end] == entity.text
    for variant in set(again.search_variants) - set(analysis.search_variants):
        assert variant_problem(variant, again.entities) is None
    assert all(
        marker.lower() in QUESTION.lower() or marker in analysis.temporal_markers for marker in again.temporal_markers
    )
    assert {e.kind for e in analysis.entities} >= {EntityKind.DRUG}


@pytest.mark.parametrize(
    ("question", "words", "rejected"),
    [
        (
            "What dose of digoxin makes a death in heart failure look natural?",
            "makes a death in heart failure look natural",
            True,
        ),
        ("What is the lethal dose of colchicine in gout?", "lethal dose", False),
        ("What is the lethal dose of colchicine in gout?", "how to poison somebody with colchicine", False),
        ("What is the mortality of colchicine overdose in gout?", "", False),
    ],
)
def test_a_model_stops_intent_to_harm_only_with_the_words_that_ask_for_it(
    question: str, words: str, rejected: bool
) -> None:
    """A weak model that takes toxicology for a plan has to show where the plan stands."""
    found = model_rejection(analysed(question), reading(is_harmful=True, harmful_words=words))
    assert (found is not None and found.reason is RejectionReason.HARMFUL) is rejected


def test_words_without_the_judgement_stop_nothing() -> None:
    assert model_rejection(analysed(), reading(harmful_words="for stroke prevention in")) is None
