"""How close the works of a shortlist come to the very comparison, outcome and people that are asked about."""

from __future__ import annotations

import pytest
from openwork_answers.as_asked import MOST_CLOSE, closeness
from openwork_contracts.evidence import EvidenceCandidate

from tests.unit.answers.made import ARISTOTLE, DAPA_HF, SIX_S, passages, question, record

BARE = record(
    "Zinc for the common cold",
    "We assigned 400 adults with a cold to zinc or placebo. Cough was rarer with zinc than with placebo "
    "(risk ratio 0.70; 95% CI 0.55 to 0.89).",
)


@pytest.mark.parametrize(
    ("text", "work", "close"),
    [
        ("Does dapagliflozin reduce deaths in heart failure?", DAPA_HF, MOST_CLOSE),
        ("Do SGLT2 inhibitors reduce deaths in heart failure?", DAPA_HF, MOST_CLOSE - 1),
        ("Does dapagliflozin reduce deaths in pregnancy?", DAPA_HF, 0),
        ("Does dapagliflozin reduce fractures in heart failure?", DAPA_HF, 0),
        ("Apixaban or warfarin in AF: less major bleeding?", ARISTOTLE, MOST_CLOSE),
        ("Apixaban or aspirin in AF: less major bleeding?", ARISTOTLE, 0),
        ("Does hydroxyethyl starch increase deaths in sepsis?", ARISTOTLE, 0),
        ("Does hydroxyethyl starch increase deaths in severe sepsis?", SIX_S, MOST_CLOSE),
        ("What is dapagliflozin?", DAPA_HF, 0),
        ("Does zinc reduce cough in adults with a common cold?", BARE, MOST_CLOSE),  # told in its sentences alone
    ],
)
def test_a_work_answers_by_a_result_of_comparison_outcome_and_people_and_by_nothing_less(
    text: str, work: EvidenceCandidate, close: int
) -> None:
    assert closeness(question(text), 1, work, passages((work,))) == close
