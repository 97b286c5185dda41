"""Gradings and nuances of guidelines, in the forms in which they are printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_reranker.domain.recommendations import extract_recommendations, line_of_therapy, replaced_option

Grading = tuple[str | None, str | None, str | None]


@pytest.mark.parametrize(
    ("text", "grading"),
    [
        (
            "We recommend norepinephrine (strong recommendation, high-quality evidence).",
            ("strong", None, "high certainty"),
        ),
        ("We suggest adding vasopressin to norepinephrine in shock.", ("weak", None, None)),
        (
            "The panel makes a conditional recommendation for it; very low certainty of evidence.",
            ("conditional", None, "very low certainty"),
        ),
        ("Anticoagulation is recommended (Class I, Level of Evidence: A).", (None, "I", "A")),
        ("Ablation is reasonable (COR 2a, LOE B-NR) in symptomatic patients.", (None, "IIa", "B-NR")),
        ("It may be considered (class IIb, level C-LD) in selected patients.", (None, "IIb", "C-LD")),
        ("Dronedarone should not be used (Class III: Harm, Level B-R).", (None, "III: harm", "B-R")),
        ("Vitamin D should be given to all of them (Grade 2C).", ("weak", None, "C")),
        ("Hand hygiene is recommended ⊕⊕⊕○ in all facilities.", (None, None, "moderate certainty")),
    ],
)
def test_grading_is_read_as_printed(text: str, grading: Grading) -> None:
    (found,) = extract_recommendations(text)
    assert (found.strength, found.class_of_recommendation, found.level_of_evidence) == grading
    assert found.text == text


@pytest.mark.parametrize(
    "text",
    [
        "Patients in NYHA class III should be referred early.",
        "A class I antiarrhythmic should be avoided, it is not recommended.",
        "Patients with Killip class II are recommended to stay.",
        "People with class III obesity should be offered surgery.",
    ],
)
def test_classes_of_other_things_are_no_class_of_recommendation(text: str) -> None:
    assert [r.class_of_recommendation for r in extract_recommendations(text)] == [None]


def test_grading_that_stands_behind_belongs_to_the_sentence_before() -> None:
    text = "DOACs are recommended instead of warfarin in most patients. (Class I, Level of Evidence: A)"
    (found,) = extract_recommendations(text)
    assert (found.class_of_recommendation, found.level_of_evidence) == ("I", "A")
    assert "instead of warfarin" in found.text


@pytest.mark.parametrize(
    "text", ["Further research is recommended.", "These results suggest that mortality fell.", "Mortality was 12%.", ""]
)
def test_findings_and_calls_for_research_are_no_recommendations(text: str) -> None:
    assert extract_recommendations(text) == ()


@pytest.mark.parametrize(
    ("text", "line"), [("first-line agent", 1), ("as second line therapy", 2), ("3rd-line", 3), ("baseline", None)]
)
def test_line_of_therapy_is_a_number(text: str, line: int | None) -> None:
    assert line_of_therapy(text) == line


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("We suggest vasopressin instead of escalating norepinephrine.", "escalating norepinephrine"),
        ("DOACs are recommended over warfarin (strong).", "warfarin"),
        ("Follow-up over two years.", None),
    ],
)
def test_option_that_is_set_aside_is_named(text: str, other: str | None) -> None:
    assert replaced_option(text) == other


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for found in extract_recommendations(text):
        assert found.text
