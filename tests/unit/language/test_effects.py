"""Direction, negation, certainty and arms of a sentence."""

from __future__ import annotations

import pytest
from openwork_language.effects.find import Certainty, Direction, conflict, find_effects, stance_of

D = Direction


def first(text: str, direction: Direction | None = None):  # type: ignore[no-untyped-def]
    return next(e for e in find_effects(text) if direction is None or e.direction is direction)


@pytest.mark.parametrize(
    ("text", "net"),
    [
        ("Apixaban reduced major bleeding.", D.LOWER),
        ("Apixaban did not reduce major bleeding.", D.NO_DIFFERENCE),
        ("Mortality was higher with dopamine than with norepinephrine.", D.HIGHER),
        ("There was no significant difference in mortality.", D.NO_DIFFERENCE),
        ("Edoxaban was noninferior to warfarin.", D.NON_INFERIOR),
        ("Rates of stroke were similar in both groups.", D.NO_DIFFERENCE),
        ("The drug improved function.", D.BETTER),
        ("Smoking was associated with death.", D.DIFFERENT),
        ("Smoking was not associated with death.", D.NO_DIFFERENCE),
        ("Women without depression had a lower risk of dementia.", D.LOWER),
    ],
)
def test_the_net_direction_counts_negation(text: str, net: Direction) -> None:
    assert net in {e.net for e in find_effects(text)}


def test_all_cause_mortality_is_no_cause() -> None:
    assert D.HIGHER not in {e.direction for e in find_effects("Death from any cause was lower; all-cause death fell.")}


def test_without_increasing_is_no_increase() -> None:
    effect = first("Aspirin reduced stroke without increasing bleeding.", D.HIGHER)
    assert effect.net is D.NO_DIFFERENCE


def test_comparator_and_outcome_are_told_apart() -> None:
    effect = first("Apixaban reduced major bleeding compared with warfarin.", D.LOWER)
    assert effect.comparator == {"warfarin"}
    assert {"major", "bleed"} <= effect.outcome
    assert "apixaban" in effect.intervention


def test_a_number_after_versus_is_no_comparator() -> None:
    assert first("Bleeding was lower with apixaban (2.1% versus 3.1%).", D.LOWER).comparator == frozenset()


@pytest.mark.parametrize(
    ("text", "certainty"),
    [
        ("It lowers mortality.", Certainty.ASSERTED),
        ("It may lower mortality.", Certainty.HEDGED),
        ("These data suggest that it lowers mortality.", Certainty.SUGGESTED),
        ("Whether it lowers mortality is unclear.", Certainty.OPEN),
        ("Patients were more likely to die.", Certainty.ASSERTED),
    ],
)
def test_certainty_is_read_from_hedges(text: str, certainty: Certainty) -> None:
    assert stance_of(text).certainty is certainty


def test_opposites_conflict_and_agreement_does_not() -> None:
    assert conflict(D.LOWER, D.HIGHER)
    assert conflict(D.NO_DIFFERENCE, D.LOWER)
    assert conflict(D.NO_DIFFERENCE, D.DIFFERENT)
    assert not conflict(D.LOWER, D.LOWER)
    assert not conflict(D.NON_INFERIOR, D.NO_DIFFERENCE)
