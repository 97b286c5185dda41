"""The soft part of the gate: figures of likeness, and the entailment shares."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.verdict import EvidenceItem
from openwork_verifier.domain.coefficients import COEFFICIENTS
from openwork_verifier.domain.entailment import entailment_of
from openwork_verifier.domain.likeness import FEATURES, Likeness, likeness_of, values_of
from openwork_verifier.domain.passages import read_passage
from openwork_verifier.domain.polarity import denied, turned_words
from openwork_verifier.domain.support import find_support


def likeness(claim: str, text: str) -> Likeness:
    passages = [read_passage(EvidenceItem(n=1, text=text))]
    return likeness_of(claim, find_support(claim, passages), passages)


def test_every_feature_has_coefficients_and_no_other_has() -> None:
    assert tuple(COEFFICIENTS) == FEATURES


@given(st.text(max_size=120), st.text(max_size=120))
def test_figures_are_bounded_and_shares_add_up(claim: str, text: str) -> None:
    """Any two texts: every figure lies in [0, 3], the entailment shares add up to 1."""
    found = likeness(claim, text)
    assert all(0 <= value <= 3 for value in values_of(found))
    shares = entailment_of(found)
    assert abs(shares.entailed + shares.refuted + shares.neutral - 1) < 1e-9


def test_a_member_of_a_class_bears_out_the_class() -> None:
    """What was found of a drug is found of a drug of its class; words of the claim count as held."""
    alone = likeness(
        "SGLT2 inhibitors lowered heart failure admissions.", "Empagliflozin lowered heart failure admissions."
    )
    other = likeness(
        "SGLT2 inhibitors lowered heart failure admissions.", "Metoprolol lowered heart failure admissions."
    )
    assert alone.best > other.best


def test_an_effect_the_other_way_opposes() -> None:
    with_it = likeness("The drug lowered mortality.", "Mortality was reduced by the drug.")
    against = likeness("The drug lowered mortality.", "Mortality was increased by the drug.")
    assert with_it.agreeing > 0 == with_it.opposing
    assert against.opposing > 0 == against.agreeing


def test_what_only_one_of_two_sentences_denies_differs() -> None:
    text = "Smoking was not required for the diagnosis of emphysema."
    assert likeness("Smoking was required for the diagnosis of emphysema.", text).denial_differs > 0
    assert likeness("Smoking was not required for a diagnosis of emphysema.", text).denial_differs == 0


def test_a_negation_reaches_to_the_end_of_its_clause() -> None:
    assert "fever" in denied("There was no fever, but cough was common.")
    assert "cough" not in denied("There was no fever, but cough was common.")


def test_opposites_are_found_only_where_the_word_itself_is_not() -> None:
    assert turned_words("The test was positive.", "The test was negative.")
    assert not turned_words("The test was positive.", "It was positive in ten and negative in two.")
