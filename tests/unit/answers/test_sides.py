"""Whether a result compares what a question compares: its two sides, and titles of pooled results that have none."""

from __future__ import annotations

import pytest
from openwork_answers.sides import Sides, sides_of
from openwork_answers.treatments import is_control
from openwork_contracts.conclusion import Fit

from tests.unit.answers.made import question


@pytest.mark.parametrize(
    ("asked", "title", "fit"),
    [
        ("Does dipyridamole reduce death after stroke?",
         "Dipyridamole plus aspirin versus aspirin alone after stroke: a meta-analysis", Fit.WIDER),
        # what both sides have is not what is compared
        ("Does aspirin reduce death after stroke?",
         "Dipyridamole plus aspirin versus aspirin alone after stroke: a meta-analysis", Fit.OTHER),
        ("Does aspirin reduce death after stroke?", "Aspirin after stroke: a meta-analysis of trials", Fit.ASKED),
        # of two given together a title that names one tells nothing
        ("Does aspirin plus dipyridamole reduce death after stroke?",
         "Aspirin after stroke: a meta-analysis of trials", Fit.OTHER),
    ],
)  # fmt: skip
def test_a_pooled_result_is_of_what_its_title_sets_against_something(asked: str, title: str, fit: Fit) -> None:
    assert sides_of(question(asked), (), title) == Sides(fit)


@pytest.mark.parametrize(
    ("asked", "arm", "fit"),
    [
        ("Does amlodipine reduce stroke in hypertension?", "lisinopril or amlodipine", Fit.WIDER),
        ("Does amlodipine reduce stroke in hypertension?", "amlodipine 5 mg or 10 mg", Fit.ASKED),
        ("Does amlodipine plus lisinopril reduce stroke in hypertension?", "lisinopril or amlodipine", Fit.OTHER),
        ("Does lisinopril or amlodipine reduce stroke in hypertension?", "lisinopril or amlodipine", Fit.ASKED),
        ("Does amlodipine plus lisinopril reduce stroke in hypertension?", "lisinopril plus amlodipine", Fit.ASKED),
    ],
)
def test_of_an_arm_of_one_drug_or_another_nobody_knows_who_got_which(asked: str, arm: str, fit: Fit) -> None:
    assert sides_of(question(asked), (arm, "placebo"), "Example trial").fit is fit


def test_a_class_named_with_its_route_is_another_thing_than_the_drug_beside_it() -> None:
    read = question("Starting budesonide in asthma: continue oral corticosteroids?")
    assert [idea.term for idea in read.treatments] == ["budesonide", "oral corticosteroids"]
    read = question("Is budesonide a good choice among corticosteroids in asthma?")
    assert [idea.term for idea in read.treatments] == ["budesonide"]


@pytest.mark.parametrize(
    ("title", "fit"),
    [
        ("Efficacy of statins in older people: a meta-analysis", Fit.OTHER),
        ("Discontinuation of statins in older people: a meta-analysis", Fit.ASKED),
    ],
)
@pytest.mark.parametrize("way", ["stopping statins", "taking patients off statins"])
def test_a_pooled_result_of_giving_a_drug_says_nothing_of_stopping_it(way: str, title: str, fit: Fit) -> None:
    assert sides_of(question(f"Does {way} raise mortality?"), (), title).fit is fit


@pytest.mark.parametrize(
    ("arms", "fit"),
    [
        (("restrictive transfusion (7 g/dL)", "liberal transfusion (10 g/dL)"), Fit.ASKED),  # by its unit
        (
            ("transfusion below 7 g/dL", "transfusion below 10 g/dL"),
            Fit.ASKED,
        ),  # below which, or above which one is kept
        (("transfusion below 8 g/dL", "transfusion below 9 g/dL"), Fit.OTHER),
    ],
)
def test_a_threshold_of_transfusion_is_one_whichever_side_of_it_is_named(arms: tuple[str, str], fit: Fit) -> None:
    asked = question("If I transfuse at a haemoglobin of 7 rather than keep it above 10, do fewer die?")
    assert sides_of(asked, arms, "").fit is fit


@pytest.mark.parametrize(
    ("arm", "control"),
    [
        ("no beta-blocker", True),
        ("without aspirin", True),
        ("no routine aspirin", True),
        ("no corticosteroids (two trials)", True),
        ("no aspirin, warfarin", False),
        ("no interruption of warfarin", False),
        ("without stopping aspirin", False),
        ("no aspirin or placebo", False),
        ("no statin plus ezetimibe", False),
    ],
)
def test_an_arm_told_by_the_lack_of_one_drug_is_a_control(arm: str, control: bool) -> None:
    assert is_control(arm) is control


def test_a_drug_against_no_such_drug_is_what_is_asked_about() -> None:
    read = question("Do beta-blockers reduce death compared with no beta-blockers in myasthenia?")
    assert sides_of(read, ("long-term beta-blocker", "no beta-blocker"), "Example trial") == Sides(Fit.ASKED)


def test_who_asks_against_no_such_drug_is_told_nothing_of_a_comparison_with_it() -> None:
    read = question("Does valsartan reduce death compared with no ACE inhibitor in myasthenia?")
    assert sides_of(read, ("valsartan", "enalapril"), "Example trial").fit is Fit.OTHER
    assert sides_of(read, ("valsartan", "placebo"), "Example trial").fit is Fit.ASKED
