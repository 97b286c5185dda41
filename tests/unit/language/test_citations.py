"""Citation marks in all their notations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_evidence.citations import cited_numbers, parse_citations, strip_citations


@pytest.mark.parametrize("mark", ["[1][3]", "[1, 3]", "[1,3]", "[1] [3]", "[1; 3]", "[1], [3]", "[1 and 3]"])
def test_notations_of_the_same_citations_are_equal(mark: str) -> None:
    assert cited_numbers(f"It fell {mark}.") == (1, 3)
    assert len(parse_citations(f"It fell {mark}.")) == 1


@pytest.mark.parametrize("mark", ["[1-3]", "[1–3]", "[1, 2-3]"])
def test_a_range_is_every_number_in_it(mark: str) -> None:
    assert cited_numbers(f"It fell {mark}.") == (1, 2, 3)


@pytest.mark.parametrize(
    "text",
    [
        "HR 0.79 [95% CI 0.66-0.95]",
        "as stated [sic] there",
        "see [1](https://example.org/1)",
        "in the year [2019]",
        "a median of 12 [8-15] days",
        "the interval [0.66-0.95]",
    ],
)
def test_other_brackets_are_no_marks(text: str) -> None:
    assert parse_citations(text) == ()


def test_marks_are_taken_out_without_a_gap() -> None:
    assert strip_citations("It fell [1][2], and then rose [3].") == "It fell, and then rose."


@given(st.lists(st.integers(1, 99), min_size=1, max_size=6))
def test_written_numbers_are_read_back(numbers: list[int]) -> None:
    """Any list of numbers survives being written as one mark or as several."""
    expected = tuple(dict.fromkeys(numbers))
    assert cited_numbers("x [" + ", ".join(map(str, numbers)) + "].") == expected
    assert cited_numbers("x " + "".join(f"[{n}]" for n in numbers) + ".") == expected


@given(st.text(alphabet="[]()123,-–; ab", max_size=40))
def test_marks_lie_inside_the_text_in_order(text: str) -> None:
    """Spans are ordered, begin with a bracket and end with one."""
    end = 0
    for mark in parse_citations(text):
        assert end <= mark.start < mark.end <= len(text)
        assert text[mark.start] == "["
        assert text[mark.end - 1] == "]"
        end = mark.end
