"""Outcomes that leave a cause or a kind out are others than the whole, and the same under either wording."""

from __future__ import annotations

import pytest
from openwork_answers.excluded_causes import without_cause
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import read_outcome
from openwork_contracts.conclusion import Fit


@pytest.mark.parametrize(
    ("told", "asked", "fit"),
    [
        ("major bleeding not related to coronary-artery bypass grafting", "non-CABG major bleeding", Fit.ASKED),
        ("major bleeding not related to bypass surgery", "Non-CABG major bleeding", Fit.ASKED),
        ("major bleeding not related to bypass surgery", "major bleeding related to bypass surgery", Fit.OTHER),
        ("hospitalization for heart failure", "hospitalization not related to heart failure", Fit.OTHER),
        ("major bleeding unrelated to bypass surgery", "non-CABG-related major bleeding", Fit.ASKED),
        ("major bleeding not related to coronary bypass surgery", "major bleeding", Fit.PART),
        ("total major bleeding", "non-CABG major bleeding", Fit.WIDER),
        ("mortality not related to cancer", "death other than from cancer", Fit.ASKED),
        ("noncardiovascular death", "cardiovascular death", Fit.OTHER),
        ("non-cardiovascular death", "cardiovascular death", Fit.OTHER),
        ("non-cardiovascular death", "noncardiovascular death", Fit.ASKED),
        ("non-vertebral fracture", "vertebral fracture", Fit.OTHER),
        ("nonvertebral fractures", "non-vertebral fracture", Fit.ASKED),
        ("non-major bleeding", "major bleeding", Fit.OTHER),
        ("non-relapse mortality", "relapse", Fit.OTHER),
        ("non-severe hypoglycaemia", "severe hypoglycaemia", Fit.OTHER),
        ("non-Hodgkin lymphoma", "non-Hodgkin lymphoma", Fit.ASKED),
        ("noninvasive ventilation", "non-invasive ventilation", Fit.ASKED),
        ("invasive ventilation", "non-invasive ventilation", Fit.OTHER),
        ("non-fatal MI", "nonfatal myocardial infarction", Fit.ASKED),
    ],
)
def test_what_is_left_out_makes_another_outcome(told: str, asked: str, fit: Fit) -> None:
    assert fit_of(read_outcome(told), read_outcome(asked)) is fit


@pytest.mark.parametrize("text", ["non-severe hypoglycaemia", "nonfatal stroke", "death not prevented", "non-response"])
def test_only_what_a_lexicon_knows_is_a_cause(text: str) -> None:
    assert without_cause(text) == (text, None)


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("gastrointestinal bleeding (major)", "major GI bleeding"),
        ("stroke (nonfatal)", "nonfatal stroke"),
        ("stroke (ischemic)", "ischaemic stroke"),
        ("death (cardiovascular)", "cardiovascular death"),
        ("possible hypersensitivity", "hypersensitivity reactions"),
        ("birth weight above 4,000 g", "babies weighing over 4 kg"),
    ],
)
def test_a_kind_behind_the_name_and_other_words_for_it(told: str, asked: str) -> None:
    assert fit_of(read_outcome(told), read_outcome(asked)) in {Fit.ASKED, Fit.PART}


def test_a_kind_behind_the_name_is_no_other_kind() -> None:
    assert fit_of(read_outcome("stroke (ischemic)"), read_outcome("haemorrhagic stroke")) is Fit.OTHER
    assert fit_of(read_outcome("death (cardiovascular)"), read_outcome("death from any cause")) is not Fit.ASKED


def test_weight_gain_answers_a_question_about_weight_and_more_births_of_small_children_none_about_large_ones() -> None:
    assert fit_of(read_outcome("weight gain (kg)"), read_outcome("weight")) is Fit.PART
    small, large = read_outcome("birth weight below 2,500 g"), read_outcome("babies weighing over 4 kg")
    assert fit_of(small, large) is Fit.OTHER
