"""What is told beside "not found": results of people of whom less is told, and never of those who are others."""

from __future__ import annotations

import pytest
from openwork_answers.forms import lines_of
from openwork_answers.nearest import as_nearest
from openwork_contracts.conclusion import ConclusionVerdict, Fit

from tests.unit.answers.made import DAPA_HF, concluded, ratio, record, result

V = ConclusionVerdict
EXAMPLE = record(
    "Example A: apixaban or warfarin in patients with atrial fibrillation",
    "We compared apixaban with warfarin in patients with atrial fibrillation, and excluded patients with a mechanical "
    "valve.",
    results=(result("stroke", ratio(0.6, 0.45, 0.8), (("apixaban", 60, 1000), ("warfarin", 100, 1000))),),
)


def test_words_that_no_list_knows_are_left_out_and_that_is_said() -> None:
    found = concluded("Does apixaban prevent stroke in smartwatch wearers with atrial fibrillation?", EXAMPLE)
    assert found.verdict is V.NOT_FOUND
    assert found.lead is None
    assert [r.outcome for r in found.nearest] == ["stroke"]
    (line,) = lines_of(found)
    assert line.text.startswith(f'Where "{found.nearest_without[0]}" is not told: stroke was less frequent')
    assert line.citations == (1,)


def test_drugs_that_people_take_besides_are_left_out_and_that_is_said() -> None:
    found = concluded("Does apixaban prevent stroke in patients on metformin with atrial fibrillation?", EXAMPLE)
    assert (found.verdict, found.lead) == (V.NOT_FOUND, None)
    assert [r.outcome for r in found.nearest] == ["stroke"]
    assert found.nearest_without == ("on metformin",)


def test_a_disease_in_an_adjective_that_a_source_does_not_tell_is_said_not_to_be_told() -> None:
    found = concluded("Does apixaban prevent stroke in diabetic patients with atrial fibrillation?", EXAMPLE)
    assert (found.verdict, found.lead) == (V.NOT_FOUND, None)
    assert [r.outcome for r in found.nearest] == ["stroke"]
    assert found.nearest_without == ("diabetic people",)


@pytest.mark.parametrize(
    "question",
    [
        "Does apixaban prevent stroke in pregnant women with atrial fibrillation?",
        "Does apixaban prevent stroke in children with atrial fibrillation?",
        "Does apixaban prevent stroke in atrial fibrillation with cirrhosis?",  # known, and another disease
        "Does apixaban prevent stroke in atrial fibrillation in people on haemodialysis?",
        "Does apixaban prevent stroke in atrial fibrillation with an eGFR of 12?",
        "Does apixaban prevent stroke in atrial fibrillation with a mechanical valve?",  # left out by the source
        "Does apixaban prevent stroke in antiphospholipid syndrome?",  # the only disease
        "Does apixaban prevent baldness in smartwatch wearers with atrial fibrillation?",  # another outcome
        "Does edoxaban prevent stroke in smartwatch wearers with atrial fibrillation?",  # another drug
    ],
)
def test_of_people_who_are_others_nothing_stands_near(question: str) -> None:
    found = concluded(question, EXAMPLE)
    assert found.lead is None
    assert found.nearest == ()


def test_results_that_are_too_little_to_answer_with_stand_near_without_a_verdict() -> None:
    answered = concluded("Does dapagliflozin reduce death in heart failure?", DAPA_HF)
    assert answered.lead is not None
    near = as_nearest(answered)
    assert (near.verdict, near.lead, near.harms) == (V.NOT_FOUND, None, ())
    assert near.nearest[0] == answered.lead
    assert as_nearest(near) == near


def test_of_another_comparison_nothing_stands_near() -> None:
    answered = concluded("Does dapagliflozin reduce death in heart failure?", DAPA_HF)
    assert answered.lead is not None
    other = answered.model_copy(update={"lead": answered.lead.model_copy(update={"comparison_fit": Fit.WIDER})})
    assert as_nearest(other) == other
