"""What an abstract says elsewhere: short forms, who got what, what a response is of, the arm that a title sets against.

All abstracts are invented.
"""

from __future__ import annotations

from openwork_answers.told import told_results
from openwork_answers.valued import is_bad_by_name
from openwork_contracts.evidence import AbstractPart

from tests.unit.answers.made import record


def told(title: str, *sentences: str) -> list[tuple[str, tuple[str, ...], tuple[str | None, ...]]]:
    work = record(title, abstract=tuple(AbstractPart(text=sentence) for sentence in sentences))
    return [(r.outcome, r.comparison, tuple(arm.percent for arm in r.arms)) for r in told_results(1, work, ())]


def test_a_group_is_called_by_what_the_abstract_says_it_received() -> None:
    found = told(
        "Prevention of gout flares",
        "Group A (n = 40) received febuxostat 40 mg daily, and Group B (n = 41) received placebo once daily.",
        "Flares occurred in 12% of patients in Group A and 31% of patients in Group B.",
    )
    assert found == [("Flares", ("febuxostat 40 mg", "placebo"), ("12", "31"))]


def test_a_short_form_that_the_abstract_defines_is_read_in_full() -> None:
    found = told(
        "Sedation in endoscopy",
        "The overall response rate (ORR) to dexmedetomidine (DEX) or midazolam (MID) was the primary end point.",
        "Postoperative shivering (PS) occurred in 9% of patients in the DEX group and in 28% in the MID group.",
        "PS was mild in all.",
    )
    assert [(outcome, shares) for outcome, _, shares in found] == [("Postoperative shivering", ("9", "28"))]


def test_a_bare_response_is_of_the_symptom_that_is_relieved() -> None:
    found = told(
        "Ketotifen in allergic conjunctivitis",
        "Ketotifen was better than placebo in relieving pruritus at all times.",
        "The treatment response rate was 61% for ketotifen and 16% for placebo.",
    )
    assert found == [("pruritus response rate", ("ketotifen", "placebo"), ("61", "16"))]
    assert is_bad_by_name("pruritus response rate") is False


def test_the_arm_that_a_sentence_does_not_name_is_the_one_that_the_title_sets_against_it() -> None:
    sentence = "The recurrence of uveitis (5% vs 17%, p=0.01) was significantly lower in the adalimumab group."
    assert [found[1:] for found in told("Adalimumab versus methotrexate in uveitis", sentence)] == [
        (("Adalimumab", "methotrexate"), ("5", "17"))
    ]
    assert told("Treatment of uveitis", sentence) == []


def test_words_and_figures_that_go_different_ways_name_no_arm() -> None:
    sentence = "The recurrence of uveitis (17% vs 5%, p=0.01) was significantly lower in the adalimumab group."
    assert told("Adalimumab versus methotrexate in uveitis", sentence) == []


def test_who_responds_or_is_free_of_a_symptom_fares_well() -> None:
    assert is_bad_by_name("seizure freedom") is False
    assert is_bad_by_name("headache response rates") is False
    assert is_bad_by_name("cure rate of gonorrhea") is False
    assert is_bad_by_name("relapse rate") is True
