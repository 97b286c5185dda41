"""A question in words that no list has, read in those of what was found: what answers it, and what must not."""

from __future__ import annotations

import pytest
from openwork_contracts.conclusion import ConclusionVerdict, Fit
from openwork_contracts.evidence import EvidenceCandidate

from tests.unit.answers.made import concluded, ratio, record, result

FUSION = record(
    "Instrumented fusion or bracing alone for thoracolumbar burst fractures",
    "We randomly assigned adults with a burst fracture of the spine to instrumented fusion or to bracing alone.",
    results=(
        result("return to work", ratio(0.8, 0.7, 0.92, "RR"), (("instrumented fusion", 80, 200), ("bracing alone", 100, 200))),
    ),
)  # fmt: skip
TARGETS = record(
    "Lower or higher ferritin thresholds for starting iron in restless legs syndrome",
    "We randomly assigned adults with restless legs syndrome to iron at a ferritin below 30 or below 75.",
    results=(
        result("relapse of symptoms", ratio(0.7, 0.5, 0.95, "RR"),
               (("iron at a ferritin below 30", 30, 100), ("iron at a ferritin below 75", 43, 100))),
    ),
)  # fmt: skip
DRUG = record(
    "Lofexidine in adults with opioid withdrawal",
    "We randomly assigned adults with opioid withdrawal to lofexidine or placebo.",
    results=(result("insomnia", ratio(0.6, 0.4, 0.9, "RR"), (("lofexidine", 20, 100), ("placebo", 33, 100))),),
)


@pytest.mark.parametrize(
    ("text", "work", "outcome"),
    [
        # two ways that no list has, by the words that set them apart
        ("Burst fracture of the spine: bracing alone vs instrumented fusion, who returns to work?", FUSION, "return to work"),
        # a figure of an examination and a finding that the source does not tell, told before the asking
        ("34M, opioid withdrawal, pulse 96, hand tremor. Does lofexidine reduce insomnia?", DRUG, "insomnia"),
    ],
)  # fmt: skip
def test_a_result_answers_whose_arms_outcome_and_people_stand_in_the_question(
    text: str, work: EvidenceCandidate, outcome: str
) -> None:
    found = concluded(text, work)
    assert found.lead is not None
    assert (found.lead.outcome, found.lead.comparison_fit) == (outcome, Fit.ASKED)


def test_what_is_not_told_of_the_people_is_said() -> None:
    found = concluded("34M, opioid withdrawal, pulse 96, hand tremor. Does lofexidine reduce insomnia?", DRUG)
    assert any("hand tremor" in text for text in found.people_wider)


def test_the_side_that_is_asked_about_first_stands_first_and_nothing_is_said_by_yes_or_no() -> None:
    found = concluded(
        "Burst fracture of the spine: does bracing alone rather than instrumented fusion delay return to work?", FUSION
    )
    assert found.lead is not None
    assert found.lead.comparison == ("bracing alone", "instrumented fusion")
    assert not found.asked.yes_or_no


@pytest.mark.parametrize(
    ("text", "work"),
    [
        # another outcome, however near
        ("Burst fracture of the spine: bracing alone vs instrumented fusion, who has less pneumonia?", FUSION),
        # another drug
        ("34M, opioid withdrawal. Does clonidine reduce insomnia?", DRUG),
        # another disease, or one that the source does not name
        ("Does lofexidine reduce insomnia in narcolepsy?", DRUG),
        ("Opioid withdrawal and cirrhosis: does lofexidine reduce insomnia?", DRUG),
        # people whom no source takes in without a word
        ("Pregnant, opioid withdrawal. Does lofexidine reduce insomnia?", DRUG),
        ("Kidney transplant recipient, opioid withdrawal. Does lofexidine reduce insomnia?", DRUG),
        # words that no list knows, of whom the question asks
        ("Does lofexidine reduce insomnia in skateboarders with opioid withdrawal?", DRUG),
        # one way alone of two
        ("Does surgery after a burst fracture of the spine speed return to work?", FUSION),
    ],
)
def test_nothing_answers_that_is_of_another_outcome_treatment_or_people(text: str, work: EvidenceCandidate) -> None:
    found = concluded(text, work)
    assert found.lead is None
    assert found.verdict in {ConclusionVerdict.NOT_FOUND, ConclusionVerdict.TOO_LITTLE}


def test_figures_set_two_arms_apart_where_nothing_else_does() -> None:
    found = concluded("Restless legs syndrome: iron at a ferritin of 30 or of 75, fewer relapses of symptoms?", TARGETS)
    assert found.lead is not None
    other = concluded(
        "Restless legs syndrome: iron at a ferritin of 50 or of 100, fewer relapses of symptoms?", TARGETS
    )
    assert other.lead is None
