"""Where sentences end, and where they do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_language.sentences import is_heading, split_sentences


def texts(source: str) -> list[str]:
    return [s.text for s in split_sentences(source)]


@pytest.mark.parametrize(
    "sentence",
    [
        "The hazard ratio was 0.79 (95% CI 0.66-0.95; P = 0.03) vs. warfarin in Fig. 2 of the report.",
        "Smith et al. found E. coli in 3 of 10 samples, i.e. in 30%.",
        "Dr. Jones of St. Mary's reported case No. 4 with approx. 2 mg of drug.",
        "Doses of e.g. 5 mg b.i.d. were used; P < .001 for all.",
        "It was seen in S. aureus and in C. difficile (see Ref. 4).",
        "The odds ratio was 1·75, 95% CI 1·20-2·54.",
    ],
)
def test_a_stop_inside_a_sentence_does_not_end_it(sentence: str) -> None:
    """Decimals, abbreviations, initials and genus names hold no boundary."""
    assert texts(sentence) == [sentence]


def test_sentences_after_a_name_that_ends_in_one_letter_are_separate() -> None:
    assert texts("They lacked vitamin D. The others had hepatitis B. In both groups it rose.") == [
        "They lacked vitamin D.",
        "The others had hepatitis B.",
        "In both groups it rose.",
    ]


def test_citation_marks_after_the_stop_belong_to_the_sentence_before() -> None:
    assert texts("It lowered bleeding.[1][2] Next it fell. [3] Then it rose [4].") == [
        "It lowered bleeding.[1][2]",
        "Next it fell. [3]",
        "Then it rose [4].",
    ]


def test_a_mark_that_opens_a_sentence_stays_with_it() -> None:
    assert texts("It fell. [1] found that it rose.") == ["It fell.", "[1] found that it rose."]


def test_markdown_lines_are_read_as_headings_items_and_rows() -> None:
    answer = (
        "## Evidence\n\n- First point [1]\n- Second point. It has two sentences [2].\n\n"
        "| a | b |\n|---|---|\n| 1.5 | 2 |\n"
    )
    assert texts(answer) == [
        "## Evidence",
        "First point [1]",
        "Second point.",
        "It has two sentences [2].",
        "| a | b |",
        "| 1.5 | 2 |",
    ]


def test_a_soft_line_break_does_not_cut_a_sentence() -> None:
    wrapped = "Apixaban was compared with warfarin in patients with atrial\nfibrillation and lowered bleeding."
    assert texts(wrapped) == [wrapped]


def test_short_lines_of_a_record_are_sentences_of_their_own() -> None:
    assert texts("Inclusion Criteria:\n  Age over 18\n  Stage IV disease") == [
        "Inclusion Criteria:",
        "Age over 18",
        "Stage IV disease",
    ]


def test_a_word_with_capitals_inside_may_begin_a_sentence() -> None:
    assert texts("Function fell. eGFR was 30 mL/min/1.73 m2.") == ["Function fell.", "eGFR was 30 mL/min/1.73 m2."]


@pytest.mark.parametrize(("line", "expected"), [("## Answer", True), ("**Answer**", True), ("**Bold** start", False)])
def test_headings_are_known_by_hashes_or_whole_bold(line: str, expected: bool) -> None:
    assert is_heading(line) is expected


@given(st.text(max_size=300))
def test_every_sentence_is_its_span_and_spans_do_not_overlap(text: str) -> None:
    """Whatever the text, `text == source[start:end]`, in order, and none is empty."""
    end = 0
    for sentence in split_sentences(text):
        assert sentence.text == text[sentence.start : sentence.end]
        assert sentence.text.strip()
        assert sentence.start >= end
        end = sentence.end


@given(
    st.lists(
        st.sampled_from(["It fell by 0.5%. ", "See Fig. 2 for E. coli. ", "Next [1]. ", "\n- item\n", "P = .03. "])
    )
)
def test_no_word_of_a_text_is_lost(parts: list[str]) -> None:
    """All letters and digits of a text are in its sentences."""
    text = "".join(parts)
    kept = "".join(texts(text))
    assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]
