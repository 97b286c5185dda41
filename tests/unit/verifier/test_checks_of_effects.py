"""Two effects of one sentence, each beside its own; what a claim's own figures show; what is almost as like."""

from __future__ import annotations

import pytest
from openwork_contracts.verdict import ReasonCode, Verdict
from verdicts import codes, judged

C = ReasonCode
SURGERY = (
    "Dexamethasone with ibuprofen was significantly superior to ibuprofen alone for the relief of pain and of swelling "
    "(P < 0.05). However, there was no significant difference for trismus relief between the two drug protocols."
)
HBA1C = (
    "Dapagliflozin 10 mg reduced HbA1c compared with placebo at week 26. "
    "Higher proportions of subjects reaching HbA1c below 7% were observed with dapagliflozin than with placebo."
)
LEVELS = (
    "E. coli was found in 77% of the intervention villages and 82% of the control villages, no difference (P=0.30)."
)


def test_each_effect_of_a_sentence_is_weighed_with_its_own() -> None:
    right = (
        "Dexamethasone with ibuprofen was superior to ibuprofen alone for pain (P < 0.05), whereas trismus relief "
        "showed no significant difference."
    )
    assert judged(right, SURGERY).verdict is Verdict.SUPPORTED
    wrong = (
        "Dexamethasone with ibuprofen was superior to ibuprofen alone for trismus relief, whereas pain did not differ."
    )
    assert judged(wrong, SURGERY).verdict is not Verdict.SUPPORTED


def test_of_two_effects_almost_as_like_the_nearer_one_decides() -> None:
    wrong = "Dapagliflozin 10 mg was associated with higher HbA1c than placebo."
    assert judged(wrong, HBA1C).verdict is not Verdict.SUPPORTED
    assert judged("Dapagliflozin 10 mg lowered HbA1c compared with placebo.", HBA1C).verdict is Verdict.SUPPORTED


def test_figures_of_two_sides_say_of_no_effect_that_there_is_one() -> None:
    told = "E. coli was found in 77% of the intervention villages and in 82% of the control villages."
    assert judged(told, LEVELS).verdict is Verdict.SUPPORTED
    claimed = "E. coli was significantly rarer in the intervention villages (77%) than in the control villages (82%)."
    assert C.NULL_RESULT in codes(judged(claimed, LEVELS))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Falls were fewer with tai chi (HR 0.71, 95% CI 0.60 to 0.84).", True),
        ("Falls were more frequent with tai chi (HR 0.71, 95% CI 0.60 to 0.84).", False),
    ],
)
def test_a_ratio_of_the_source_shows_the_direction_of_the_claim(text: str, shown: bool) -> None:
    source = "For falls with tai chi the hazard ratio was HR 0.71 (95% CI 0.60 to 0.84)."
    assert (judged(text, source).verdict is Verdict.SUPPORTED) is shown


ONE_SIDE = (
    "Stroke was less frequent with apixaban than with warfarin (1.27% versus 1.60% per year). Death from any cause was "
    "less frequent with apixaban (3.52% v 3.94% per year; HR 0.89, 95% CI 0.80 to 0.998)."
)


def test_a_source_that_names_one_side_behind_its_effect_speaks_of_that_side() -> None:
    """ "Less frequent with A (2% v 3%)": what A is compared with goes without saying, and cannot be what had less."""
    for right in (
        "Apixaban lowered death from any cause compared with warfarin.",
        "Death from any cause was more frequent with warfarin than with apixaban.",
        "Death from any cause was less frequent with apixaban.",
    ):
        assert judged(right, ONE_SIDE).verdict is Verdict.SUPPORTED, right
    for wrong in (
        "Warfarin lowered death from any cause compared with apixaban.",
        "Death from any cause was less frequent with warfarin than with apixaban.",
    ):
        assert C.ARMS_SWAPPED in codes(judged(wrong, ONE_SIDE)), wrong
