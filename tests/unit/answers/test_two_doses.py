"""Two doses of one drug in one bracket, each against the other drug."""

from __future__ import annotations

from openwork_answers.two_doses import two_doses_in

SENTENCE = "Nausea was more frequent with bupropion (14.2% with 150 mg and 17.9% with 300 mg) than with placebo (6.1%)."


def test_each_dose_is_set_against_the_other_drug() -> None:
    found = two_doses_in(SENTENCE)
    assert [(one.outcome.casefold(), one.comparison, [arm.percent for arm in one.arms]) for one in found] == [
        ("nausea", ("bupropion 150 mg", "placebo"), ["14.2", "6.1"]),
        ("nausea", ("bupropion 300 mg", "placebo"), ["17.9", "6.1"]),
    ]


def test_nothing_is_read_where_the_figures_go_another_way_or_no_other_drug_is_named() -> None:
    assert two_doses_in(SENTENCE.replace("more frequent", "less frequent")) == ()
    assert two_doses_in("Nausea was more frequent with bupropion (14.2% with 150 mg and 17.9% with 300 mg).") == ()
