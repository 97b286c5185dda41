"""Spans of people, treatments and outcomes in an abstract, each with its place."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_extraction.spans import SpanKind, pico_spans

PEOPLE, TREATMENT, OUTCOME = SpanKind.PEOPLE, SpanKind.TREATMENT, SpanKind.OUTCOME


def spans(text: str, kind: SpanKind) -> list[str]:
    return [text[span.start : span.end] for span in pico_spans(text) if span.kind is kind]


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("We randomised 64 adults with gout to colchicine or rest.", ["64 adults with gout"]),
        ("Forty pregnant women were given iron.", ["Forty pregnant women"]),
        ("Patients improved.", []),
        ("Children who had cerebral malaria received quinine.", ["Children who had cerebral malaria"]),
        ("A trial of zinc. Patients with the common cold took it.", ["Patients with the common cold"]),
    ],
)
def test_people_are_told_of_with_a_number_or_a_condition(text: str, people: list[str]) -> None:
    assert spans(text, PEOPLE) == people


def test_treatments_are_found_by_name_and_by_place_and_again_wherever_they_stand() -> None:
    text = "Infants received kangaroo care or placebo. With kangaroo care, colchicine was not needed."
    assert spans(text, TREATMENT) == ["kangaroo care", "placebo", "kangaroo care", "colchicine"]


def test_a_group_is_no_treatment() -> None:
    assert spans("Pain fell compared with the control group and group B.", TREATMENT) == []


def test_outcomes_are_what_changes_or_is_measured() -> None:
    text = "Serum urate was significantly lower at one year. There was no difference in joint swelling."
    assert spans(text, OUTCOME) == ["Serum urate", "joint swelling"]


@given(st.text(max_size=300))
def test_spans_are_of_the_text_in_its_order_and_never_overlap(text: str) -> None:
    found = pico_spans(text)
    assert all(0 <= span.start < span.end <= len(text) for span in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
