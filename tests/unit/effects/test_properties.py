"""What holds for every table, and that nothing but the package's own errors is ever raised."""

from __future__ import annotations

import contextlib
import inspect
import math
from fractions import Fraction
from typing import Any

import openwork_effects as effects
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from openwork_effects import (
    BaselineRefused,
    BaselineRisk,
    EffectError,
    Event,
    Group,
    HazardRatio,
    ImpossibleCounts,
    ImpossibleInterval,
    ImpossibleNumber,
    MixedKinds,
    NumberNeeded,
    NumberNeededThroughInfinity,
    OddsRatio,
    PersonTime,
    PersonYearsPerEvent,
    RateDifference,
    RatioUndefined,
    RiskDifference,
    RiskRatio,
    Sample,
    To,
    absolute_from_hazard_ratio,
    absolute_from_odds_ratio,
    absolute_from_risk_ratio,
    mean_difference,
    number_needed,
    odds_ratio,
    per_thousand,
    person_years_per_event,
    rate_difference,
    rate_ratio,
    risk_difference,
    risk_ratio,
    standard_error_from_interval,
    standard_error_of_difference_from_p,
    standard_error_of_log_ratio_from_p,
    standardised_mean_difference,
)

COUNTS = st.one_of(st.integers(1, 60), st.integers(1, 20_000), st.integers(1, 10**10))


@st.composite
def groups(draw: st.DrawFn) -> Group:
    n = draw(COUNTS)
    return Group(draw(st.one_of(st.just(0), st.just(n), st.integers(0, n))), n)


@st.composite
def person_times(draw: st.DrawFn) -> PersonTime:
    return PersonTime(draw(st.one_of(st.integers(0, 20), st.integers(0, 10**8))), draw(st.floats(1e-3, 1e9)))


SAMPLES = st.builds(Sample, st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 10**6))
RATIOS = st.tuples(*[st.floats(0.0, 20.0)] * 3).map(sorted)
BASELINES = st.floats(0.001, 0.999).map(lambda risk: BaselineRisk(risk, "control arm", "1 year"))
PLAIN = st.one_of(st.integers(-3, 10**12), st.floats(), st.none(), st.booleans(), st.text(max_size=5))
EFFECTS = st.one_of(
    st.builds(risk_difference, groups(), groups()),
    st.builds(rate_difference, person_times(), person_times()),
    RATIOS.map(lambda r: HazardRatio(r[1], r[0], r[2])),
    RATIOS.map(lambda r: RiskRatio(r[1], r[0], r[2])),
)
ANYTHING = st.one_of(PLAIN, st.sampled_from(list(Event)), groups(), person_times(), SAMPLES, BASELINES, EFFECTS)


def mirrored(difference: Any) -> tuple[float, float, float]:
    return (-difference.estimate, -difference.high, -difference.low)


def of(effect: Any) -> tuple[float, float, float]:
    return (effect.estimate, effect.low, effect.high)


@given(groups(), groups())
def test_swapped_arms_change_the_sign_of_a_risk_difference_and_nothing_else(first: Group, second: Group) -> None:
    there, back = risk_difference(first, second), risk_difference(second, first)
    assert of(there) == pytest.approx(mirrored(back), rel=1e-12, abs=1e-15)
    assert -1 <= there.low <= there.estimate <= there.high <= 1


@given(groups(), groups())
def test_swapped_arms_print_the_same_per_thousand_with_the_other_word(first: Group, second: Group) -> None:
    there, back = (per_thousand(risk_difference(*pair)) for pair in ((first, second), (second, first)))
    assert of(there) == mirrored(back) or not there.estimate
    swap = {"fewer": "more", "more": "fewer"}
    words = " ".join(swap.get(w.rstrip(")"), w.rstrip(")")) for w in back.in_words.split(" (")[0].split())
    assert there.in_words.split(" (")[0] == words


@given(groups(), groups())
def test_counting_those_without_the_event_mirrors_the_difference_and_inverts_the_odds(a: Group, b: Group) -> None:
    without = Group(a.n - a.events, a.n), Group(b.n - b.events, b.n)
    assert of(risk_difference(*without)) == pytest.approx(mirrored(risk_difference(a, b)), rel=1e-6, abs=1e-9)
    try:
        there = odds_ratio(a, b)
    except RatioUndefined:
        with pytest.raises(RatioUndefined):
            odds_ratio(*without)
        return
    back = odds_ratio(*without)
    assert of(there) == pytest.approx((1 / back.estimate, 1 / back.high, 1 / back.low), rel=1e-9)


@given(groups(), groups())
def test_calling_the_event_good_turns_benefit_into_harm_and_keeps_the_numbers(a: Group, b: Group) -> None:
    difference = risk_difference(a, b)
    bad, good = number_needed(difference, Event.BAD), number_needed(difference, Event.GOOD)
    if isinstance(bad, NumberNeeded) and isinstance(good, NumberNeeded):
        assert {bad.to, good.to} == {To.BENEFIT, To.HARM}
        assert (bad.number, bad.low, bad.high) == (good.number, good.low, good.high)
        assert 1 <= bad.low <= bad.number <= bad.high
    else:
        assert isinstance(bad, NumberNeededThroughInfinity)
        assert isinstance(good, NumberNeededThroughInfinity)
        assert (bad.benefit, bad.harm) == (good.harm, good.benefit)


@given(groups(), groups())
def test_a_single_number_needed_exists_only_where_the_interval_excludes_no_difference(a: Group, b: Group) -> None:
    difference = risk_difference(a, b)
    single = isinstance(number_needed(difference, Event.BAD), NumberNeeded)
    if single:
        assert not difference.low <= 0 <= difference.high
    elif not difference.low <= 0 <= difference.high:
        assert min(abs(difference.low), abs(difference.high)) <= 1e-12


@given(st.integers(1, 3000), st.integers(1, 3000), st.data())
def test_the_number_needed_is_the_exact_reciprocal_rounded_up(n: int, m: int, data: st.DataObject) -> None:
    a, c = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    needed = number_needed(risk_difference(Group(a, n), Group(c, m), level=0.5), Event.BAD)
    if isinstance(needed, NumberNeeded):
        assert needed.number == math.ceil(1 / abs(Fraction(a, n) - Fraction(c, m)))


@given(groups(), groups())
def test_ratios_invert_with_the_arms_and_are_corrected_only_for_a_zero_cell(a: Group, b: Group) -> None:
    for made in (risk_ratio, odds_ratio):
        try:
            there, back = made(a, b), made(b, a)
        except RatioUndefined:
            assert a.events + b.events in (0, a.n + b.n)
            continue
        assert of(there) == pytest.approx((1 / back.estimate, 1 / back.high, 1 / back.low), rel=1e-9)
        assert there.corrected is (0 in (a.events, a.n - a.events, b.events, b.n - b.events))


@given(groups(), groups(), st.floats(0.5, 0.99), st.floats(0.5, 0.99))
def test_a_higher_level_never_gives_a_narrower_interval(a: Group, b: Group, one: float, other: float) -> None:
    narrow, wide = (risk_difference(a, b, level) for level in sorted((one, other)))
    assert wide.low <= narrow.low + 1e-12
    assert wide.high >= narrow.high - 1e-12


@given(person_times(), person_times())
def test_swapped_arms_mirror_rate_differences_and_invert_rate_ratios(a: PersonTime, b: PersonTime) -> None:
    there, back = rate_difference(a, b), rate_difference(b, a)
    assert of(there) == pytest.approx(mirrored(back), rel=1e-9)
    if a.events + b.events:
        ratio, inverse = rate_ratio(a, b), rate_ratio(b, a)
        assert of(ratio) == pytest.approx((1 / inverse.estimate, 1 / inverse.high, 1 / inverse.low), rel=1e-9)


def test_rates_are_refused_where_risks_are_needed_and_the_other_way_round() -> None:
    group, time = Group(3, 100), PersonTime(3, 100.0)
    rates, risks = rate_difference(time, PersonTime(9, 90.0)), risk_difference(group, group)
    with pytest.raises(MixedKinds):
        risk_difference(group, time)  # type: ignore[arg-type]
    with pytest.raises(MixedKinds):
        rate_difference(time, group)  # type: ignore[arg-type]
    with pytest.raises(MixedKinds):
        number_needed(rates, Event.BAD)  # type: ignore[arg-type]
    with pytest.raises(MixedKinds):
        person_years_per_event(risks, Event.BAD)  # type: ignore[arg-type]
    with pytest.raises(MixedKinds):
        per_thousand(rates)  # type: ignore[arg-type]
    with pytest.raises(MixedKinds):
        number_needed(risks, "bad")  # type: ignore[arg-type]


def test_person_years_per_event_say_their_unit_and_never_a_number_of_people() -> None:
    needed = person_years_per_event(RateDifference(-0.02, -0.03, -0.01), Event.BAD)
    assert needed == PersonYearsPerEvent(To.BENEFIT, 50, 34, 100, 0.95)
    assert needed.in_words == "person-years per event of benefit 50 (34 to 100)"


@given(SAMPLES, SAMPLES)
def test_swapped_groups_mirror_mean_differences_and_keep_their_errors(a: Sample, b: Sample) -> None:
    for made in (mean_difference, standardised_mean_difference):
        try:
            there, back = made(a, b), made(b, a)
        except ImpossibleNumber:
            assert abs(a.mean - b.mean) > 1e5 * min(a.standard_deviation, b.standard_deviation)
            continue
        assert of(there) == pytest.approx(mirrored(back), rel=1e-9, abs=1e-9)
        assert there.standard_error == pytest.approx(back.standard_error)


@given(SAMPLES, SAMPLES, st.floats(0.1, 1000))
def test_another_unit_scales_the_mean_difference_and_leaves_the_standardised_one(
    a: Sample, b: Sample, by: float
) -> None:
    c, d = (Sample(s.mean * by, s.standard_deviation * by, s.n) for s in (a, b))
    assert mean_difference(c, d).high == pytest.approx(mean_difference(a, b).high * by, rel=1e-6, abs=1e-3)
    try:
        g = standardised_mean_difference(a, b)
    except ImpossibleNumber:
        return
    if abs(g.estimate) < 1e5:
        assert standardised_mean_difference(c, d).estimate == pytest.approx(g.estimate, rel=1e-6, abs=1e-6)


@given(RATIOS, BASELINES)
def test_absolute_effects_stay_risks_and_keep_the_side_of_their_ratio(
    limits: list[float], baseline: BaselineRisk
) -> None:
    low, estimate, high = limits
    for made, kind in (
        (absolute_from_hazard_ratio, HazardRatio),
        (absolute_from_odds_ratio, OddsRatio),
        (absolute_from_risk_ratio, RiskRatio),
    ):
        try:
            effect = made(kind(estimate, low, high), baseline)  # type: ignore[arg-type]
        except BaselineRefused:
            assert made is absolute_from_risk_ratio
            assert high * baseline.risk > 1
            continue
        assert 0 <= effect.risk <= 1
        assert effect.difference.low <= effect.difference.estimate <= effect.difference.high
        assert (effect.difference.estimate <= 1e-12) if estimate <= 1 else (effect.difference.estimate >= -1e-12)


@given(groups(), groups())
def test_an_odds_ratio_at_the_control_risk_gives_back_the_risk_it_was_made_from(a: Group, b: Group) -> None:
    if 0 < a.events < a.n <= 10**6 and 0 < b.events < b.n <= 10**6:
        effect = absolute_from_odds_ratio(odds_ratio(a, b), BaselineRisk(b.risk, "control arm", "follow-up"))
        assert effect.risk == pytest.approx(a.risk, rel=1e-9)


@given(groups(), groups(), st.sampled_from((0.8, 0.95, 0.99)))
def test_the_standard_error_of_a_log_ratio_comes_back_from_its_interval(a: Group, b: Group, level: float) -> None:
    if 0 < a.events < a.n and 0 < b.events < b.n:
        exact = math.sqrt(1 / a.events - 1 / a.n + 1 / b.events - 1 / b.n)
        ratio = risk_ratio(a, b, level)
        if exact > 1e-6 and ratio.low > 1e-8:
            assert standard_error_from_interval(ratio) == pytest.approx(exact, rel=1e-6)


@given(st.floats(0.01, 100), st.floats(1e-12, 0.999))
def test_the_p_value_of_a_ratio_is_that_of_its_logarithm(ratio: float, p_value: float) -> None:
    if abs(math.log(ratio)) > 1e-9:
        error = standard_error_of_log_ratio_from_p(ratio, p_value)
        assert error == pytest.approx(standard_error_of_difference_from_p(math.log(ratio), p_value))


@pytest.mark.parametrize(
    ("events", "n"), [(11, 10), (-1, 10), (0, 0), (0, -5), (1.0, 10), (True, 10), (1, 10**11), ("1", 10)]
)
def test_impossible_counts_are_refused_in_words(events: Any, n: Any) -> None:
    with pytest.raises(ImpossibleCounts, match=r"read|whole number"):
        Group(events, n)


@pytest.mark.parametrize("level", [95, 0, 1, -0.95, math.nan, "0.95", True])
def test_a_level_is_a_fraction(level: Any) -> None:
    with pytest.raises(ImpossibleInterval, match=r"0\.95 for 95 %"):
        risk_difference(Group(1, 9), Group(2, 9), level)


def test_a_risk_ratio_that_would_take_the_risk_over_one_is_refused() -> None:
    with pytest.raises(BaselineRefused, match="lower baseline"):
        absolute_from_risk_ratio(RiskRatio(1.5, 1.1, 2.1), BaselineRisk(0.5, "placebo arm", "1 year"))


@pytest.mark.parametrize("risk", [0, 1, 1.2, -0.1])
def test_a_baseline_risk_lies_strictly_between_0_and_1_and_names_its_source(risk: float) -> None:
    with pytest.raises(BaselineRefused):
        BaselineRisk(risk, "placebo arm", "1 year")
    with pytest.raises(ImpossibleNumber, match="source"):
        BaselineRisk(0.2, " ", "1 year")


@given(st.sampled_from([n for n in effects.__all__ if n[0].islower()]), st.lists(ANYTHING, min_size=1, max_size=4))
def test_no_input_raises_anything_but_the_errors_of_the_package(name: str, given_values: list[Any]) -> None:
    function = getattr(effects, name)
    parameters = inspect.signature(function).parameters.values()
    least = sum(parameter.default is inspect.Parameter.empty for parameter in parameters)
    assume(least <= len(given_values) <= len(parameters))
    with contextlib.suppress(EffectError):
        function(*given_values)


@given(st.floats(), st.floats(), st.floats(), st.floats())
def test_an_effect_is_made_with_its_estimate_between_finite_limits_or_not_at_all(
    estimate: float, low: float, high: float, level: float
) -> None:
    try:
        made = RiskDifference(estimate, low, high, level)
    except (ImpossibleInterval, ImpossibleNumber):
        return
    assert -1 <= made.low <= made.estimate <= made.high <= 1


def test_decimals_appear_only_where_whole_numbers_would_hide_a_difference() -> None:
    assert per_thousand(RiskDifference(-0.003, -0.0056, -0.0004)).in_words == "3.0 fewer per 1,000 (0.4 to 5.6)"
    assert per_thousand(RiskDifference(-0.00001, -0.02, 0.019)).in_words == "0 per 1,000 (20 fewer to 19 more)"
    assert per_thousand(RiskDifference(0.0, 0.0, 0.016)).in_words == "0 per 1,000 (0 to 16 more)"


def test_a_difference_of_one_in_k_is_a_number_needed_of_k_whatever_floats_add() -> None:
    for k in range(2, 3000):
        needed = number_needed(RiskDifference(-1 / k, -1 / k, -1 / k), Event.BAD)
        assert isinstance(needed, NumberNeeded)
        assert needed.number == k


def test_halves_are_rounded_away_from_zero_on_either_side() -> None:
    assert per_thousand(RiskDifference(-0.0225, -0.0404, -0.0045)).in_words == "23 fewer per 1,000 (5 to 40)"
    assert per_thousand(RiskDifference(0.0225, 0.0045, 0.0404)).in_words == "23 more per 1,000 (5 to 40)"
