"""What an interval shows, and when crude counts and the published effect disagree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_effects import (
    GRADE_RELATIVE,
    Agreement,
    Difference,
    Event,
    Group,
    HazardRatio,
    ImpossibleInterval,
    ImpossibleNumber,
    MixedKinds,
    RateRatio,
    Ratio,
    RiskDifference,
    RiskRatio,
    Shows,
    Side,
    Thresholds,
    compare_crude_with_published,
    read_effect,
    read_noninferiority,
    risk_difference,
)

EXAMPLES = [
    (HazardRatio(0.83, 0.71, 0.97), Event.BAD, Shows.BENEFIT),  # DAPA-HF, death
    (HazardRatio(1.00, 0.87, 1.15), Event.BAD, Shows.LITTLE_OR_NO_DIFFERENCE),  # EMPEROR-Preserved, death
    (RiskRatio(1.17, 1.01, 1.36), Event.BAD, Shows.HARM),  # 6S, death
    (RiskRatio(1.10, 0.90, 1.35), Event.BAD, Shows.NOT_SHOWN),  # DAPA-HF, volume depletion, from counts
    (HazardRatio(0.90, 0.50, 1.60), Event.BAD, Shows.NOT_SHOWN),  # worthwhile benefit and harm
    (RiskRatio(1.50, 1.20, 1.90), Event.GOOD, Shows.BENEFIT),
    (RiskRatio(0.60, 0.40, 0.90), Event.GOOD, Shows.HARM),
    (HazardRatio(0.91, 0.82, 1.00), Event.BAD, Shows.LITTLE_OR_NO_DIFFERENCE),  # a printed 1.00 excludes nothing
    (HazardRatio(0.91, 0.75, 1.10), Event.BAD, Shows.NOT_SHOWN),  # a printed 0.75 may be 0.746
]


@pytest.mark.parametrize(("effect", "event", "shows"), EXAMPLES)
def test_intervals_read_as_the_design_says(effect: Ratio, event: Event, shows: Shows) -> None:
    assert read_effect(effect, event).shows is shows


def test_a_difference_across_zero_is_not_shown_until_somebody_states_a_threshold() -> None:
    difference = Difference(-0.2, -0.9, 0.5)
    assert read_effect(difference, Event.BAD).shows is Shows.NOT_SHOWN
    stated = Thresholds(-1.0, 1.0, "minimal important difference of the instrument")
    reading = read_effect(difference, Event.BAD, stated)
    assert (reading.shows, reading.thresholds) == (Shows.LITTLE_OR_NO_DIFFERENCE, stated)


def test_a_small_effect_that_excludes_none_is_benefit_and_is_told_to_be_small() -> None:
    reading = read_effect(HazardRatio(0.94, 0.89, 0.99), Event.BAD)
    assert (reading.shows, reading.within_thresholds) == (Shows.BENEFIT, True)


@st.composite
def ratios(draw: st.DrawFn) -> Ratio:
    low, estimate, high = sorted(draw(st.tuples(*[st.floats(0.05, 20.0)] * 3)))
    return Ratio(estimate, low, high)


EVENTS = st.sampled_from(list(Event))
OTHER = {Event.GOOD: Event.BAD, Event.BAD: Event.GOOD}
TURNED = {Shows.BENEFIT: Shows.HARM, Shows.HARM: Shows.BENEFIT}


@given(ratios(), EVENTS)
def test_calling_the_event_the_other_turns_benefit_and_harm_and_nothing_else(effect: Ratio, event: Event) -> None:
    one, other = read_effect(effect, event), read_effect(effect, OTHER[event])
    assert other.shows is TURNED.get(one.shows, one.shows)
    assert (one.reaches_benefit, one.reaches_harm) == (other.reaches_harm, other.reaches_benefit)


@given(ratios(), EVENTS)
def test_little_difference_needs_no_effect_and_the_whole_interval_within_the_thresholds(
    effect: Ratio, event: Event
) -> None:
    reading = read_effect(effect, event)
    little = effect.low <= 1 <= effect.high and GRADE_RELATIVE.low < effect.low and effect.high < GRADE_RELATIVE.high
    assert (reading.shows is Shows.LITTLE_OR_NO_DIFFERENCE) is little


@given(ratios(), EVENTS)
def test_an_interval_with_worthwhile_benefit_and_harm_is_not_shown(effect: Ratio, event: Event) -> None:
    reading = read_effect(effect, event)
    if reading.reaches_benefit and reading.reaches_harm:
        assert reading.shows is Shows.NOT_SHOWN


@given(ratios(), EVENTS, st.floats(0.1, 0.9), st.floats(1.1, 9.0))
def test_wider_thresholds_never_take_little_difference_away(
    effect: Ratio, event: Event, low: float, high: float
) -> None:
    narrow = read_effect(effect, event, Thresholds(low, high, "test"))
    wide = read_effect(effect, event, Thresholds(low / 2, high * 2, "test"))
    if narrow.shows is Shows.LITTLE_OR_NO_DIFFERENCE:
        assert wide.shows is Shows.LITTLE_OR_NO_DIFFERENCE


@pytest.mark.parametrize("limits", [(0.5, 0.9), (1.0, 1.25), (-0.1, 0.1)])
def test_thresholds_must_enclose_no_effect_of_the_measure(limits: tuple[float, float]) -> None:
    with pytest.raises(ImpossibleNumber, match="either side"):
        read_effect(HazardRatio(1, 0.9, 1.1), Event.BAD, Thresholds(*limits, "test"))


@pytest.mark.parametrize(
    "low_high_source", [(1.25, 0.75, "x"), (0.75, 0.75, "x"), (0.75, float("nan"), "x"), (0.75, 1.25, "")]
)
def test_thresholds_are_ordered_finite_and_say_who_states_them(low_high_source: tuple[float, float, str]) -> None:
    with pytest.raises(ImpossibleNumber):
        Thresholds(*low_high_source)


MARGINS = [
    (RateRatio(0.91, 0.74, 1.11), Event.BAD, 1.46, Shows.NONINFERIOR, Side.INCLUDES_NO_EFFECT),  # RE-LY 110 mg
    (RateRatio(0.66, 0.53, 0.82), Event.BAD, 1.46, Shows.BENEFIT, Side.LOWER),  # RE-LY 150 mg: superior
    (HazardRatio(1.10, 1.02, 1.20), Event.BAD, 1.30, Shows.NONINFERIOR, Side.HIGHER),  # worse within the margin
    (HazardRatio(1.10, 0.80, 1.50), Event.BAD, 1.30, Shows.NOT_SHOWN, Side.INCLUDES_NO_EFFECT),
    (HazardRatio(1.50, 1.10, 2.00), Event.BAD, 1.30, Shows.HARM, Side.HIGHER),
    (Difference(-0.02, -0.08, 0.04), Event.GOOD, -0.10, Shows.NONINFERIOR, Side.INCLUDES_NO_EFFECT),  # cure
    (Difference(-0.05, -0.12, 0.02), Event.GOOD, -0.10, Shows.NOT_SHOWN, Side.INCLUDES_NO_EFFECT),
    (HazardRatio(1.10, 0.90, 1.30), Event.BAD, 1.30, Shows.NOT_SHOWN, Side.INCLUDES_NO_EFFECT),  # a printed 1.30
]


@pytest.mark.parametrize(("effect", "event", "margin", "shows", "side"), MARGINS)
def test_noninferiority_is_read_against_margin_and_no_effect(
    effect: Ratio, event: Event, margin: float, shows: Shows, side: Side
) -> None:
    reading = read_noninferiority(effect, event, margin, "intention to treat")
    assert (reading.shows, reading.side) == (shows, side)
    assert (reading.margin, reading.analysis_set) == (margin, "intention to treat")


@pytest.mark.parametrize(("margin", "analysis_set"), [(0.8, "per protocol"), (1.0, "per protocol"), (1.3, "")])
def test_a_margin_on_the_better_side_or_without_an_analysis_set_is_refused(margin: float, analysis_set: str) -> None:
    with pytest.raises(ImpossibleNumber):
        read_noninferiority(HazardRatio(1, 0.9, 1.1), Event.BAD, margin, analysis_set)


def test_crude_counts_and_hazard_ratio_of_dapa_hf_agree() -> None:
    crude = risk_difference(Group(276, 2373), Group(329, 2371))
    agreement = compare_crude_with_published(crude, HazardRatio(0.83, 0.71, 0.97))
    assert agreement is Agreement.AGREE
    assert agreement.allows_number_needed


@pytest.mark.parametrize(
    ("crude", "published", "expected"),
    [
        (RiskDifference(-0.02, -0.05, 0.01), HazardRatio(0.8, 0.7, 0.9), Agreement.ONLY_PUBLISHED_EXCLUDES),
        (RiskDifference(-0.02, -0.03, -0.01), HazardRatio(0.9, 0.8, 1.02), Agreement.ONLY_CRUDE_EXCLUDES),
        (RiskDifference(-0.02, -0.03, -0.01), HazardRatio(1.2, 1.1, 1.4), Agreement.OPPOSITE),
        (RiskDifference(-0.02, -0.05, 0.01), Difference(-1.0, -3.0, 1.0), Agreement.AGREE),
        (RiskDifference(-0.02, -0.05, 0.00), HazardRatio(0.9, 0.8, 1.00), Agreement.AGREE),
    ],
)
def test_disagreement_about_no_effect_is_named_and_forbids_a_number_needed(
    crude: RiskDifference, published: Ratio | Difference, expected: Agreement
) -> None:
    agreement = compare_crude_with_published(crude, published)
    assert agreement is expected
    assert agreement.allows_number_needed is (expected is Agreement.AGREE)


def test_intervals_of_different_levels_and_of_other_kinds_are_not_compared() -> None:
    crude = RiskDifference(-0.02, -0.05, 0.01)
    with pytest.raises(ImpossibleInterval, match="one level"):
        compare_crude_with_published(crude, HazardRatio(0.8, 0.7, 0.9, 0.9))
    with pytest.raises(MixedKinds):
        compare_crude_with_published(HazardRatio(0.8, 0.7, 0.9), crude)  # type: ignore[arg-type]
