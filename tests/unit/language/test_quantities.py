"""Reading numbers with their units, and telling whether two are the same figure."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_language.quantities.compare import Agreement, Quantity, QuantityKind, compare, find_quantities, matches

K = QuantityKind


def only(text: str) -> Quantity:
    found = find_quantities(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [
        ("12.5%", K.PERCENT, "12.5", "%"),
        ("12 per cent", K.PERCENT, "12", "%"),
        ("18 201 patients", K.COUNT, "18201", None),
        ("18,201 patients", K.COUNT, "18201", None),
        ("N = 18\u2009201", K.COUNT, "18201", None),
        ("a change of −1.5 mmol/L", K.MEASUREMENT, "-1.5", "mmol/L"),
        ("5 mg", K.DOSE, "5", "mg"),
        ("100 µg", K.DOSE, "100", "ug"),
        ("2 mg/kg", K.DOSE, "2", "mg/kg"),
        ("14 g/dL", K.MEASUREMENT, "14", "g/dL"),
        ("130 mm Hg", K.MEASUREMENT, "130", "mmHg"),
        ("45 mL/min/1.73 m²", K.MEASUREMENT, "45", "mL/min/1.73m2"),
        ("12-month follow-up", K.DURATION, "12", "month"),
        ("twelve weeks", K.DURATION, "12", "week"),
        ("2.13 per 100 person-years", K.RATE, "2.13", "/100 person-year"),
        ("1.27% per year", K.RATE, "1.27", "%/year"),
        ("a twofold rise", K.FOLD, "2", "fold"),
        ("twice daily", K.FREQUENCY, "2", "/day"),
        ("half of the patients", K.PERCENT, "50", "%"),
        ("in 2019", K.YEAR, "2019", None),
        ("odds ratio 1·75", K.EFFECT, "1.75", None),
        ("HR, .79", K.EFFECT, "0.79", None),
        ("≥50%", K.PERCENT, "50", "%"),
    ],
)
def test_numbers_are_read_with_their_kind_and_unit(text: str, kind: QuantityKind, value: str, unit: str | None) -> None:
    quantity = only(text)
    assert (quantity.kind, quantity.value, quantity.unit) == (kind, Decimal(value), unit)


@pytest.mark.parametrize(
    "text",
    [
        "95% CI 0.66-0.95",
        "95% CI, 0.66 to 0.95",
        "95% confidence interval [CI], 0.66–0.95",
        "95% CI: 0.66, 0.95",
        "95% CI = [0.66; 0.95]",
    ],
)
def test_intervals_are_one_quantity_with_a_level(text: str) -> None:
    interval = only(text)
    assert (interval.kind, interval.low, interval.high, interval.level) == (
        K.INTERVAL,
        Decimal("0.66"),
        Decimal("0.95"),
        95,
    )


def test_intervals_below_zero_keep_their_signs() -> None:
    interval = only("95% CI −0.9 to −0.1")
    assert (interval.low, interval.high) == (Decimal("-0.9"), Decimal("-0.1"))


@pytest.mark.parametrize("text", ["IL-6", "COVID-19", "HbA1c", "CD4", "5-fluorouracil", "p53", "NCT01234567"])
def test_numbers_inside_names_are_no_quantities(text: str) -> None:
    assert find_quantities(text) == ()


def test_a_comma_and_a_space_separate_numbers() -> None:
    assert [q.value for q in find_quantities("groups 1, 2 and 3")] == [1, 2, 3]


def test_a_shared_unit_belongs_to_every_number_joined_to_it() -> None:
    assert [(q.value, q.unit) for q in find_quantities("2.1 versus 3.4%")] == [
        (Decimal("2.1"), "%"),
        (Decimal("3.4"), "%"),
    ]


def test_a_fraction_with_its_percentage_is_two_figures() -> None:
    found = find_quantities("seen in 3 (37%) of 8 patients")
    assert {(q.kind, q.value) for q in found} == {(K.FRACTION, Decimal(3)), (K.PERCENT, Decimal(37))}


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("0.8%", "0.79%"),
        ("HR .79", "hazard ratio 0.79"),
        ("1 g", "1000 mg"),
        ("14 days", "two weeks"),
        ("1 year", "12 months"),
        ("30%", "3 of 10 patients"),
        ("about 18,000 patients", "18,201 patients"),
        ("half of the patients", "51.2% of patients"),
        ("P<0.05", "P=0.03"),
        ("P<0.05", "p<.001"),
        ("95% CI 0.7 to 0.9", "95% CI 0.66–0.94"),
        ("20 mg daily", "20 mg/day"),
        ("HR 0.79", "0.79 (0.66-0.95)"),
    ],
)
def test_equal_converted_and_rounded_figures_match(claim: str, source: str) -> None:
    assert any(matches(c, s) for c in find_quantities(claim)[:1] for s in find_quantities(source))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("0.79%", "0.8%"),
        ("0.7%", "0.79%"),
        ("5 mg", "5 g"),
        ("5 mg", "5%"),
        ("12 weeks", "12 months"),
        ("1 month", "4 weeks"),
        ("30 patients", "30%"),
        ("P=0.03", "P<0.05"),
        ("P<0.001", "P=0.03"),
        ("95% CI 0.66-0.95", "95% CI 0.66-0.98"),
        ("90% CI 0.66-0.95", "95% CI 0.66-0.95"),
        ("HR 0.79", "OR 0.79"),
        ("2 months", "HR 1.84"),
        ("4 mg", "HR 3.76"),
        ("4 patients", "HR 3.76"),
        ("100 mg/dL", "100 mmol/L"),
        ("more than 24 hours", "less than 24 hours"),
        ("twice daily", "three times daily"),
    ],
)
def test_other_numbers_units_and_measures_do_not_match(claim: str, source: str) -> None:
    assert not any(matches(c, s) for c in find_quantities(claim) for s in find_quantities(source))


def test_the_same_number_with_another_unit_is_told_apart_from_another_number() -> None:
    assert compare(only("5 mg"), only("5 mL")) is Agreement.OTHER_UNIT
    assert compare(only("5 mg"), only("6 mg")) is Agreement.OTHER_VALUE


decimals = st.decimals(min_value=Decimal("0.001"), max_value=Decimal("9999"), places=3)


@given(decimals)
def test_a_number_matches_itself(value: Decimal) -> None:
    """Whatever the number, a percentage equals itself."""
    assert matches(only(f"{value}%"), only(f"{value}%"))


@given(st.decimals(min_value=Decimal("0.11"), max_value=Decimal("99"), places=2), st.integers(0, 1))
def test_rounding_goes_one_way_only(value: Decimal, places: int) -> None:
    """A claim may round the source; the source does not bear out digits it does not have."""
    rounded = value.quantize(Decimal(1).scaleb(-places))
    if rounded == 0:
        return
    assert matches(only(f"{rounded}%"), only(f"{value}%"))
    if rounded != value:
        assert not matches(only(f"{value}%"), only(f"{rounded}%"))


@given(st.text(max_size=120))
def test_any_text_can_be_read(text: str) -> None:
    """Spans are exact, in order, and numbers are finite."""
    for quantity in find_quantities(text):
        assert quantity.text == text[quantity.start : quantity.end]
        assert quantity.value.is_finite()
