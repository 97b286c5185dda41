"""The rules that plant errors: each gives a wrong sentence, or none where it could be true after all."""

from __future__ import annotations

import re
from random import Random

import pytest

from tests.eval.fidelity import errors
from tests.eval.fidelity.errors.arms import exchange_arms
from tests.eval.fidelity.errors.names import DRUGS, RECENT_DRUGS

ABSTRACT = (
    "Drug trial\nMortality was 12.5% with aspirin and 18% with placebo (95% CI 0.52 to 0.91; P=0.04) at 12 weeks."
)


def planted(kind: str, text: str, abstract: str = "", seed: int = 1) -> str | None:
    return errors.KINDS[kind](text, abstract or f"A title\n{text}", Random(seed))


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("count told as fraction or the reverse", "Relapse occurred in 45% of patients.", "in 45 patients"),
        ("interval bounds exchanged", "The ratio was 0.7 (95% CI 0.52 to 0.91).", "0.91 to 0.52"),
        ("p value told stronger", "Mortality fell (P=0.04) with aspirin.", "P<0.0"),
        ("null result made significant", "There was no significant difference in pain.", "a significant difference"),
        ("null result made significant", "Aspirin did not reduce mortality.", "did significantly reduce"),
        ("quantifier", "Most patients recovered within a week.", "All patients recovered"),
        ("noninferior or similar made superior", "Treatment A was noninferior to B.", "superior to"),
        ("exclusion turned", "Risk fell in men but not in women.", "and also in women"),
        ("class or strength of a recommendation", "The guideline gives a weak recommendation for it.", "strong recom"),
        ("arms exchanged, by name", "Pain was lower with aspirin than with placebo.", "with placebo than with aspirin"),
        ("arms exchanged, by figure", "Relapse was 12% with aspirin and 18% with placebo.", "12% with placebo and 18%"),
        ("subgroup left out", "Risk was reduced only in women.", None),
    ],
)
def test_an_error_of_a_kind_is_planted(kind: str, text: str, expected: str | None) -> None:
    """One example of each kind that needs more than a list of words."""
    changed = planted(kind, text)
    assert (changed is None) if expected is None else (changed is not None and expected in changed)


@pytest.mark.parametrize("seed", range(20))
def test_a_planted_number_stands_nowhere_in_the_abstract(seed: int) -> None:
    """Else the sentence could be true of something else there."""
    text = ABSTRACT.split("\n")[1]
    changed = planted("number", text, ABSTRACT, seed)
    assert changed is not None
    [new] = set(re.findall(r"\d+(?:\.\d+)?", changed)) - set(re.findall(r"\d+(?:\.\d+)?", text))
    assert new not in ABSTRACT


def test_the_level_of_an_interval_and_years_are_no_results() -> None:
    """ "95%" of a confidence interval and "2004" are left alone."""
    assert planted("number", "The trial of 2004 had a wide interval (95% CI 0.5 to 0.9).") is None


def test_a_p_value_moves_to_the_other_side() -> None:
    """0.04 becomes one above 0.05, 0.3 one below."""
    assert re.search(r"P=0\.(?:64|21)", planted("p value across 0.05", "Pain fell (P=0.04).") or "")
    assert re.search(r"P<0\.001|P=0\.01", planted("p value across 0.05", "Pain fell (P=0.3).") or "")


@pytest.mark.parametrize("kind", [kind for kind in errors.KINDS if kind.startswith("drug")])
def test_a_drug_is_replaced_wherever_it_stands(kind: str) -> None:
    """And by a name the abstract does not hold."""
    changed = planted(kind, "Warfarin raised bleeding; warfarin was stopped.")
    assert changed is not None
    assert "warfarin" not in changed.lower()
    assert changed.split()[0][0].isupper()


def test_the_lists_of_drugs_do_not_overlap() -> None:
    """A recent name that is in common use would not measure recent names."""
    assert len(RECENT_DRUGS) > 200
    assert set(RECENT_DRUGS).isdisjoint(DRUGS)


def test_a_symmetric_comparison_is_not_exchanged() -> None:
    """ "No different with A than with B" stays true when A and B change places."""
    assert planted("arms exchanged, by name", "Pain was no lower with aspirin than with placebo.") is None


def test_the_arms_of_a_prompt_change_places_once() -> None:
    """Only where both names stand once, in a sentence with a direction."""
    text = "The rate was higher with heparin than with citrate."
    assert exchange_arms(text, "citrate", "heparin") == "The rate was higher with citrate than with heparin."
    assert exchange_arms("Heparin was given before citrate.", "citrate", "heparin") is None


def test_a_numbered_member_that_the_abstract_names_is_not_put_in() -> None:
    """Of an abstract about both types of diabetes nothing can be said for certain."""
    assert (
        planted("numbered entity", "Type 1 diabetes is rarer.", "On type 2 diabetes\nType 1 diabetes is rarer.") is None
    )
    assert planted("numbered entity", "Type 1 diabetes is rarer.") == "Type 2 diabetes is rarer."


def test_a_design_is_added_only_to_what_was_observed() -> None:
    """Of a trial it would be true."""
    text = "Smoking was associated with a higher risk of stroke."
    told = planted("design added", text, f"A cohort study\n{text}")
    assert told is not None
    assert "randomised" in told
    assert planted("design added", text, f"A randomised trial\n{text}") is None


def test_a_subgroup_is_left_out_where_the_abstract_tells_of_others() -> None:
    """The title must not say that all were of it."""
    text = "Mortality was reduced in patients with severe asthma."
    others = f"Inhaled steroids\n{text} There was no effect overall."
    assert planted("subgroup left out", f"{text}", others) is None  # five words are no sentence any more
    longer = "All-cause mortality at two years was reduced by inhaled steroids in patients with severe asthma."
    others = f"Inhaled steroids\n{longer} There was no effect overall."
    assert planted("subgroup left out", longer, others) == (
        "All-cause mortality at two years was reduced by inhaled steroids."
    )
    assert planted("subgroup left out", longer, f"Severe asthma\n{longer} There was no effect overall.") is None
