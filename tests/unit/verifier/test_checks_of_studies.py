"""What a study was and what a body recommends: only as the source says it."""

from __future__ import annotations

import pytest
from openwork_contracts.verdict import ReasonCode, Verdict
from verdicts import codes, judged

COHORT = (
    "We followed 412 nurses with migraine for two years in a retrospective cohort at one hospital. "
    "Melatonin use was associated with fewer attacks."
)
TRIAL = (
    "In this open-label trial at 12 hospitals, 240 adults with migraine were randomly assigned to melatonin or "
    "amitriptyline. Attacks were fewer with melatonin than with amitriptyline. Larger double-blind trials are needed."
)
GUIDELINE = (
    "The panel recommends prone positioning for adults with severe respiratory failure (strong recommendation, "
    "moderate certainty). Routine use of inhaled nitric oxide should not be continued without a response "
    "(class III, level B)."
)
RESULT = (
    "Prone positioning lowered mortality in adults with severe respiratory failure. "
    "Further studies should explore shorter sessions."
)
WARNING = "Antibiotics should not be given to children with viral bronchitis."


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("In a retrospective cohort, melatonin use was associated with fewer attacks in nurses.", COHORT),
        ("In a non-randomised cohort, melatonin use was associated with fewer attacks in nurses.", COHORT),
        ("In a randomised trial, attacks were fewer with melatonin than with amitriptyline.", TRIAL),
        ("In a multicentre open-label trial, attacks were fewer with melatonin than with amitriptyline.", TRIAL),
        (
            "Prone positioning is recommended for adults with severe respiratory failure (strong recommendation).",
            GUIDELINE,
        ),
        (
            "Prone positioning is recommended with moderate certainty for adults with severe respiratory failure.",
            GUIDELINE,
        ),
        ("Inhaled nitric oxide should not be continued without a response (class III).", GUIDELINE),
        ("Inhaled nitric oxide should not be continued without a response (level B).", GUIDELINE),
        ("Prone positioning lowered mortality in adults with severe respiratory failure.", RESULT),
        ("Children with viral bronchitis should not be given antibiotics.", WARNING),
    ],
)
def test_designs_and_grades_of_the_source_are_supported(text: str, source: str) -> None:
    found = judged(text, source)
    assert found.verdict is Verdict.SUPPORTED, found.reasons


@pytest.mark.parametrize(
    "design",
    [
        "a randomised study",
        "a double-blind study",
        "a placebo-controlled study",
        "a prospective study",
        "a multicentre study",
        "a crossover study",
        "a meta-analysis",
        "a trial",
    ],
)
def test_a_design_that_the_source_does_not_name_is_doubted(design: str) -> None:
    found = judged(f"In {design}, melatonin use was associated with fewer attacks.", COHORT)
    assert ReasonCode.DESIGN_DIFFERS in codes(found)
    assert found.verdict is Verdict.NOT_CONFIRMED


def test_a_design_that_the_source_only_wishes_for_is_not_its_own() -> None:
    found = judged("In a double-blind trial, attacks were fewer with melatonin than with amitriptyline.", TRIAL)
    assert codes(found) == {ReasonCode.DESIGN_DIFFERS}


def test_a_trial_that_is_called_for_is_not_the_one_that_was_done() -> None:
    found = judged("Larger double-blind trials of melatonin are needed.", TRIAL)
    assert ReasonCode.DESIGN_DIFFERS not in codes(found)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Adults with severe respiratory failure should be placed in the prone position.", RESULT),
        ("Prone positioning is recommended in adults with severe respiratory failure.", RESULT),
        ("Prone positioning is first-line in adults with severe respiratory failure.", RESULT),
        (
            "Prone positioning is recommended for adults with severe respiratory failure (weak recommendation).",
            GUIDELINE,
        ),
        ("Prone positioning is recommended with high certainty for adults with severe respiratory failure.", GUIDELINE),
        ("Inhaled nitric oxide should not be continued without a response (class I).", GUIDELINE),
        ("Inhaled nitric oxide should not be continued without a response (level A).", GUIDELINE),
        ("Children with viral bronchitis should be given antibiotics.", WARNING),
    ],
)
def test_advice_that_the_source_does_not_give_so_is_doubted(text: str, source: str) -> None:
    found = judged(text, source)
    assert ReasonCode.RECOMMENDATION_DIFFERS in codes(found)
    assert found.verdict is Verdict.NOT_CONFIRMED
