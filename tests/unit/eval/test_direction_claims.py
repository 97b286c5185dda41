"""Claims of direction by template: grammatical, drawn with a seed, and right or wrong for certain."""

from __future__ import annotations

from random import Random

import pytest
from openwork_contracts.verdict import EvidenceItem

from tests.eval.fidelity import directions
from tests.eval.fidelity.prompt_words import Arm, Outcome, read_arm, read_outcome

EVIDENCE = EvidenceItem(n=1, title="Citrate", text="Nausea was rarer with citrate than with heparin.")


def prompt(label: int, outcome: str = "nausea") -> directions.Prompt:
    read = read_outcome(outcome)
    assert read is not None
    found = {directions.FORMS[0]: EVIDENCE}
    return directions.Prompt("1", read, Arm("citrate", True), Arm("heparin", True), label, found)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("group D received dexmedetomidine 0.04 ug/(kg·h)", "dexmedetomidine 0.04 ug/(kg·h)"),
        ("elobixibat (5, 10, or 15&amp;amp;nbsp;mg)", "elobixibat"),
        ("etanercept and methotrexate (ETN + MTX)", "etanercept and methotrexate (ETN + MTX)"),
        ("control group - only the HAART regimen", "only the HAART regimen"),
    ],
)
def test_an_arm_reads_as_one_thing(typed: str, name: str) -> None:
    """What annotators typed into a form becomes a phrase."""
    arm = read_arm(typed)
    assert arm is not None
    assert arm.name == name


@pytest.mark.parametrize(
    "typed", ["did not participate in any training", "A //// B", "AZD3199, formoterol", "baseline", "from age 6 months"]
)
def test_what_is_no_single_arm_is_turned_away(typed: str) -> None:
    """Nothing that is said of it could be right for certain."""
    assert read_arm(typed) is None


def test_an_outcome_that_names_a_direction_is_told_apart() -> None:
    """ "Greater improvement" is what the label says; of "reduction of" and "change in" annotators disagreed."""
    assert read_outcome("improvement in the FACIT-Fatigue scale").allows_effects  # type: ignore[union-attr]
    assert not read_outcome("reduction of cough severity").allows_effects  # type: ignore[union-attr]
    assert read_outcome("1)I believe this treatment would help") is None


def test_right_claims_tell_the_labelled_direction_and_wrong_ones_another() -> None:
    """Of an effect: right, opposite, and denied."""
    by_kind: dict[str, list[str]] = {}
    for kind, text, right in directions.claims(prompt(-1), Random(3)):
        assert right == (kind == directions.RIGHT)
        by_kind.setdefault(kind, []).append(text)
    assert all(any(w in t for w in ("lower", "reduc", "decreas", "less")) for t in by_kind[directions.RIGHT])
    assert all(any(w in t for w in ("higher", "increas", "more ")) for t in by_kind[directions.OPPOSITE])
    assert all(any(w in t for w in ("not ", "no ", "similar")) for t in by_kind[directions.NULL_OF_EFFECT])
    assert {len(texts) for texts in by_kind.values()} == {directions.PER_KIND}


def test_of_a_null_result_only_significant_effects_are_claimed() -> None:
    """ "Higher" alone may be true of the figures."""
    for kind, text, right in directions.claims(prompt(0), Random(3)):
        assert right == (kind == directions.RIGHT_NULL)
        assert right or "significant" in text


def test_a_claim_is_drawn_the_same_every_time() -> None:
    """A first run and a later one must be about the same claims."""
    assert list(directions.claims(prompt(1), Random("7"))) == list(directions.claims(prompt(1), Random("7")))


def test_an_arm_that_is_no_noun_stands_in_no_noun_s_place() -> None:
    """ "Without a social media experience reduced optimism" is no sentence."""
    outcome = Outcome("optimism", plural=False)
    found = {directions.FORMS[0]: EVIDENCE}
    of_phrases = directions.Prompt("1", outcome, Arm("with media", False), Arm("without media", False), 1, found)
    texts = [text for _, text, _ in directions.claims(of_phrases, Random(1))]
    assert texts
    assert not any(text.startswith("With media") for text in texts)
    assert not any("with with" in text or "with without" in text for text in texts)


def test_evidence_that_names_no_arm_is_told_apart() -> None:
    """ "There was no difference between the groups" supports nothing about citrate."""
    assert directions.names_all(prompt(-1), EVIDENCE)
    assert not directions.names_all(prompt(-1), EvidenceItem(n=1, text="The groups did not differ in nausea."))
