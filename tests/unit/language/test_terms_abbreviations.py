"""Short forms: defined in the text, in the table, decided by context."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_language.abbreviations import definitions_in, find_abbreviations, meanings_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("patients with chronic kidney disease (CKD) were", {"CKD": "chronic kidney disease"}),
        ("direct oral anticoagulants (DOACs) reduce", {"DOACs": "direct oral anticoagulants"}),
        ("estimated glomerular filtration rate (eGFR; mL/min)", {"eGFR": "estimated glomerular filtration rate"}),
        ("HSF (heat shock factor) binds", {"HSF": "heat shock factor"}),
        ("non-small-cell lung cancer (NSCLC)", {"NSCLC": "non-small-cell lung cancer"}),
        ("sodium-glucose cotransporter 2 (SGLT2) inhibitors", {"SGLT2": "sodium-glucose cotransporter 2"}),
        ("mortality was lower (P = 0.03)", {}),
        ("in adults (n = 120) and (see Table 1)", {}),
        ("apixaban (5 mg) twice daily", {}),
        ("the trial (Smith) ended", {}),
    ],
)
def test_definitions_are_read_as_schwartz_and_hearst_describe(text: str, expected: dict[str, str]):
    assert definitions_in(text) == expected


@given(st.text(max_size=200))
def test_a_definition_spells_its_short_form_in_order(text: str):
    for short, long in definitions_in(text).items():
        letters = iter(long.lower())
        assert all(any(c == letter for letter in letters) for c in short.lower() if c.isalnum())


@given(st.text(alphabet="ab (),.CKDchronic kidney disease", max_size=120))
def test_reading_never_fails_on_unbalanced_parentheses(text: str):
    find_abbreviations(text)


def test_definition_in_the_question_wins_over_the_table():
    (abbreviation,) = find_abbreviations("Is an air freshener (AF) harmful?")
    assert (abbreviation.short, abbreviation.long, abbreviation.defined_in_question) == ("AF", "air freshener", True)


def test_table_expands_unambiguous_short_forms():
    assert [(a.short, a.long) for a in find_abbreviations("T2DM and CKD, eGFR 30")] == [
        ("T2DM", "type 2 diabetes mellitus"),
        ("CKD", "chronic kidney disease"),
        ("eGFR", "estimated glomerular filtration rate"),
    ]


@pytest.mark.parametrize(
    ("text", "long"),
    [
        ("PE treated with rivaroxaban", "pulmonary embolism"),
        ("PE in pregnancy with proteinuria", "preeclampsia"),
        ("RA and methotrexate", "rheumatoid arthritis"),
        ("OR 0.8 (95% CI 0.7-0.9)", "odds ratio"),
        ("EGFR mutation", "epidermal growth factor receptor"),
    ],
)
def test_context_decides_between_meanings(text: str, long: str):
    assert long in [a.long for a in find_abbreviations(text)]


@pytest.mark.parametrize("text", ["MS is mentioned", "PE", "Is RA here?", "this OR that"])
def test_ambiguous_short_form_stays_unexpanded_without_context(text: str):
    assert find_abbreviations(text) == ()


def test_all_meanings_of_a_short_form_are_told():
    assert set(meanings_of("MS")) == {"multiple sclerosis", "mass spectrometry", "mitral stenosis"}
    assert meanings_of("DOACs") == ("direct oral anticoagulant",)
