"""What was measured in two arms is read with its unit and told without a verdict."""

from __future__ import annotations

import pytest
from openwork_answers.figures_in_words import absolute_in_words, figures_in_words
from openwork_answers.told import told_results
from openwork_contracts.conclusion import ConclusionVerdict
from openwork_contracts.evidence import AbstractPart, EvidenceCandidate, TrialArm

from tests.unit.answers.made import concluded, record


def trial(sentence: str, *arms: str) -> EvidenceCandidate:
    named = tuple(TrialArm(name=arm) for arm in arms or ("hydrocortisone", "placebo"))
    part = AbstractPart(label="Results", text=sentence)
    return record("Hydrocortisone in septic shock", abstract=(part,), arms=named)


def measured(sentence: str, *arms: str) -> list[tuple[str, ...]]:
    found = told_results(1, trial(sentence, *arms), ())
    return [(r.outcome, *(arm.measured or "" for arm in r.arms)) for r in found if any(arm.measured for arm in r.arms)]


@pytest.mark.parametrize(
    ("sentence", "read"),
    [
        ("The median stay was 10 days with hydrocortisone and 12 days with placebo.",
         ("stay (median)", "10 days", "12 days")),
        ("Shock resolved after a median of 3 days with hydrocortisone and 4 days with placebo.",
         ("time until shock resolved (median)", "3 days", "4 days")),
        ("Mean treatment lasted 106 days with hydrocortisone and 180 days with placebo.",
         ("length of treatment (mean)", "106 days", "180 days")),
        ("The symptom score fell by 9.7 points with hydrocortisone and 6.4 points with placebo.",
         ("fall in symptom score", "9.7 points", "6.4 points")),
        ("Hospital discharge came earlier on hydrocortisone (6 versus 7 days; P=0.01).",
         ("time until hospital discharge", "6 days", "7 days")),
        ("People assigned to placebo received more intravenous fluid than people given hydrocortisone "
         "(mean 1,964 ml versus 1,713 ml).", ("intravenous fluid (mean)", "1,964 ml", "1,713 ml")),
        ("The median IQ score was 97 with hydrocortisone and 94 with placebo.", ("IQ score (median)", "97", "94")),
        ("Median HbA1c was 7.4% with hydrocortisone and 8.0% with placebo.", ("HbA1c (median)", "7.4%", "8.0%")),
    ],
)  # fmt: skip
def test_two_values_are_read_with_their_unit(sentence: str, read: tuple[str, ...]) -> None:
    assert read in measured(sentence)


def test_values_side_by_side_are_of_the_arms_in_the_order_named() -> None:
    sentence = (
        "People assigned to placebo received more fluid than people given hydrocortisone "
        "(mean 1,964 ml versus 1,713 ml)."
    )
    (result,) = [r for r in told_results(1, trial(sentence), ()) if r.arms]
    assert [(arm.name, arm.measured) for arm in result.arms] == [
        ("placebo", "1,964 ml"),
        ("hydrocortisone", "1,713 ml"),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Death occurred in 27.9% with hydrocortisone and 28.8% with placebo.",  # shares
        "Serious adverse events were reported in 358 people with hydrocortisone and 448 with placebo.",  # counts
        "The mean follow-up was 288 days with hydrocortisone and 291 days with placebo.",  # how long they were watched
        "The trial compared hydrocortisone 200 mg with hydrocortisone 100 mg.",  # doses
        "In people treated between 3 and 4.5 hours, death was less frequent with hydrocortisone than with placebo.",
        "The stay was 10 days with hydrocortisone and 2 weeks with placebo.",  # two units
        "In subgroups of the trial, the median stay was 10 days with hydrocortisone and 12 days with placebo.",
        "Among people with marked symptoms the score fell by 12.3 points on hydrocortisone and 10.4 points on placebo.",
        "Hydrocortisone lowered death over a median of 5 years (18.1% versus 20.0%).",
    ],
)
def test_shares_counts_doses_and_spans_are_no_values(sentence: str) -> None:
    assert not measured(sentence)


def test_a_value_is_told_and_no_verdict_follows() -> None:
    document = trial("In EXAMPLE, the median stay was 10 days with hydrocortisone and 12 days with placebo.")
    lead = concluded("Does hydrocortisone shorten hospital stay in septic shock?", document).lead
    assert lead is not None
    assert lead.verdict is ConclusionVerdict.TOO_LITTLE
    assert figures_in_words(lead) == "10 days v 12 days"
    assert absolute_in_words(lead) == ""


def test_a_ratio_without_an_interval_goes_with_the_shares_before_it() -> None:
    sentence = (
        "Severe hypoglycaemia was uncommon but more frequent with hydrocortisone than with placebo "
        "(2.7% versus 1.5%; HR 1.86)."
    )
    (result,) = told_results(1, trial(sentence), ())
    assert result.effect is not None
    assert (result.effect.estimate, result.effect.ci_low, [arm.percent for arm in result.arms]) == (
        1.86,
        None,
        ["2.7", "1.5"],
    )


def test_no_arm_is_called_by_half_a_bracket() -> None:
    sentence = (
        "Bleeding of any kind occurred in 27% of people on hydrocortisone and 12% of people on placebo (HR 2.45; "
        "P=0.01), and major bleeding in 7 people (4%) on hydrocortisone and 2 people (2%) on placebo (P=0.48)."
    )
    for result in told_results(1, trial(sentence), ()):
        assert all(side.count("(") == side.count(")") for side in result.comparison)
