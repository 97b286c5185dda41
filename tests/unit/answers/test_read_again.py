"""A question in words that no list has, read in those of what was found: what answers it, and what must not."""

from __future__ import annotations

import pytest
from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate

from tests.unit.answers.made import concluded, question, ratio, record, result

SPINE, LEGS = "Burst fracture of the spine", "Restless legs syndrome"
BRACING = f"{SPINE}: does bracing alone rather than instrumented fusion mean more kyphosis?"


def trial(
    title: str, text: str, outcome: str, ratios: tuple[float, float, float], *arms: tuple[str, int, int]
) -> EvidenceCandidate:
    """A record of two arms and one result, a risk ratio."""
    return record(title, text, results=(result(outcome, ratio(*ratios, "RR"), arms),))


FUSION = trial(
    "Instrumented fusion or bracing alone for thoracolumbar burst fractures",
    "We randomly assigned adults with a burst fracture of the spine to instrumented fusion or to bracing alone.",
    "kyphosis progression",
    (0.8, 0.7, 0.92),
    ("instrumented fusion", 80, 200),
    ("bracing alone", 100, 200),
)
FERRITIN = trial(
    "Lower or higher ferritin thresholds for starting iron in restless legs syndrome",
    "We randomly assigned adults with restless legs syndrome to iron at a ferritin below 30 or below 75.",
    "relapse of symptoms",
    (0.7, 0.5, 0.95),
    ("iron at a ferritin below 30", 30, 100),
    ("iron at a ferritin below 75", 43, 100),
)
LOFEXIDINE = trial(
    "Lofexidine in adults with opioid withdrawal",
    "We randomly assigned adults with opioid withdrawal to lofexidine or placebo.",
    "insomnia",
    (0.6, 0.4, 0.9),
    ("lofexidine", 20, 100),
    ("placebo", 33, 100),
)


@pytest.mark.parametrize(
    ("text", "work", "outcome"),
    [
        (BRACING, FUSION, "kyphosis progression"),
        ("34M, opioid withdrawal, pulse 96, clammy. Does lofexidine reduce insomnia?", LOFEXIDINE, "insomnia"),
        (f"{LEGS}: iron at ferritin 30 vs 75, fewer relapses of symptoms?", FERRITIN, "relapse of symptoms"),
    ],
)  # fmt: skip
def test_a_result_answers_whose_arms_outcome_and_people_stand_in_the_question(
    text: str, work: EvidenceCandidate, outcome: str
) -> None:
    found = concluded(text, work)
    assert found.lead is not None
    assert (found.lead.outcome, found.lead.comparison_fit) == (outcome, Fit.ASKED)


def test_a_figure_of_an_examination_that_no_source_tells_is_said_not_to_be_told_apart() -> None:
    found = concluded("Opioid withdrawal, TSH 1.9. Does lofexidine reduce insomnia?", LOFEXIDINE)
    assert found.lead is not None
    assert any("TSH 1.9" in text for text in found.people_wider)


def test_what_is_asked_about_first_stands_first_and_nothing_is_said_by_yes_or_no() -> None:
    found = concluded(BRACING, FUSION)
    assert found.lead is not None
    assert found.lead.comparison == ("bracing alone", "instrumented fusion")
    assert found.lead.effect is not None
    assert found.lead.effect.estimate > 1
    assert not found.asked.yes_or_no


@pytest.mark.parametrize(
    ("text", "work"),
    [
        # another outcome, however near
        (f"{SPINE}: bracing alone vs instrumented fusion, who has less pneumonia?", FUSION),
        # another drug, another disease, one that the source does not name
        ("34M, opioid withdrawal. Does clonidine reduce insomnia?", LOFEXIDINE),
        ("Does lofexidine reduce insomnia in narcolepsy?", LOFEXIDINE),
        ("Opioid withdrawal and cirrhosis: does lofexidine reduce insomnia?", LOFEXIDINE),
        # people whom no source takes in without a word
        ("Pregnant, opioid withdrawal. Does lofexidine reduce insomnia?", LOFEXIDINE),
        ("Kidney transplant recipient, opioid withdrawal. Does lofexidine reduce insomnia?", LOFEXIDINE),
        ("Child of 6, opioid withdrawal. Does lofexidine reduce insomnia?", LOFEXIDINE),
        # words that no list knows, of whom the question asks
        ("Does lofexidine reduce insomnia in skateboarders with opioid withdrawal?", LOFEXIDINE),
        # other thresholds
        (f"{LEGS}: iron at ferritin 50 vs 100, fewer relapses of symptoms?", FERRITIN),
    ],
)
def test_nothing_leads_that_is_of_another_outcome_treatment_or_people(text: str, work: EvidenceCandidate) -> None:
    assert concluded(text, work).lead is None


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("Gout attack, day 2. Does colchicine reduce diarrhoea?", ("diarrhoea",)),
        ("Hip fracture: does early surgery lower pneumonia?", ("pneumonia",)),
        # where the asking part asks of nothing else, what stands before it is asked about
        ("Gout attacks with febuxostat vs allopurinol - hazard ratio?", ("Gout attacks",)),
    ],
)
def test_what_happened_before_the_asking_is_not_what_is_asked_about(text: str, outcomes: tuple[str, ...]) -> None:
    assert question(text).outcome_texts == outcomes
