"""A result held against the question: turned so that what was asked about stands first, weighed by its interval."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_answers.outcomes import read_outcome
from openwork_answers.reported import results_of
from openwork_answers.valued import is_bad, is_bad_by_name
from openwork_answers.weighing import absolute_again, estimate_of, thresholds_of, verdict_of, weighed
from openwork_contracts.conclusion import ConclusionVerdict, Fit, StudyResult
from openwork_contracts.evidence import EffectEstimate, OutcomeResult

from tests.unit.answers.made import question, ratio, record, result

V = ConclusionVerdict
ASKED = "Does apixaban prevent stroke in people with atrial fibrillation?"
TURNED = "Does warfarin prevent stroke in people with atrial fibrillation?"


def broken(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(strict=True, reason=reason)


def of(reported: OutcomeResult, asked: str = ASKED) -> StudyResult:
    """One result of an invented trial of apixaban against warfarin."""
    trial = record(
        "Example trial of apixaban versus warfarin in patients with atrial fibrillation",
        "We compared apixaban with warfarin in patients with atrial fibrillation.",
        results=(reported,),
    )
    return weighed(results_of(1, trial)[0], question(asked))


def counts(first: int, second: int, n: int = 1000) -> tuple[tuple[str, int, int], ...]:
    return (("apixaban", first, n), ("warfarin", second, n))


VERDICTS = [
    ("stroke", ratio(0.79, 0.66, 0.95), V.BENEFIT),
    ("stroke", ratio(1.17, 1.01, 1.36), V.HARM),
    ("stroke", ratio(0.95, 0.80, 1.12), V.LITTLE_OR_NO_DIFFERENCE),
    ("stroke", ratio(0.80, 0.60, 1.05), V.NOT_SHOWN),
    ("stroke", ratio(1.00, 0.50, 2.00), V.NOT_SHOWN),
    ("death", ratio(1.00, 0.87, 1.15), V.LITTLE_OR_NO_DIFFERENCE),
    ("death", ratio(0.95, 0.80, 1.12), V.NOT_SHOWN),
    ("death or stroke", ratio(0.95, 0.80, 1.12), V.LITTLE_OR_NO_DIFFERENCE),
    ("recovery", ratio(1.29, 1.12, 1.49, "RR"), V.BENEFIT),
    ("remission", ratio(0.70, 0.50, 0.90, "OR"), V.HARM),
    ("angioedema", ratio(1.5, 1.2, 1.9, "OR"), V.HARM),
    ("stroke", ratio(-0.034, -0.060, -0.008, "RD"), V.BENEFIT),
    ("gait speed", ratio(1.3, 1.1, 1.5, "RR"), V.DIFFERS),
    ("progression-free survival", ratio(0.60, 0.50, 0.70), V.BENEFIT),
    ("stroke", ratio(0.79, 0.66, 0.95, ci_low=None, ci_high=None), V.TOO_LITTLE),
    ("stroke", None, V.TOO_LITTLE),
    pytest.param("overall survival", ratio(0.73, 0.60, 0.88), V.BENEFIT),
    pytest.param(
        "HbA1c", ratio(-0.5, -0.7, -0.3, "MD"), V.BENEFIT, marks=broken("differences of means are not weighed")
    ),
    pytest.param(
        "quality of life", ratio(5, 3, 7, "MD"), V.BENEFIT, marks=broken("differences of means are not weighed")
    ),
]


@pytest.mark.parametrize(("outcome", "effect", "verdict"), VERDICTS)
def test_an_interval_decides_by_whether_the_event_is_good_or_bad(
    outcome: str, effect: EffectEstimate | None, verdict: ConclusionVerdict
) -> None:
    assert of(result(outcome, effect)).verdict is verdict


def test_of_death_an_effect_matters_sooner_than_of_other_outcomes() -> None:
    death, composite = read_outcome("death"), read_outcome("death or stroke")
    assert (thresholds_of(death).low, thresholds_of(death).high) == (0.85, 1.18)
    assert (thresholds_of(composite).low, thresholds_of(composite).high) == (0.75, 1.25)


@pytest.mark.parametrize(
    ("outcome", "bad"),
    [
        ("death", True),
        ("cardiovascular death or hospitalisation for heart failure", True),
        ("hyperkalaemia", True),
        ("recovery", False),
        ("remission", False),
        ("quality of life", False),
        ("gait speed", None),
        ("recovery or death", None),
    ],
)
def test_whether_more_of_it_is_bad_follows_the_event(outcome: str, bad: bool | None) -> None:
    assert is_bad(read_outcome(outcome)) is bad


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        # The end of an event, whatever event it is
        ("resolution of pneumonia", False),
        ("complete symptom resolution", False),
        ("seizure control", False),
        ("well-controlled hypertension", False),
        ("days with controlled migraine", False),
        ("viral clearance", False),
        ("freedom from stroke", False),
        ("free of relapse", False),
        ("improvement of psoriasis", False),
        ("survival without dialysis", False),
        ("no amputation", False),
        ("functional independence (modified Rankin score 0 to 2)", False),
        ("favourable neurological outcome", False),
        ("fewer seizures", False),
        # not the end: what stands before or behind turns it back
        ("failure of ulcer healing", True),
        ("loss of seizure control", True),
        ("lack of viral clearance", True),
        ("no improvement", True),
        ("uncontrolled hypertension", True),
        ("worsening of vision", True),
        ("poor functional outcome", True),
        ("hearing loss", True),
        ("decrease in haemoglobin", True),
        ("relapse after remission", True),
        ("death before recovery", True),
        ("recurrence in the control group", True),
        ("disability", True),
        ("stroke disability", True),
        # what the name says of itself decides
        ("eczema score (lower is better)", True),
        ("dyspnea score (higher is better)", False),
        ("headache days (fewer is better)", True),
        ("sleep latency (higher scores are worse)", True),
        ("lower limb amputation", True),
        ("arthritis control score", None),
    ],
)
def test_the_head_of_a_name_and_what_it_says_of_itself_decide_whether_more_is_better(
    name: str, bad: bool | None
) -> None:
    assert is_bad_by_name(name) is bad


@pytest.mark.parametrize(
    ("name", "sides", "bad"),
    [
        ("walking distance (a difference above 0 favors surgery)", ("surgery", "exercise"), False),
        ("walking distance (a difference above 0 favors exercise)", ("surgery", "exercise"), True),
        ("walking distance (a ratio below 1 favours surgery)", ("surgery", "exercise"), True),
        ("walking distance (a difference above 0 favors the drug)", ("surgery", "exercise"), None),
    ],
)
def test_a_name_that_says_which_arm_a_ratio_favours_is_believed(
    name: str, sides: tuple[str, str], bad: bool | None
) -> None:
    assert is_bad_by_name(name, sides) is bad


def test_an_end_of_an_event_that_is_more_frequent_is_a_benefit_with_a_number_to_treat() -> None:
    found = of(result("resolution of symptoms", ratio(1.5, 1.3, 1.8, "RR"), counts(600, 400)))
    assert found.verdict is V.BENEFIT
    assert found.absolute is not None
    assert found.absolute.number_needed is not None
    assert found.absolute.number_needed.startswith("NNT")


# Turned sides


def test_a_result_is_seen_from_the_side_that_was_asked_about() -> None:
    own = of(result("stroke", ratio(0.79, 0.66, 0.95), counts(100, 150)))
    turned = of(result("stroke", ratio(0.79, 0.66, 0.95), counts(100, 150)), TURNED)
    assert own.comparison == ("apixaban", "warfarin")
    assert turned.comparison == ("warfarin", "apixaban")
    assert [(a.name, a.events) for a in turned.arms] == [("warfarin", 150), ("apixaban", 100)]
    assert turned.effect is not None
    assert (turned.effect.estimate, turned.effect.ci_low, turned.effect.ci_high) == (1.27, 1.05, 1.52)
    assert (own.verdict, turned.verdict) == (V.BENEFIT, V.HARM)
    assert own.absolute is not None
    assert turned.absolute is not None
    assert own.absolute.per_1000 == -turned.absolute.per_1000
    assert (own.absolute.number_needed or "")[:3] == "NNT"
    assert (turned.absolute.number_needed or "")[:3] == "NNH"


def test_a_difference_is_turned_to_its_opposite() -> None:
    turned = of(result("stroke", ratio(-0.02, -0.04, -0.01, "RD"), counts(30, 50)), TURNED)
    assert turned.effect is not None
    assert (turned.effect.estimate, turned.effect.ci_low, turned.effect.ci_high) == (0.02, 0.01, 0.04)


def test_an_inverse_that_does_not_exist_is_left_out() -> None:
    turned = of(result("stroke: apixaban versus warfarin", ratio(0.0, 0.0, 0.5)), TURNED)
    assert turned.comparison == ("warfarin", "apixaban")
    assert turned.effect is None


def test_an_effect_without_sides_is_not_given_to_the_comparator() -> None:
    """The trial compares apixaban with warfarin, HR 0.79: nothing says that warfarin prevents stroke."""
    untold = of(result("stroke", ratio(0.79, 0.66, 0.95)), TURNED)
    assert untold.comparison_fit in {Fit.OTHER, Fit.NOT_TOLD} or untold.verdict is not V.BENEFIT


@given(
    st.floats(0.4, 2.4).map(lambda x: round(x, 2)),
    st.floats(1.05, 1.6).map(lambda x: round(x, 2)),
)
def test_benefit_of_one_side_is_harm_of_the_other(estimate: float, width: float) -> None:
    effect = ratio(estimate, round(estimate / width, 2), round(estimate * width, 2))
    inverse = ratio(1 / estimate, 1 / (estimate * width), 1 / (estimate / width))
    one = verdict_of(estimate_of(effect), True, read_outcome("stroke"))
    other = verdict_of(estimate_of(inverse), True, read_outcome("stroke"))
    swapped = {V.BENEFIT: V.HARM, V.HARM: V.BENEFIT}
    near_a_limit = any(
        abs(limit - x) < 0.02 for limit in (1.0, 0.75, 1.25, 0.8) for x in (estimate / width, estimate * width)
    )
    assert other is swapped.get(one, one) or near_a_limit or {one, other} <= {V.NOT_SHOWN, V.LITTLE_OR_NO_DIFFERENCE}


# Absolute effects


def test_an_absolute_effect_is_computed_from_counts_of_two_arms_that_agree_with_the_effect() -> None:
    """DAPA-HF, death from any cause; the figures are those of ANSWER's first example."""
    trial = result(
        "death", ratio(0.83, 0.71, 0.97), (("apixaban", 276, 2373), ("warfarin", 329, 2371)), "median 18.2 months"
    )
    absolute = of(trial).absolute
    assert absolute is not None
    assert absolute.words == "22 fewer per 1,000 (3 to 41)"
    assert absolute.number_needed == "NNT 45 (25 to 289)"
    assert absolute.method.startswith("Newcombe")


def test_harm_has_a_number_needed_to_harm() -> None:
    """6S, death at 90 days."""
    absolute = of(
        result("death", ratio(1.17, 1.01, 1.36, "RR"), (("apixaban", 201, 398), ("warfarin", 172, 400)))
    ).absolute
    assert absolute is not None
    assert (absolute.words, absolute.number_needed) == ("75 more per 1,000 (6 to 143)", "NNH 14 (7 to 173)")


def test_more_of_a_good_event_is_a_number_needed_to_benefit() -> None:
    absolute = of(result("recovery", ratio(1.29, 1.12, 1.49, "RR"), counts(600, 465))).absolute
    assert absolute is not None
    assert absolute.words == "135 more per 1,000 (91 to 178)"
    assert (absolute.number_needed or "").startswith("NNT ")


def test_a_difference_that_may_be_none_has_no_number_needed() -> None:
    absolute = of(result("stroke", ratio(0.90, 0.70, 1.16), counts(100, 110))).absolute
    assert absolute is not None
    assert absolute.low < 0 < absolute.high
    assert absolute.number_needed is None


def test_without_knowing_what_is_good_no_number_needed_is_told() -> None:
    absolute = of(result("gait speed", ratio(1.5, 1.2, 1.9, "RR"), counts(300, 200))).absolute
    assert absolute is not None
    assert absolute.number_needed is None


@pytest.mark.parametrize(
    "reported",
    [
        pytest.param(result("stroke", ratio(0.80, 0.66, 0.97), counts(100, 110)), id="counts cross no difference"),
        pytest.param(result("stroke", ratio(0.90, 0.70, 1.16), counts(60, 110)), id="the effect crosses it"),
        pytest.param(result("stroke", ratio(1.30, 1.05, 1.60), counts(60, 110)), id="opposite directions"),
        pytest.param(result("stroke", ratio(0.5, 0.3, 0.8)), id="no counts"),
        pytest.param(result("stroke", ratio(0.5, 0.3, 0.8), counts(1100, 110)), id="more events than people"),
        pytest.param(result("stroke", ratio(0.5, 0.3, 0.8), counts(0, 0, 0)), id="arms without people"),
        pytest.param(
            result("stroke", ratio(0.5, 0.3, 0.8), (*counts(60, 110), ("aspirin", 80, 1000))), id="three arms"
        ),
        pytest.param(
            result("stroke per 10 mm Hg lower systolic blood pressure", ratio(0.5, 0.3, 0.8), counts(60, 110)),
            id="per unit",
        ),
    ],
)
def test_no_absolute_effect_stands_where_counts_and_effect_do_not_both_carry_it(reported: OutcomeResult) -> None:
    assert of(reported).absolute is None


def test_an_effect_with_an_interval_of_99_percent_leaves_the_counts_their_own() -> None:
    assert of(result("stroke", ratio(0.5, 0.3, 0.8, ci_level=0.99), counts(60, 110))).absolute is not None


def test_the_effect_decides_where_counts_say_something_else() -> None:
    weighed_result = of(result("stroke", ratio(0.80, 0.66, 0.97), counts(100, 110)))
    assert (weighed_result.verdict, weighed_result.absolute) == (V.BENEFIT, None)
    assert [a.events for a in weighed_result.arms] == [100, 110]


def test_counts_alone_have_a_verdict_of_their_difference() -> None:
    assert of(result("stroke", None, counts(60, 110))).verdict is V.BENEFIT
    assert of(result("stroke", None, counts(100, 110))).verdict is V.NOT_SHOWN


def test_an_estimate_outside_of_its_interval_weighs_nothing() -> None:
    assert of(result("stroke", ratio(0.99, 0.66, 0.97))).verdict is V.TOO_LITTLE


def test_an_estimate_outside_of_its_interval_is_not_told() -> None:
    assert of(result("stroke", ratio(0.99, 0.66, 0.97))).effect is None


@given(st.integers(1, 400), st.integers(1, 400), st.integers(400, 5000))
def test_what_is_computed_is_computed_alike_a_second_time(first: int, second: int, n: int) -> None:
    """The verifier does the arithmetic again, on the object's own arms."""
    own = of(result("stroke", None, counts(first, second, n)))
    assert absolute_again(own) == own.absolute
    assert own.absolute is not None
    assert own.absolute.low <= own.absolute.per_1000 <= own.absolute.high


def test_a_forged_absolute_effect_does_not_survive_the_second_computation() -> None:
    own = of(result("stroke", None, counts(60, 110)))
    assert own.absolute is not None
    forged = own.model_copy(update={"absolute": own.absolute.model_copy(update={"words": "60 fewer per 1,000"})})
    assert absolute_again(forged) == own.absolute != forged.absolute


def test_fits_are_those_of_comparison_outcome_and_people() -> None:
    own = of(result("ischaemic stroke", ratio(0.92, 0.74, 1.13), counts(97, 105)))
    assert (own.comparison_fit, own.outcome_fit, own.people_fit) == (Fit.ASKED, Fit.PART, Fit.ASKED)
    other = of(result("major bleeding", ratio(0.69, 0.60, 0.80), counts(21, 31)))
    assert other.outcome_fit is Fit.OTHER


@pytest.mark.parametrize(
    ("limits", "verdict"),
    [((-2.03, 2.06), ConclusionVerdict.NOT_SHOWN), ((-4.1, -0.2), ConclusionVerdict.DIFFERS)],
)
def test_a_difference_of_means_is_shown_or_not_and_never_called_a_benefit(
    limits: tuple[float, float], verdict: ConclusionVerdict
) -> None:
    """Which way of a scale is better, and how much of it matters, its instrument says."""
    effect = EffectEstimate(measure="MD", estimate=sum(limits) / 2, ci_low=limits[0], ci_high=limits[1])
    assert verdict_of(estimate_of(effect), True, read_outcome("symptom score")) is verdict
