"""A printed proportion is read from its own words, and never guessed from its size."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_effects import EffectError, ImpossibleNumber, MixedKinds, ProportionUnclear, Unit, read_proportion


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("15 %", None, 0.15),
        ("15%", None, 0.15),
        ("15·3%", None, 0.153),
        ("15,3 %", None, 0.153),
        ("15.3\u202fpercent", None, 0.153),
        ("15.3 per cent", None, 0.153),
        ("0.15 %", None, 0.0015),
        ("0.15", Unit.FRACTION, 0.15),
        (".15", Unit.FRACTION, 0.15),
        ("15", Unit.PERCENT, 0.15),
        ("0.15", Unit.PERCENT, 0.0015),
        ("15 %", Unit.PERCENT, 0.15),
        ("153 per 1,000", None, 0.153),
        ("153", Unit.PER_1000, 0.153),
        ("1 in 20", None, 0.05),
        ("17/58", None, 17 / 58),
        ("1,234 per 100,000", None, 0.01234),
        ("0", Unit.PERCENT, 0.0),
        ("100 %", None, 1.0),
    ],
)
def test_a_proportion_is_read_with_the_unit_that_its_words_state(text: str, unit: Unit | None, expected: float) -> None:
    assert read_proportion(text, unit) == expected


@pytest.mark.parametrize("text", ["15", "0.15", "1", "0", "15 patients", "<1 %", "15 ± 3 %", "15 to 20 %", "15–20 %"])
def test_a_number_without_a_unit_or_more_than_one_number_is_unclear(text: str) -> None:
    with pytest.raises(ProportionUnclear):
        read_proportion(text)


@pytest.mark.parametrize(
    ("text", "unit"), [("15 %", Unit.FRACTION), ("153 per 1,000", Unit.PERCENT), ("12 (5.0 %)", None)]
)
def test_a_unit_that_contradicts_its_column_is_unclear(text: str, unit: Unit | None) -> None:
    with pytest.raises(ProportionUnclear):
        read_proportion(text, unit)


@pytest.mark.parametrize(
    "text", ["1.69 %/yr", "1.69% per year", "1.69 % a year", "15 per 100 person-years", "3.9/100 patient-years"]
)
def test_a_rate_per_time_is_no_proportion(text: str) -> None:
    with pytest.raises(MixedKinds, match="rate per time"):
        read_proportion(text)


@pytest.mark.parametrize(
    ("text", "unit"),
    [("150 %", None), ("−3 %", None), ("-3%", None), ("15", Unit.FRACTION), ("59/58", None), ("1,234 %", None)],
)
def test_a_proportion_outside_0_and_1_is_refused(text: str, unit: Unit | None) -> None:
    with pytest.raises(ImpossibleNumber, match="outside"):
        read_proportion(text, unit)


@given(st.integers(0, 100_000))
def test_percent_fraction_and_per_thousand_of_one_number_are_one_proportion(hundred_thousandths: int) -> None:
    exact = Fraction(hundred_thousandths, 100_000)
    for unit, digits in ((Unit.FRACTION, 5), (Unit.PERCENT, 3), (Unit.PER_1000, 2)):
        printed = f"{hundred_thousandths / 10**digits:.{digits}f}"
        assert read_proportion(printed, unit) == float(exact)
    assert read_proportion(f"{hundred_thousandths / 1000:.3f} %") == float(exact)


@given(st.text(max_size=100), st.sampled_from([None, *Unit]))
def test_any_text_is_a_proportion_or_a_typed_refusal(text: str, unit: Unit | None) -> None:
    with contextlib.suppress(EffectError):
        assert 0 <= read_proportion(text, unit) <= 1


@given(
    st.from_regex(r"\A[-−]?[0-9.,·]{1,12} ?(%|percent|per [0-9,]{1,9}|in [0-9]{1,6}|/[0-9]{1,6})?( ?(/|per) ?yr)?\Z")
)
def test_whatever_looks_like_a_proportion_is_one_or_a_typed_refusal(text: str) -> None:
    with contextlib.suppress(EffectError):
        assert 0 <= read_proportion(text) <= 1
