"""Noninferiority: that it was tested, against which margin, what came of it, and how it is said."""

from __future__ import annotations

import pytest
from openwork_answers.directions import asked_direction
from openwork_answers.figures_in_words import effect_in_words
from openwork_answers.forms import lines_of
from openwork_answers.noninferiority import margins_in, says_met
from openwork_contracts.conclusion import ConclusionVerdict
from openwork_contracts.evidence import EvidenceCandidate

from tests.unit.answers.made import concluded, ratio, record, result

V = ConclusionVerdict
COUNTS = (("cefalexin for 5 days", 40, 400), ("cefalexin for 10 days", 42, 400))
QUESTION = "Is 5 days of cefalexin as good as 10 days for treatment failure in cellulitis?"


def trial(told: str = "", *, effect: object = None, outcome: str = "treatment failure", **changes: object):
    """An invented trial of a short course in cellulitis."""
    text = f"We compared cefalexin for 5 days with cefalexin for 10 days in adults with cellulitis. {told}"
    one = result(outcome, effect, COUNTS, "30 days")  # type: ignore[arg-type]
    return record("Cefalexin for 5 or 10 days in cellulitis", text, results=(one,), **changes)


def said(document: EvidenceCandidate, question: str = QUESTION) -> str:
    return lines_of(concluded(question, document))[0].text


def test_an_interval_within_the_margin_is_not_inferior_and_the_margin_is_printed() -> None:
    effect = ratio(-0.005, -0.047, 0.037, "RD", tested="non-inferiority", margin="6 percentage points")
    conclusion = concluded(QUESTION, trial(effect=effect))
    first = lines_of(conclusion)[0].text
    assert conclusion.verdict is V.NONINFERIOR
    assert first.startswith("Yes, not inferior in cellulitis: ")
    assert "within the noninferiority margin of 6 percentage points" in first


def test_an_interval_that_passes_the_margin_is_not_shown_to_be_as_good() -> None:
    effect = ratio(-0.005, -0.047, 0.037, "RD", tested="non-inferiority", margin="3 percentage points")
    first = said(trial(effect=effect))
    assert first.startswith("Not shown to be as good in cellulitis: ")
    assert "the interval passes the noninferiority margin of 3 percentage points" in first


def test_of_a_good_outcome_the_margin_lies_on_the_lower_side() -> None:
    effect = ratio(-0.01, -0.04, 0.09, "RD", tested="non-inferiority", margin="5 percentage points")
    question = "Is 5 days of cefalexin as good as 10 days for cure in cellulitis?"
    assert concluded(question, trial(effect=effect, outcome="cure")).verdict is V.NONINFERIOR


def test_a_margin_that_is_nowhere_stated_is_said_to_be_absent() -> None:
    told = "Treatment failure was noninferior with 5 days (HR 0.95, 95% CI 0.60 to 1.50)."
    first = said(trial(told, effect=ratio(0.95, 0.60, 1.50)))
    assert first.startswith("Yes, not inferior")
    assert "margin not stated in what was found" in first


def test_the_margin_may_stand_in_the_sources_sentences() -> None:
    told = (
        "It was a noninferiority trial with a margin of 1.6 for the hazard ratio. "
        "Cefalexin for 5 days was noninferior to 10 days."
    )
    first = said(trial(told, effect=ratio(0.95, 0.60, 1.50)))
    assert "within the noninferiority margin of a hazard ratio of 1.6" in first


def test_what_the_source_denies_is_not_shown_whatever_one_interval_says() -> None:
    told = "In the per-protocol analysis, cefalexin for 5 days was not shown to be noninferior."
    effect = ratio(-0.005, -0.047, 0.037, "RD", tested="non-inferiority", margin="6 percentage points")
    assert concluded(QUESTION, trial(told, effect=effect)).verdict is V.NOT_SHOWN


def test_no_difference_without_a_test_is_not_as_good() -> None:
    conclusion = concluded(QUESTION, trial(effect=ratio(0.95, 0.60, 1.50)))
    first = lines_of(conclusion)[0].text
    assert conclusion.verdict is V.NOT_SHOWN
    assert first.startswith("Not shown to be as good")
    assert "no test against a noninferiority margin was found" in first


def test_a_worse_result_answers_no_to_as_good() -> None:
    effect = ratio(1.9, 1.2, 3.0, "HR", tested="non-inferiority", margin="hazard ratio 1.4")
    first = said(trial(effect=effect))
    assert first.startswith("No, worse in cellulitis: ")


def test_a_noninferior_result_that_is_wholly_worse_says_so() -> None:
    effect = ratio(1.3, 1.1, 1.5, "HR", tested="non-inferiority", margin="hazard ratio 1.6")
    first = said(trial(effect=effect))
    assert first.startswith("Yes, not inferior")
    assert "was more frequent with cefalexin for 5 days" in first


def test_a_question_for_less_is_answered_by_noninferiority_without_yes_or_no() -> None:
    effect = ratio(0.95, 0.60, 1.50, "HR", tested="non-inferiority", margin="hazard ratio 1.6")
    first = said(
        trial(effect=effect), "Does 5 days of cefalexin reduce treatment failure versus 10 days in cellulitis?"
    )
    assert first.startswith("Not inferior, and not shown to be better in cellulitis: ")


def test_a_better_result_of_such_a_trial_stays_better() -> None:
    effect = ratio(0.5, 0.3, 0.8, "HR", tested="non-inferiority", margin="hazard ratio 1.6")
    assert concluded(QUESTION, trial(effect=effect)).verdict is V.BENEFIT


def test_asked_the_other_way_round_the_test_is_not_told_as_the_old_treatments() -> None:
    effect = ratio(0.95, 0.60, 1.50, "HR", tested="non-inferiority", margin="hazard ratio 1.6")
    question = "Is 10 days of cefalexin as good as 5 days for treatment failure in cellulitis?"
    conclusion = concluded(question, trial(effect=effect))
    assert conclusion.lead is not None
    assert conclusion.lead.noninferiority is None
    assert conclusion.verdict is V.NOT_SHOWN


def test_counts_are_held_against_an_interval_of_another_level_at_that_level() -> None:
    effect = ratio(0.95, 0.66, 1.37, "HR", ci_level=0.9)
    conclusion = concluded(QUESTION, trial(effect=effect))
    assert conclusion.lead is not None
    assert conclusion.lead.absolute is not None


@pytest.mark.parametrize(
    ("sentence", "met"),
    [
        ("Ertapenem was noninferior to ceftriaxone for cure.", True),
        ("Fosfomycin met the prespecified criterion for noninferiority.", True),
        ("Noninferiority of the shorter course was not demonstrated.", False),
        ("The trial failed to show noninferiority.", False),
        ("It did not reduce relapse and was noninferior.", True),
        ("We did not demonstrate that two doses are noninferior to three doses.", False),
        ("The upper limit exceeded the noninferiority margin.", False),
        ("We asked whether oral step-down is noninferior to intravenous treatment.", None),
        ("This noninferiority trial was double-blind.", None),
        ("Deaths did not differ.", None),
        ("It was noninferior but not superior.", True),
    ],
)
def test_what_a_sentence_says_of_the_test(sentence: str, met: bool | None) -> None:
    assert says_met(sentence) is met


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the noninferiority margin was 8 percentage points (90% CI)", ["8 percentage points"]),
        ("a margin of -10%", ["10 percentage points"]),
        ("1.30 for the upper bound of the 95% interval of the hazard ratio", ["a hazard ratio of 1.3"]),
        ("a margin of 2 events per 100 person-years", ["2 events per 100 person-years"]),
        ("no more than the control", []),
    ],
)
def test_margins_are_read_with_their_kind(text: str, words: list[str]) -> None:
    assert [margin.words for margin in margins_in(text)] == words


@pytest.mark.parametrize(
    ("question", "direction"),
    [
        ("Is edoxaban as effective as warfarin for recurrent clots?", "as good"),
        ("Does oral iron work as well as IV iron in pregnancy?", "as good"),
        ("Are 3 days of nitrofurantoin enough for cystitis?", "as good"),
        ("Is linezolid non inferior to vancomycin for MRSA pneumonia?", "as good"),
        ("Does lithium reduce suicide as well as relapse?", "lower"),
        ("Is warfarin better than aspirin?", "better"),
    ],
)
def test_whether_a_question_asks_for_as_good(question: str, direction: str) -> None:
    assert asked_direction(question) == direction


def test_courses_of_whatever_the_disease_is_treated_with_are_two_sides() -> None:
    document = record(
        "Shorter treatment of osteomyelitis: a randomised trial",
        "We compared 6 weeks with 12 weeks of treatment in adults with osteomyelitis.",
        results=(
            result(
                "treatment failure",
                ratio(1.0, 0.7, 1.4),
                (("treatment, 6 weeks", 40, 300), ("treatment, 12 weeks", 40, 300)),
            ),
        ),
    )
    for text in (
        "Is 6 weeks of treatment as good as 12 weeks in osteomyelitis?",
        "Osteomyelitis: is 6 wk treatment as good as 12?",
    ):
        lead = concluded(text, document).lead
        assert lead is not None, text
        assert lead.comparison == ("treatment, 6 weeks", "treatment, 12 weeks")


def test_a_one_sided_limit_is_printed() -> None:
    effect = ratio(0.97, 0.5, 1.16, "IRR").model_copy(update={"ci_low": None})
    assert effect_in_words(effect) == "IRR 0.97 (upper limit 1.16)"
