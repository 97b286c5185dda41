"""What sentences say of effects, in words and in figures, and from whose side."""

from __future__ import annotations

import pytest
from openwork_language.effects.find import Direction
from openwork_verifier.domain.stances import Stance, is_turned, likeness, seen_from, stances_in

D = Direction


def in_words(text: str) -> Stance:
    return next(stance for stance in stances_in(text) if not stance.by_figures)


def in_figures(text: str) -> list[Stance]:
    return [stance for stance in stances_in(text) if stance.by_figures]


@pytest.mark.parametrize(
    ("text", "net"),
    [
        ("Bleeding was lower with apixaban than with warfarin.", D.LOWER),
        ("Bleeding did not differ between apixaban and warfarin.", D.NO_DIFFERENCE),
        ("Pain improved with yoga.", D.LOWER),
        ("Survival improved with yoga.", D.HIGHER),
        ("Oxygen improved with yoga.", D.BETTER),
        ("Survival favoured the yoga group.", D.HIGHER),
    ],
)
def test_an_effect_in_words_has_the_sign_of_its_outcome(text: str, net: Direction) -> None:
    assert in_words(text).net is net


@pytest.mark.parametrize(
    ("text", "net"),
    [
        ("Stroke: hazard ratio 0.79 (95% CI 0.66 to 0.95).", D.LOWER),
        ("Stroke: hazard ratio 1.40 (95% CI 1.10 to 1.80).", D.HIGHER),
        ("Stroke: hazard ratio 0.90 (95% CI 0.70 to 1.20).", D.NO_DIFFERENCE),
        ("Stroke: odds ratio 0.8, P=0.01.", D.LOWER),
        ("Stroke: odds ratio 0.8, P=0.20.", D.NO_DIFFERENCE),
        ("Pain: mean difference -2.0 (95% CI -3.0 to -1.0).", D.LOWER),
        ("Pain: mean difference -2.0 (95% CI -3.0 to 1.0).", D.NO_DIFFERENCE),
        ("Stroke occurred in 12% of the drug group and 15% of the placebo group (P=0.01).", D.LOWER),
        ("Stroke occurred in 15% of the drug group and 12% of the placebo group (P=0.01).", D.HIGHER),
        ("Stroke occurred in 12% of the drug group and 15% of the placebo group (P=0.40).", D.NO_DIFFERENCE),
    ],
)
def test_figures_state_an_effect_of_their_own(text: str, net: Direction) -> None:
    assert [stance.net for stance in in_figures(text)] == [net]


@pytest.mark.parametrize(
    "text", ["Stroke: hazard ratio 0.79.", "Stroke occurred in 12% of the drug group.", "The dose was 5 mg or 10 mg."]
)
def test_a_figure_that_shows_nothing_states_nothing(text: str) -> None:
    assert in_figures(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Bleeding was lower, though this was not significant.",
        "Bleeding was lower (P=0.34).",
        "Bleeding was lower (HR 0.9, 95% CI 0.7 to 1.2).",
    ],
)
def test_a_difference_that_is_not_significant_is_weak_and_also_none(text: str) -> None:
    lower = next(stance for stance in stances_in(text) if stance.net is D.LOWER)
    assert lower.weak
    assert any(stance.net is D.NO_DIFFERENCE and not stance.weak for stance in stances_in(text))


@pytest.mark.parametrize(
    "text", ["Bleeding was lower (P=0.01).", "Bleeding was lower (HR 0.9, 95% CI 0.85 to 0.95).", "Bleeding was lower."]
)
def test_a_difference_that_is_significant_is_not_weak(text: str) -> None:
    assert not any(stance.weak or stance.net is D.NO_DIFFERENCE for stance in stances_in(text))


def test_an_aim_is_open_and_a_possibility_is_hedged() -> None:
    assert in_words("The aim was to test whether apixaban lowers stroke.").open
    assert in_words("Apixaban may lower stroke.").hedged
    plain = in_words("Apixaban lowers stroke.")
    assert not plain.open
    assert not plain.hedged


def test_the_compared_sides_are_read_in_order() -> None:
    stance = in_words("Bleeding was lower with apixaban than with warfarin.")
    assert (stance.first, stance.second) == ({"apixaban"}, {"warfarin"})


def test_each_effect_of_a_sentence_is_of_its_own_outcome() -> None:
    lower, higher = stances_in("Apixaban lowered stroke, whereas it raised cost.")
    assert lower.words["stroke"] > higher.words.get("stroke", 0.0)
    assert higher.words["cost"] > lower.words.get("cost", 0.0)


CLAIM = in_words("Bleeding was lower with apixaban than with warfarin.")


@pytest.mark.parametrize(
    ("source", "turned", "net"),
    [
        ("Bleeding was lower with apixaban than with warfarin.", False, D.LOWER),
        ("Bleeding was higher with warfarin than with apixaban.", True, D.LOWER),
        ("Bleeding was lower with warfarin than with apixaban.", True, D.HIGHER),
        ("Bleeding did not differ between warfarin and apixaban.", True, D.NO_DIFFERENCE),
    ],
)
def test_an_effect_told_for_the_other_side_is_turned(source: str, turned: bool, net: Direction) -> None:
    stance = in_words(source)
    assert is_turned(CLAIM, stance) is turned
    assert seen_from(CLAIM, stance) is net


def test_an_effect_of_the_controls_is_turned_for_a_claim_that_names_none() -> None:
    source = in_words("Falls were more frequent in the control group than in the exercise group.")
    assert seen_from(in_words("Falls were fewer with tai chi."), source) is D.LOWER


def test_effects_are_alike_by_the_words_near_them() -> None:
    same = in_words("Apixaban reduced bleeding relative to warfarin.")
    other = in_words("Apixaban reduced hospital stay relative to warfarin.")
    assert likeness(CLAIM, same) > likeness(CLAIM, other)
    assert all(0 <= likeness(CLAIM, stance) <= 1 for stance in (CLAIM, same, other))


def test_effects_without_a_common_word_are_not_alike() -> None:
    assert likeness(CLAIM, in_words("Yoga improved sleep.")) == 0
