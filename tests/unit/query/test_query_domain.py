"""What the query service understands of a question."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openwork_contracts.question import Entity, Intent, QuestionAnalysis
from openwork_query.domain.analysis import Rejection, analyse
from openwork_query.domain.pico import numeric_qualifiers
from openwork_query.domain.temporal import temporal_markers

SOURCES = ("pubmed", "europepmc", "clinicaltrials", "dailymed", "guidelines", "library", "tavily")
FLAGSHIP = "Compare apixaban vs rivaroxaban in AF with CKD (eGFR 30-50)"
GUIDELINE = "What is the first-line treatment for T2DM according to Indian guidelines?"


def understood(question: str, sources: tuple[str, ...] = SOURCES) -> QuestionAnalysis:
    result = analyse(question, available_sources=sources, current_year=2025)
    assert isinstance(result, QuestionAnalysis), result
    return result


def names_entity(variant: str, entity: Entity) -> bool:
    forms = (entity.text, entity.name, *entity.synonyms)
    return any(form.casefold() in variant.casefold() for form in forms)


def test_comparison_of_two_drugs_in_a_restricted_population():
    analysis = understood(FLAGSHIP)
    assert analysis.intent is Intent.COMPARATIVE_ANALYSIS
    assert [e.text for e in analysis.entities] == ["apixaban", "rivaroxaban", "AF", "CKD"]
    assert analysis.pico.intervention == ("apixaban",)
    assert analysis.pico.comparison == ("rivaroxaban",)
    assert analysis.pico.population == ("AF", "CKD", "eGFR 30-50")
    assert [a.short for a in analysis.abbreviations] == ["AF", "CKD", "eGFR"]
    assert analysis.complexity >= 0.8


def test_question_for_national_guidelines():
    analysis = understood(GUIDELINE)
    assert analysis.intent is Intent.TREATMENT_GUIDELINE
    assert analysis.entities[0].mesh_id == "D003924"
    assert "guidelines" in analysis.sources
    assert "dailymed" not in analysis.sources
    assert any("Indian" in v for v in analysis.search_variants)
    assert analysis.complexity < 0.5


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("What is the dose of apixaban in end-stage renal disease?", Intent.DOSING),
        ("What are the adverse effects of amiodarone?", Intent.ADVERSE_EVENTS),
        ("Metformin versus sulfonylureas in type 2 diabetes", Intent.COMPARATIVE_ANALYSIS),
        ("How does empagliflozin act on the kidney?", Intent.MECHANISM),
        ("What are the diagnostic criteria for polycystic ovary syndrome?", Intent.DIAGNOSTIC_CRITERIA),
        ("How accurate is D-dimer for the diagnosis of pulmonary embolism?", Intent.DIAGNOSIS),
        ("What is the prognosis of stage 4 pancreatic cancer?", Intent.PROGNOSIS),
        ("Does low-dose CT screening for lung cancer reduce mortality?", Intent.SCREENING),
        ("What do the 2023 ESC guidelines recommend for heart failure?", Intent.TREATMENT_GUIDELINE),
        ("Should patients with AF and CKD receive apixaban?", Intent.TREATMENT_GUIDELINE),
    ],
)
def test_intent(question: str, intent: Intent):
    assert understood(question).intent is intent


@pytest.mark.parametrize(
    ("question", "population", "intervention", "comparison", "outcome"),
    [
        (
            "Does dapagliflozin reduce hospitalization in patients aged >= 75 with HFpEF compared with placebo?",
            {"HFpEF", "aged >= 75"}, {"dapagliflozin"}, {"placebo"}, {"hospitalization"},
        ),
        (
            "What is the effect of statins on mortality in elderly patients with LDL < 70 mg/dL?",
            {"elderly", "LDL < 70 mg/dL"}, {"statins"}, set(), {"mortality"},
        ),
        (
            "Does aspirin prevent stroke in diabetes?",
            {"diabetes"}, {"aspirin"}, set(), {"stroke"},
        ),
        (
            "Is warfarin better than apixaban in patients on hemodialysis?",
            {"hemodialysis"}, {"warfarin"}, {"apixaban"}, set(),
        ),
        (
            "Does music reduce anxiety in children?",
            {"children"}, {"music"}, set(), {"anxiety"},
        ),
    ],
)  # fmt: skip
def test_pico_slots(
    question: str, population: set[str], intervention: set[str], comparison: set[str], outcome: set[str]
):
    pico = understood(question).pico
    assert population <= set(pico.population)
    assert intervention == set(pico.intervention)
    assert comparison == set(pico.comparison)
    assert outcome <= set(pico.outcome)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CKD (eGFR 30-50)", ("eGFR 30-50",)),
        ("adults aged >= 75 years", ("aged >= 75 years",)),
        ("LDL < 70 mg/dL", ("LDL < 70 mg/dL",)),
        ("HbA1c between 7 and 9%", ("HbA1c between 7 and 9%",)),
        ("BMI over 35", ("BMI over 35",)),
        ("LVEF ≤ 40%", ("LVEF ≤ 40%",)),
        ("65-year-old women", ("65-year-old",)),
        ("in 120 patients", ()),
    ],
)
def test_numbers_that_say_who_is_meant(text: str, expected: tuple[str, ...]):
    assert numeric_qualifiers(text) == expected


@pytest.mark.parametrize(
    ("text", "markers", "year"),
    [
        ("latest evidence on statins", ("latest",), 2020),
        ("statins since 2020", ("since 2020",), 2020),
        ("2023 guidelines for asthma", ("2023",), 2023),
        ("asthma trials in the last 5 years", ("in the last 5 years",), 2020),
        ("asthma in the past decade", ("in the past decade",), 2015),
        ("the last two years", ("the last two years",), 2023),
        ("asthma in children", (), None),
        ("since 2090", ("since 2090",), None),
    ],
)
def test_words_that_ask_for_recent_evidence(text: str, markers: tuple[str, ...], year: int | None):
    found, since = temporal_markers(text, current_year=2025)
    assert tuple(m.removeprefix("in ") for m in found) == tuple(m.removeprefix("in ") for m in markers)
    assert since == year


def test_drug_labels_are_asked_only_for_dosing_or_safety_of_a_named_drug():
    assert "dailymed" in understood("What is the dose of apixaban in CKD?").sources
    assert "dailymed" in understood("Is metformin safe in chronic kidney disease?").sources
    assert "dailymed" not in understood("What are the complications of diabetes?").sources
    assert "dailymed" not in understood(FLAGSHIP).sources


def test_web_search_is_never_in_the_first_round_and_the_library_always():
    for question in (FLAGSHIP, GUIDELINE, "What is the latest evidence on semaglutide?"):
        sources = understood(question).sources
        assert "tavily" not in sources
        assert "library" in sources


def test_only_available_sources_are_planned():
    assert understood(GUIDELINE, ("pubmed",)).sources == ("pubmed",)
    assert understood(GUIDELINE, ("guidelines", "tavily")).sources == ("guidelines",)


def test_a_run_has_a_source_even_when_no_rule_names_one():
    assert understood(FLAGSHIP, ("guidelines",)).sources == ("guidelines",)


def test_question_is_kept_with_white_space_folded_and_nothing_else_changed():
    assert understood("  Does\taspirin \n help in  AF\u200b?").question == "Does aspirin help in AF?"


WORDS = (
    "does compare apixaban warfarin metformin vs. versus in patients with AF CKD (eGFR 30-50) stroke the effect of on "
    "mortality T2DM children aged >= 75 since 2020 guidelines latest dose screening for cancer ? , heart failure or "
    "and GLP-1 RA dialysis"
)
QUESTIONS = st.lists(st.sampled_from(WORDS.split()), min_size=2, max_size=25).map(lambda w: "treatment " + " ".join(w))


@settings(max_examples=200)
@given(QUESTIONS)
def test_what_holds_for_every_accepted_question(question: str):
    """Offsets are exact; 3 to 5 different variants name every entity; the same question gives the same analysis."""
    result = analyse(question, available_sources=SOURCES, current_year=2025)
    assert result == analyse(question, available_sources=SOURCES, current_year=2025)
    if isinstance(result, Rejection):
        return
    assert 3 <= len({v.casefold() for v in result.search_variants}) == len(result.search_variants) <= 5
    for entity in result.entities:
        assert result.question[entity.start : entity.end] == entity.text
        assert all(names_entity(v, entity) for v in result.search_variants)
    assert 0 <= result.complexity <= 1
    assert set(result.sources) <= set(SOURCES)


@given(st.text(max_size=400))
def test_no_text_breaks_the_analysis(text: str):
    assert isinstance(analyse(text, available_sources=("pubmed",), current_year=2025), QuestionAnalysis | Rejection)


def test_variants_of_a_rare_kind_of_disease_keep_the_askers_words():
    """MeSH has only the wider name; a search for that alone would drown the question."""
    analysis = understood("What are the genetic changes related to X-linked spondyloepiphyseal dysplasia tarda?")
    asked = [v for v in analysis.search_variants if "spondyloepiphyseal" in v]
    assert len(asked) >= 3


def test_variants_without_entities_keep_the_words_of_the_question():
    analysis = understood("What is the mechanism of action of Mezigdomide?")
    assert all("mezigdomide" in v.lower() for v in analysis.search_variants)


def test_variants_do_not_search_by_brand_or_development_code():
    text = " ".join(understood(FLAGSHIP).search_variants)
    assert "Eliquis" not in text
    assert "BMS-562247" not in text
