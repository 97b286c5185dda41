"""Children are answered about by what studied them, never as some of wider people."""

from __future__ import annotations

import pytest
from openwork_answers.people import people_fit
from openwork_contracts.conclusion import Fit

from tests.unit.answers.made import question, record

NEAR = {Fit.ASKED, Fit.PART, Fit.WIDER}


@pytest.mark.parametrize(
    "told",
    [
        "Dupilumab in people with atopic dermatitis",
        "Dupilumab in atopic dermatitis: 740 adults were randomized",
        "A trial in atopic dermatitis, mean age 41 years",
    ],
)
def test_a_study_that_names_no_children_says_nothing_of_them(told: str) -> None:
    asked = question("Does dupilumab reduce itch in children with atopic dermatitis?")
    assert people_fit(asked.people, record(told)) not in NEAR


@pytest.mark.parametrize(
    "told",
    [
        "Dupilumab in children aged 6 to 11 years with atopic dermatitis",
        "Dupilumab in atopic dermatitis in patients 12 years of age or older",
    ],
)
def test_a_study_that_took_children_in_is_of_some_of_them_or_of_more_people(told: str) -> None:
    asked = question("Does dupilumab reduce itch in children with atopic dermatitis?")
    assert people_fit(asked.people, record(told)) in NEAR
