"""What always holds of pooled effects, whatever the studies."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_effects import (
    EffectError,
    Group,
    HazardRatio,
    MixedKinds,
    NothingToPool,
    RateDifference,
    RatioUndefined,
    Sample,
    risk_ratio,
)
from openwork_effects.errors import ImpossibleCounts, ImpossibleInterval, ImpossibleNumber, NoStandardError, SkewedData
from openwork_effects.medians import FiveNumbers, sample_from_median
from openwork_effects.pooling import (
    Allocation,
    Candidate,
    Measure,
    Model,
    StudyEffect,
    Values,
    combined_groups,
    combined_samples,
    dersimonian_laird,
    divided_control,
    effect_of_counts,
    effect_of_estimate,
    effect_of_samples,
    egger,
    inverse_variance,
    mantel_haenszel,
    peto,
    reml,
    small_study_effect,
    sort_candidates,
    synthesise,
    with_design_effect,
)

RATIOS = (Measure.RISK_RATIO, Measure.ODDS_RATIO)
OF_COUNTS = (*RATIOS, Measure.RISK_DIFFERENCE)
POOLED = (inverse_variance, dersimonian_laird, reml)


@st.composite
def tables(draw: st.DrawFn, least: int = 2, most: int = 12) -> list[tuple[Group, Group]]:
    found = []
    for _ in range(draw(st.integers(least, most))):
        n, m = draw(st.integers(5, 3000)), draw(st.integers(5, 3000))
        a, c = draw(st.integers(0, n)), draw(st.integers(0, m))
        found.append((Group(a, n), Group(c, m)))
    return [(x, y) for x, y in found if 0 < x.events + y.events < x.n + y.n] or [(Group(1, 9), Group(2, 9))]


def effects(pairs: list[tuple[Group, Group]], measure: Measure) -> list[StudyEffect]:
    found = [effect_of_counts(f"s{i}", a, b, measure) for i, (a, b) in enumerate(pairs)]
    return found if len(found) > 1 else [*found, effect_of_counts("more", Group(3, 30), Group(5, 31), measure)]


differences = st.lists(st.tuples(st.floats(-50, 50), st.floats(0.001, 100)), min_size=3, max_size=15).map(
    lambda rows: [StudyEffect(f"s{i}", Measure.MEAN_DIFFERENCE, y, v) for i, (y, v) in enumerate(rows)]
)


@given(tables(), st.sampled_from(OF_COUNTS))
def test_swapped_arms_turn_the_sign_and_nothing_else(pairs: list[tuple[Group, Group]], measure: Measure) -> None:
    if len(pairs) < 2:
        return
    forward, back = effects(pairs, measure), effects([(b, a) for a, b in pairs], measure)
    for model in POOLED:
        ours, turned = model(forward), model(back)
        assert turned.value == pytest.approx(-ours.value, rel=1e-6, abs=1e-9)
        assert (turned.low, turned.high) == pytest.approx((-ours.high, -ours.low), rel=1e-6, abs=1e-9)
        assert turned.heterogeneity.q == pytest.approx(ours.heterogeneity.q, rel=1e-6, abs=1e-9)


@given(tables())
def test_survival_in_place_of_death_turns_the_odds_ratio_and_the_risk_difference(
    pairs: list[tuple[Group, Group]],
) -> None:
    """A risk ratio of survival is another number; odds and differences are the same one, turned."""
    other = [(Group(a.n - a.events, a.n), Group(b.n - b.events, b.n)) for a, b in pairs]
    for measure in (Measure.ODDS_RATIO, Measure.RISK_DIFFERENCE):
        if len(pairs) < 2:
            continue
        one, two = reml(effects(pairs, measure)), reml(effects(other, measure))
        assert two.value == pytest.approx(-one.value, rel=1e-6, abs=1e-9)


@given(differences, st.randoms(use_true_random=False))
def test_the_order_of_studies_changes_nothing(studies: list[StudyEffect], random: object) -> None:
    shuffled = list(studies)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for model in POOLED:
        one, two = model(studies), model(shuffled)
        assert (two.value, two.low, two.high) == pytest.approx((one.value, one.low, one.high), rel=1e-7, abs=1e-9)


@given(differences, st.floats(0.01, 100), st.floats(-30, 30))
def test_another_unit_or_another_zero_only_moves_the_result(
    studies: list[StudyEffect], scale: float, shift: float
) -> None:
    moved = [
        StudyEffect(s.study, s.measure, s.value * scale + shift, s.variance * scale**2)
        for s in studies
        if s.variance * scale**2 < 1e6
    ]
    if len(moved) < len(studies):
        return
    for model in POOLED:
        one, two = model(studies), model(moved)
        assert two.value == pytest.approx(one.value * scale + shift, rel=1e-5, abs=1e-5 * scale)
        assert two.standard_error == pytest.approx(one.standard_error * scale, rel=1e-4)


@given(differences)
def test_the_pooled_effect_lies_among_the_studies_and_the_weights_are_one(studies: list[StudyEffect]) -> None:
    for model in POOLED:
        pooled = model(studies)
        values = [s.value for s in studies]
        assert min(values) - 1e-9 <= pooled.value <= max(values) + 1e-9
        assert math.fsum(w.weight for w in pooled.studies) == pytest.approx(1)
        assert 0 <= pooled.heterogeneity.i2 < 1
        assert 0 <= pooled.heterogeneity.p_value <= 1


@given(differences)
def test_hartung_and_knapps_interval_is_never_narrower_than_the_usual_one(studies: list[StudyEffect]) -> None:
    """And a new study is less certain than the mean."""
    floored, usual = reml(studies), reml(studies, hartung_knapp=False)
    assert floored.standard_error >= usual.standard_error * (1 - 1e-12)
    assert floored.high - floored.low >= usual.high - usual.low
    assert floored.prediction is not None
    low, high = floored.prediction
    assert high - low >= (floored.high - floored.low) * (1 - 1e-9)


@given(tables(3, 8))
def test_whatever_counts_say_they_pool_or_are_refused_in_words(pairs: list[tuple[Group, Group]]) -> None:
    for measure in OF_COUNTS:
        try:
            found = synthesise(effects(pairs, measure))
        except EffectError:
            continue
        effect = found.headline.estimate
        assert effect.low <= effect.estimate <= effect.high
        assert len(found.without) <= len(found.headline.studies)


def counted(*rows: tuple[int, int, int, int], measure: Measure = Measure.ODDS_RATIO) -> list[StudyEffect]:
    return [effect_of_counts(f"s{i}", Group(a, n), Group(c, m), measure) for i, (a, n, c, m) in enumerate(rows)]


def test_two_studies_lead_with_a_fixed_effect_and_say_that_heterogeneity_cannot_be_told() -> None:
    found = synthesise(counted((30, 200, 40, 200), (20, 100, 33, 110)))
    assert found.headline.model is Model.MANTEL_HAENSZEL
    assert found.notes == ("too few studies to estimate heterogeneity",)
    assert (found.compared, found.without, found.small_studies) == (None, (), None)


def test_two_published_effects_lead_with_inverse_variance() -> None:
    studies = [effect_of_estimate(f"s{i}", HazardRatio(0.8, 0.7, 0.9143)) for i in range(2)]
    pooled = synthesise(studies).headline
    assert pooled.model is Model.INVERSE_VARIANCE
    assert isinstance(pooled.estimate, HazardRatio)
    assert pooled.estimate.estimate == pytest.approx(0.8)
    assert pooled.standard_error == pytest.approx(studies[0].standard_error / math.sqrt(2))


@pytest.mark.parametrize(
    ("rows", "model"),
    [
        (((3, 1000, 5, 1000), (2, 900, 4, 950), (1, 800, 2, 790)), Model.PETO),
        (
            ((3, 1000, 5, 4000), (2, 900, 4, 950), (1, 800, 2, 790)),
            Model.MANTEL_HAENSZEL,
        ),  # one control four times as large
        (((1, 1000, 30, 1000), (1, 900, 8, 950), (0, 800, 9, 790)), Model.MANTEL_HAENSZEL),  # no modest effect
        (((30, 1000, 50, 1000), (20, 900, 40, 950), (10, 800, 20, 790)), Model.REML_HARTUNG_KNAPP),
    ],
)
def test_rare_events_lead_with_peto_only_where_groups_are_alike_and_the_effect_modest(
    rows: tuple[tuple[int, int, int, int], ...], model: Model
) -> None:
    found = synthesise(counted(*rows))
    assert found.headline.model is model
    assert bool(found.notes) is (model is not Model.REML_HARTUNG_KNAPP)


def test_rare_events_never_take_peto_for_a_risk_ratio() -> None:
    rows = ((3, 1000, 5, 1000), (2, 900, 4, 950), (1, 800, 2, 790))
    assert synthesise(counted(*rows, measure=Measure.RISK_RATIO)).headline.model is Model.MANTEL_HAENSZEL


def test_leaving_out_the_one_study_that_differs_changes_the_result() -> None:
    rows = ((10, 100, 20, 100), (11, 100, 21, 100), (12, 100, 19, 100), (60, 100, 20, 100))
    found = synthesise(counted(*rows))
    without = {one.study: one.pooled.value for one in found.without}
    assert set(without) == {"s0", "s1", "s2", "s3"}
    assert without["s3"] < found.headline.value - 0.3
    assert without["s0"] > without["s3"]


def test_an_empty_cell_corrects_a_ratio_of_that_study_alone_and_never_a_difference() -> None:
    empty, full = Group(0, 50), Group(5, 50)
    ratio = effect_of_counts("s", empty, full, Measure.RISK_RATIO)
    assert ratio.corrected
    assert ratio.value == pytest.approx(math.log(risk_ratio(empty, full).estimate))
    assert not effect_of_counts("s", Group(1, 50), full, Measure.ODDS_RATIO).corrected
    difference = effect_of_counts("s", empty, full, Measure.RISK_DIFFERENCE)
    assert (difference.value, difference.corrected) == (-0.1, False)
    none = effect_of_counts("s", empty, Group(0, 60), Measure.RISK_DIFFERENCE)
    assert (none.value, none.corrected) == (0.0, True)


def test_trials_without_events_have_no_ratio_and_are_in_a_difference() -> None:
    with pytest.raises(RatioUndefined):
        effect_of_counts("s", Group(0, 50), Group(0, 60), Measure.ODDS_RATIO)
    pooled = mantel_haenszel(counted((0, 50, 0, 60), (3, 50, 6, 60), measure=Measure.RISK_DIFFERENCE))
    assert len(pooled.studies) == 2


def test_events_in_one_group_alone_have_no_mantel_haenszel_ratio() -> None:
    with pytest.raises(RatioUndefined, match="one of the groups"):
        mantel_haenszel(counted((0, 50, 3, 60), (0, 40, 1, 41)))
    with pytest.raises(RatioUndefined):
        mantel_haenszel(counted((0, 50, 0, 60), (0, 40, 0, 41), measure=Measure.RISK_DIFFERENCE))


@pytest.mark.parametrize(
    ("studies", "words"),
    [
        (counted((3, 30, 4, 30)), "two are needed"),
        ([*counted((3, 30, 4, 30)), StudyEffect("x", Measure.HAZARD_RATIO, -0.1, 0.02)], "do not mix"),
        ([*counted((3, 30, 4, 30)), *counted((5, 30, 4, 30))], "stands there twice"),
    ],
)
def test_what_cannot_be_pooled_is_refused_in_words(studies: list[StudyEffect], words: str) -> None:
    for model in (*POOLED, mantel_haenszel, peto):
        with pytest.raises(NothingToPool, match=words):
            model(studies)


def test_published_effects_have_no_counts_to_pool() -> None:
    studies = [StudyEffect(f"s{i}", Measure.ODDS_RATIO, 0.1, 0.02) for i in range(3)]
    with pytest.raises(NothingToPool, match="no counts"):
        mantel_haenszel(studies)
    with pytest.raises(NothingToPool, match="no counts"):
        peto(studies)
    with pytest.raises(NothingToPool, match="no RR"):
        peto(counted((3, 30, 4, 30), (2, 20, 3, 22), measure=Measure.RISK_RATIO))
    with pytest.raises(NothingToPool, match="no counts"):
        mantel_haenszel([StudyEffect(f"s{i}", Measure.HAZARD_RATIO, 0.1, 0.02) for i in range(3)])


def test_a_published_effect_brings_its_variance_whatever_its_level() -> None:
    def printed(level: float) -> HazardRatio:
        reach = NormalDist().inv_cdf((1 + level) / 2) * 0.1
        return HazardRatio(0.8, 0.8 * math.exp(-reach), 0.8 * math.exp(reach), level)

    for level in (0.9, 0.95, 0.99):
        assert effect_of_estimate("s", printed(level)).standard_error == pytest.approx(0.1)
    with pytest.raises(MixedKinds):
        effect_of_estimate("s", RateDifference(0.1, 0.0, 0.2))
    with pytest.raises(NoStandardError):
        effect_of_estimate("s", HazardRatio(0.0, 0.0, 0.2))


def test_no_measure_is_made_of_what_it_does_not_follow_from() -> None:
    a, b = Sample(3, 1, 10), Sample(2, 1, 12)
    with pytest.raises(MixedKinds):
        effect_of_samples("s", a, b, Measure.RISK_RATIO)
    with pytest.raises(MixedKinds):
        effect_of_counts("s", Group(1, 2), Group(1, 3), Measure.HAZARD_RATIO)
    with pytest.raises(ImpossibleNumber):
        StudyEffect("s", Measure.MEAN_DIFFERENCE, 0.0, 0.0)
    with pytest.raises(ImpossibleNumber):
        StudyEffect(" ", Measure.MEAN_DIFFERENCE, 0.0, 1.0)


def test_small_studies_are_asked_about_from_ten_on_and_by_the_test_of_the_measure() -> None:
    rows = [(10 + i, 100 + 40 * i, 14 + i, 100 + 38 * i) for i in range(10)]
    assert small_study_effect(counted(*rows)).test.value == "Harbord"
    assert small_study_effect(counted(*rows, measure=Measure.RISK_RATIO)).test.value == "Peters"
    published = [StudyEffect(s.study, Measure.HAZARD_RATIO, s.value, s.variance) for s in counted(*rows)]
    assert small_study_effect(published).test.value == "Egger"
    with pytest.raises(NothingToPool, match="need 10"):
        small_study_effect(counted(*rows[:9]))
    with pytest.raises(NothingToPool, match="risk differences"):
        small_study_effect(counted(*rows, measure=Measure.RISK_DIFFERENCE))
    with pytest.raises(NothingToPool, match="different size"):
        egger([StudyEffect(f"s{i}", Measure.MEAN_DIFFERENCE, float(i), 1.0) for i in range(10)])


def test_a_lack_of_small_studies_without_effect_is_seen() -> None:
    """Effects that grow with their standard error: the intercept is far from nothing."""
    biased = [
        StudyEffect(f"s{i}", Measure.MEAN_DIFFERENCE, 0.1 * i + 0.01 * (i % 3), (0.1 * i) ** 2) for i in range(1, 13)
    ]
    assert egger(biased).p_value < 0.001
    assert egger(biased).bias > 0


@given(st.integers(1, 4000), st.data())
def test_a_shared_control_is_divided_and_nobody_is_lost(n: int, data: st.DataObject) -> None:
    control = Group(data.draw(st.integers(0, n)), n)
    into = data.draw(st.integers(1, min(n, 7)))
    parts = divided_control(control, into)
    assert len(parts) == into
    assert combined_groups(parts) == control
    assert max(p.n for p in parts) - min(p.n for p in parts) <= 1
    assert max(p.events for p in parts) - min(p.events for p in parts) <= 2


def test_more_comparisons_than_people_are_refused() -> None:
    with pytest.raises(ImpossibleCounts):
        divided_control(Group(1, 2), 3)
    with pytest.raises(ImpossibleCounts):
        combined_samples([])


@given(st.lists(st.lists(st.floats(-100, 100), min_size=2, max_size=30), min_size=1, max_size=4))
def test_combined_arms_have_mean_and_deviation_of_all_their_people(arms: list[list[float]]) -> None:
    def of(values: list[float]) -> Sample | None:
        mean = math.fsum(values) / len(values)
        deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))
        return Sample(mean, deviation, len(values)) if deviation > 1e-6 else None

    samples, whole = [of(arm) for arm in arms], of([v for arm in arms for v in arm])
    known = [s for s in samples if s is not None]
    if len(known) < len(arms) or whole is None:
        return
    made = combined_samples(known)
    assert (made.mean, made.standard_deviation, made.n) == pytest.approx(
        (whole.mean, whole.standard_deviation, whole.n), rel=1e-6, abs=1e-6
    )


def test_a_cluster_trial_has_the_variance_of_fewer_people_and_no_counts() -> None:
    (effect,) = counted((10, 100, 20, 100))
    cluster = with_design_effect(effect, 21, 0.05)
    assert cluster.variance == pytest.approx(2 * effect.variance)
    assert cluster.table is None
    with pytest.raises(ImpossibleNumber):
        with_design_effect(effect, 0.5, 0.05)
    with pytest.raises(ImpossibleNumber):
        with_design_effect(effect, 20, 1.5)


def candidate(study: str, **changes: object) -> Candidate:
    measure = changes.pop("measure", Measure.ODDS_RATIO)
    assert isinstance(measure, Measure)
    given_ = {"comparison": "a v b", "outcome": "death", "analysis": "intention-to-treat", "window": "1 year"}
    return Candidate(StudyEffect(study, measure, 0.1, 0.02), **{**given_, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ({"measure": Measure.HAZARD_RATIO}, "its measure is HR, that of the others OR"),
        ({"analysis": "per protocol"}, "another analysis set: per protocol"),
        ({"window": "30 days"}, "another time window: 30 days"),
        ({"outcome": "stroke"}, "the only study of this comparison and outcome"),
        ({"converted": True}, "its measure was made from another one"),
        ({"allocation": Allocation.CLUSTER}, "a cluster trial without a design effect"),
        ({"allocation": Allocation.CROSSOVER}, "a crossover trial without a paired analysis"),
    ],
)
def test_a_study_that_does_not_belong_is_refused_with_its_reason(change: dict[str, object], because: str) -> None:
    found = sort_candidates([candidate("one"), candidate("two"), candidate("odd", **change)])
    assert [e.study for s in found.sets for e in s.effects] == ["one", "two"]
    (refused,) = found.refused
    assert refused.study == "odd"
    assert refused.because.startswith(because)


def test_adjusted_and_crude_effects_of_one_measure_stand_together() -> None:
    assert not sort_candidates([candidate("one"), candidate("two", adjusted=True)]).refused


def test_one_study_counts_once() -> None:
    found = sort_candidates([candidate("one"), candidate("two"), candidate("one")])
    assert [r.because for r in found.refused] == ["the same study is in the set already: it counts once"]


def test_clusters_and_crossovers_that_were_analysed_as_such_are_in() -> None:
    rows = [
        candidate("one"),
        candidate("two", allocation=Allocation.CLUSTER, corrected_for_allocation=True),
        candidate("three", allocation=Allocation.CROSSOVER, corrected_for_allocation=True),
    ]
    assert len(sort_candidates(rows).sets[0].effects) == 3


def test_final_values_and_changes_never_meet_in_a_standardised_difference() -> None:
    smd = Measure.STANDARDISED_MEAN_DIFFERENCE
    rows = [
        candidate("one", measure=smd, values=Values.FINAL),
        candidate("two", measure=smd, values=Values.FINAL),
        candidate("three", measure=smd, values=Values.CHANGE),
        candidate("four", measure=smd),
        candidate("five", measure=smd, values=Values.FINAL, scale_direction_known=False),
    ]
    found = sort_candidates(rows)
    assert [e.study for e in found.sets[0].effects] == ["one", "two"]
    assert {r.study for r in found.refused} == {"three", "four", "five"}
    means = [candidate("a", measure=Measure.MEAN_DIFFERENCE, values=v) for v in (Values.FINAL,)]
    means.append(candidate("b", measure=Measure.MEAN_DIFFERENCE, values=Values.CHANGE))
    assert len(sort_candidates(means).sets) == 1


@given(st.floats(-50, 50), st.floats(0.5, 30), st.integers(20, 2000))
def test_quartiles_and_range_of_normal_data_give_back_mean_and_deviation(mean: float, sd: float, n: int) -> None:
    quarter, end = 0.6745 * sd, sd * 2.5
    both = sample_from_median(FiveNumbers(mean, n, mean - quarter, mean + quarter)).sample
    assert (both.mean, both.n) == (pytest.approx(mean, abs=1e-9), n)
    assert both.standard_deviation == pytest.approx(sd, rel=0.08)
    ranged = sample_from_median(FiveNumbers(mean, n, minimum=mean - end, maximum=mean + end)).sample
    assert ranged.mean == pytest.approx(mean, abs=1e-9)


def test_wans_formulas_on_numbers_worked_by_hand() -> None:
    """n = 100: Phi^-1(99.625/100.25) = 2.4986, Phi^-1(74.875/100.25) = 0.6648 (normal tables)."""
    ranged = sample_from_median(FiveNumbers(10, 100, minimum=0, maximum=20)).sample
    assert ranged.standard_deviation == pytest.approx(20 / (2 * 2.4977), rel=2e-3)
    quartiles = sample_from_median(FiveNumbers(10, 100, q1=8, q3=12)).sample
    assert quartiles.standard_deviation == pytest.approx(4 / (2 * 0.6648), rel=2e-3)
    both = sample_from_median(FiveNumbers(10, 100, 8, 12, 0, 20)).sample
    assert both.standard_deviation == pytest.approx((ranged.standard_deviation + quartiles.standard_deviation) / 2)


@pytest.mark.parametrize(
    "numbers",
    [
        FiveNumbers(3, 120, q1=1, q3=12),
        FiveNumbers(3, 120, minimum=0, maximum=90),
        FiveNumbers(3, 120, q1=1, q3=12, minimum=0, maximum=90),
    ],
)
def test_skewed_medians_are_never_taken_for_means(numbers: FiveNumbers) -> None:
    with pytest.raises(SkewedData, match="print the median"):
        sample_from_median(numbers)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"median": 5, "n": 20}, ImpossibleNumber),
        ({"median": 5, "n": 20, "q1": 4}, ImpossibleNumber),
        ({"median": 5, "n": 20, "q1": 6, "q3": 7}, ImpossibleInterval),
        ({"median": 5, "n": 20, "q1": 5, "q3": 5}, ImpossibleInterval),
        ({"median": 5, "n": 20, "q1": 4, "q3": 6, "minimum": 4.5, "maximum": 9}, ImpossibleInterval),
        ({"median": 5, "n": 4, "q1": 4, "q3": 6}, ImpossibleCounts),
    ],
)
def test_medians_that_say_no_width_are_refused(values: dict[str, float], error: type[Exception]) -> None:
    with pytest.raises(error):
        FiveNumbers(**values)  # type: ignore[arg-type]
