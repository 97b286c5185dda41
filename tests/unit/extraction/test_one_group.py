"""A study has one group only where nothing tells of a second one and it says that it compares before and after."""

from __future__ import annotations

from dataclasses import replace

import pytest
from openwork_contracts.evidence import TrialArm
from openwork_extraction.one_group import has_one_group, is_plain_control

from tests.unit.extraction.papers import paper, table

METHODS = (
    "We did a before and after study. Nurses of one ward were taught for two days; falls were counted for a month."
)
ROW = "Falls, n (%) | 30 (10.0) | 15 (5.0)"
TABLE = table(" | Before | After", ROW)


def test_a_study_that_compares_before_and_after_has_one_group() -> None:
    assert has_one_group(paper(TABLE, methods=METHODS))


@pytest.mark.parametrize(
    "sentence",
    [
        "Wards were randomised to teaching or to none.",
        "A second ward served as the control group.",
        "Patients received sham stimulation on another day.",
        "In group A, nurses were taught.",
        "We compared both groups by the chi-square test.",
        "Each participant completed the sessions in a counterbalanced order.",
        "There were 20 patients in the intervention arm.",
        "Rats (n = 8 per group) were weighed.",
    ],
)
def test_any_sentence_of_a_second_group_decides(sentence: str) -> None:
    assert not has_one_group(paper(TABLE, methods=f"{METHODS} {sentence}"))


@pytest.mark.parametrize(
    "sentence",
    [
        "There was no control group.",
        "A larger randomised trial with a control group is needed.",
        "We held focus groups to design the course.",
        "Falls were counted for all age groups.",
    ],
)
def test_a_group_that_is_denied_or_still_to_come_or_no_arm_is_none(sentence: str) -> None:
    assert has_one_group(paper(TABLE, methods=f"{METHODS} {sentence}"))


def test_a_trial_to_come_hides_no_allocation_that_was_made() -> None:
    """ "Further" beside people who were randomised: the sentence still tells of groups."""
    assert not has_one_group(paper(TABLE, methods=f"{METHODS} A further 20 patients were randomised to teaching."))


@pytest.mark.parametrize(
    "header",
    [
        " | Teaching group | Other ward",
        " | Teaching (n = 30) | No teaching (n = 31)",
        " | Taught | Controls",
    ],
)
def test_headings_that_name_groups_decide(header: str) -> None:
    assert not has_one_group(paper(TABLE, table(header, ROW), methods=METHODS))


def test_without_words_of_before_and_after_nothing_is_sure() -> None:
    assert not has_one_group(paper(TABLE, methods="Nurses were taught; falls were counted for a month."))


def test_an_abstract_alone_does_not_tell() -> None:
    assert not has_one_group(paper(abstract=METHODS))


@pytest.mark.parametrize("comparator", ["control", "Control group", "no intervention", "No-treatment"])
def test_a_control_without_a_name_is_plain(comparator: str) -> None:
    assert is_plain_control(comparator)


@pytest.mark.parametrize("comparator", ["placebo", "usual care", "warfarin control", "phase II programme", "", "sham"])
def test_a_treatment_or_care_with_a_name_is_not_plain(comparator: str) -> None:
    assert not is_plain_control(comparator)


def test_two_arms_of_a_registration_decide() -> None:
    study = paper(TABLE, methods=METHODS)
    arms = (TrialArm(name="Teaching"), TrialArm(name="Waiting"))

    assert has_one_group(replace(study, arms=arms[:1]))
    assert not has_one_group(replace(study, arms=arms))
