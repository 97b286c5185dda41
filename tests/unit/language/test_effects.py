"""Direction, negation, certainty and arms of a sentence."""

from __future__ import annotations

import pytest
from openwork_language.effects.find import Certainty, Direction, conflict, find_effects, stance_of
from openwork_language.effects.valence import as_sign, valence_of

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


@pytest.mark.parametrize(
    "text",
    [
        "Patients with reduced ejection fraction took part.",
        "Half of the women with increased body mass index took part.",
        "A lower dose was given.",
        "Lower limb surgery was done.",
        "Radiation-induced fibrosis was measured.",
        "COX inhibitors were given.",
        "Women used effective contraception.",
        "Low-risk and higher-risk patients took part.",
        "More than half of the patients were women.",
        "More than 20 patients took part.",
        "At least five doses were given.",
        "Ten patients dropped out.",
    ],
)
def test_a_word_that_names_people_doses_or_places_states_no_effect(text: str) -> None:
    assert find_effects(text) == ()


def test_an_effect_beside_an_attribute_is_still_read() -> None:
    found = find_effects("The drug increased survival in patients with reduced ejection fraction.")
    assert [effect.direction for effect in found] == [D.HIGHER]


def test_what_leads_to_something_goes_where_it_leads() -> None:
    assert [effect.net for effect in find_effects("The drug leads to less pain.")] == [D.LOWER]


@pytest.mark.parametrize(
    ("text", "certainty"),
    [
        ("We tested a programme to promote activity.", Certainty.OPEN),
        ("A nurse-led intervention to reduce falls was compared with usual care.", Certainty.OPEN),
        ("The programme was found to promote activity.", Certainty.ASSERTED),
        ("The programme was able to reduce falls.", Certainty.ASSERTED),
        ("The programme reduced falls.", Certainty.ASSERTED),
    ],
)
def test_a_purpose_states_nothing_until_it_was_reached(text: str, certainty: Certainty) -> None:
    assert {effect.certainty for effect in find_effects(text)} == {certainty}


@pytest.mark.parametrize(
    "text",
    [
        "The difference was not statistically significant.",
        "The difference was not significant.",
        "The difference failed to reach statistical significance.",
        "The difference was non-significant.",
        "No significant increase in bleeding was seen.",
        "The drug did not significantly reduce bleeding.",
    ],
)
def test_what_is_not_significant_is_no_difference(text: str) -> None:
    assert D.NO_DIFFERENCE in {effect.net for effect in find_effects(text)}


def test_what_is_significant_is_one() -> None:
    assert D.NO_DIFFERENCE not in {e.net for e in find_effects("The difference was statistically significant.")}


@pytest.mark.parametrize(
    ("text", "net"),
    [
        ("There was a smaller increase in weight.", D.LOWER),
        ("There was less decline in function.", D.HIGHER),
        ("There was a greater reduction in pain with drug than with placebo.", D.LOWER),
    ],
)
def test_less_of_a_change_turns_it_and_more_of_it_does_not(text: str, net: Direction) -> None:
    assert {effect.net for effect in find_effects(text)} == {net}


@pytest.mark.parametrize(
    ("words", "valence"),
    [
        ("mortality", "bad"),
        ("stroke", "bad"),
        ("survival", "good"),
        ("quality of life", "good"),
        ("pain and function", None),
        ("oxygen", None),
    ],
)
def test_an_outcome_is_good_bad_or_neither(words: str, valence: str | None) -> None:
    assert valence_of(words) == valence


@pytest.mark.parametrize(
    ("direction", "cue", "outcome", "sign"),
    [
        (D.BETTER, "improved", "pain", D.LOWER),
        (D.BETTER, "improved", "survival", D.HIGHER),
        (D.WORSE, "worsened", "pain", D.HIGHER),
        (D.WORSE, "impaired", "memory", D.LOWER),
        (D.BETTER, "relieved", "cramps", D.LOWER),
        (D.BETTER, "improved", "oxygen", D.BETTER),
        (D.BETTER, "improved", "pain and function", D.BETTER),
        (D.BETTER, "effective", "pain", D.BETTER),
        (D.LOWER, "reduced", "survival", D.LOWER),
    ],
)
def test_better_is_less_of_what_is_bad_and_more_of_what_is_good(
    direction: Direction, cue: str, outcome: str, sign: Direction
) -> None:
    assert as_sign(direction, cue, outcome) is sign


@pytest.mark.parametrize(
    "text",
    [
        "Survival was 21 weeks with the lower dose.",
        "Median CRP was 1.9 mg/l in men with a score of 8 or higher.",
        "Exploration turned up six more tumours.",
        "A longer wait made no difference to survival.",
        "Three children needed surgery 2.5 years later.",
        "The device fell short of its target.",
        "IMPROVE-IT enrolled adults after an infarction.",
    ],
)
def test_a_comparative_that_describes_states_no_effect(text: str) -> None:
    assert not [e for e in find_effects(text) if e.net in {Direction.HIGHER, Direction.LOWER, Direction.BETTER}]


@pytest.mark.parametrize(
    "text",
    [
        "Mortality was lower with the drug than without it.",
        "Lower mortality was seen with the drug.",
        "There were six more deaths with the drug than without it.",
        "Radiation induced diarrhoea was lower with zinc than without it.",
    ],
)
def test_a_comparative_that_compares_states_one(text: str) -> None:
    assert {e.net for e in find_effects(text)} & {Direction.HIGHER, Direction.LOWER}


def test_what_was_studied_is_open_and_whether_or_not_is_stated() -> None:
    assert stance_of("This study compared the effects of ice and heat on pain.").certainty is Certainty.OPEN
    assert stance_of("We evaluated the differences between ice and heat.").certainty is Certainty.OPEN
    said = "Whether or not they smoked made no difference to pain."
    assert stance_of(said).certainty is not Certainty.OPEN


def test_nor_denies_what_stands_behind_its_subject() -> None:
    found = find_effects("Pain did not fall, nor did burden or quality of life improve.")
    assert all(effect.negated for effect in found)
