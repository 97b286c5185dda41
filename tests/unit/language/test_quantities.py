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
        ("P<0.05", "p<.05"),
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


@pytest.mark.parametrize("text", ["49/615 patients", "49 of 615 patients", "49 out of 615", "49 of the 615 patients"])
def test_n_of_a_number_is_one_fraction(text: str) -> None:
    fraction = only(text)
    assert (fraction.kind, fraction.value, fraction.total) == (K.FRACTION, 49, 615)


@pytest.mark.parametrize(
    ("text", "percent"),
    [
        ("one in five women", "20"),
        ("1 in 5 people", "20"),
        ("nearly half of the patients", "50"),
        ("almost three quarters of patients", "75"),
        ("two thirds of them", "66.67"),
        ("a quarter of patients", "25"),
    ],
)
def test_a_share_in_words_is_about_a_percentage(text: str, percent: str) -> None:
    share = only(text)
    assert (share.kind, share.value, share.operator) == (K.PERCENT, Decimal(percent), "~")


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("more than 20 mg", ">"),
        ("over 60%", ">"),
        ("at least 12 patients", ">="),
        ("less than 5%", "<"),
        ("up to 30%", "<="),
        ("≤5%", "<="),
        ("no more than 3 days", "<="),
        ("fewer than four in ten", "<"),
        ("about 18,000 patients", "~"),
        ("5%", "="),
    ],
)
def test_bounds_are_kept_with_their_number(text: str, operator: str) -> None:
    assert only(text).operator == operator


@pytest.mark.parametrize(("text", "value"), [("$1,500", 1500), ("costs of $1500", 1500), ("€20", 20)])
def test_money_is_read_behind_its_sign(text: str, value: int) -> None:
    assert only(text).value == value


@pytest.mark.parametrize(
    ("text", "unit", "value"), [("at week 16", "week", 16), ("day 28", "day", 28), ("month 6", "month", 6)]
)
def test_a_numbered_week_is_a_time(text: str, unit: str, value: int) -> None:
    assert (only(text).kind, only(text).unit, only(text).value) == (K.DURATION, unit, value)


def test_a_measure_holds_for_every_ratio_of_a_list() -> None:
    found = find_quantities("hazard ratios of 2.35 (1.50-3.69) and 1.89 (1.26-2.84)")
    assert [str(q.value) for q in found if q.measure == "HR"] == ["2.35", "1.89"]


def test_a_unit_behind_the_deviation_is_that_of_the_number() -> None:
    assert find_quantities("12 (8) cm")[0].unit == "cm"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("8%", "49/615 patients"),
        ("7.97%", "49/615 patients"),
        ("49/615", "49 of 615"),
        ("615 patients", "49/615"),
        ("one in five women", "20.4% of women"),
        ("nearly half", "45% of patients"),
        ("more than half", "56%"),
        ("fewer than half", "45.5%"),
        ("more than 50%", "51%"),
        ("16 weeks", "week 16"),
        ("about five months", "155 days"),
        ("P<0.001", "P=0.0004"),
        ("P>0.05", "P=0.4"),
    ],
)
def test_shares_bounds_and_times_match_what_bears_them_out(claim: str, source: str) -> None:
    assert matches(only(claim), only(source))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("9%", "49/615 patients"),
        ("49/615", "49/616"),
        ("one in five women", "30% of women"),
        ("nearly half", "35% of patients"),
        ("more than half", "45%"),
        ("more than half", "90%"),
        ("fewer than half", "56%"),
        ("more than 50%", "49%"),
        ("week 12", "week 16"),
        ("4 months", "week 16"),
        ("P<0.05", "P=0.07"),
        ("P>0.05", "P=0.03"),
    ],
)
def test_shares_bounds_and_times_do_not_match_what_is_off(claim: str, source: str) -> None:
    assert not matches(only(claim), only(source))


@pytest.mark.parametrize(("claim", "source"), [("P<0.05", "P<0.001"), ("P<0.01", "P<0.001"), ("P<0.10", "P=0.07")])
def test_a_weaker_bound_of_p_is_not_the_one_that_is_printed(claim: str, source: str) -> None:
    assert not matches(only(claim), only(source))


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


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("a median of 1450 [1200-1710] pg/mL", "1450", "pg/mL"),
        ("an IC50 of 40 +/- 3 microg/ml", "40", "ug/mL"),
        ("losing 560 mL of fluid an hour", "560", "mL/hour"),
        ("2 mg a day", "2", "mg/day"),
        ("3.1 per 1,000 births", "3.1", "/1000 person"),
    ],
)
def test_a_unit_goes_on_behind_spreads_and_periods(text: str, value: str, unit: str) -> None:
    found = [q for q in find_quantities(text) if q.value == Decimal(value)]
    assert [q.unit for q in found] == [unit]


def test_a_price_and_a_count_do_not_take_the_unit_of_their_neighbour() -> None:
    assert find_quantities("$9423.34/2.8 days")[0].unit is None
    assert find_quantities("1001, 98.8% of them early")[0].unit is None
    assert find_quantities("120/80 mm Hg")[0].unit == "mmHg"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("One thousand two hundred forty-eight patients", 1248),
        ("three hundred and five women", 305),
        ("two million people", 2_000_000),
    ],
)
def test_long_numbers_in_words_are_one_number(text: str, value: int) -> None:
    assert [q.value for q in find_quantities(text)] == [value]


@pytest.mark.parametrize(
    ("text", "n", "of"),
    [
        ("Every one of the 21 patients", 21, 21),
        ("Not one of the 42 fetuses", 0, 42),
        ("All but two of the twelve trainees", 10, 12),
        ("two of the twelve trainees", 2, 12),
    ],
)
def test_every_not_and_all_but_count_what_is_meant(text: str, n: int, of: int) -> None:
    (found,) = find_quantities(text)
    assert (found.value, found.total) == (n, of)


def test_how_often_is_compared_by_the_hours_between() -> None:
    assert matches(find_quantities("every two days")[0], find_quantities("every 48 hours")[0])
    assert matches(find_quantities("every 12 hours")[0], find_quantities("twice daily")[0])
    assert not matches(find_quantities("every 8 hours")[0], find_quantities("twice daily")[0])


def test_a_decimal_may_leave_its_percent_sign_out_and_may_not_add_one() -> None:
    bare, percent = find_quantities("-0.49 and")[0], find_quantities("-0.49% and")[0]
    assert matches(bare, percent)
    assert not matches(percent, bare)
    assert not matches(find_quantities("12 of")[0], find_quantities("12% of")[0])


def test_a_converted_figure_may_be_rounded_as_it_is_printed() -> None:
    months = find_quantities("40.6 months")[0]
    assert matches(find_quantities("3.4 years")[0], months)
    assert not matches(find_quantities("3.6 years")[0], months)
