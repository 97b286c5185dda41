"""A country whose guidelines are asked for says whose word goes first; texts are not matched by it."""

from __future__ import annotations

import pytest
from openwork_contracts.question import Intent
from openwork_language.asking.guidance import guidance_in, without_countries


@pytest.mark.parametrize(
    ("question", "bare"),
    [
        ("First-line treatment of tuberculosis in India?", "First-line treatment of tuberculosis ?"),
        ("Which vasopressor do guidelines in the UK recommend?", "Which vasopressor do guidelines recommend?"),
        ("Indian guideline on tuberculosis", "guideline on tuberculosis"),
        ("Guideline on Japanese encephalitis", "Guideline on Japanese encephalitis"),
    ],
)
def test_asked_countries_are_left_out(question: str, bare: str) -> None:
    assert without_countries(question, guidance_in(question, Intent.TREATMENT_GUIDELINE)) == bare


def test_a_country_of_people_stays() -> None:
    question = "Does dexamethasone reduce deaths in India?"
    assert without_countries(question, guidance_in(question, Intent.EFFICACY)) == question
